/**
 * Formulas over what is not known of a request: shared, so that equal ones are one, and simplified where that is easy. An atom
 * is about unknowns (`unknowns.ts`).
 */

/** What an atom says; its meaning is given in `smt.ts`. */
export type Atom =
  /** The unknown is of this kind. */
  | { readonly says: "kind"; readonly of: number; readonly kind: Kind }
  /** It is this scalar. */
  | { readonly says: "is"; readonly of: number; readonly scalar: Scalar }
  /** It is a number, and below this one; `orEqual`: or this one. */
  | { readonly says: "below"; readonly of: number; readonly limit: string; readonly orEqual: boolean }
  /** Both are numbers, the first below the second. */
  | { readonly says: "less"; readonly of: number; readonly than: number; readonly orEqual: boolean }
  /** Both are there, and equal. */
  | { readonly says: "same"; readonly of: number; readonly as: number }
  /** It is a list or an object with at least `least` elements. */
  | { readonly says: "long"; readonly of: number; readonly least: number }
  /** It is a text that begins with, ends with or contains another. */
  | { readonly says: "text"; readonly of: number; readonly how: TextTest; readonly part: string }
  /** It is what arithmetic gives for these: unknowns, or known numbers. It is exact for whole numbers that are not large: others are rounded. */
  | {
      readonly says: "arithmetic";
      readonly of: number;
      readonly how: Arithmetic;
      readonly from: readonly (number | { readonly number: string })[];
    }
  /** Anything: true or false, and the same wherever it has this name. */
  | { readonly says: "free"; readonly name: string };

export const KINDS = ["undefined", "null", "boolean", "number", "string", "array", "object", "set"] as const;
export type Kind = (typeof KINDS)[number];
export type Scalar = string | boolean | null | { readonly number: string };
export type Arithmetic = "floor" | "ceil" | "abs" | "plus" | "minus";
export type TextTest = "prefix" | "suffix" | "contains";

export type Formula =
  | { readonly id: number; readonly op: "true" | "false" }
  | { readonly id: number; readonly op: "atom"; readonly atom: Atom; readonly key: string }
  | { readonly id: number; readonly op: "not"; readonly of: Formula }
  | { readonly id: number; readonly op: "and" | "or"; readonly of: readonly Formula[] };

/** More are too many to reason about. */
const MOST_FORMULAS = 2_000_000;

export class TooMany extends Error {}

/** Conjunctions and disjunctions of more members are not merged into others. */
const MOST_MERGED = 40;

/** Makes formulas; those of one factory can be put together. */
export class Formulas {
  readonly true: Formula = { id: 0, op: "true" };
  readonly false: Formula = { id: 1, op: "false" };
  private readonly known = new Map<string, Formula>();
  private next = 2;

  atom(atom: Atom): Formula {
    const key = JSON.stringify(atom);
    return this.shared(`a${key}`, (id) => ({ id, op: "atom", atom, key }));
  }

  free(name: string): Formula {
    return this.atom({ says: "free", name });
  }

  not(of: Formula): Formula {
    if (of.op === "true") return this.false;
    if (of.op === "false") return this.true;
    if (of.op === "not") return of.of;
    return this.shared(`n${of.id}`, (id) => ({ id, op: "not", of }));
  }

  and(...all: readonly Formula[]): Formula {
    return this.join("and", all);
  }

  or(...all: readonly Formula[]): Formula {
    return this.join("or", all);
  }

  when(condition: boolean): Formula {
    return condition ? this.true : this.false;
  }

  private join(op: "and" | "or", all: readonly Formula[]): Formula {
    const [unit, zero] = op === "and" ? [this.true, this.false] : [this.false, this.true];
    const members = new Map<number, Formula>();
    for (const one of all) {
      const inner = one.op === op && one.of.length <= MOST_MERGED ? one.of : [one];
      for (const member of inner) {
        if (member === zero) return zero;
        if (member !== unit) members.set(member.id, member);
      }
    }
    if (members.size === 0) return unit;
    const [only] = members.values();
    if (members.size === 1 && only !== undefined) return only;
    // A member and its negation, all the parts of what is negated, or one part where any makes it so.
    for (const member of members.values()) {
      if (member.op !== "not") continue;
      const { of: inner } = member;
      const parts = inner.op === op ? inner.of : [inner];
      if (parts.every(({ id }) => members.has(id))) return zero;
      if ((inner.op === "and" || inner.op === "or") && inner.op !== op && inner.of.some(({ id }) => members.has(id)))
        return zero;
    }
    if (op === "and" && contradicts([...members.values()])) return zero;
    if (op === "or") {
      const absorbed = [...members.values()].filter((m) => m.op === "and" && m.of.some((part) => members.has(part.id)));
      for (const { id } of absorbed) members.delete(id);
      const [left] = members.values();
      if (members.size === 1 && left !== undefined) return left;
    }
    const of = [...members.values()].sort((a, b) => a.id - b.id);
    return this.shared(`${op}${of.map(({ id }) => id).join(",")}`, (id) => ({ id, op, of }));
  }

  private shared(key: string, make: (id: number) => Formula): Formula {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    if (this.next > MOST_FORMULAS) throw new TooMany();
    const made = make(this.next++);
    this.known.set(key, made);
    return made;
  }
}

export function kindOfScalar(scalar: Scalar): Kind {
  if (scalar === null) return "null";
  if (typeof scalar === "object") return "number";
  return typeof scalar === "boolean" ? "boolean" : "string";
}

/** Two atoms about one unknown that cannot both hold. Not all that contradict are found. */
function contradicts(members: readonly Formula[]): boolean {
  const [kinds, scalars] = [new Map<number, Kind>(), new Map<number, string>()];
  for (const member of members) {
    if (member.op !== "atom") continue;
    const { atom } = member;
    const kind = kindSaid(atom);
    if (kind !== undefined) {
      if ((kinds.get(kind[0]) ?? kind[1]) !== kind[1]) return true;
      kinds.set(...kind);
    }
    if (atom.says !== "is") continue;
    const text = JSON.stringify(atom.scalar);
    if ((scalars.get(atom.of) ?? text) !== text) return true;
    scalars.set(atom.of, text);
  }
  return false;
}

function kindSaid(atom: Atom): [number, Kind] | undefined {
  switch (atom.says) {
    case "kind":
      return [atom.of, atom.kind];
    case "is":
      return [atom.of, kindOfScalar(atom.scalar)];
    case "text":
      return [atom.of, "string"];
    case "below":
    case "less":
      return [atom.of, "number"];
    case "same":
    case "long":
    case "arithmetic":
    case "free":
      return undefined;
  }
}

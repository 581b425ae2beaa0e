/**
 * Values that depend on what is not known: cases, of which at most one holds. Where none does, the value is undefined. A
 * collection that rules make may have members that are there in some cases only.
 */

import { compareValues, decimalOf, type Value, valueText } from "@portcullis/rego/value";
import type { Formula, Formulas, Scalar } from "./formula.ts";
import { NotEncodable } from "./not-encodable.ts";
import type { Unknown, Unknowns } from "./unknowns.ts";

export interface Part {
  readonly when: Formula;
  /** The key that an object has it under; it is known. */
  readonly key?: Value;
  readonly value: Cases;
  /** Its place in a list is not known, and it may stand there twice. */
  readonly loose?: boolean;
}

export interface Made {
  readonly is: "made";
  readonly kind: "array" | "object" | "set";
  readonly id: number;
  readonly parts: readonly Part[];
}

export type Item =
  | { readonly is: "known"; readonly value: Value }
  | { readonly is: "unknown"; readonly unknown: Unknown }
  | Made;

export interface Case {
  readonly when: Formula;
  readonly item: Item;
}

export type Cases = readonly Case[];

/** What texts unknowns are or are not, by their names. */
export type Given = ReadonlyMap<
  string,
  { readonly oneOf: readonly string[] } | { readonly noneOf: ReadonlySet<string> }
>;

/** Distances that exponents of numbers may have from the point. */
const LONGEST_NUMBER = 300n;

/** Cases of one set of unknowns. */
export class CaseMaker {
  readonly unknowns: Unknowns;
  private readonly given: Given;
  private readonly texts = new Map<string, number>();
  private readonly ids = new WeakMap<Value, number>();
  private readonly canonical = new WeakMap<Made, Made>();
  private readonly interns = new Map<string, Made>();
  private nextMade = 0;

  constructor(unknowns: Unknowns, given: Given) {
    this.unknowns = unknowns;
    this.given = given;
  }

  known(value: Value): Cases {
    return [{ when: this.unknowns.formulas.true, item: { is: "known", value } }];
  }

  truth(holds: Formula, under: Formula = this.unknowns.formulas.true): Cases {
    const { formulas } = this.unknowns;
    return this.merged([
      { when: formulas.and(under, holds), item: { is: "known", value: { kind: "boolean", value: true } } },
      {
        when: formulas.and(under, formulas.not(holds)),
        item: { is: "known", value: { kind: "boolean", value: false } },
      },
    ]);
  }

  unknown(unknown: Unknown): Cases {
    const given = this.given.get(unknown.name);
    if (given !== undefined && "oneOf" in given) {
      const texts = given.oneOf.map((value) => ({ kind: "string", value }) as const);
      const [only] = texts;
      if (texts.length === 1 && only !== undefined) return this.known(only);
      return texts.map((value) => ({ when: this.is(unknown, value.value), item: { is: "known", value } }));
    }
    return this.merged([{ when: this.unknowns.isDefined(unknown), item: { is: "unknown", unknown } }]);
  }

  /** Whether it is a scalar, as far as that is not given. */
  is(unknown: Unknown, scalar: Scalar): Formula {
    const { formulas } = this.unknowns;
    const given = this.given.get(unknown.name);
    if (given !== undefined && typeof scalar === "string" && "noneOf" in given && given.noneOf.has(scalar))
      return formulas.false;
    return formulas.atom({ says: "is", of: unknown.id, scalar });
  }

  made(kind: Made["kind"], parts: readonly Part[]): Item {
    const { true: always } = this.unknowns.formulas;
    const known = parts.map(({ when, value, loose }) =>
      loose !== true &&
      when === always &&
      value.length === 1 &&
      value[0]?.when === always &&
      value[0].item.is === "known"
        ? value[0].item.value
        : undefined,
    );
    const all = known.filter((value) => value !== undefined);
    if (all.length < parts.length) return { is: "made", kind, id: this.nextMade++, parts };
    if (kind === "array") return { is: "known", value: { kind, items: all } };
    if (kind === "set") return { is: "known", value: { kind, items: distinct(all) } };
    const entries = new Map(
      parts.map(({ key }, i) => [valueText(key as Value), [key as Value, all[i] as Value] as const]),
    );
    return { is: "known", value: { kind, entries: [...entries.values()].sort(([a], [b]) => compareValues(a, b)) } };
  }

  /** The same cases, with one item for all collections that are made of the same parts. */
  interned(cases: Cases): Cases {
    if (cases.every(({ item }) => item.is !== "made" || this.canonical.get(item) === item)) return cases;
    return cases.map(({ when, item }) => ({ when, item: item.is === "made" ? this.internedMade(item) : item }));
  }

  private internedMade(made: Made): Made {
    const known = this.canonical.get(made);
    if (known !== undefined) return known;
    const parts = made.parts.map((part) => ({ ...part, value: this.interned(part.value) }));
    const text = parts.map(({ when, key, value, loose }) =>
      [when.id, key && this.idOf(key), loose, this.keysOf(value)].join(":"),
    );
    const name = `${made.kind} ${text.join(" ")}`;
    const one = this.interns.get(name) ?? { ...made, parts };
    this.interns.set(name, one);
    this.canonical.set(made, one).set(one, one);
    return one;
  }

  /** Equal items have equal texts. */
  keyOf(item: Item): string {
    switch (item.is) {
      case "known":
        return `k${this.idOf(item.value)}`;
      case "unknown":
        return `u${item.unknown.id}`;
      case "made":
        return `m${item.id}`;
    }
  }

  keysOf(cases: Cases): string {
    return cases.map(({ when, item }) => `${when.id}:${this.keyOf(item)}`).join(";");
  }

  merged(cases: Cases): Cases {
    const { formulas } = this.unknowns;
    const found = new Map<string, { when: Formula[]; item: Item }>();
    for (const { when, item } of cases) {
      if (when === formulas.false) continue;
      const key = this.keyOf(item);
      const known = found.get(key);
      if (known === undefined) found.set(key, { when: [when], item });
      else known.when.push(when);
    }
    return [...found.values()].map(({ when, item }) => ({ when: formulas.or(...when), item }));
  }

  guarded(cases: Cases, by: Formula): Cases {
    const { formulas } = this.unknowns;
    return cases.flatMap(({ when, item }) => {
      const both = formulas.and(when, by);
      return both === formulas.false ? [] : [{ when: both, item }];
    });
  }

  /** Whether there is a value. */
  isDefined(cases: Cases): Formula {
    return this.unknowns.formulas.or(...cases.map(({ when }) => when));
  }

  /** What cases are where something is known to hold. */
  under(cases: Cases, holds: Formula): Cases {
    return this.merged(cases.map(({ when, item }) => ({ when: this.relative(when, holds), item })));
  }

  /** A formula as it is where another holds: without what both have in common. */
  relative(formula: Formula, holds: Formula): Formula {
    const { formulas } = this.unknowns;
    if (formula === holds) return formulas.true;
    const held = new Set((holds.op === "and" ? holds.of : [holds]).map(({ id }) => id));
    const parts = (formula.op === "and" ? formula.of : [formula]).filter(({ id }) => !held.has(id));
    return formulas.and(...parts);
  }

  private idOf(value: Value): number {
    const known = this.ids.get(value);
    if (known !== undefined) return known;
    const text = valueText(value);
    const id = this.texts.get(text) ?? this.texts.size;
    this.texts.set(text, id);
    this.ids.set(value, id);
    return id;
  }
}

export function distinct(values: readonly Value[]): Value[] {
  const sorted = [...values].sort(compareValues);
  return sorted.filter((value, i) => i === 0 || compareValues(sorted[i - 1] as Value, value) !== 0);
}

/** `undefined` for a collection. */
export function scalarOf(value: Value): Scalar | undefined {
  switch (value.kind) {
    case "null":
      return null;
    case "boolean":
    case "string":
      return value.value;
    case "number":
      return { number: plainNumber(value.text) };
    case "array":
    case "object":
    case "set":
      return undefined;
  }
}

export function valueOfScalar(scalar: Scalar): Value {
  if (scalar === null) return { kind: "null" };
  if (typeof scalar === "object") return { kind: "number", text: scalar.number };
  return typeof scalar === "string" ? { kind: "string", value: scalar } : { kind: "boolean", value: scalar };
}

/** One text for each number, without an exponent: `1`, `-0.5`. */
export function plainNumber(text: string): string {
  const { sign, digits, exponent } = decimalOf(text);
  if (sign === 0) return "0";
  if (exponent > LONGEST_NUMBER || exponent < -LONGEST_NUMBER) throw new NotEncodable("a number with a large exponent");
  const at = Number(exponent);
  const all =
    at <= 0
      ? `0.${"0".repeat(-at)}${digits}`
      : digits.length <= at
        ? digits.padEnd(at, "0")
        : `${digits.slice(0, at)}.${digits.slice(at)}`;
  return `${sign < 0 ? "-" : ""}${all}`;
}

/** Whether the places of a list's elements are not known. */
export function isLoose({ parts }: Pick<Made, "parts">): boolean {
  return parts.some(({ loose }) => loose === true);
}

/** The value of a part that has one alone. */
export function knownOf(cases: Cases): Value | undefined {
  const [only] = cases;
  return cases.length === 1 && only?.item.is === "known" && only.when.op === "true" ? only.item.value : undefined;
}

/** The members of a set, each once, with when it is there. `undefined` where one is not known. */
export function membersOf(formulas: Formulas, { parts }: Pick<Made, "parts">): Part[] | undefined {
  const members = new Map<string, { readonly when: Formula[]; readonly value: Cases }>();
  for (const { when, value } of parts) {
    const known = knownOf(value);
    if (known === undefined) return undefined;
    const text = valueText(known);
    const member = members.get(text) ?? { when: [], value };
    member.when.push(when);
    members.set(text, member);
  }
  return [...members.values()].map(({ when, value }) => ({ when: formulas.or(...when), value }));
}

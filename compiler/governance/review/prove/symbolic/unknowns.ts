/**
 * What is not known while a policy is reasoned about: the input with its members, data of the host's, and results of builtins
 * that the fragment does not have. An unknown has a name; those of one name have one value.
 */

import type { Value } from "@portcullis/rego/value";
import { type Formula, Formulas, type Kind } from "./formula.ts";

/** Where an unknown comes from. */
export type Origin =
  | { readonly from: "input" }
  | { readonly from: "host"; readonly path: string }
  /** `parent[key]`, where the parent is an object. */
  | { readonly from: "member"; readonly parent: Unknown; readonly key: string }
  /** The element of a list, or the `at`-th key or value of an object, in any order. */
  | { readonly from: "element" | "key" | "value"; readonly parent: Unknown; readonly at: number }
  /** Anything: what a builtin or a function gives for these arguments. */
  | { readonly from: "result" };

export interface Unknown {
  readonly id: number;
  readonly name: string;
  readonly origin: Origin;
  /** Where it depends on one other unknown alone: what it is for a scalar of that one, or "unknown". */
  readonly of?: { readonly base: Unknown; readonly give: (base: Value) => Value | "unknown" | undefined } | undefined;
}

/** Shared by the policies that are compared: an input is one for both. */
export class Unknowns {
  readonly formulas = new Formulas();
  readonly all: Unknown[] = [];
  /** What is true of them whatever the request. */
  readonly axioms: Formula[] = [];
  /** Requests are taken to have no more elements here, by name. */
  readonly bounded = new Map<string, Unknown>();
  /** Elements of a list or object of a request over which rules loop. */
  readonly bound: number;
  private readonly byName = new Map<string, Unknown>();
  readonly input: Unknown;

  constructor(bound: number) {
    this.bound = bound;
    this.input = this.named("input", { from: "input" });
    this.axioms.push(this.isDefined(this.input));
  }

  named(name: string, origin: Origin, of?: Unknown["of"]): Unknown {
    const known = this.byName.get(name);
    if (known !== undefined) return known;
    const made: Unknown = { id: this.all.length, name, origin, of };
    this.all.push(made);
    this.byName.set(name, made);
    this.axiomsOf(made);
    return made;
  }

  member(parent: Unknown, key: string): Unknown {
    return this.named(`${parent.name}[${JSON.stringify(key)}]`, { from: "member", parent, key });
  }

  /** The members that were spoken of so far, by name. */
  membersOf(of: Unknown): (readonly [string, Unknown])[] {
    return this.all.flatMap((one) =>
      one.origin.from === "member" && one.origin.parent === of ? [[one.origin.key, one] as const] : [],
    );
  }

  element(parent: Unknown, at: number): Unknown {
    return this.named(`${parent.name}[${at}]`, { from: "element", parent, at });
  }

  entry(from: "key" | "value", parent: Unknown, at: number): Unknown {
    return this.named(`${parent.name}{${from} ${at}}`, { from, parent, at });
  }

  is(of: Unknown, kind: Kind): Formula {
    return this.formulas.atom({ says: "kind", of: of.id, kind });
  }

  isDefined(of: Unknown): Formula {
    const { formulas } = this;
    return formulas.not(this.is(of, "undefined"));
  }

  /** Whether it has at least `least` elements. */
  isLong(of: Unknown, least: number): Formula {
    return least === 0 ? this.formulas.true : this.formulas.atom({ says: "long", of: of.id, least });
  }

  /** Whether it is JSON: of the input or the host's data, which have no sets. */
  isJson({ origin }: Unknown): boolean {
    return origin.from !== "result";
  }

  private axiomsOf(made: Unknown): void {
    const { formulas } = this;
    const implies = (a: Formula, b: Formula): void => {
      this.axioms.push(formulas.or(formulas.not(a), b));
    };
    const { origin } = made;
    if (this.isJson(made)) this.axioms.push(formulas.not(this.is(made, "set")));
    switch (origin.from) {
      case "member":
        implies(this.isDefined(made), this.is(origin.parent, "object"));
        implies(this.isDefined(made), this.isLong(origin.parent, 1));
        break;
      case "element": {
        const isThere = formulas.and(this.is(origin.parent, "array"), this.isLong(origin.parent, origin.at + 1));
        implies(this.isDefined(made), isThere);
        implies(isThere, this.isDefined(made));
        break;
      }
      case "key":
      case "value": {
        const isThere = formulas.and(this.is(origin.parent, "object"), this.isLong(origin.parent, origin.at + 1));
        implies(this.isDefined(made), isThere);
        implies(isThere, this.isDefined(made));
        if (origin.from === "key") implies(isThere, this.is(made, "string"));
        break;
      }
      case "input":
      case "host":
      case "result":
        break;
    }
  }
}

/** Builtins that make a collection of collections. `undefined`: of these there are no words for it. */

import { compareValues, type Value, valueText } from "@portcullis/rego/value";
import { type CaseMaker, type Cases, type Item, knownOf, membersOf, type Part } from "./cases.ts";
import type { Relations } from "./equality.ts";
import type { Formulas } from "./formula.ts";

export class Collections {
  private readonly maker: CaseMaker;
  private readonly relations: Relations;
  private readonly formulas: Formulas;

  constructor(maker: CaseMaker, relations: Relations) {
    this.maker = maker;
    this.relations = relations;
    this.formulas = maker.unknowns.formulas;
  }

  sorted(a: Item): Cases | undefined {
    const members = a.is === "made" && a.kind === "set" ? membersOf(this.formulas, a) : undefined;
    if (members === undefined) return undefined;
    const memberOf = ({ value }: Part): Value => knownOf(value) as Value;
    return this.one(
      this.maker.made(
        "array",
        members.sort((x, y) => compareValues(memberOf(x), memberOf(y))),
      ),
    );
  }

  ofSets(name: "or" | "and" | "minus", a: Item, b: Item): Cases | undefined {
    const { formulas } = this;
    const [x, y] = [this.partsOf(a, "set"), this.partsOf(b, "set")];
    if (x === undefined || y === undefined) return undefined;
    if (name === "or") {
      // Members that are not known may be those of the other: what reads them tells.
      const parts = membersOf(formulas, { parts: [...x, ...y] }) ?? [...x, ...y];
      return this.one(this.maker.made("set", parts));
    }
    const parts = x.map(({ when, value }) => {
      const isIn = formulas.or(
        ...y.map((other) =>
          formulas.and(
            other.when,
            formulas.or(
              ...value.flatMap((v) =>
                other.value.map((w) => formulas.and(v.when, w.when, this.relations.equal(v.item, w.item))),
              ),
            ),
          ),
        ),
      );
      return { when: formulas.and(when, name === "and" ? isIn : formulas.not(isIn)), value };
    });
    return this.one(
      this.maker.made(
        "set",
        parts.filter(({ when }) => when !== formulas.false),
      ),
    );
  }

  concatenated(a: Item, b: Item): Cases | undefined {
    const [x, y] = [this.partsOf(a, "array"), this.partsOf(b, "array")];
    return x === undefined || y === undefined ? undefined : this.one(this.maker.made("array", [...x, ...y]));
  }

  /** Objects whose members are no objects, where both have them. */
  united(a: Item, b: Item): Cases | undefined {
    const [x, y] = [this.partsOf(a, "object"), this.partsOf(b, "object")];
    if (x === undefined || y === undefined) return undefined;
    const keys = new Set(x.map(({ key }) => valueText(key as Value)));
    const shared = y.filter(({ key }) => keys.has(valueText(key as Value)));
    const isPlain = ({ value }: { readonly value: Cases }): boolean =>
      value.every(({ item }) => item.is === "known" && item.value.kind !== "object");
    if (!shared.every(isPlain)) return undefined;
    // The second one's member counts, where it is there.
    const kept = x.map((part) => {
      const name = valueText(part.key as Value);
      const over = y.filter(({ key }) => valueText(key as Value) === name).map(({ when }) => when);
      return { ...part, when: this.formulas.and(part.when, this.formulas.not(this.formulas.or(...over))) };
    });
    const there = kept.filter(({ when }) => when !== this.formulas.false);
    return this.one(this.maker.made("object", [...there, ...y]));
  }

  private partsOf(item: Item, kind: "array" | "object" | "set"): readonly Part[] | undefined {
    const { true: always } = this.formulas;
    if (item.is === "unknown") return undefined;
    if (item.is === "made") return item.kind === kind ? item.parts : undefined;
    const { value } = item;
    if (value.kind !== kind) return undefined;
    if (value.kind === "object")
      return value.entries.map(([key, v]) => ({ when: always, key, value: this.relations.lifted(v) }));
    return value.items.map((v) => ({ when: always, value: this.relations.lifted(v) }));
  }

  private one(item: Item): Cases {
    return [{ when: this.formulas.true, item }];
  }
}

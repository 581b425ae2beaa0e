/** Builtins that make a collection of collections. `undefined`: of these there are no words for it. */

import { type Value, valueText } from "@portcullis/rego/value";
import { areDistinct, type CaseMaker, type Cases, distinct, type Item, knownOf, type Part } from "./cases.ts";
import type { Relations } from "./equality.ts";
import type { Formula, Formulas } from "./formula.ts";

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
    if (a.is !== "made" || a.kind !== "set" || !areDistinct(a)) return undefined;
    const order = distinct(a.parts.map((part) => knownOf(part.value) as Value));
    const parts = order.flatMap((value) =>
      a.parts.filter((part) => valueText(knownOf(part.value) as Value) === valueText(value)),
    );
    return this.one(this.maker.made("array", parts));
  }

  ofSets(name: "or" | "and" | "minus", a: Item, b: Item): Cases | undefined {
    const { formulas } = this;
    const [x, y] = [this.partsOf(a, "set"), this.partsOf(b, "set")];
    if (x === undefined || y === undefined) return undefined;
    if (name === "or") {
      const values = new Map<string, { when: Formula[]; value: Cases }>();
      for (const { when, value } of [...x, ...y]) {
        const known = knownOf(value);
        if (known === undefined) return undefined;
        const same = values.get(valueText(known));
        if (same === undefined) values.set(valueText(known), { when: [when], value });
        else same.when.push(when);
      }
      const parts = [...values.values()].map(({ when, value }) => ({ when: formulas.or(...when), value }));
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
    return this.one(this.maker.made("object", [...x, ...y]));
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

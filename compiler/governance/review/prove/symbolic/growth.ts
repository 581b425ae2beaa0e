/** Collections that grow while they are made. */

import type { Value } from "@portcullis/rego/value";
import type { CaseMaker, Cases, Item, Made, Part } from "./cases.ts";
import type { Formula, Formulas } from "./formula.ts";
import { NotEncodable } from "./not-encodable.ts";

export class Growth {
  private readonly maker: CaseMaker;
  private readonly formulas: Formulas;
  /** What more than one place has. */
  private readonly shared = new WeakSet<Item>();

  constructor(maker: CaseMaker) {
    this.maker = maker;
    this.formulas = maker.unknowns.formulas;
  }

  /** What a local holds when another, or a collection, gets it, too: neither may grow after that. */
  handedOn(cases: Cases): Cases {
    for (const { item } of cases) this.shared.add(item);
    return cases;
  }

  /** The collections with more parts, where that is reached. Throws NotEncodable. */
  grown(
    cases: Cases,
    kind: Made["kind"],
    reached: Formula,
    more: (made: readonly Part[], when: Formula) => readonly Part[],
  ): Cases {
    const { formulas } = this;
    return cases.map(({ when, item }) => {
      if (formulas.and(when, reached) === formulas.false) return { when, item };
      if (this.shared.has(item)) throw new NotEncodable("a collection that grows after it was handed on");
      const parts = this.partsOf(item, kind);
      // Where the collection is, and this is not reached, the new parts are not in it.
      const isReached = this.maker.relative(reached, when);
      const added = more(parts, when).map((part) => ({ ...part, when: formulas.and(part.when, isReached) }));
      return { when, item: this.maker.made(kind, [...parts, ...added]) };
    });
  }

  private partsOf(item: Item, kind: Made["kind"]): readonly Part[] {
    const always = this.formulas.true;
    if (item.is === "made" && item.kind === kind) return item.parts;
    if (item.is !== "known" || item.value.kind !== kind) throw new NotEncodable("a collection that is not known grows");
    const { value } = item;
    if (value.kind === "object")
      return value.entries.map(([key, v]) => ({ when: always, key, value: this.maker.known(v) }));
    return (value as { readonly items: readonly Value[] }).items.map((v) => ({
      when: always,
      value: this.maker.known(v),
    }));
  }
}

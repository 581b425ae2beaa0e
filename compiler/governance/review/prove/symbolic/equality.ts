/** When two values are equal, when a value is of a kind, and what is found in it under a key. */

import { compareValues, elementOf, type Value } from "@portcullis/rego/value";
import { type CaseMaker, type Cases, type Item, type Made, type Part, scalarOf } from "./cases.ts";
import type { Formula, Formulas, Kind } from "./formula.ts";
import { NotEncodable } from "./not-encodable.ts";
import type { Unknown, Unknowns } from "./unknowns.ts";

export class Relations {
  private readonly maker: CaseMaker;
  private readonly unknowns: Unknowns;
  private readonly formulas: Formulas;
  /** Values of the data that the host gives. */
  private readonly holes: ReadonlyMap<Value, Unknown>;

  constructor(maker: CaseMaker, holes: ReadonlyMap<Value, Unknown>) {
    this.maker = maker;
    this.unknowns = maker.unknowns;
    this.formulas = maker.unknowns.formulas;
    this.holes = holes;
  }

  isOfKind(item: Item, kind: Kind): Formula {
    switch (item.is) {
      case "known":
        return this.formulas.when(item.value.kind === kind);
      case "unknown":
        return this.unknowns.is(item.unknown, kind);
      case "made":
        return this.formulas.when(item.kind === kind);
    }
  }

  equal(a: Item, b: Item): Formula {
    const { formulas } = this;
    if (a.is === "known" && b.is === "known") return formulas.when(compareValues(a.value, b.value) === 0);
    if (b.is === "known") return this.isValue(a, b.value);
    if (a.is === "known") return this.isValue(b, a.value);
    if (a.is === "unknown" && b.is === "unknown") return this.areSame(a.unknown, b.unknown);
    if (a.is === "made" && b.is === "made" && a.id === b.id) return formulas.true;
    const [x, y] = [this.maker.keyOf(a), this.maker.keyOf(b)].sort();
    return formulas.free(`${x} = ${y}`);
  }

  /** The cases of `source[key]`. */
  element(source: Cases, key: Cases): Cases {
    const found = source.flatMap((s) =>
      key.flatMap((k) => this.maker.guarded(this.elementOf(s.item, k.item), this.formulas.and(s.when, k.when))),
    );
    return this.maker.merged(found);
  }

  /** What a value of the data stands for. */
  lifted(value: Value): Cases {
    const hole = this.holes.get(value);
    return hole === undefined ? this.maker.known(value) : this.maker.unknown(hole);
  }

  private isValue(item: Item, value: Value): Formula {
    const { formulas } = this;
    if (item.is === "made") return this.isMade(item, value);
    if (item.is === "known") return formulas.when(compareValues(item.value, value) === 0);
    const { unknown } = item;
    const scalar = scalarOf(value);
    if (scalar !== undefined) return formulas.atom({ says: "is", of: unknown.id, scalar });
    if (value.kind === "array" && this.unknowns.isJson(unknown)) {
      const elements = value.items.map((of, i) =>
        this.isValue({ is: "unknown", unknown: this.unknowns.element(unknown, i) }, of),
      );
      const isLonger = this.unknowns.isLong(unknown, value.items.length + 1);
      const isLong = this.unknowns.isLong(unknown, value.items.length);
      return formulas.and(this.unknowns.is(unknown, "array"), isLong, formulas.not(isLonger), ...elements);
    }
    const kind = value.kind as Kind;
    const free = formulas.free(`${this.maker.keyOf(item)} = ${this.maker.keyOf({ is: "known", value })}`);
    return formulas.and(this.unknowns.is(unknown, kind), free);
  }

  /** An empty collection is told; others are equal or not. */
  private isMade(made: Made, value: Value): Formula {
    const { formulas } = this;
    if (value.kind !== made.kind) return formulas.false;
    const size = value.kind === "object" ? value.entries.length : value.items.length;
    if (size === 0) return formulas.and(...made.parts.map(({ when }) => formulas.not(when)));
    return formulas.free(`${this.maker.keyOf(made)} = ${this.maker.keyOf({ is: "known", value })}`);
  }

  private areSame(a: Unknown, b: Unknown): Formula {
    if (a.id === b.id) return this.unknowns.isDefined(a);
    const [of, as] = a.id < b.id ? [a, b] : [b, a];
    return this.formulas.atom({ says: "same", of: of.id, as: as.id });
  }

  private elementOf(source: Item, key: Item): Cases {
    switch (source.is) {
      case "known":
        return this.inKnown(source.value, key);
      case "unknown":
        return this.inUnknown(source.unknown, key);
      case "made":
        return this.inMade(source, key);
    }
  }

  private inKnown(source: Value, key: Item): Cases {
    if (key.is === "known") {
      const found = elementOf(source, key.value);
      return found === undefined ? [] : this.lifted(found);
    }
    switch (source.kind) {
      case "object":
        return this.maker.merged(
          source.entries.flatMap(([k, value]) => this.maker.guarded(this.lifted(value), this.isValue(key, k))),
        );
      case "set":
        return this.maker.merged(
          source.items.flatMap((value) => this.maker.guarded(this.maker.known(value), this.isValue(key, value))),
        );
      case "array":
        return this.maker.merged(
          source.items.flatMap((value, i) =>
            this.maker.guarded(this.lifted(value), this.isValue(key, { kind: "number", text: String(i) })),
          ),
        );
      case "null":
      case "boolean":
      case "number":
      case "string":
        return [];
    }
  }

  private inUnknown(source: Unknown, key: Item): Cases {
    const { unknowns } = this;
    if (unknowns.isJson(source) && key.is === "known") {
      if (key.value.kind === "string") return this.maker.unknown(unknowns.member(source, key.value.value));
      if (key.value.kind !== "number") return [];
      const at = Number(key.value.text);
      if (!Number.isSafeInteger(at) || at < 0) return [];
      return this.maker.unknown(unknowns.element(source, at));
    }
    const name = `${source.name}[${this.maker.keyOf(key)}]`;
    return this.maker.unknown(unknowns.named(`(${name})`, { from: "result" }));
  }

  private inMade(source: Made, key: Item): Cases {
    const { formulas } = this;
    if (source.kind === "array") return this.inMadeArray(source.parts, key);
    let isFound: Formula = formulas.false;
    const found: { when: Formula; item: Item }[] = [];
    // Equal keys: the last one counts.
    for (const part of source.parts.toReversed()) {
      const members = source.kind === "object" ? this.keyCases(part) : part.value;
      const isKey = formulas.and(
        part.when,
        formulas.or(...members.map(({ when, item }) => formulas.and(when, this.equal(item, key)))),
      );
      const here = formulas.and(isKey, formulas.not(isFound));
      found.push(
        ...this.maker.guarded(source.kind === "object" ? part.value : [{ when: formulas.true, item: key }], here),
      );
      isFound = formulas.or(isFound, isKey);
    }
    return this.maker.merged(found);
  }

  private keyCases({ key }: Part): Cases {
    if (key === undefined) throw new NotEncodable("an object with a key that is not known");
    return this.maker.known(key);
  }

  /** The element at a place is the first that is there with that number of others before it. */
  private inMadeArray(parts: readonly Part[], key: Item): Cases {
    const { formulas } = this;
    if (key.is !== "known") throw new NotEncodable("a list of conditional elements at a place that is not known");
    if (key.value.kind !== "number") return [];
    const at = Number(key.value.text);
    if (!Number.isSafeInteger(at) || at < 0 || at >= parts.length) return [];
    const found: { when: Formula; item: Item }[] = [];
    // `before[n]`: n elements are there among those that were looked at.
    let before: Formula[] = [formulas.true];
    for (const { when, value } of parts) {
      found.push(...this.maker.guarded(value, formulas.and(when, before[at] ?? formulas.false)));
      before = counted(formulas, before, when).slice(0, at + 1);
    }
    return this.maker.merged(found);
  }
}

/** `before[n]` says that n hold; the same with one formula more. */
export function counted(formulas: Formulas, before: readonly Formula[], when: Formula): Formula[] {
  return Array.from({ length: before.length + 1 }, (_, n) =>
    formulas.or(
      formulas.and(before[n] ?? formulas.false, formulas.not(when)),
      formulas.and(before[n - 1] ?? formulas.false, when),
    ),
  );
}

/** When two values are equal, when a value is of a kind, and what is found in it under a key. */

import { compareValues, elementOf, type Value, valueText } from "@portcullis/rego/value";
import { type CaseMaker, type Cases, type Item, isLoose, type Made, type Part, scalarOf } from "./cases.ts";
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
    if (a.is === "made" && b.is === "made") {
      if (a.id === b.id) return formulas.true;
      return this.areAlike(a, b) ?? this.maybe(a, b);
    }
    return this.maybe(a, b);
  }

  /** They may be equal, and are so or not wherever that is asked. */
  private maybe(a: Item, b: Item): Formula {
    const [x, y] = [this.maker.keyOf(a), this.maker.keyOf(b)].sort();
    return this.formulas.free(`${x} = ${y}`);
  }

  /** Objects by their keys, lists by their places. `undefined` where it is not known under which key or at which place a part is. */
  private areAlike(a: Pick<Made, "kind" | "parts">, b: Pick<Made, "kind" | "parts">): Formula | undefined {
    const { formulas } = this;
    if (a.kind !== b.kind) return formulas.false;
    const [x, y] = [this.placed(a), this.placed(b)];
    if (x === undefined || y === undefined) return undefined;
    const places = new Set([...x.keys(), ...y.keys()]);
    const alike = [...places].map((place) => {
      const [one, other] = [x.get(place), y.get(place)];
      const [isIn, isInOther] = [one?.when ?? formulas.false, other?.when ?? formulas.false];
      const neither = formulas.and(formulas.not(isIn), formulas.not(isInOther));
      if (one === undefined || other === undefined) return neither;
      return formulas.or(neither, formulas.and(isIn, isInOther, this.haveOneValue(one.value, other.value)));
    });
    return formulas.and(...alike);
  }

  /** A known collection as one that is made of its parts. */
  private madeOf(value: Value): Pick<Made, "kind" | "parts"> {
    const when = this.formulas.true;
    if (value.kind === "object")
      return { kind: value.kind, parts: value.entries.map(([key, v]) => ({ when, key, value: this.lifted(v) })) };
    const { kind, items } = value as Extract<Value, { readonly items: readonly Value[] }>;
    return { kind, parts: items.map((v) => ({ when, value: this.lifted(v) })) };
  }

  private haveOneValue(a: Cases, b: Cases): Formula {
    const { formulas } = this;
    return formulas.or(...a.flatMap((x) => b.map((y) => formulas.and(x.when, y.when, this.equal(x.item, y.item)))));
  }

  private placed({ kind, parts }: Pick<Made, "kind" | "parts">): ReadonlyMap<string, Part> | undefined {
    if (kind === "set") return undefined;
    if (isLoose({ parts })) return undefined;
    if (kind === "array" && !parts.every(({ when }) => when === this.formulas.true)) return undefined;
    const places = new Map(parts.map((part, i) => [kind === "array" ? String(i) : valueText(part.key as Value), part]));
    return places.size === parts.length ? places : undefined;
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
    if (scalar !== undefined) return this.maker.is(unknown, scalar);
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
    return this.areAlike(made, this.madeOf(value)) ?? this.maybe(made, { is: "known", value });
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
    if (key.is === "unknown" && unknowns.isJson(source)) return this.atUnknown(source, key.unknown);
    const name = `${source.name}[${this.maker.keyOf(key)}]`;
    return this.maker.unknown(unknowns.named(`(${name})`, { from: "result" }));
  }

  /** A member of which it is known what it is, the entry whose key it is, or anything. */
  private atUnknown(source: Unknown, key: Unknown): Cases {
    const { formulas, unknowns } = this;
    const { origin } = key;
    const members = unknowns.membersOf(source);
    const isName = members.map(([name]) => formulas.atom({ says: "is", of: key.id, scalar: name }));
    const isOwn = origin.from === "key" && origin.parent === source;
    const other = isOwn
      ? unknowns.entry("value", source, origin.at)
      : unknowns.named(`(${source.name}[u${key.id}])`, { from: "result" });
    return this.maker.merged([
      ...members.flatMap(([, member], i) => this.maker.guarded(this.maker.unknown(member), isName[i] as Formula)),
      ...this.maker.guarded(this.maker.unknown(other), formulas.not(formulas.or(...isName))),
    ]);
  }

  private inMade(source: Made, key: Item): Cases {
    const { formulas } = this;
    if (source.kind === "array")
      return isLoose(source) ? this.inLoose(source, key) : this.inMadeArray(source.parts, key);
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

  /** Any of the elements that are there may be the first. */
  private inLoose({ id, parts }: Made, key: Item): Cases {
    const { formulas } = this;
    if (key.is !== "known" || compareValues(key.value, { kind: "number", text: "0" }) !== 0)
      throw new NotEncodable("a list of which the order is not known, at another place than the first");
    const found: { when: Formula; item: Item }[] = [];
    let isFound: Formula = formulas.false;
    for (const [i, { when, value }] of parts.entries()) {
      const isLast = formulas.not(formulas.or(...parts.slice(i + 1).map((later) => later.when)));
      const isFirst = formulas.or(formulas.free(`the first of m${id} is ${i}`), isLast);
      const here = formulas.and(when, formulas.not(isFound), isFirst);
      found.push(...this.maker.guarded(value, here));
      isFound = formulas.or(isFound, here);
    }
    return this.maker.merged(found);
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

/** Collections that rules fill and search while they are evaluated at compile time. */

import { compareValues } from "../base/order.ts";
import type { Value } from "../base/value.ts";
import { elementOf } from "./constants.ts";
import { Conflict, Unknown, type Work } from "./evaluation-work.ts";

/** A collection is filled while its rule runs, by these. */
type Items = Value[];
type Entries = (readonly [Value, Value])[];

export class GrowingCollections {
  /** Objects that rules made, some of which are being filled. */
  private readonly made = new WeakSet<Value>();
  /** The texts in the items of a set under construction. */
  private readonly texts = new WeakMap<Items, Set<string>>();
  private readonly work: Work;
  private readonly largest: number;

  /** `largest`: members that a collection may have. */
  constructor(work: Work, largest: number) {
    this.work = work;
    this.largest = largest;
  }

  /** A new object. */
  object(): Value {
    const made: Value = { kind: "object", entries: [] };
    this.made.add(made);
    return made;
  }

  /** `elementOf` remembers an object's keys: not for those that may get more. They are small. */
  element(source: Value, key: Value): Value | undefined {
    if (source.kind !== "object" || !this.made.has(source)) return elementOf(source, key);
    return this.find(source.entries, ([k]) => k, key)?.[1];
  }

  /** Whether there is a value, and a collection of this kind to add it to. */
  add(collection: Value | undefined, kind: "array" | "set", value: Value | undefined): boolean {
    if (value === undefined || collection?.kind !== kind) return false;
    if (kind === "set") this.work.charge(value);
    const items = collection.items as Items;
    if (kind === "array" || !this.holds(items, value)) items.push(value);
    if (items.length > this.largest) throw new Unknown();
    return true;
  }

  /** Whether there is a key, a value, and an object to insert them in; a key has one value. */
  insert(object: Value | undefined, key: Value | undefined, value: Value | undefined): boolean {
    if (key === undefined || value === undefined || object?.kind !== "object") return false;
    this.work.charge(key);
    this.work.charge(value);
    const entries = object.entries as Entries;
    const old = this.find(entries, ([k]) => k, key);
    if (old !== undefined && compareValues(old[1], value) !== 0) throw new Conflict();
    if (entries.length > this.largest) throw new Unknown();
    if (old === undefined) entries.push([key, value]);
    return true;
  }

  /** Whether a set under construction has the value. Texts, of which there may be many, are found without a search. */
  private holds(items: Items, value: Value): boolean {
    if (value.kind !== "string") return this.find(items, (item) => item, value) !== undefined;
    const known = this.texts.get(items) ?? new Set();
    this.texts.set(items, known);
    const size = known.size;
    return known.add(value.value).size === size;
  }

  /** Goes through all. */
  private find<T>(all: readonly T[], keyOf: (one: T) => Value, key: Value): T | undefined {
    this.work.search(all.length);
    return all.find((one) => compareValues(keyOf(one), key) === 0);
  }
}

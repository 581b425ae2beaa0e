/** Collections that rules fill and search while they are evaluated at compile time. */

import { elementOf, type Value } from "../value/index.ts";

import { Conflict, Unknown, type Work } from "./evaluation-work.ts";

export class GrowingCollections {
  /** Objects with their members that have a text as key: `elementOf` would remember too early what it found. */
  private readonly objects = new WeakMap<Value, Map<string, Value>>();
  /** Sets with their texts, of which there may be many. */
  private readonly sets = new WeakMap<Value, Set<string>>();
  private readonly work: Work;
  private readonly largest: number;

  /** `largest`: members that a collection may have. */
  constructor(work: Work, largest: number) {
    this.work = work;
    this.largest = largest;
  }

  /** A new set. */
  set(): Value {
    const made: Value = { kind: "set", items: [] };
    this.sets.set(made, new Set());
    return made;
  }

  /** A new object. */
  object(): Value {
    const made: Value = { kind: "object", entries: [] };
    this.objects.set(made, new Map());
    return made;
  }

  /** `source[key]`, of any two values. */
  element(source: Value, key: Value): Value | undefined {
    if (key.kind === "string") {
      const members = this.objects.get(source);
      if (members !== undefined) return members.get(key.value);
      const texts = this.sets.get(source);
      if (texts !== undefined) return texts.has(key.value) ? key : undefined;
    } else if (source.kind === "set") this.work.search(source.items.length, key);
    else if (source.kind === "object") this.work.search(source.entries.length, key);
    return elementOf(source, key);
  }

  /** Whether there is a value, and an array to append it to. */
  append(array: Value | undefined, value: Value | undefined): boolean {
    if (value === undefined || array?.kind !== "array") return false;
    this.push(array.items, value);
    return true;
  }

  /** Whether there is a value, and a set to add it to. */
  add(set: Value | undefined, value: Value | undefined): boolean {
    if (value === undefined || set?.kind !== "set") return false;
    const texts = this.textsOf(set);
    if (value.kind === "string") {
      this.work.charge(value);
      if (texts.size === texts.add(value.value).size) return true;
    } else if (this.element(set, value) !== undefined) return true;
    this.push(set.items, value);
    return true;
  }

  /** Whether there is a key, a value, and an object to insert them in; a key has one value. */
  insert(object: Value | undefined, key: Value | undefined, value: Value | undefined): boolean {
    if (key === undefined || value === undefined || object?.kind !== "object") return false;
    const members = this.objects.get(object);
    if (members === undefined) throw new Unknown();
    this.work.charge(key);
    const old = this.element(object, key);
    if (old !== undefined && this.work.compare(old, value) !== 0) throw new Conflict();
    if (old !== undefined) return true;
    this.push(object.entries, [key, value]);
    if (key.kind === "string") members.set(key.value, value);
    return true;
  }

  private textsOf(set: Value): Set<string> {
    const texts = this.sets.get(set);
    if (texts === undefined) throw new Unknown();
    return texts;
  }

  private push<T>(all: readonly T[], one: T): void {
    if (all.length >= this.largest) throw new Unknown();
    (all as T[]).push(one);
  }
}

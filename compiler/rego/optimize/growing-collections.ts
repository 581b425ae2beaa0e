/** Collections that rules fill and search while they are evaluated at compile time. */

import { elementOf, scalarKey, type Value } from "../value/index.ts";
import { Conflict, Unknown, type Work } from "./evaluation-work.ts";

export class GrowingCollections {
  /** Objects with their members by scalar keys: `elementOf` would remember too early what it found. */
  private readonly objects = new WeakMap<Value, Map<string, Value>>();
  /** Sets with their scalars, of which there may be many. */
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
    const scalar = scalarKey(key);
    if (scalar !== undefined) {
      const members = this.objects.get(source);
      if (members !== undefined) return members.get(scalar);
      const scalars = this.sets.get(source);
      if (scalars !== undefined) return scalars.has(scalar) ? key : undefined;
    }
    if (key.kind === "string") return elementOf(source, key);
    if (source.kind === "set") this.work.search(source.items.length, key);
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
    const scalars = this.scalarsOf(set);
    const scalar = scalarKey(value);
    if (scalar !== undefined) {
      this.work.charge(value);
      if (scalars.size === scalars.add(scalar).size) return true;
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
    const scalar = scalarKey(key);
    if (scalar !== undefined) members.set(scalar, value);
    return true;
  }

  private scalarsOf(set: Value): Set<string> {
    const scalars = this.sets.get(set);
    if (scalars === undefined) throw new Unknown();
    return scalars;
  }

  private push<T>(all: readonly T[], one: T): void {
    if (all.length >= this.largest) throw new Unknown();
    (all as T[]).push(one);
  }
}

/**
 * Writes JavaScript values straight into linear memory, as the values that compiled rules read (abi/layout.ts): no JSON
 * text, no parsing. A string that the policy holds becomes the address of the policy's own. What cannot be a policy value -
 * a function, a symbol, NaN, a cycle, too much of anything - is refused with EncodeError, which becomes a denial.
 */

import {
  COLLECTION_COUNT,
  FALSE_VALUE,
  INDEX_THRESHOLD,
  MAX_VALUE_DEPTH,
  NULL_VALUE,
  RECORD_ENTRIES,
  TRUE_VALUE,
} from "../abi/index.ts";
import { refuseForeign } from "./foreign-objects.ts";
import { Interned } from "./interned.ts";
import { ARRAY_HEAD, EncodeError, isWellFormed, type MemoryWriter } from "./memory-writer.ts";

const hasOwn = Object.prototype.hasOwnProperty;

/** Writes a member of an object; `this.value` writes all of it. */
export type WriteItem = (item: unknown, depth: number) => number;

export class ValueWriter {
  readonly memory: MemoryWriter;
  readonly strings: ReadonlyMap<string, number>;
  /** The owner of the handles whose addresses hold here. */
  private readonly owner: object;
  /** Keys and values of the objects that are being written, the innermost last: how many there are shows in the end. */
  private readonly pending: number[] = [];
  private pendingCount = 0;
  /** Objects that want an index when everything is written. */
  private unindexed: number[] = [];

  /** `strings`: the policy's own, with their addresses; handles of `owner` have such addresses. */
  constructor(memory: MemoryWriter, strings: ReadonlyMap<string, number>, owner: object) {
    this.memory = memory;
    this.strings = strings;
    this.owner = owner;
  }

  /** Begins a request. A refused one may have left open collections; their memory is written anew. */
  restart(): void {
    if (this.unindexed.length > 0) this.unindexed = [];
    this.pendingCount = 0;
  }

  /** Objects whose index the module still has to make; empty almost always. */
  takeUnindexed(): readonly number[] {
    if (this.unindexed.length === 0) return this.unindexed;
    const taken = this.unindexed;
    this.unindexed = [];
    return taken;
  }

  /** The address of a value, all of it. `looksUp`: whether its strings are looked up among the policy's. */
  value(value: unknown, depth: number, looksUp: boolean): number {
    switch (typeof value) {
      case "string":
        return looksUp ? (this.strings.get(value) ?? this.memory.string(value)) : this.memory.string(value, 0);
      case "number":
        return this.memory.number(value);
      case "boolean":
        return value ? TRUE_VALUE : FALSE_VALUE;
      case "bigint":
        return this.memory.integer(value);
      case "object":
        if (value === null) return NULL_VALUE;
        if (Interned.is(value)) return this.interned(value);
        if (depth >= MAX_VALUE_DEPTH) {
          throw new EncodeError(`the input is nested more than ${MAX_VALUE_DEPTH} levels deep, or refers to itself`);
        }
        return Array.isArray(value)
          ? this.array(value, depth + 1, looksUp)
          : this.object(value as Record<string, unknown>, depth + 1, looksUp);
      case "undefined":
      case "function":
      case "symbol":
        throw new EncodeError(`a ${typeof value} is not a JSON value`);
    }
  }

  /** A handle of this policy is an address; one of another policy, and one of a text that is not the policy's, is its text. */
  interned(handle: Interned): number {
    const address = handle.addressFor(this.owner);
    return address !== 0 ? address : (this.strings.get(handle.text) ?? this.memory.string(handle.text));
  }

  private object(value: Record<string, unknown>, depth: number, looksUp: boolean): number {
    return this.entries(
      value,
      (key) => this.memory.string(key),
      (item) => this.value(item, depth, looksUp),
    );
  }

  /** The own enumerable string keys; `write` writes each value. A property that is `undefined` is absent, as in JSON. */
  entries(value: Record<string, unknown>, writeKey: (key: string) => number, write: (item: unknown) => number): number {
    refuseForeign(value);
    const { pending, memory } = this;
    const from = this.pendingCount;
    let top = from;
    for (const key in value) {
      if (!hasOwn.call(value, key)) continue;
      const item = value[key];
      if (item === undefined) continue;
      pending[top] = this.strings.get(key) ?? this.unknownKey(key, writeKey);
      this.pendingCount = top + 2;
      pending[top + 1] = write(item);
      top += 2;
    }
    const present = (top - from) >> 1;
    const address = memory.table(present);
    const entries = (address + RECORD_ENTRIES) >> 2;
    const { words } = memory;
    for (let i = from; i < top; i++) words[entries + i - from] = pending[i] as number;
    this.pendingCount = from;
    words[(address + COLLECTION_COUNT) >> 2] = present;
    if (present > INDEX_THRESHOLD) this.unindexed.push(address);
    return address;
  }

  /** A key that the policy does not hold: in UTF-8 a lone surrogate would become another character, and so the key another. */
  private unknownKey(key: string, write: (key: string) => number): number {
    if (!isWellFormed(key)) throw new EncodeError("a key is not valid Unicode");
    return write(key);
  }

  private array(value: readonly unknown[], depth: number, looksUp: boolean): number {
    const { length } = value;
    const address = this.memory.list(length);
    const items = (address + ARRAY_HEAD) >> 2;
    for (let i = 0; i < length; i++) {
      const item = this.value(value[i], depth, looksUp);
      this.memory.words[items + i] = item;
    }
    return address;
  }
}

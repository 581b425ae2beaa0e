/**
 * Writes JavaScript values straight into linear memory, as the values that compiled rules read (abi/layout.ts): no JSON
 * text, no parsing. A string that the policy holds becomes the address of the policy's own. What cannot be a policy value -
 * a function, a symbol, NaN, a cycle, too much of anything - is refused with EncodeError, which becomes a denial.
 */

import { COLLECTION_COUNT, FALSE_VALUE, INDEX_THRESHOLD, MAX_DEPTH, NULL_VALUE, TRUE_VALUE } from "./abi/layout.ts";
import type { Echo } from "./echo.ts";
import { Interned } from "./interned.ts";
import { ARRAY_HEAD, EncodeError, MemoryWriter, TABLE_HEAD } from "./memory-writer.ts";
import { type ElementShape, type MemberShape, moveForward, type Shape } from "./shape.ts";

/** Keys that nobody asked for: objects with more of them are asked for each key that is wanted. */
const MANY = 16;
/** Strings that are remembered for one key: more than a policy has lanes, fewer than it may have tools. */
const SEEN = 4096;
/** Strings of one key that the policy does not hold, before a policy's strings are asked first. */
const FEW_UNKNOWN = 256;

const hasOwn = Object.prototype.hasOwnProperty;

export class ValueWriter extends MemoryWriter {
  private readonly strings: Map<string, number>;
  /** Length of the longest of them in UTF-16 units: a longer text needs no look-up. */
  private readonly longest: number;
  /** The policy's own text of one of its strings. */
  private readonly ownText: (address: number) => string;
  /** Of which handles the addresses hold. */
  private readonly owner: object;
  /** Keys and values of the objects that are being written, the innermost last: how many there are shows in the end. */
  private readonly pending: number[] = [];
  private pendingCount = 0;
  /** Objects that want an index when everything is written. */
  private unindexed: number[] = [];

  constructor(
    memory: WebAssembly.Memory,
    strings: Map<string, number>,
    ownText: (address: number) => string,
    limit: number,
    echo: Echo,
    owner: object,
  ) {
    super(memory, limit, echo);
    this.ownText = ownText;
    this.longest = longestOf(strings);
    this.owner = owner;
    this.strings = strings;
  }

  /** Objects whose index the module still has to make; empty almost always. */
  takeUnindexed(): readonly number[] {
    if (this.unindexed.length === 0) return this.unindexed;
    const taken = this.unindexed;
    this.unindexed = [];
    return taken;
  }

  /** Writes `value` from `start` on and returns its address, 0 for undefined. Throws EncodeError. */
  write(value: unknown, start: number, shape: Shape): number {
    this.begin(start);
    // What a refused value left behind lies in memory that is written anew.
    if (this.unindexed.length > 0) this.unindexed = [];
    this.pendingCount = 0;
    if (value === undefined) return 0;
    return shape === "whole" ? this.value(value, 0) : this.shaped(value, shape, 0);
  }

  private value(value: unknown, depth: number): number {
    switch (typeof value) {
      case "string":
        return this.strings.get(value) ?? this.string(value);
      case "number":
        return this.number(value);
      case "boolean":
        return value ? TRUE_VALUE : FALSE_VALUE;
      case "bigint":
        return this.integer(value);
      case "object":
        if (value === null) return NULL_VALUE;
        if (value instanceof Interned) return this.interned(value);
        if (depth >= MAX_DEPTH) {
          throw new EncodeError(`the input is nested more than ${MAX_DEPTH} levels deep, or refers to itself`);
        }
        return Array.isArray(value)
          ? this.array(value, depth + 1)
          : this.object(value as Record<string, unknown>, depth + 1);
      default:
        throw new EncodeError(`a ${typeof value} is not a JSON value`);
    }
  }

  /** A handle of this policy is an address; one of another policy, and one of a text that is not the policy's, is its text. */
  private interned({ text, address, owner }: Interned): number {
    return owner === this.owner && address !== 0 ? address : (this.strings.get(text) ?? this.string(text));
  }

  /** What the shape wants of a composite; anything else whole. */
  private shaped(value: unknown, shape: MemberShape | ElementShape, depth: number): number {
    if (typeof value !== "object" || value === null || value instanceof Interned) return this.value(value, depth);
    if (shape.kind === "elements")
      return Array.isArray(value) ? this.elements(value, shape.each, depth + 1) : this.value(value, depth);
    if (Array.isArray(value)) return this.array([], depth);
    if (shape.object !== 0) {
      this.members(value as Record<string, unknown>, shape, 0, depth + 1);
      return shape.object;
    }
    const { addresses } = shape;
    const count = addresses.length;
    const address = this.table(count);
    const entries = (address + TABLE_HEAD) >> 2;
    const { words } = this;
    for (let i = 0; i < count; i++) words[entries + i * 2] = addresses[i] as number;
    words[(address + COLLECTION_COUNT) >> 2] = count;
    this.members(value as Record<string, unknown>, shape, entries, depth + 1);
    return address;
  }

  /**
   * Writes members to their places. Going through the keys that an object has, in its own order, is faster than asking for
   * one after the other, unless it has many more; properties that it only inherits do not count either way.
   */
  private members(value: Record<string, unknown>, shape: MemberShape, base: number, depth: number): void {
    const { keys, places, seen } = shape;
    const { longest } = this;
    let { words } = this;
    const count = keys.length;
    let next = 0;
    /** A bit for each key that was written, by its number now. */
    let written = 0;
    let others = 0;
    if (count === 1 || count > 30) return this.membersByKey(value, shape, base, depth);
    for (const key in value) {
      if (!hasOwn.call(value, key)) continue;
      let i = next;
      if (keys[i] !== key) {
        for (i = 0; i < count; i++) if (keys[i] === key) break;
        if (i === count) {
          if (++others > MANY) return this.membersByKey(value, shape, base, depth);
          continue;
        }
        if (i > next && moveForward(shape, i, next) === next) {
          if ((written & (1 << next)) !== 0) written |= 1 << i;
          i = next;
        }
      }
      next = i + 1;
      written |= 1 << i;
      const item = value[key];
      if (typeof item === "string" && item.length <= longest) {
        const known = (seen[i] as Map<string, number>).get(item);
        if (known !== undefined) {
          words[base + (places[i] as number)] = known;
          continue;
        }
      }
      const address =
        typeof item === "string" ? this.newlySeen(item, shape, i) : this.member(item, shape.shapes[i] as Shape, depth);
      words = this.words;
      words[base + (places[i] as number)] = address;
    }
    // What this object does not have, an earlier one may have had. Asking the object again is no proof of what was written:
    // a getter may have added a key meanwhile, and a Proxy may say now this, now that.
    const missing = ~written & ((1 << count) - 1);
    if (missing === 0) return;
    for (let i = 0; i < count; i++) if ((missing & (1 << i)) !== 0) words[base + (places[i] as number)] = 0;
  }

  /** The address of a string that a key has not had, or that the policy does not hold. */
  private newlySeen(text: string, { seen, unknown }: MemberShape, i: number): number {
    const { strings } = this;
    const map = seen[i] as Map<string, number>;
    if (map === strings) return this.string(text);
    const known = text.length > this.longest ? undefined : strings.get(text);
    if (known === undefined) {
      // A key whose strings are mostly none of the policy's is looked up once only.
      const count = (unknown[i] as number) + 1;
      unknown[i] = count;
      if (count > FEW_UNKNOWN + map.size * 8) seen[i] = strings;
      return this.string(text);
    }
    // The text itself may be a small part of a large request, which it would keep alive.
    if (map.size < SEEN) map.set(this.ownText(known), known);
    else seen[i] = strings;
    return known;
  }

  private membersByKey(value: Record<string, unknown>, shape: MemberShape, base: number, depth: number): void {
    const { keys, places, shapes } = shape;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as string;
      const written = hasOwn.call(value, key) ? this.member(value[key], shapes[i] as Shape, depth) : 0;
      this.words[base + (places[i] as number)] = written;
    }
  }

  /** The address of a member's value, 0 for undefined. */
  private member(item: unknown, shape: Shape, depth: number): number {
    if (item === undefined) return 0;
    return shape === "whole" ? this.value(item, depth) : this.shaped(item, shape, depth);
  }

  private elements(value: readonly unknown[], each: Shape, depth: number): number {
    if (each === "whole") return this.array(value, depth);
    const { length } = value;
    const address = this.list(length);
    const items = (address + ARRAY_HEAD) >> 2;
    for (let i = 0; i < length; i++) {
      const item = this.shaped(value[i], each, depth);
      this.words[items + i] = item;
    }
    return address;
  }

  /** Own enumerable string keys; a property that is `undefined` is absent, as in JSON. */
  private object(value: Record<string, unknown>, depth: number): number {
    if (value instanceof Map || value instanceof Set || ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
      throw new EncodeError("a Map, a Set or binary data is not a JSON value");
    }
    const { pending } = this;
    const from = this.pendingCount;
    let top = from;
    for (const key in value) {
      if (!hasOwn.call(value, key)) continue;
      const item = value[key];
      if (item === undefined) continue;
      pending[top] = this.strings.get(key) ?? this.string(key);
      this.pendingCount = top + 2;
      pending[top + 1] = this.value(item, depth);
      top += 2;
    }
    const present = (top - from) >> 1;
    const address = this.table(present);
    const entries = (address + TABLE_HEAD) >> 2;
    const { words } = this;
    for (let i = from; i < top; i++) words[entries + i - from] = pending[i] as number;
    this.pendingCount = from;
    words[(address + COLLECTION_COUNT) >> 2] = present;
    if (present > INDEX_THRESHOLD) this.unindexed.push(address);
    return address;
  }

  private array(value: readonly unknown[], depth: number): number {
    const { length } = value;
    const address = this.list(length);
    const items = (address + ARRAY_HEAD) >> 2;
    for (let i = 0; i < length; i++) {
      const item = this.value(value[i], depth);
      this.words[items + i] = item;
    }
    return address;
  }
}

function longestOf(strings: ReadonlyMap<string, number>): number {
  let longest = 0;
  for (const text of strings.keys()) if (text.length > longest) longest = text.length;
  return longest;
}

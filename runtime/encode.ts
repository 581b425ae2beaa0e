/**
 * Writes JavaScript values straight into linear memory, as the values that compiled rules read (abi/layout.ts): no JSON
 * text, no parsing. A string that the policy holds becomes the address of the policy's own. What cannot be a policy value -
 * a function, a symbol, NaN, a cycle, too much of anything - is refused with EncodeError, which becomes a denial.
 */

import {
  ARRAY_SIZE,
  COLLECTION_CAPACITY,
  COLLECTION_COUNT,
  COLLECTION_ITEMS,
  FALSE_VALUE,
  FLAG_TEXT,
  INDEX_THRESHOLD,
  INTERN_NONE,
  MAX_DEPTH,
  NULL_VALUE,
  NUMBER_TEXT,
  NUMBER_TEXT_LENGTH,
  SCALAR_SIZE,
  SMALL_INT_COUNT,
  SMALL_INTS,
  STRING_BYTES,
  STRING_INTERN,
  STRING_LENGTH,
  STRING_SIZE,
  TABLE_INDEX,
  TABLE_MASK,
  TABLE_SIZE,
  TAG_ARRAY,
  TAG_NUMBER,
  TAG_OBJECT,
  TAG_STRING,
  TRUE_VALUE,
} from "./abi/layout.ts";
import type { Echo } from "./echo.ts";
import { Interned } from "./interned.ts";
import { type ElementShape, type MemberShape, moveForward, type Shape } from "./shape.ts";

/** Thrown inside the runtime only. */
export class EncodeError extends Error {
  override readonly name = "EncodeError";
}

const utf8 = new TextEncoder();
/** Strings of at most this many UTF-16 units are tried as ASCII first: cheaper than a call of TextEncoder. */
const SHORT = 64;
/** Keys that nobody asked for: objects with more of them are asked for each key that is wanted. */
const MANY = 16;
/** Strings that are remembered for one key: more than a policy has lanes, fewer than it may have tools. */
const SEEN = 4096;
/** Strings of one key that the policy does not hold, before a policy's strings are asked first. */
const FEW_UNKNOWN = 256;
const TABLE_HEAD = (TABLE_SIZE + 7) & ~7;
const ARRAY_HEAD = (ARRAY_SIZE + 7) & ~7;

const hasOwn = Object.prototype.hasOwnProperty;

export class ValueWriter {
  private readonly memory: WebAssembly.Memory;
  private readonly strings: Map<string, number>;
  /** Length of the longest of them in UTF-16 units: a longer text needs no look-up. */
  private readonly longest: number;
  /** The policy's own text of one of its strings. */
  private readonly ownText: (address: number) => string;
  private readonly echo: Echo;
  /** Of which handles the addresses hold. */
  private readonly owner: object;
  /** Largest encoding in bytes. */
  private readonly limit: number;
  private words: Int32Array;
  private bytes: Uint8Array;
  /** Next free byte. */
  private at = 0;
  private end = 0;
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
    this.memory = memory;
    this.ownText = ownText;
    this.longest = longestOf(strings);
    this.owner = owner;
    this.echo = echo;
    this.strings = strings;
    this.limit = limit;
    this.words = new Int32Array(memory.buffer);
    this.bytes = new Uint8Array(memory.buffer);
  }

  /** The first free byte after what was written. */
  get top(): number {
    return this.at;
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
    this.at = (start + 7) & ~7;
    this.end = this.at + this.limit;
    this.echo.clear();
    // What a refused value left behind lies in memory that is written anew.
    if (this.unindexed.length > 0) this.unindexed = [];
    this.pendingCount = 0;
    // A detached array, after the memory grew, has no length.
    if (this.words.length === 0) this.refresh();
    if (value === undefined) return 0;
    return shape === "whole" ? this.value(value, 0) : this.shaped(value, shape, 0);
  }

  private refresh(): void {
    this.words = new Int32Array(this.memory.buffer);
    this.bytes = new Uint8Array(this.memory.buffer);
  }

  /** The address of `size` bytes, divisible by 8. */
  private take(size: number): number {
    const start = this.at;
    const next = start + ((size + 7) & ~7);
    if (next > this.end) throw new EncodeError("the input is too large");
    if (next > this.bytes.length) {
      try {
        this.memory.grow(Math.ceil((next - this.bytes.length) / 65536) + 4);
      } catch {
        throw new EncodeError("the input does not fit into memory");
      }
      this.refresh();
    }
    this.at = next;
    return start;
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

  /** An object without entries, and with room for them right behind it. */
  private table(capacity: number): number {
    const address = this.take(TABLE_HEAD + capacity * 8);
    const { words } = this;
    const word = address >> 2;
    words[word] = TAG_OBJECT;
    words[word + 1] = 0;
    words[word + (COLLECTION_COUNT >> 2)] = 0;
    words[word + (COLLECTION_CAPACITY >> 2)] = capacity;
    words[word + (COLLECTION_ITEMS >> 2)] = address + TABLE_HEAD;
    words[word + (TABLE_INDEX >> 2)] = 0;
    words[word + (TABLE_MASK >> 2)] = 0;
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

  /** An array without items, and with room for them right behind it. */
  private list(length: number): number {
    // A Proxy of an array may say anything here, and less room than elements would let one value lie in another.
    if (length >>> 0 !== length) throw new EncodeError("a list without a length is not a JSON value");
    const address = this.take(ARRAY_HEAD + length * 4);
    const { words } = this;
    const word = address >> 2;
    words[word] = TAG_ARRAY;
    words[word + 1] = 0;
    words[word + (COLLECTION_COUNT >> 2)] = length;
    words[word + (COLLECTION_CAPACITY >> 2)] = length;
    words[word + (COLLECTION_ITEMS >> 2)] = address + ARRAY_HEAD;
    return address;
  }

  private string(value: string): number {
    const head = (STRING_SIZE + 7) & ~7;
    const { length } = value;
    const address = this.take(head + length * 3);
    const start = address + head;
    const { bytes } = this;
    let size = -1;
    if (length <= SHORT && this.writeAscii(value, start)) size = length;
    // A lone surrogate becomes U+FFFD here, as it does in every reader of JSON text.
    if (size < 0) size = utf8.encodeInto(value, bytes.subarray(start, start + length * 3)).written;
    this.at = (start + size + 7) & ~7;
    const word = address >> 2;
    this.words[word] = TAG_STRING;
    this.words[word + 1] = 0;
    this.words[word + (STRING_LENGTH >> 2)] = size;
    this.words[word + (STRING_BYTES >> 2)] = start;
    // ASCII that the map of the policy's strings does not have is no string of the policy.
    this.words[word + (STRING_INTERN >> 2)] = size === length ? INTERN_NONE : 0;
    // Only what is plain ASCII is sure to be read back as it was: a lone surrogate is not.
    if (size === length) this.echo.note(address, value);
    return address;
  }

  /** Four characters at a time; false where one of them is not ASCII. What is behind the text may be written over. */
  private writeAscii(text: string, start: number): boolean {
    const { words } = this;
    const { length } = text;
    let word = start >> 2;
    let i = 0;
    for (; i + 3 < length; i += 4) {
      const a = text.charCodeAt(i);
      const b = text.charCodeAt(i + 1);
      const c = text.charCodeAt(i + 2);
      const d = text.charCodeAt(i + 3);
      if ((a | b | c | d) > 127) return false;
      words[word++] = a | (b << 8) | (c << 16) | (d << 24);
    }
    if (i === length) return true;
    let last = 0;
    for (let shift = 0; i < length; i++, shift += 8) {
      const code = text.charCodeAt(i);
      if (code > 127) return false;
      last |= code << shift;
    }
    words[word] = last;
    return true;
  }

  private number(value: number): number {
    if ((value | 0) === value)
      return value >= 0 && value < SMALL_INT_COUNT
        ? SMALL_INTS + value * SCALAR_SIZE
        : this.int64(value, value < 0 ? -1 : 0);
    if (Number.isSafeInteger(value)) return this.int64(value, Math.floor(value / 2 ** 32));
    if (!Number.isFinite(value)) throw new EncodeError(`${value} is not a JSON value`);
    // Up to 21 digits JavaScript writes integers as such.
    return Number.isInteger(value) && Math.abs(value) < 1e21
      ? this.integer(BigInt(value))
      : this.decimal(String(value));
  }

  private integer(value: bigint): number {
    if (BigInt.asIntN(64, value) !== value) return this.decimal(String(value));
    return this.int64(Number(BigInt.asIntN(32, value)), Number(value >> 32n));
  }

  /** `low` may be the whole number: storing it keeps its lowest 32 bits. */
  private int64(low: number, high: number): number {
    const address = this.take(SCALAR_SIZE);
    const word = address >> 2;
    this.words[word] = TAG_NUMBER;
    this.words[word + 1] = 0;
    this.words[word + 2] = low;
    this.words[word + 3] = high;
    return address;
  }

  /** A number that is kept as its text. */
  private decimal(text: string): number {
    const address = this.take(SCALAR_SIZE + text.length);
    const word = address >> 2;
    const start = address + SCALAR_SIZE;
    for (let i = 0; i < text.length; i++) this.bytes[start + i] = text.charCodeAt(i);
    this.words[word] = TAG_NUMBER | (FLAG_TEXT << 8);
    this.words[word + 1] = 0;
    this.words[word + (NUMBER_TEXT >> 2)] = start;
    this.words[word + (NUMBER_TEXT_LENGTH >> 2)] = text.length;
    return address;
  }
}

function longestOf(strings: ReadonlyMap<string, number>): number {
  let longest = 0;
  for (const text of strings.keys()) if (text.length > longest) longest = text.length;
  return longest;
}

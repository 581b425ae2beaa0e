/** Puts single values and empty collections into linear memory, in the layout of abi/layout.ts. */

import {
  ARRAY_SIZE,
  COLLECTION_CAPACITY,
  COLLECTION_COUNT,
  COLLECTION_ITEMS,
  FLAG_TEXT,
  INTERN_NONE,
  NUMBER_TEXT,
  NUMBER_TEXT_LENGTH,
  RECORD_ENTRIES,
  SCALAR_SIZE,
  SMALL_INT_COUNT,
  SMALL_INTS,
  STRING_BYTES,
  STRING_INTERN,
  STRING_LENGTH,
  STRING_SIZE,
  TABLE_INDEX,
  TABLE_MASK,
  TAG_ARRAY,
  TAG_NUMBER,
  TAG_OBJECT,
  TAG_STRING,
  VALUE_ROW,
} from "../abi/index.ts";
import type { WasmMemory } from "../platform.ts";

/** Thrown inside the runtime only. */
export class EncodeError extends Error {
  override readonly name = "EncodeError";
}

const utf8 = new TextEncoder();
/** Strings of at most this many UTF-16 units are tried as ASCII first: cheaper than a call of TextEncoder. */
const SHORT = 64;
/** Half a surrogate pair: UTF-8 has no bytes for it, and encoders write U+FFFD. */
const LONE_SURROGATE = /\p{Surrogate}/u;
/** Whether a text has none; engines since 2023 say so sooner than a pattern does. */
export const isWellFormed: (text: string) => boolean =
  "isWellFormed" in String.prototype
    ? (text) => (text as string & { isWellFormed(): boolean }).isWellFormed()
    : (text) => !LONE_SURROGATE.test(text);
export const ARRAY_HEAD = (ARRAY_SIZE + 7) & ~7;
const STRING_HEAD = (STRING_SIZE + 7) & ~7;

export class MemoryWriter {
  private readonly memory: WasmMemory;
  /** Largest encoding in bytes. */
  private readonly limit: number;
  /** Memory as words, as bytes, and as both, until it grows. */
  words: Int32Array = new Int32Array();
  bytes: Uint8Array = new Uint8Array();
  view: DataView = new DataView(this.words.buffer);
  /** Next free byte. */
  private at = 0;
  private end = 0;

  constructor(memory: WasmMemory, limit: number) {
    this.memory = memory;
    this.limit = limit;
    this.refresh();
  }

  /** The first free byte. */
  get top(): number {
    return this.at;
  }

  /** Whatever was written before is gone; writing goes on from `start`. */
  begin(start: number): void {
    this.at = (start + 7) & ~7;
    this.end = this.at + this.limit;
    this.refresh();
  }

  /** This with new views after the memory grew: a detached array has no length. */
  refresh(): this {
    if (this.words.length === 0) {
      const { buffer } = this.memory;
      this.words = new Int32Array(buffer);
      this.bytes = new Uint8Array(buffer);
      this.view = new DataView(buffer);
    }
    return this;
  }

  /** The address of `size` bytes, divisible by 8. */
  take(size: number): number {
    const start = this.at;
    if (start + size > this.end) throw new EncodeError("the input is too large for `limits.input`");
    const next = start + ((size + 7) & ~7);
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

  /** An object without entries, and with room for them right behind it; `row`: its number if it is going to be one. */
  table(capacity: number, row = 0): number {
    const address = this.take(RECORD_ENTRIES + capacity * 8);
    const { words } = this;
    const word = address >> 2;
    words[word] = TAG_OBJECT | (row << (VALUE_ROW * 8));
    words[word + 1] = 0;
    words[word + (COLLECTION_COUNT >> 2)] = 0;
    words[word + (COLLECTION_CAPACITY >> 2)] = capacity;
    words[word + (COLLECTION_ITEMS >> 2)] = address + RECORD_ENTRIES;
    words[word + (TABLE_INDEX >> 2)] = 0;
    words[word + (TABLE_MASK >> 2)] = 0;
    return address;
  }

  /** An array without items, and with room for them right behind it. */
  list(length: number): number {
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

  /** `intern`: its intern word where it is ASCII. */
  string(value: string, intern = INTERN_NONE): number {
    const address = this.take(STRING_HEAD + value.length * 3);
    const start = address + STRING_HEAD;
    const size = this.text(value, start);
    this.at = (start + size + 7) & ~7;
    const { words } = this;
    const word = address >> 2;
    words[word] = TAG_STRING;
    words[word + 1] = 0;
    words[word + (STRING_LENGTH >> 2)] = size;
    words[word + (STRING_BYTES >> 2)] = start;
    // ASCII that the map of the policy's strings does not have is no string of the policy: INTERN_NONE may be said of it.
    words[word + (STRING_INTERN >> 2)] = size === value.length ? intern : 0;
    return address;
  }

  /** Writes a text as UTF-8, for which there are three bytes a UTF-16 unit; how many it took. */
  text(value: string, start: number): number {
    const { length } = value;
    if (length <= SHORT && this.writeAscii(value, start)) return length;
    // A lone surrogate becomes U+FFFD here, as it does in every reader of JSON text.
    return utf8.encodeInto(value, this.bytes.subarray(start, start + length * 3)).written;
  }

  /** Four characters at a time; false where one of them is not ASCII. Up to three bytes behind the text are overwritten. */
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

  number(value: number): number {
    if ((value | 0) === value)
      return value >= 0 && value < SMALL_INT_COUNT
        ? SMALL_INTS + value * SCALAR_SIZE
        : this.int64(value, value < 0 ? -1 : 0);
    if (Number.isSafeInteger(value)) return this.int64(value, Math.floor(value / 2 ** 32));
    if (!Number.isFinite(value)) throw new EncodeError(`${value} is not a JSON value`);
    // Beyond what is exact the digits count that JSON text would have; up to 21 of them JavaScript writes integers as such.
    const text = String(value);
    return Number.isInteger(value) && Math.abs(value) < 1e21 ? this.integer(BigInt(text)) : this.decimal(text);
  }

  integer(value: bigint): number {
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

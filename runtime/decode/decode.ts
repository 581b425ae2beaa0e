/**
 * Reads values out of linear memory. Composites of the policy itself (below the heap) never change: they are decoded once,
 * frozen, and shared by every decision that returns them; so are records all of whose values are the policy's.
 */

import {
  BOOLEAN_VALUE,
  COLLECTION_COUNT,
  COLLECTION_ITEMS,
  FLAG_SORTED,
  FLAG_TEXT,
  MAX_VALUE_DEPTH,
  NUMBER_INT,
  NUMBER_TEXT,
  NUMBER_TEXT_LENGTH,
  type PolicySection,
  STRING_BYTES,
  STRING_LENGTH,
  TABLE_INDEX,
  TABLE_MASK,
  TAG_ARRAY,
  TAG_BOOLEAN,
  TAG_NULL,
  TAG_NUMBER,
  TAG_OBJECT,
  TAG_SET,
  TAG_STRING,
  VALUE_FLAGS,
} from "../abi/index.ts";
import type { MemoryWriter, SymbolicStrings } from "../encode/index.ts";
import { RECENT_RECORDS, type RecordKeys, recordKeys } from "./record-keys.ts";

/** A result that breaks the layout: the module is not to be trusted any more. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
}

/** Exports of the module that the rare cases need. */
export interface ValueOperations {
  /** The value as JSON text: keys that are not strings. */
  dump(address: number): string;
  /** Sorts a set in place. */
  sort(address: number): void;
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });
/** Room for the bytes of a short text, by its length: made of them at once, ASCII takes less than a call of TextDecoder. */
const CODES = Array.from({ length: 33 }, (_, length) => new Array<number>(length).fill(0));
/** Values of one answer: rules can make one in which the same value stands again and again. */
const MOST_VALUES = 1 << 23;
/** Constants that are found without a look-up: a power of two. */
const RECENT = 1024;

export class ValueReader {
  private readonly memory: MemoryWriter;
  private readonly heapBase: number;
  private readonly symbols: SymbolicStrings;
  private readonly operations: ValueOperations;
  private readonly shared = new Map<number, unknown>();
  /** By the address of the static one. */
  private readonly records = new Map<number, RecordKeys | null>();
  private readonly recentAddresses = new Array<number>(RECENT).fill(-1);
  private readonly recentValues = new Array<unknown>(RECENT).fill(undefined);
  /** Values that the answer which is being read may still have. */
  private left = MOST_VALUES;

  constructor(memory: MemoryWriter, heapBase: number, symbols: SymbolicStrings, operations: ValueOperations) {
    this.memory = memory;
    this.symbols = symbols;
    this.heapBase = heapBase;
    this.operations = operations;
  }

  /** The policy's own strings and their addresses. Throws DecodeError. */
  readStrings({ address, count }: PolicySection["strings"]): Map<string, number> {
    this.memory.refresh();
    const strings = new Map<string, number>();
    for (let i = 0; i < count; i++) {
      const at = this.word(address + i * 4);
      if (this.memory.bytes[at] !== TAG_STRING) throw new DecodeError("the module's strings are damaged");
      strings.set(this.string(at), at);
    }
    return strings;
  }

  /** The value of the only member of the only object of a set; 0 for an empty set. Throws DecodeError. */
  onlyMember(set: number): number {
    this.memory.refresh();
    if (this.memory.bytes[set] !== TAG_SET) throw new DecodeError("the module's answer is no result set");
    if (this.word(set + COLLECTION_COUNT) === 0) return 0;
    const object = this.word(this.word(set + COLLECTION_ITEMS));
    if (this.memory.bytes[object] !== TAG_OBJECT || this.word(object + COLLECTION_COUNT) !== 1) {
      throw new DecodeError("the module's answer is no result set");
    }
    return this.word(this.word(object + COLLECTION_ITEMS) + 4);
  }

  /** The value at `address`: sets become sorted arrays, numbers doubles, keys strings. Throws DecodeError. */
  read(address: number): unknown {
    this.left = MOST_VALUES;
    this.memory.refresh();
    return this.value(address, 0);
  }

  private word(address: number): number {
    return this.memory.view.getUint32(address, true);
  }

  private value(address: number, depth: number): unknown {
    // Where nothing may be nested any more, what is remembered may not either.
    return address < this.heapBase && depth <= MAX_VALUE_DEPTH ? this.constant(address) : this.made(address, depth);
  }

  /** Engines find an int32 in a Map without a call, so addresses are looked up as such. */
  private constant(address: number): unknown {
    const place = (address >>> 3) & (RECENT - 1);
    if (this.recentAddresses[place] === address) return this.recentValues[place];
    let value = this.shared.get(address | 0);
    if (value === undefined) {
      value = Object.freeze(this.made(address, 0));
      this.shared.set(address | 0, value);
    }
    this.recentAddresses[place] = address;
    this.recentValues[place] = value;
    return value;
  }

  private made(address: number, depth: number): unknown {
    const tag = this.memory.bytes[address];
    switch (tag) {
      case TAG_STRING:
        return this.symbols.textAt(address) ?? this.string(address);
      case TAG_BOOLEAN:
        return this.word(address + BOOLEAN_VALUE) !== 0;
      case TAG_NULL:
        return null;
      case TAG_NUMBER:
        return this.number(address);
      case TAG_ARRAY:
      case TAG_OBJECT:
      case TAG_SET:
        if (depth > MAX_VALUE_DEPTH) throw new DecodeError("the result is nested too deeply");
        return this.composite(address, tag, depth);
      default:
        throw new DecodeError(`no value at address ${address}`);
    }
  }

  private string(address: number): string {
    const length = this.word(address + STRING_LENGTH);
    const start = this.word(address + STRING_BYTES);
    return this.text(start, length);
  }

  private text(start: number, length: number): string {
    if (start + length > this.memory.bytes.length) throw new DecodeError("a string lies outside of memory");
    const codes = CODES[length];
    if (codes !== undefined) {
      const { bytes } = this.memory;
      let all = 0;
      for (let i = 0; i < length; i++) {
        const byte = bytes[start + i] as number;
        codes[i] = byte;
        all |= byte;
      }
      if (all < 128) return String.fromCharCode(...codes);
    }
    try {
      return utf8.decode(this.memory.bytes.subarray(start, start + length));
    } catch {
      // Bytes that JavaScript's strings cannot hold: another text in their place would be another answer.
      throw new DecodeError("the result holds a string that is not UTF-8");
    }
  }

  private number(address: number): number {
    if (((this.memory.bytes[address + VALUE_FLAGS] as number) & FLAG_TEXT) === 0)
      return Number(this.memory.view.getBigInt64(address + NUMBER_INT, true));
    return Number(this.text(this.word(address + NUMBER_TEXT), this.word(address + NUMBER_TEXT_LENGTH)));
  }

  private composite(address: number, tag: number, depth: number): unknown {
    if (tag === TAG_SET && ((this.memory.bytes[address + VALUE_FLAGS] as number) & FLAG_SORTED) === 0) {
      this.operations.sort(address);
      this.memory.refresh();
    }
    const count = this.word(address + COLLECTION_COUNT);
    const items = this.word(address + COLLECTION_ITEMS);
    if (items + count * 4 > this.memory.bytes.length) throw new DecodeError("a collection lies outside of memory");
    this.left -= count;
    if (this.left < 0) throw new DecodeError("the result is too large");
    if (tag === TAG_OBJECT) {
      const record = this.recordAt(address, count);
      return record === null ? this.object(items, count, depth) : this.record(items, record, depth);
    }
    const out = new Array<unknown>(count);
    for (let i = 0; i < count; i++) out[i] = this.value(this.word(items + i * 4), depth + 1);
    return out;
  }

  /** The record that an object of the heap is; `null` if it is not a record. */
  private recordAt(address: number, count: number): RecordKeys | null {
    const origin = this.memory.view.getInt32(address + TABLE_MASK, true);
    if (origin === 0 || address < this.heapBase || this.word(address + TABLE_INDEX) !== 0) return null;
    let record = this.records.get(origin);
    if (record === undefined) {
      const entries = this.word(origin + COLLECTION_ITEMS);
      record = recordKeys(Array.from({ length: count }, (_, i) => this.string(this.word(entries + i * 8))));
      this.records.set(origin, record);
    }
    return record?.keys.length === count ? record : null;
  }

  /** One whose values are all the policy's own is as constant as they are. */
  private record(items: number, record: RecordKeys, depth: number): unknown {
    const { heapBase } = this;
    const { keys, recent } = record;
    let sum = 0;
    for (let i = 0; i < keys.length; i++) {
      const value = this.word(items + i * 8 + 4);
      if (value >= heapBase) return this.members(items, record, depth);
      sum = (Math.imul(sum, 31) + (value >>> 3)) | 0;
    }
    const place = sum & (RECENT_RECORDS - 1);
    const known = recent[place];
    if (known !== undefined && this.holds(items, known.values)) return known.object;
    const object = Object.freeze(this.members(items, record, depth));
    recent[place] = { values: keys.map((_, i) => this.word(items + i * 8 + 4)), object };
    return object;
  }

  private holds(items: number, values: readonly number[]): boolean {
    for (let i = 0; i < values.length; i++) {
      if (this.word(items + i * 8 + 4) !== values[i]) return false;
    }
    return true;
  }

  private members(items: number, { keys, make }: RecordKeys, depth: number): Record<string, unknown> {
    const values = new Array<unknown>(keys.length);
    for (let i = 0; i < values.length; i++) values[i] = this.value(this.word(items + i * 8 + 4), depth + 1);
    return make(keys, values);
  }

  /** The text of a key. The module writes it onto its heap, and its memory may grow. */
  private dump(address: number): string {
    const text = this.operations.dump(address);
    this.memory.refresh();
    return text;
  }

  private object(items: number, count: number, depth: number): Record<string, unknown> {
    const out: Record<string, unknown> = {};
    for (let i = 0; i < count; i++) {
      const keyAddress = this.word(items + i * 8);
      const key = this.value(keyAddress, depth + 1);
      const name = typeof key === "string" ? key : this.dump(keyAddress);
      const value = this.value(this.word(items + i * 8 + 4), depth + 1);
      // A plain assignment to `__proto__` would set the prototype instead.
      if (name === "__proto__")
        Object.defineProperty(out, name, { value, enumerable: true, configurable: true, writable: true });
      else out[name] = value;
    }
    return out;
  }
}

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
import type { SymbolicStrings } from "../encode/index.ts";
import type { WasmMemory } from "../platform.ts";
import { RECENT_RECORDS, RecordKeys } from "./record-keys.ts";

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
/** Texts of at most this many bytes are tried as ASCII first. */
const SHORT = 24;
/** Values of one answer: rules can make one in which the same value stands again and again. */
const MOST_VALUES = 1 << 23;
/** Constants that are found without a look-up: a power of two. */
const RECENT = 64;

export class ValueReader {
  private readonly memory: WasmMemory;
  private readonly heapBase: number;
  private readonly symbols: SymbolicStrings;
  private readonly operations: ValueOperations;
  private readonly shared = new Map<number, unknown>();
  /** By the address of the static one. */
  private readonly records = new Map<number, RecordKeys>();
  private readonly recentAddresses = new Array<number>(RECENT).fill(0);
  private readonly recentValues = new Array<unknown>(RECENT).fill(undefined);
  private view: DataView;
  private bytes: Uint8Array;
  /** Values that the answer which is being read may still have. */
  private left = MOST_VALUES;

  constructor(memory: WasmMemory, heapBase: number, symbols: SymbolicStrings, operations: ValueOperations) {
    this.memory = memory;
    this.symbols = symbols;
    this.heapBase = heapBase;
    this.operations = operations;
    this.view = new DataView(memory.buffer);
    this.bytes = new Uint8Array(memory.buffer);
  }

  /** The policy's own strings and their addresses. Throws DecodeError. */
  readStrings({ address, count, plain }: PolicySection["strings"]): Map<string, number> {
    this.refresh();
    const texts: unknown = JSON.parse(utf8.decode(this.bytes.subarray(plain.address, plain.address + plain.length)));
    if (!Array.isArray(texts) || texts.length !== plain.count)
      throw new DecodeError("the module's strings are damaged");
    const strings = new Map<string, number>();
    for (let i = 0; i < count; i++) {
      const at = this.view.getUint32(address + i * 4, true);
      strings.set(i < plain.count ? (texts[i] as string) : this.string(at), at);
    }
    return strings;
  }

  /** The value of the only member of the only object of a set; 0 for an empty set. Throws DecodeError. */
  onlyMember(set: number): number {
    this.refresh();
    if (this.bytes[set] !== TAG_SET) throw new DecodeError("the module's answer is no result set");
    if (this.view.getUint32(set + COLLECTION_COUNT, true) === 0) return 0;
    const object = this.view.getUint32(this.view.getUint32(set + COLLECTION_ITEMS, true), true);
    if (this.bytes[object] !== TAG_OBJECT || this.view.getUint32(object + COLLECTION_COUNT, true) !== 1) {
      throw new DecodeError("the module's answer is no result set");
    }
    return this.view.getUint32(this.view.getUint32(object + COLLECTION_ITEMS, true) + 4, true);
  }

  /** The value at `address`: sets become sorted arrays, numbers doubles, keys strings. Throws DecodeError. */
  read(address: number): unknown {
    this.left = MOST_VALUES;
    if (address >= this.heapBase) {
      this.refresh();
      return this.value(address, 0);
    }
    // Most answers are one of a few constants, and asking a Map takes longer than this.
    const place = (address >>> 3) & (RECENT - 1);
    if (this.recentAddresses[place] === address) return this.recentValues[place];
    this.refresh();
    const value = this.value(address, 0);
    this.recentAddresses[place] = address;
    this.recentValues[place] = value;
    return value;
  }

  /** New views after the memory grew: a detached array has no length. */
  private refresh(): void {
    if (this.bytes.length !== 0) return;
    this.view = new DataView(this.memory.buffer);
    this.bytes = new Uint8Array(this.memory.buffer);
  }

  private value(address: number, depth: number): unknown {
    const tag = this.bytes[address];
    switch (tag) {
      case TAG_STRING:
        return address < this.heapBase
          ? this.remembered(address, depth)
          : (this.symbols.textAt(address) ?? this.string(address));
      case TAG_BOOLEAN:
        return this.view.getUint32(address + BOOLEAN_VALUE, true) !== 0;
      case TAG_NULL:
        return null;
      case TAG_NUMBER:
        return this.number(address);
      case TAG_ARRAY:
      case TAG_OBJECT:
      case TAG_SET:
        if (depth > MAX_VALUE_DEPTH) throw new DecodeError("the result is nested too deeply");
        return address < this.heapBase ? this.remembered(address, depth) : this.composite(address, tag, depth);
      default:
        throw new DecodeError(`no value at address ${address}`);
    }
  }

  private remembered(address: number, depth: number): unknown {
    const known = this.shared.get(address);
    if (known !== undefined) return known;
    const tag = this.bytes[address] as number;
    const value = tag === TAG_STRING ? this.string(address) : Object.freeze(this.composite(address, tag, depth));
    this.shared.set(address, value);
    return value;
  }

  private string(address: number): string {
    const length = this.view.getUint32(address + STRING_LENGTH, true);
    const start = this.view.getUint32(address + STRING_BYTES, true);
    return this.text(start, length);
  }

  private text(start: number, length: number): string {
    if (start + length > this.bytes.length) throw new DecodeError("a string lies outside of memory");
    if (length <= SHORT) {
      // A call of TextDecoder costs more than a short text itself.
      let ascii = "";
      let i = 0;
      for (; i < length; i++) {
        const byte = this.bytes[start + i] as number;
        if (byte > 127) break;
        ascii += String.fromCharCode(byte);
      }
      if (i === length) return ascii;
    }
    try {
      return utf8.decode(this.bytes.subarray(start, start + length));
    } catch {
      // Bytes that JavaScript's strings cannot hold: another text in their place would be another answer.
      throw new DecodeError("the result holds a string that is not UTF-8");
    }
  }

  private number(address: number): number {
    if (((this.bytes[address + VALUE_FLAGS] as number) & FLAG_TEXT) === 0)
      return Number(this.view.getBigInt64(address + NUMBER_INT, true));
    return Number(
      this.text(
        this.view.getUint32(address + NUMBER_TEXT, true),
        this.view.getUint32(address + NUMBER_TEXT_LENGTH, true),
      ),
    );
  }

  private composite(address: number, tag: number, depth: number): unknown {
    if (tag === TAG_SET && ((this.bytes[address + VALUE_FLAGS] as number) & FLAG_SORTED) === 0) {
      this.operations.sort(address);
      this.refresh();
    }
    const count = this.view.getUint32(address + COLLECTION_COUNT, true);
    const items = this.view.getUint32(address + COLLECTION_ITEMS, true);
    if (items + count * 4 > this.bytes.length) throw new DecodeError("a collection lies outside of memory");
    this.left -= count;
    if (this.left < 0) throw new DecodeError("the result is too large");
    if (tag === TAG_OBJECT) {
      const record = this.recordAt(address, count);
      return record === undefined ? this.object(items, count, depth) : this.record(items, record, depth);
    }
    const out = new Array<unknown>(count);
    for (let i = 0; i < count; i++) out[i] = this.value(this.view.getUint32(items + i * 4, true), depth + 1);
    return out;
  }

  /** The record that an object of the heap is; `undefined` if it is not a record. */
  private recordAt(address: number, count: number): RecordKeys | undefined {
    const origin = this.view.getUint32(address + TABLE_MASK, true);
    if (origin === 0 || address < this.heapBase || this.view.getUint32(address + TABLE_INDEX, true) !== 0)
      return undefined;
    let record = this.records.get(origin);
    if (record === undefined) {
      const entries = this.view.getUint32(origin + COLLECTION_ITEMS, true);
      const texts = Array.from({ length: count }, (_, i) => this.string(this.view.getUint32(entries + i * 8, true)));
      record = new RecordKeys(texts);
      this.records.set(origin, record);
    }
    return record.plain && record.keys.length === count ? record : undefined;
  }

  /** One whose values are all the policy's own is as constant as they are. */
  private record(items: number, record: RecordKeys, depth: number): unknown {
    const { view, heapBase } = this;
    const { keys, recent } = record;
    let sum = 0;
    for (let i = 0; i < keys.length; i++) {
      const value = view.getUint32(items + i * 8 + 4, true);
      if (value >= heapBase) return this.members(items, record, depth);
      sum = (Math.imul(sum, 31) + (value >>> 3)) | 0;
    }
    const place = sum & (RECENT_RECORDS - 1);
    const known = recent[place];
    if (known !== undefined && this.holds(items, known.values)) return known.object;
    const object = Object.freeze(this.members(items, record, depth));
    recent[place] = { values: keys.map((_, i) => this.view.getUint32(items + i * 8 + 4, true)), object };
    return object;
  }

  private holds(items: number, values: readonly number[]): boolean {
    for (let i = 0; i < values.length; i++) {
      if (this.view.getUint32(items + i * 8 + 4, true) !== values[i]) return false;
    }
    return true;
  }

  private members(
    items: number,
    { keys, make, lastAddresses, lastValues }: RecordKeys,
    depth: number,
  ): Record<string, unknown> {
    const values = new Array<unknown>(keys.length);
    for (let i = 0; i < keys.length; i++) {
      const address = this.view.getUint32(items + i * 8 + 4, true);
      let value = lastValues[i];
      if (lastAddresses[i] !== address) {
        value = this.value(address, depth + 1);
        if (address < this.heapBase) {
          lastAddresses[i] = address;
          lastValues[i] = value;
        }
      }
      values[i] = value;
    }
    return make(keys, values);
  }

  /** The text of a key. The module writes it onto its heap, and its memory may grow. */
  private dump(address: number): string {
    const text = this.operations.dump(address);
    this.refresh();
    return text;
  }

  private object(items: number, count: number, depth: number): Record<string, unknown> {
    const out: Record<string, unknown> = {};
    for (let i = 0; i < count; i++) {
      const keyAddress = this.view.getUint32(items + i * 8, true);
      const key = this.value(keyAddress, depth + 1);
      const name = typeof key === "string" ? key : this.dump(keyAddress);
      const value = this.value(this.view.getUint32(items + i * 8 + 4, true), depth + 1);
      // A plain assignment to `__proto__` would set the prototype instead.
      if (name === "__proto__")
        Object.defineProperty(out, name, { value, enumerable: true, configurable: true, writable: true });
      else out[name] = value;
    }
    return out;
  }
}

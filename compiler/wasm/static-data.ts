/**
 * The constants of a policy as bytes of its memory, in the layout of runtime/abi/layout.ts, so that nothing is built when
 * a module is loaded or a rule runs. Strings and numbers exist once each; collections are sorted, with their hashes and
 * indexes computed here.
 */

import {
  ARRAY_SIZE,
  COLLECTION_CAPACITY,
  COLLECTION_COUNT,
  COLLECTION_ITEMS,
  FALSE_VALUE,
  FLAG_SORTED,
  FLAG_TEXT,
  INDEX_THRESHOLD,
  NULL_VALUE,
  NUMBER_INT,
  NUMBER_TEXT,
  NUMBER_TEXT_LENGTH,
  type PolicySection,
  RECORD_ENTRIES,
  type RowArray,
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
  TAG_BOOLEAN,
  TAG_NULL,
  TAG_NUMBER,
  TAG_OBJECT,
  TAG_SET,
  TAG_STRING,
  TRUE_VALUE,
  VALUE_FLAGS,
  VALUE_HASH,
  VALUE_TAG,
} from "@portcullis/runtime/abi";
import { unreachable } from "../base/assert.ts";
import { int64Of } from "../base/decimal.ts";
import { compareText, sortedEntries, sortedItems } from "../base/order.ts";
import type { Value } from "../base/value.ts";
import { finish, hashBytes, mix } from "./hash.ts";
import { hashNumberText } from "./number-hash.ts";

/** Where the runtime finds all strings; see PolicySection. */
export type StringTable = PolicySection["strings"];

/** Addresses of the parts that others need, when all constants are laid out. */
export interface SealedData {
  readonly bytes: Uint8Array;
  readonly internTable: number;
  readonly internMask: number;
  readonly strings: StringTable;
  readonly end: number;
}

/** Collections of more words than this are not looked for among those that there are. */
const SHARED_WORDS = 16;

/** Constant objects with more entries than this have an index: most look-ups are made in constants. */
const CONSTANT_INDEX_THRESHOLD = 3;

/** Slots for each entry that an index has at most. */
const MOST_SLOTS = 16;

/** Texts that JSON does not write as they are. */
const ESCAPED = /["\\\u0000-\u001f]/;

const LONE_SURROGATE = /\p{Surrogate}/u;
const LONE_SURROGATES = /\p{Surrogate}/gu;

export class StaticData {
  private readonly base: number;
  private bytes: Uint8Array;
  private view: DataView;
  private used: number;
  private readonly encoder = new TextEncoder();
  private readonly strings = new Map<string, number>();
  private readonly numbers = new Map<string, number>();
  private readonly values = new Map<Value, number>();
  private readonly texts = new Map<string, number>();
  private readonly lists = new Map<string, number>();
  private readonly records = new Map<string, number>();
  private readonly small = new Map<string, number>();

  /** `initial`: what stands at `base` already (the data of rtlib). */
  constructor(base: number, initial: Uint8Array) {
    this.base = base;
    this.bytes = new Uint8Array(Math.max(1 << 16, initial.length * 2));
    this.bytes.set(initial);
    this.view = new DataView(this.bytes.buffer);
    this.used = initial.length;
  }

  /** Address of the string value of a text. */
  string(text: string): number {
    const known = this.strings.get(text);
    if (known !== undefined) return known;
    const clean = text.replace(LONE_SURROGATES, "\ufffd");
    const address = clean === text ? this.newString(text) : this.string(clean);
    this.strings.set(text, address);
    return address;
  }

  /** Address of the value of a number's text. */
  number(text: string): number {
    const int = int64Of(text);
    if (int !== undefined && int >= 0n && int < BigInt(SMALL_INT_COUNT)) return SMALL_INTS + Number(int) * SCALAR_SIZE;
    let address = this.numbers.get(text);
    if (address === undefined) {
      address = this.newNumber(text, int);
      this.numbers.set(text, address);
    }
    return address;
  }

  /** Address of any value. A value that is part of another one it was asked for is shared with it. */
  value(value: Value): number {
    switch (value.kind) {
      case "null":
        return NULL_VALUE;
      case "boolean":
        return value.value ? TRUE_VALUE : FALSE_VALUE;
      case "number":
        return this.number(value.text);
      case "string":
        return this.string(value.value);
      case "array":
      case "object":
      case "set": {
        let address = this.values.get(value);
        if (address === undefined) {
          address = this.newCollection(value);
          this.values.set(value, address);
        }
        return address;
      }
      default:
        return unreachable(value);
    }
  }

  /** What the header of a table that is laid out says of where its entries and its index are. */
  table(address: number): { readonly entries: number; readonly index: number; readonly mask: number } {
    const field = (offset: number): number => this.get(address + offset);
    return { entries: field(COLLECTION_ITEMS), index: field(TABLE_INDEX), mask: field(TABLE_MASK) };
  }

  /** Address of NUL-terminated text: a message for opa_abort. */
  cText(text: string): number {
    let address = this.texts.get(text);
    if (address === undefined) {
      const bytes = this.encoder.encode(text);
      address = this.reserve(bytes.length + 1);
      this.bytes.set(bytes, address - this.base);
      this.texts.set(text, address);
    }
    return address;
  }

  /** Address of consecutive words. */
  words(words: readonly number[]): number {
    const key = words.join();
    let address = this.lists.get(key);
    if (address === undefined) {
      address = this.reserve(words.length * 4);
      for (const [i, word] of words.entries()) this.put(address + i * 4, word);
      this.lists.set(key, address);
    }
    return address;
  }

  /** An object with these keys (in order, no two the same) whose values are undefined, and where each value's address goes. */
  slots(keys: readonly string[]): { readonly address: number; readonly slots: readonly number[] } {
    const entries = keys.map((key): readonly number[] => [this.string(key), 0]);
    const address = this.reserve(TABLE_SIZE);
    const list = this.reserve(entries.length * 8);
    for (const [i, [key]] of entries.entries()) this.put(list + i * 8, key as number);
    this.header(address, TAG_OBJECT, FLAG_SORTED, 0);
    this.put(address + COLLECTION_COUNT, entries.length);
    this.put(address + COLLECTION_CAPACITY, entries.length);
    this.put(address + COLLECTION_ITEMS, list);
    return { address, slots: keys.map((_, i) => list + i * 8 + 4) };
  }

  /** An array of objects with these keys, whose values are undefined, each of which begins with `firstWord`. */
  rows(keys: readonly string[], firstWord: number, capacity: number): RowArray {
    const addresses = keys.map((key) => this.string(key));
    const stride = RECORD_ENTRIES + keys.length * 8;
    const array = this.newArray([]);
    const items = this.reserve(capacity * 4);
    const first = this.reserve(capacity * stride);
    this.put(array + COLLECTION_CAPACITY, capacity);
    this.put(array + COLLECTION_ITEMS, items);
    for (let i = 0; i < capacity; i++) {
      const row = first + i * stride;
      this.put(items + i * 4, row);
      this.put(row, firstWord);
      this.put(row + COLLECTION_COUNT, keys.length);
      this.put(row + COLLECTION_CAPACITY, keys.length);
      this.put(row + COLLECTION_ITEMS, row + RECORD_ENTRIES);
      for (const [j, key] of addresses.entries()) this.put(row + RECORD_ENTRIES + j * 8, key);
    }
    return { array, items, first, stride, capacity };
  }

  /**
   * What records of these entries are copied from, and its size; the key comes first, then the address of the value, 0 for
   * one that the copy gets of its own.
   */
  record(entries: readonly (readonly [key: string, value: number])[]): {
    readonly address: number;
    readonly size: number;
  } {
    const name = JSON.stringify(entries);
    let address = this.records.get(name);
    if (address === undefined) {
      const words = entries.map(([key, value]) => [this.string(key), value] as const);
      address = this.reserve(RECORD_ENTRIES + words.length * 8);
      for (const [i, [key, value]] of words.entries()) {
        this.put(address + RECORD_ENTRIES + i * 8, key);
        this.put(address + RECORD_ENTRIES + i * 8 + 4, value);
      }
      this.header(address, TAG_OBJECT, FLAG_SORTED, 0);
      this.put(address + COLLECTION_COUNT, words.length);
      this.put(address + COLLECTION_CAPACITY, words.length);
      this.put(address + COLLECTION_ITEMS, address + RECORD_ENTRIES);
      this.put(address + TABLE_MASK, address);
      this.records.set(name, address);
    }
    return { address, size: RECORD_ENTRIES + entries.length * 8 };
  }

  /** Adds the table of all strings; nothing may be asked for afterwards. */
  seal(): SealedData {
    // Texts that differ only in lone surrogates have one string.
    const strings = [...this.strings]
      .filter(([text]) => !LONE_SURROGATE.test(text))
      .sort(([a], [b]) => compareText(a, b));
    const plain = strings.filter(([text]) => !ESCAPED.test(text));
    const others = strings.filter(([text]) => ESCAPED.test(text));
    const addresses = [...plain, ...others].map(([, address]) => address);
    const slots = slotsFor(addresses.length);
    const internTable = this.index(
      slots,
      addresses.map((a): readonly [number, number] => [this.hash(a), a]),
    );
    const text = this.writeTexts(plain);
    for (const [own, address] of others) {
      const bytes = this.encoder.encode(own);
      const start = this.reserve(bytes.length);
      this.bytes.set(bytes, start - this.base);
      this.put(address + STRING_BYTES, start);
    }
    const list = this.reserve(addresses.length * 4);
    for (const [i, address] of addresses.entries()) this.put(list + i * 4, address);
    this.reserve(0);
    return {
      bytes: this.bytes.subarray(0, this.used),
      internTable,
      internMask: slots - 1,
      strings: { address: list, count: addresses.length, plain: { ...text, count: plain.length } },
      end: this.base + this.used,
    };
  }

  /** The bytes of strings as the text of a JSON array, which a host reads much faster than one string after the other. */
  private writeTexts(strings: readonly (readonly [text: string, address: number])[]): {
    address: number;
    length: number;
  } {
    const parts = strings.map(([text]) => this.encoder.encode(text));
    const length = parts.reduce((sum, part) => sum + part.length + 3, 2) - (parts.length === 0 ? 0 : 1);
    const address = this.reserve(length);
    let at = address - this.base;
    const put = (character: string): void => void (this.bytes[at++] = character.charCodeAt(0));
    put("[");
    for (const [i, part] of parts.entries()) {
      if (i > 0) put(",");
      put('"');
      this.put((strings[i] as readonly [string, number])[1] + STRING_BYTES, at + this.base);
      this.bytes.set(part, at);
      at += part.length;
      put('"');
    }
    put("]");
    return { address, length };
  }

  // Writing ----------------------------------------------------------------------------------------------------------

  /** Room for `size` bytes at an address divisible by 8. */
  private reserve(size: number): number {
    const start = (this.used + 7) & ~7;
    this.used = start + size;
    if (this.used > this.bytes.length) {
      const larger = new Uint8Array(Math.max(this.used, this.bytes.length * 2));
      larger.set(this.bytes);
      this.bytes = larger;
      this.view = new DataView(larger.buffer);
    }
    return this.base + start;
  }

  private put(address: number, word: number): void {
    this.view.setUint32(address - this.base, word >>> 0, true);
  }

  private get(address: number): number {
    return this.view.getUint32(address - this.base, true);
  }

  private header(address: number, tag: number, flags: number, hash: number): void {
    this.bytes[address - this.base + VALUE_TAG] = tag;
    this.bytes[address - this.base + VALUE_FLAGS] = flags;
    this.put(address + VALUE_HASH, hash);
  }

  private newString(text: string): number {
    const bytes = this.encoder.encode(text);
    // The bytes themselves come last, all together: see seal.
    const address = this.reserve(STRING_SIZE);
    this.header(address, TAG_STRING, 0, hashBytes(TAG_STRING, bytes));
    this.put(address + STRING_LENGTH, bytes.length);
    this.put(address + STRING_INTERN, address);
    return address;
  }

  private newNumber(text: string, int: bigint | undefined): number {
    const hash = hashNumberText(text);
    if (int !== undefined) {
      const address = this.reserve(SCALAR_SIZE);
      this.header(address, TAG_NUMBER, 0, hash);
      this.view.setBigInt64(address - this.base + NUMBER_INT, int, true);
      return address;
    }
    const bytes = this.encoder.encode(text);
    const address = this.reserve(SCALAR_SIZE + bytes.length);
    this.header(address, TAG_NUMBER, FLAG_TEXT, hash);
    this.put(address + NUMBER_TEXT, address + SCALAR_SIZE);
    this.put(address + NUMBER_TEXT_LENGTH, bytes.length);
    this.bytes.set(bytes, address - this.base + SCALAR_SIZE);
    return address;
  }

  private newCollection(value: Extract<Value, { kind: "array" | "object" | "set" }>): number {
    switch (value.kind) {
      case "array": {
        const items = value.items.map((v) => this.value(v));
        return this.shared(TAG_ARRAY, items, () => this.newArray(items));
      }
      case "object": {
        const entries = sortedEntries(value.entries).map(([k, v]) => [this.value(k), this.value(v)]);
        return this.shared(TAG_OBJECT, entries.flat(), () => this.newTable(TAG_OBJECT, entries));
      }
      case "set": {
        const items = sortedItems(value.items).map((v) => [this.value(v)]);
        return this.shared(TAG_SET, items.flat(), () => this.newTable(TAG_SET, items));
      }
      default:
        return unreachable(value);
    }
  }

  /** The address of an equal small collection, when there is one: tables of records hold the same few again and again. */
  private shared(tag: number, words: readonly number[], make: () => number): number {
    if (words.length > SHARED_WORDS) return make();
    const name = `${tag}:${words.join()}`;
    const known = this.small.get(name);
    if (known !== undefined) return known;
    const address = make();
    this.small.set(name, address);
    return address;
  }

  private newArray(items: readonly number[]): number {
    let h = mix(TAG_ARRAY, items.length);
    for (const item of items) h = mix(h, this.hash(item));
    const address = this.reserve(ARRAY_SIZE);
    const list = items.length === 0 ? 0 : this.reserve(items.length * 4);
    this.header(address, TAG_ARRAY, 0, finish(h));
    this.put(address + COLLECTION_COUNT, items.length);
    this.put(address + COLLECTION_CAPACITY, items.length);
    this.put(address + COLLECTION_ITEMS, list);
    for (const [i, item] of items.entries()) this.put(list + i * 4, item);
    return address;
  }

  /** Entries are key and value, or element, in order. */
  private newTable(tag: number, entries: readonly (readonly number[])[]): number {
    let h = mix(tag, entries.length);
    for (const [key, value] of entries as readonly (readonly [number, number?])[]) {
      const pair = value === undefined ? mix(TAG_SET, this.hash(key)) : mix(this.hash(key), this.hash(value));
      h = (h + finish(pair)) | 0;
    }
    const width = tag === TAG_OBJECT ? 8 : 4;
    const address = this.reserve(TABLE_SIZE);
    // INVARIANT: entries stand right behind their table, so that the word that would be the key of the entry before the
    // first one is the index mask, which is the address of no value: see emitConstantGet.
    const list = this.reserve(Math.max(entries.length, 1) * width);
    for (const [i, entry] of entries.entries()) {
      for (const [j, word] of entry.entries()) this.put(list + i * width + j * 4, word);
    }
    const isIndexed = entries.length > (tag === TAG_OBJECT ? CONSTANT_INDEX_THRESHOLD : INDEX_THRESHOLD);
    const slots = isIndexed ? slotsWithoutCollision(entries.map(([key]) => this.hash(key as number))) : 0;
    const numbered = entries.map(([key], i): readonly [number, number] => [this.hash(key as number), i + 1]);
    const index = slots === 0 ? 0 : this.index(slots, numbered);
    this.header(address, tag, FLAG_SORTED, finish(h));
    this.put(address + COLLECTION_COUNT, entries.length);
    this.put(address + COLLECTION_CAPACITY, entries.length);
    this.put(address + COLLECTION_ITEMS, list);
    this.put(address + TABLE_INDEX, index);
    this.put(address + TABLE_MASK, slots === 0 ? 0 : slots - 1);
    return address;
  }

  /** An open-addressed table of words by hash; 0 is a free slot. */
  private index(slots: number, words: readonly (readonly [hash: number, word: number])[]): number {
    const address = this.reserve(slots * 4);
    for (const [hash, word] of words) {
      let i = hash & (slots - 1);
      while (this.get(address + i * 4) !== 0) i = (i + 1) & (slots - 1);
      this.put(address + i * 4, word);
    }
    return address;
  }

  /** The hash of a value that has an address. */
  private hash(address: number): number {
    if (address === NULL_VALUE) return finish(mix(TAG_NULL, 0));
    if (address === FALSE_VALUE) return finish(mix(TAG_BOOLEAN, 0));
    if (address === TRUE_VALUE) return finish(mix(TAG_BOOLEAN, 1));
    if (address < this.base) return hashNumberText(String((address - SMALL_INTS) / SCALAR_SIZE));
    return this.get(address + VALUE_HASH);
  }
}

/** As many slots as let every entry be found at once, if that does not take too many. */
function slotsWithoutCollision(hashes: readonly number[]): number {
  const fewest = slotsFor(hashes.length);
  for (let slots = fewest; slots <= hashes.length * MOST_SLOTS; slots *= 2) {
    if (new Set(hashes.map((hash) => hash & (slots - 1))).size === hashes.length) return slots;
  }
  return fewest;
}

/** A power of two, at least two slots for each entry, and one that stays free. */
function slotsFor(count: number): number {
  let slots = 1;
  while (slots < count * 2) slots *= 2;
  return slots;
}

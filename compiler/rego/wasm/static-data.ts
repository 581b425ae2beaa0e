/**
 * The constants of a policy as bytes of its memory, in the layout of runtime/abi/layout.ts, so that nothing is built when
 * a module is loaded or a rule runs. Strings and numbers exist once each; collections are sorted, with their hashes and
 * indexes computed here.
 *
 * What code refers to comes first, in the order in which it is asked for, with only the heads of collections, which have one
 * size. What is in the collections comes behind all of it. So code has the same addresses whatever the policy's names are, and
 * engines that have one machine code for equal bytes have one for many policies (runtime/load/code.ts).
 */

import {
  ARRAY_SIZE,
  COLLECTION_CAPACITY,
  COLLECTION_COUNT,
  COLLECTION_ITEMS,
  FALSE_VALUE,
  FLAG_HOME,
  FLAG_SORTED,
  FLAG_TEXT,
  INDEX_THRESHOLD,
  NULL_VALUE,
  NUMBER_INT,
  NUMBER_TEXT,
  NUMBER_TEXT_LENGTH,
  RECORD_ENTRIES,
  type RowArray,
  SCALAR_SIZE,
  SMALL_INT_COUNT,
  SMALL_INTS,
  TABLE_INDEX,
  TABLE_MASK,
  TABLE_SIZE,
  TAG_ARRAY,
  TAG_BOOLEAN,
  TAG_NULL,
  TAG_NUMBER,
  TAG_OBJECT,
  TAG_SET,
  TRUE_VALUE,
  VALUE_HASH,
} from "@portcullis/runtime/abi";
import { unreachable } from "../diagnostics/index.ts";
import { int64Of, sortedEntries, sortedItems, type Value } from "../value/index.ts";
import { finish, mix } from "./hash.ts";
import { makeHome } from "./homes.ts";
import { hashNumberText } from "./number-hash.ts";
import { StaticMemory } from "./static-memory.ts";
import { type SealedStrings, StaticStrings } from "./static-strings.ts";
import { NO_INDEX, TableIndexes } from "./table-index.ts";
import { type Collection as CollectionValue, isCollection, ValueNumbers } from "./value-numbers.ts";

/** Addresses of the parts that others need, when all constants are laid out. */
export interface SealedData extends SealedStrings {
  readonly bytes: Uint8Array;
  readonly end: number;
}

type Collection = keyof typeof WORDS;

/** Words of an entry. */
const WORDS = { [TAG_ARRAY]: 1, [TAG_OBJECT]: 2, [TAG_SET]: 1 } as const;

/** Constant objects with more entries than this have an index in large policies. */
const FEW_ENTRIES = 5;

/** Bytes that evaluations write stand together: as many as a processor's caches have in a line. */
const VARIABLES = 64;

/** Bytes of a table's entries: of one at least. */
function roomFor(tag: Collection, words: readonly number[]): number {
  return Math.max(words.length, WORDS[tag]) * 4;
}

/** How many keys it may become the home of. */
function keysOf(value: CollectionValue): number {
  return value.kind === "object" ? value.entries.length : 0;
}

export class StaticData {
  private readonly memory: StaticMemory;
  private readonly strings: StaticStrings;
  private readonly encoder = new TextEncoder();
  private readonly numbers = new Map<string, number>();
  private readonly valueNumbers = new ValueNumbers();
  /** Addresses of collections by their numbers. */
  private readonly collections = new Map<number, number>();
  private readonly texts = new Map<string, number>();
  private readonly lists = new Map<string, number>();
  private readonly records = new Map<string, number>();
  private readonly indexes: TableIndexes;
  /** Heads that code refers to, by their addresses, whose contents are not laid out yet. */
  private readonly heads = new Map<number, CollectionValue>();
  private variables = { next: 0, end: 0 };

  /** Whether the module is to stay small: objects of a few entries have no index, and look-ups are calls. */
  readonly isLarge: boolean;

  /** `initial`: the bytes at `base` already (the data of rtlib). `isLarge`: whether much of the policy follows. */
  constructor(base: number, initial: Uint8Array, isLarge = false) {
    this.isLarge = isLarge;
    this.memory = new StaticMemory(base, initial);
    this.strings = new StaticStrings(this.memory);
    this.indexes = new TableIndexes(this.memory);
  }

  /** Address of the string value of a text. */
  string(text: string): number {
    return this.strings.address(text);
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

  /** Address of any value. One that is asked for, and is a part of another one, is shared with it. */
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
        const number = this.valueNumbers.of(value);
        let address = this.collections.get(number);
        if (address === undefined) {
          address = this.memory.reserve(value.kind === "array" ? ARRAY_SIZE : TABLE_SIZE);
          this.collections.set(number, address);
          this.heads.set(address, value);
        }
        return address;
      }
      default:
        return unreachable(value);
    }
  }

  /** Address of NUL-terminated text: a message for opa_abort. */
  cText(text: string): number {
    let address = this.texts.get(text);
    if (address === undefined) {
      const bytes = this.encoder.encode(text);
      address = this.memory.reserve(bytes.length + 1);
      this.memory.putBytes(address, bytes);
      this.texts.set(text, address);
    }
    return address;
  }

  /** Address of consecutive words. */
  words(words: readonly number[]): number {
    const key = words.join();
    let address = this.lists.get(key);
    if (address === undefined) {
      address = this.memory.reserve(words.length * 4);
      this.memory.putWords(address, words);
      this.lists.set(key, address);
    }
    return address;
  }

  /** Address of a byte, 0 at first, that evaluations write. */
  variable(): number {
    if (this.variables.next === this.variables.end) {
      const next = this.memory.reserve(VARIABLES);
      this.variables = { next, end: next + VARIABLES };
    }
    return this.variables.next++;
  }

  /** An object with these keys (in order, no two the same) whose values are undefined, and where each value's address goes. */
  slots(keys: readonly string[]): { readonly address: number; readonly slots: readonly number[] } {
    const entries = keys.map((key): readonly number[] => [this.string(key), 0]);
    const address = this.memory.reserve(TABLE_SIZE);
    const list = this.memory.reserve(entries.length * 8);
    for (const [i, [key]] of entries.entries()) this.memory.put(list + i * 8, key as number);
    this.memory.header(address, TAG_OBJECT, FLAG_SORTED, 0);
    this.memory.put(address + COLLECTION_COUNT, entries.length);
    this.memory.put(address + COLLECTION_CAPACITY, entries.length);
    this.memory.put(address + COLLECTION_ITEMS, list);
    return { address, slots: keys.map((_, i) => list + i * 8 + 4) };
  }

  /** An array of objects with these keys, whose values are undefined, each of which begins with `firstWord`. */
  rows(keys: readonly string[], firstWord: number, capacity: number): RowArray {
    const addresses = keys.map((key) => this.string(key));
    const stride = RECORD_ENTRIES + keys.length * 8;
    const array = this.memory.reserve(ARRAY_SIZE);
    this.putArray(array, [], this.collectionHash(TAG_ARRAY, []));
    const items = this.memory.reserve(capacity * 4);
    const first = this.memory.reserve(capacity * stride);
    this.memory.put(array + COLLECTION_CAPACITY, capacity);
    this.memory.put(array + COLLECTION_ITEMS, items);
    for (let i = 0; i < capacity; i++) {
      const row = first + i * stride;
      this.memory.put(items + i * 4, row);
      this.memory.put(row, firstWord);
      this.memory.put(row + COLLECTION_COUNT, keys.length);
      this.memory.put(row + COLLECTION_CAPACITY, keys.length);
      this.memory.put(row + COLLECTION_ITEMS, row + RECORD_ENTRIES);
      for (const [j, key] of addresses.entries()) this.memory.put(row + RECORD_ENTRIES + j * 8, key);
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
      address = this.memory.reserve(RECORD_ENTRIES + words.length * 8);
      for (const [i, [key, value]] of words.entries()) {
        this.memory.put(address + RECORD_ENTRIES + i * 8, key);
        this.memory.put(address + RECORD_ENTRIES + i * 8 + 4, value);
      }
      this.memory.header(address, TAG_OBJECT, FLAG_SORTED, 0);
      this.memory.put(address + COLLECTION_COUNT, words.length);
      this.memory.put(address + COLLECTION_CAPACITY, words.length);
      this.memory.put(address + COLLECTION_ITEMS, address + RECORD_ENTRIES);
      this.memory.put(address + TABLE_MASK, address);
      this.records.set(name, address);
    }
    return { address, size: RECORD_ENTRIES + entries.length * 8 };
  }

  /** Adds what is in the collections, and the table of all strings; nothing may be asked for afterwards. */
  seal(): SealedData {
    // The largest first: it becomes the home of its keys.
    const heads = [...this.heads].sort(([, a], [, b]) => keysOf(b) - keysOf(a));
    for (const [address, value] of heads) if (this.heads.has(address)) this.fill(address, value);
    const strings = this.strings.seal();
    this.memory.reserve(0);
    return { ...strings, bytes: this.memory.bytes, end: this.memory.end };
  }

  private newNumber(text: string, int: bigint | undefined): number {
    const hash = hashNumberText(text);
    if (int !== undefined) {
      const address = this.memory.reserve(SCALAR_SIZE);
      this.memory.header(address, TAG_NUMBER, 0, hash);
      this.memory.putInt64(address + NUMBER_INT, int);
      return address;
    }
    const bytes = this.encoder.encode(text);
    const address = this.memory.reserve(SCALAR_SIZE + bytes.length);
    this.memory.header(address, TAG_NUMBER, FLAG_TEXT, hash);
    this.memory.put(address + NUMBER_TEXT, address + SCALAR_SIZE);
    this.memory.put(address + NUMBER_TEXT_LENGTH, bytes.length);
    this.memory.putBytes(address + SCALAR_SIZE, bytes);
    return address;
  }

  /** Lays out what is in a collection whose head code refers to. */
  private fill(address: number, value: CollectionValue): void {
    this.heads.delete(address);
    const [tag, words] = this.wordsOf(value);
    const hash = this.collectionHash(tag, words);
    if (tag === TAG_ARRAY) this.putArray(address, words, hash);
    else this.putTable(address, this.memory.reserve(8 + roomFor(tag, words)) + 8, tag, words, hash);
  }

  private wordsOf(value: CollectionValue): readonly [Collection, readonly number[]] {
    switch (value.kind) {
      case "array":
        return [TAG_ARRAY, value.items.map((item) => this.member(item))];
      case "object": {
        const words: number[] = [];
        for (const [key, item] of sortedEntries(value.entries)) words.push(this.member(key), this.member(item));
        return [TAG_OBJECT, words];
      }
      case "set":
        return [TAG_SET, sortedItems(value.items).map((item) => this.member(item))];
      default:
        return unreachable(value);
    }
  }

  /** Address of a value in a collection: with all that is in it, so that its hash is known. */
  private member(value: Value): number {
    if (!isCollection(value)) return this.value(value);
    const number = this.valueNumbers.of(value);
    const known = this.collections.get(number);
    if (known !== undefined) {
      if (this.heads.has(known)) this.fill(known, value);
      return known;
    }
    const [tag, words] = this.wordsOf(value);
    const hash = this.collectionHash(tag, words);
    const address = this.memory.reserve(tag === TAG_ARRAY ? ARRAY_SIZE : TABLE_SIZE);
    if (tag === TAG_ARRAY) this.putArray(address, words, hash);
    else this.putTable(address, this.memory.reserve(roomFor(tag, words)), tag, words, hash);
    this.collections.set(number, address);
    return address;
  }

  private collectionHash(tag: Collection, words: readonly number[]): number {
    let h = mix(tag, words.length / WORDS[tag]);
    for (let i = 0; i < words.length; i += WORDS[tag]) {
      const first = this.hash(words[i] as number);
      if (tag === TAG_ARRAY) h = mix(h, first);
      else h = (h + finish(tag === TAG_SET ? mix(TAG_SET, first) : mix(first, this.hash(words[i + 1] as number)))) | 0;
    }
    return finish(h);
  }

  private putArray(address: number, items: readonly number[], hash: number): void {
    const list = items.length === 0 ? 0 : this.memory.reserve(items.length * 4);
    this.memory.header(address, TAG_ARRAY, 0, hash);
    this.memory.put(address + COLLECTION_COUNT, items.length);
    this.memory.put(address + COLLECTION_CAPACITY, items.length);
    this.memory.put(address + COLLECTION_ITEMS, list);
    this.memory.putWords(list, items);
  }

  /** The words are keys and values, or elements, in order; `list` is where they go: behind the table, or 8 bytes of room. */
  private putTable(
    address: number,
    list: number,
    tag: typeof TAG_OBJECT | typeof TAG_SET,
    words: readonly number[],
    hash: number,
  ): void {
    const width = WORDS[tag];
    const count = words.length / width;
    this.memory.putWords(list, words);
    const keys = words.filter((_, i) => i % width === 0);
    const isHome = tag === TAG_OBJECT && makeHome(this.memory, keys);
    // INVARIANT: where data is not large, all objects have an index: a free slot says that a key is not there (emitConstantGet).
    const isSpared = this.isLarge && (isHome || count <= FEW_ENTRIES);
    const isIndexed = tag === TAG_OBJECT ? !isSpared : count > INDEX_THRESHOLD;
    const index = isIndexed
      ? this.indexes.of(
          keys,
          keys.map((key) => this.hash(key)),
        )
      : NO_INDEX;
    this.memory.header(address, tag, isHome && isSpared ? FLAG_SORTED | FLAG_HOME : FLAG_SORTED, hash);
    this.memory.put(address + COLLECTION_COUNT, count);
    this.memory.put(address + COLLECTION_CAPACITY, count);
    this.memory.put(address + COLLECTION_ITEMS, list);
    this.memory.put(address + TABLE_INDEX, index.address);
    this.memory.put(address + TABLE_MASK, index.mask);
    // INVARIANT: where the key of the entry before the first one would be stands the mask, which is the address of no value: see
    // emitConstantGet. Right behind a table that is its own word.
    this.memory.put(list - 8, index.mask);
  }

  /** The hash of a value that has an address. */
  private hash(address: number): number {
    if (address === NULL_VALUE) return finish(mix(TAG_NULL, 0));
    if (address === FALSE_VALUE) return finish(mix(TAG_BOOLEAN, 0));
    if (address === TRUE_VALUE) return finish(mix(TAG_BOOLEAN, 1));
    if (address < this.memory.base) return hashNumberText(String((address - SMALL_INTS) / SCALAR_SIZE));
    return this.memory.get(address + VALUE_HASH);
  }
}

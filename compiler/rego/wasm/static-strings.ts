/**
 * The strings of a policy: each once, found by a host through the text of all of them, and by compiled code through an index
 * of their hashes. A lone surrogate is U+FFFD here, as it is in every reader of JSON text.
 */

import {
  type PolicySection,
  STRING_BYTES,
  STRING_INTERN,
  STRING_LENGTH,
  STRING_SIZE,
  TAG_STRING,
  VALUE_HASH,
} from "@portcullis/runtime/abi";
import { compareText } from "../value/index.ts";
import { hashBytes } from "./hash.ts";
import type { StaticMemory } from "./static-memory.ts";
import { slotsFor, writeIndex } from "./table-index.ts";

/** Where the runtime finds all strings; see PolicySection. */
type StringTable = PolicySection["strings"];

export interface SealedStrings {
  readonly internTable: number;
  readonly internMask: number;
  readonly strings: StringTable;
}

/** Texts that JSON does not write as they are. */
const ESCAPED = /["\\\u0000-\u001f]/;

const LONE_SURROGATE = /\p{Surrogate}/u;
const LONE_SURROGATES = /\p{Surrogate}/gu;

export class StaticStrings {
  private readonly memory: StaticMemory;
  private readonly encoder = new TextEncoder();
  private readonly addresses = new Map<string, number>();

  constructor(memory: StaticMemory) {
    this.memory = memory;
  }

  /** Address of the string value of a text. */
  address(text: string): number {
    const known = this.addresses.get(text);
    if (known !== undefined) return known;
    const clean = text.replace(LONE_SURROGATES, "\ufffd");
    const address = clean === text ? this.newString(text) : this.address(clean);
    this.addresses.set(text, address);
    return address;
  }

  private newString(text: string): number {
    const bytes = this.encoder.encode(text);
    // The bytes themselves come last, all together: see seal.
    const address = this.memory.reserve(STRING_SIZE);
    this.memory.header(address, TAG_STRING, 0, hashBytes(TAG_STRING, bytes));
    this.memory.put(address + STRING_LENGTH, bytes.length);
    this.memory.put(address + STRING_INTERN, address);
    return address;
  }

  /** Adds the bytes, and the table of all strings; nothing may be asked for afterwards. */
  seal(): SealedStrings {
    const { memory } = this;
    // Texts that differ only in lone surrogates have one string.
    const strings = [...this.addresses]
      .filter(([text]) => !LONE_SURROGATE.test(text))
      .sort(([a], [b]) => compareText(a, b));
    const plain = strings.filter(([text]) => !ESCAPED.test(text));
    const others = strings.filter(([text]) => ESCAPED.test(text));
    const addresses = [...plain, ...others].map(([, address]) => address);
    const slots = slotsFor(addresses.length);
    const internTable = writeIndex(
      memory,
      slots,
      addresses.map((a): readonly [number, number] => [memory.get(a + VALUE_HASH), a]),
    );
    const text = this.writeTexts(plain);
    for (const [own, address] of others) {
      const bytes = this.encoder.encode(own);
      const start = memory.reserve(bytes.length);
      memory.putBytes(start, bytes);
      memory.put(address + STRING_BYTES, start);
    }
    const list = memory.reserve(addresses.length * 4);
    memory.putWords(list, addresses);
    return {
      internTable,
      internMask: slots - 1,
      strings: { address: list, count: addresses.length, plain: { ...text, count: plain.length } },
    };
  }

  /** The bytes of strings as the text of a JSON array, which a host reads much faster than one string after the other. */
  private writeTexts(strings: readonly (readonly [text: string, address: number])[]): {
    address: number;
    length: number;
  } {
    const text = this.encoder.encode(JSON.stringify(strings.map(([own]) => own)));
    const address = this.memory.reserve(text.length);
    this.memory.putBytes(address, text);
    // Behind the bracket and the first quotation mark; between two of them are as many characters as `","` has.
    let at = address + 2;
    for (const [, string] of strings) {
      this.memory.put(string + STRING_BYTES, at);
      at += this.memory.get(string + STRING_LENGTH) + 3;
    }
    return { address, length: text.length };
  }
}

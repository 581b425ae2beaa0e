/**
 * The strings of a policy: each once, found by a host through a list of all of them, and by compiled code through an index of
 * their hashes. A lone surrogate is U+FFFD here, as it is in every reader of JSON text.
 */

import {
  INTERN_TAG_SHIFT,
  type PolicySection,
  STRING_BYTES,
  STRING_INTERN,
  STRING_LENGTH,
  STRING_SIZE,
  TAG_STRING,
  VALUE_HASH,
} from "@portcullis/runtime/abi";
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
    // The bytes stand right behind: what is read of a string is on one page of memory.
    const address = this.memory.reserve(STRING_SIZE + bytes.length);
    this.memory.header(address, TAG_STRING, 0, hashBytes(TAG_STRING, bytes));
    this.memory.put(address + STRING_LENGTH, bytes.length);
    this.memory.put(address + STRING_BYTES, address + STRING_SIZE);
    this.memory.putBytes(address + STRING_SIZE, bytes);
    this.memory.put(address + STRING_INTERN, address);
    return address;
  }

  /** Adds the table of all strings; nothing may be asked for afterwards. */
  seal(): SealedStrings {
    const { memory } = this;
    // Texts that differ only in lone surrogates have one string.
    const addresses = [...new Set(this.addresses.values())];
    const slots = slotsFor(addresses.length);
    const internTable = writeIndex(
      memory,
      slots,
      addresses.map((address): readonly [number, number] => {
        const hash = memory.get(address + VALUE_HASH);
        return [hash, address | (hash >>> INTERN_TAG_SHIFT)];
      }),
    );
    const list = memory.reserve(addresses.length * 4);
    memory.putWords(list, addresses);
    return { internTable, internMask: slots - 1, strings: { address: list, count: addresses.length } };
  }
}

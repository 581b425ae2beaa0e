/**
 * Strings of a request whose bytes were not asked for yet: for each text one address. Equal texts have the same, so most
 * rules, which compare such strings and put them into answers, never need their bytes; whatever does need them asks for
 * them (BUILTIN_MATERIALISE), once a request.
 */

import {
  INTERN_NONE,
  STRING_BYTES,
  STRING_ENDS,
  STRING_INTERN,
  STRING_LENGTH,
  SYMBOLIC_SIZE,
  TAG_STRING,
  VALUE_HASH,
} from "../abi/index.ts";
import { isWellFormed, type MemoryWriter } from "./memory-writer.ts";

/** Symbolic strings a request. */
const ROOM = 64;
/** Chains of texts that may be equal. A power of two. */
const CHAINS = 64;
/** Texts that a new one is compared with: strings that would make chains longer get bytes at once. */
const MOST_COMPARED = 8;
/** Numbers are given anew from here on, long before words of memory overflow. */
const LAST_NUMBER = 2 ** 30;
/** Longer texts count against the limits of an evaluation. */
const LONGEST = 256;
/** Strings of one source that are written with their bytes after one was materialised: the next are likely to be read too. */
const READ_AGAIN = 256;
/** Bytes for all of them. */
export const SYMBOLIC_STRINGS_SIZE = ROOM * SYMBOLIC_SIZE;

/** What a string is written for: a member, the elements of a list, or the keys of objects. */
export interface StringSource {
  /** How many of its next strings are written with their bytes. */
  inBytes: number;
}

export class SymbolicStrings {
  private readonly memory: MemoryWriter;
  private readonly first: number;
  /** By place: text, where its bytes go, and what it was written for. */
  private readonly texts = new Array<string>(ROOM).fill("");
  private readonly starts = new Array<number>(ROOM).fill(0);
  private readonly sources = new Array<StringSource | undefined>(ROOM).fill(undefined);
  /**
   * Texts have numbers, which no text of a request before has. A chain begins with the number of the last text whose hash it is;
   * by place, the number of the one before. A number of an earlier request ends a chain.
   */
  private readonly chains = new Int32Array(CHAINS);
  private readonly chained = new Int32Array(ROOM);
  private count = 0;
  /** The number of the first text of the request. */
  private firstNumber = 1;
  private someAreWritten = false;

  /** Puts them at `first`. */
  constructor(memory: MemoryWriter, first: number) {
    this.memory = memory;
    this.first = first;
    memory.refresh();
    for (let i = 0; i < ROOM; i++) {
      const word = (first + i * SYMBOLIC_SIZE) >> 2;
      memory.words[word] = TAG_STRING;
      this.unwrite(word);
    }
  }

  /** Begins a request: the strings of the one before mean nothing any more. */
  restart(): void {
    const { texts, count } = this;
    // One might be a small part of a large request, which it would keep alive.
    for (let i = 0; i < count; i++) texts[i] = "";
    this.count = 0;
    this.firstNumber += count;
    if (this.firstNumber > LAST_NUMBER) {
      this.chains.fill(0);
      this.firstNumber = 1;
    }
    if (!this.someAreWritten) return;
    this.someAreWritten = false;
    for (let i = 0; i < count; i++) this.unwrite((this.first + i * SYMBOLIC_SIZE) >> 2);
  }

  private unwrite(word: number): void {
    const { words } = this.memory;
    words[word + (VALUE_HASH >> 2)] = 0;
    words[word + (STRING_LENGTH >> 2)] = 0;
    words[word + (STRING_BYTES >> 2)] = 0;
  }

  /**
   * The address of a text; 0 for "", one too many, too long, too much like others, or that UTF-8 has no bytes for. `isForeign`: the policy is known
   * not to hold it. A text has its bytes at once where the last ones of its source were read.
   */
  addressOf(text: string, isForeign: boolean, source: StringSource): number {
    const { length } = text;
    if (length === 0 || length > LONGEST) return 0;
    const { texts, chains, chained, count, firstNumber, memory } = this;
    const last = text.charCodeAt(length - 1);
    const chain = chainOf(text, last);
    const newest = chains[chain] as number;
    let compared = 0;
    for (let place = newest - firstNumber; place >= 0; place = (chained[place] as number) - firstNumber) {
      if (texts[place] === text) return this.first + place * SYMBOLIC_SIZE;
      if (++compared === MOST_COMPARED) return 0;
    }
    if (count === ROOM || !isWellFormed(text)) return 0;
    this.starts[count] = memory.take(length * 3);
    texts[count] = text;
    this.sources[count] = source;
    chained[count] = newest;
    chains[chain] = firstNumber + count;
    this.count = count + 1;
    const address = this.first + count * SYMBOLIC_SIZE;
    const { words } = memory;
    words[(address + STRING_INTERN) >> 2] = isForeign ? INTERN_NONE : 0;
    words[(address + STRING_ENDS) >> 2] = ascii(text.charCodeAt(0)) | (ascii(last) << 8);
    if (source.inBytes > 0) {
      source.inBytes--;
      this.writeBytes(count);
    }
    return address;
  }

  /** Writes the bytes of the string at an address. Throws if no string has it: the module is not to be trusted any more. */
  materialise(address: number): void {
    const place = this.placeOf(address);
    if (place < 0) throw new Error(`no symbolic string at address ${address}`);
    // The evaluation may have made memory grow.
    this.memory.refresh();
    this.writeBytes(place);
    (this.sources[place] as StringSource).inBytes = READ_AGAIN;
  }

  private writeBytes(place: number): void {
    const { memory } = this;
    const start = this.starts[place] as number;
    const word = (this.first + place * SYMBOLIC_SIZE) >> 2;
    memory.words[word + (STRING_LENGTH >> 2)] = memory.text(this.texts[place] as string, start);
    memory.words[word + (STRING_BYTES >> 2)] = start;
    this.someAreWritten = true;
  }

  /** The text at an address of this request; `undefined` if it is not one of these. */
  textAt(address: number): string | undefined {
    const place = this.placeOf(address);
    return place < 0 ? undefined : this.texts[place];
  }

  private placeOf(address: number): number {
    const offset = address - this.first;
    return offset >= 0 && offset < this.count * SYMBOLIC_SIZE && offset % SYMBOLIC_SIZE === 0
      ? offset / SYMBOLIC_SIZE
      : -1;
  }
}

/** Ids and paths that are as long as one another differ near their ends, or before a suffix. */
function chainOf(text: string, last: number): number {
  const { length } = text;
  const ends = length + last * 5;
  const hash = length > 6 ? ends + text.charCodeAt(length - 4) * 7 + text.charCodeAt(length - 6) * 11 : ends;
  return hash & (CHAINS - 1);
}

function ascii(code: number): number {
  return code < 128 ? code : 0;
}

/**
 * Strings of a request whose bytes nobody has asked for yet: for each text one address. Equal texts have the same, so most
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
} from "../abi/layout.ts";
import { isWellFormed, type MemoryWriter } from "./memory-writer.ts";

/** Symbolic strings a request: a new text is compared with all others, so there are few. */
const ROOM = 16;
/** Longer texts count against the limits of an evaluation. */
const LONGEST = 256;
/** Strings of one member that are written with their bytes after one was materialised: the next are likely to be read too. */
const READ_AGAIN = 32;
/** Bytes for all of them. */
export const SYMBOLIC_STRINGS_SIZE = ROOM * SYMBOLIC_SIZE;

/** The member that a string is written for. */
export interface StringSource {
  /** How many of its next strings are written with their bytes. */
  inBytes: number;
}

export class SymbolicStrings {
  private readonly memory: MemoryWriter;
  private readonly first: number;
  /** By number: text, where its bytes go, and who wrote it. */
  private readonly texts = new Array<string>(ROOM).fill("");
  private readonly starts = new Array<number>(ROOM).fill(0);
  private readonly sources = new Array<StringSource | undefined>(ROOM).fill(undefined);
  private count = 0;
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
   * The address of a text; 0 for "", one too many, too long, or that UTF-8 has no bytes for. `isForeign`: the policy is known
   * not to hold it.
   */
  addressOf(text: string, isForeign: boolean, source?: StringSource): number {
    const { texts, count } = this;
    for (let i = 0; i < count; i++) if (texts[i] === text) return this.first + i * SYMBOLIC_SIZE;
    const { length } = text;
    if (count === ROOM || length === 0 || length > LONGEST || !isWellFormed(text)) return 0;
    this.starts[count] = this.memory.take(length * 3);
    texts[count] = text;
    this.sources[count] = source;
    this.count = count + 1;
    const address = this.first + count * SYMBOLIC_SIZE;
    const { words } = this.memory;
    words[(address + STRING_INTERN) >> 2] = isForeign ? INTERN_NONE : 0;
    words[(address + STRING_ENDS) >> 2] = ascii(text.charCodeAt(0)) | (ascii(text.charCodeAt(length - 1)) << 8);
    return address;
  }

  /** Writes the bytes of the string at an address. Throws where there is none: the module is not to be trusted any more. */
  materialise(address: number): void {
    const number = this.numberAt(address);
    if (number < 0) throw new Error(`no symbolic string at address ${address}`);
    const { memory } = this;
    // The evaluation may have made memory grow.
    memory.refresh();
    const start = this.starts[number] as number;
    memory.words[(address + STRING_LENGTH) >> 2] = memory.text(this.texts[number] as string, start);
    memory.words[(address + STRING_BYTES) >> 2] = start;
    this.someAreWritten = true;
    const source = this.sources[number];
    if (source !== undefined) source.inBytes = READ_AGAIN;
  }

  /** The text at an address of this request; `undefined` where it is none of these. */
  textAt(address: number): string | undefined {
    const number = this.numberAt(address);
    return number < 0 ? undefined : this.texts[number];
  }

  private numberAt(address: number): number {
    const offset = address - this.first;
    return offset >= 0 && offset < this.count * SYMBOLIC_SIZE && offset % SYMBOLIC_SIZE === 0
      ? offset / SYMBOLIC_SIZE
      : -1;
  }
}

function ascii(code: number): number {
  return code < 128 ? code : 0;
}

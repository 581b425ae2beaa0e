/**
 * Strings of a request that no rule reads need no bytes in memory: one address for each text will do, also in an answer.
 * Whatever does ask for the text, or compares it with one that has its bytes, traps.
 */

import { NO_BYTES, STRING_BYTES, STRING_INTERN, STRING_LENGTH, STRING_SIZE, TAG_STRING } from "../abi/layout.ts";
import { isWellFormed } from "./memory-writer.ts";

/** More of them than a request that is answered in nanoseconds has. */
const ROOM = 16;
/** Longer texts count against the limits of an evaluation. */
const LONGEST = 256;
const STRIDE = (STRING_SIZE + 7) & ~7;
/** Bytes for all of them. */
export const OPAQUE_SIZE = ROOM * STRIDE;
/** Bytes that the first of them claims to have, and each other one more: what reads them does not come around to where memory is. */
const LENGTH = 0xff00;

export class OpaqueStrings {
  private readonly first: number;
  private readonly known = new Array<string>(ROOM).fill("");
  private count = 0;
  /** Texts of requests from before that are still among them, at most. */
  private held = 0;

  /** Puts them at `first`. */
  constructor(memory: WebAssembly.Memory, first: number) {
    this.first = first;
    const words = new Int32Array(memory.buffer);
    for (let i = 0; i < ROOM; i++) {
      const word = (first + i * STRIDE) >> 2;
      words[word] = TAG_STRING;
      words[word + 1] = 0;
      words[word + (STRING_LENGTH >> 2)] = LENGTH + i;
      words[word + (STRING_BYTES >> 2)] = NO_BYTES | 0;
      // Whether the policy has it is not known: whoever asks reads it.
      words[word + (STRING_INTERN >> 2)] = 0;
    }
  }

  /** How many texts of this request have stand-ins. */
  get size(): number {
    return this.count;
  }

  /** The texts of this request, by their numbers; what comes after them is no text of it. */
  get texts(): readonly string[] {
    return this.known;
  }

  /** Begins a request; nothing may refer to the texts of the one before any more. */
  restart(): void {
    if (this.count > this.held) this.held = this.count;
    this.count = 0;
  }

  /** Lets go of texts from before: they may be small parts of a large request. */
  release(): void {
    for (let i = this.count; i < this.held; i++) this.known[i] = "";
    this.held = this.count;
  }

  /** The address that stands for a text in this request; 0 for one too many, too long, or that in UTF-8 would be another. */
  addressOf(text: string): number {
    return this.addressAt(this.numberOf(text));
  }

  /** The same for a text that is compared with no other: it may have several. */
  newAddress(text: string): number {
    return this.addressAt(this.newNumber(text));
  }

  private addressAt(number: number): number {
    return number < 0 ? 0 : this.first + number * STRIDE;
  }

  /** The number that a text has in this request; -1 where it gets none. */
  numberOf(text: string): number {
    const { known, count } = this;
    for (let i = 0; i < count; i++) if (known[i] === text) return i;
    return this.newNumber(text);
  }

  newNumber(text: string): number {
    const { known, count } = this;
    if (count === ROOM || text.length > LONGEST || !isWellFormed(text)) return -1;
    known[count] = text;
    this.count = count + 1;
    return count;
  }

  /** The number of the text that an address of this request stands for; -1 where it stands for none. */
  numberAt(address: number): number {
    const place = address - this.first;
    return place >= 0 && place < this.count * STRIDE && place % STRIDE === 0 ? place / STRIDE : -1;
  }

  textAt(address: number): string | undefined {
    const number = this.numberAt(address);
    return number < 0 ? undefined : this.known[number];
  }
}

/** Spaces that a text may have and still be found to have nothing else: few. */
const MANY_SPACES = 8;

/** Whether nothing is left of a text that is trimmed of spaces. */
export function isBlank(text: string): boolean {
  const { length } = text;
  if (length > MANY_SPACES) return false;
  for (let i = 0; i < length; i++) if (text.charCodeAt(i) !== 32) return false;
  return true;
}

/** Whether a text begins and ends with printable ASCII characters, and not with spaces. */
export function isBare(text: string): boolean {
  const first = text.charCodeAt(0);
  const last = text.charCodeAt(text.length - 1);
  return first > 32 && first < 127 && last > 32 && last < 127;
}

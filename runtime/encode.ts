/**
 * Writes a JavaScript value into linear memory as a tape (abi/tape.ts). What cannot be a policy value - a function, a
 * symbol, NaN, a cycle, too much of anything - is refused with EncodeError, which the caller turns into a denial.
 */

import {
  MAX_DEPTH,
  TAG_ARRAY,
  TAG_BOOLEAN,
  TAG_NULL,
  TAG_NUMBER,
  TAG_OBJECT,
  TAG_SET,
  TAG_STRING,
} from "./abi/layout.ts";
import { TAPE_INT } from "./abi/tape.ts";

/** Thrown inside the runtime only. */
export class EncodeError extends Error {
  override readonly name = "EncodeError";
}

const utf8 = new TextEncoder();

export class TapeWriter {
  private readonly memory: WebAssembly.Memory;
  /** Largest tape in bytes. */
  private readonly limit: number;
  private words: Int32Array;
  private bytes: Uint8Array;
  /** Next byte to write, divisible by 4. */
  private at = 0;
  private end = 0;

  constructor(memory: WebAssembly.Memory, limit: number) {
    this.memory = memory;
    this.limit = limit;
    this.words = new Int32Array(memory.buffer);
    this.bytes = new Uint8Array(memory.buffer);
  }

  /** Writes `value` from `start` (divisible by 4) on and returns the address after it. Throws EncodeError. */
  write(value: unknown, start: number): number {
    this.at = start;
    this.end = start + this.limit;
    if (this.words.buffer !== this.memory.buffer) this.refresh();
    this.item(value, 0);
    return this.at;
  }

  private refresh(): void {
    this.words = new Int32Array(this.memory.buffer);
    this.bytes = new Uint8Array(this.memory.buffer);
  }

  /** Makes sure that `size` more bytes may be written. */
  private reserve(size: number): void {
    const needed = this.at + size;
    if (needed > this.end) throw new EncodeError("the input is too large");
    if (needed > this.bytes.length) {
      try {
        this.memory.grow(Math.ceil((needed - this.bytes.length) / 65536) + 4);
      } catch {
        throw new EncodeError("the input does not fit into memory");
      }
      this.refresh();
    }
  }

  private pair(tag: number, payload: number): void {
    this.reserve(8);
    const index = this.at >> 2;
    this.words[index] = tag;
    this.words[index + 1] = payload;
    this.at += 8;
  }

  private item(value: unknown, depth: number): void {
    switch (typeof value) {
      case "string":
        return this.text(TAG_STRING, value);
      case "number":
        if ((value | 0) === value) return this.pair(TAPE_INT, value);
        if (!Number.isFinite(value)) throw new EncodeError(`${value} is not a JSON value`);
        return this.text(TAG_NUMBER, String(value));
      case "boolean":
        return this.pair(TAG_BOOLEAN, value ? 1 : 0);
      case "bigint":
        return this.text(TAG_NUMBER, String(value));
      case "object":
        if (value === null) {
          this.reserve(4);
          this.words[this.at >> 2] = TAG_NULL;
          this.at += 4;
          return;
        }
        if (depth >= MAX_DEPTH)
          throw new EncodeError(`the input is nested more than ${MAX_DEPTH} levels deep, or refers to itself`);
        return this.composite(value, depth + 1);
      default:
        throw new EncodeError(`a ${typeof value} is not a JSON value`);
    }
  }

  private composite(value: object, depth: number): void {
    if (Array.isArray(value)) {
      this.pair(TAG_ARRAY, value.length);
      for (let i = 0; i < value.length; i++) this.item(value[i], depth);
    } else if (value instanceof Set) {
      this.pair(TAG_SET, value.size);
      for (const item of value) this.item(item, depth);
    } else if (value instanceof Map) {
      this.pair(TAG_OBJECT, value.size);
      for (const [key, item] of value) {
        this.item(key, depth);
        this.item(item, depth);
      }
    } else if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
      throw new EncodeError("binary data is not a JSON value");
    } else {
      this.object(value as Record<string, unknown>, depth);
    }
  }

  /** Own enumerable string keys; a property that is `undefined` is absent, as in JSON. */
  private object(value: Record<string, unknown>, depth: number): void {
    this.reserve(8);
    const header = this.at;
    this.at += 8;
    const keys = Object.keys(value);
    let count = 0;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as string;
      const item = value[key];
      if (item === undefined) continue;
      this.text(TAG_STRING, key);
      this.item(item, depth);
      count++;
    }
    this.words[header >> 2] = TAG_OBJECT;
    this.words[(header >> 2) + 1] = count;
  }

  /** Short ASCII, which most text is, goes byte by byte: cheaper than a call of TextEncoder. Lone surrogates become U+FFFD. */
  private text(tag: number, value: string): void {
    const length = value.length;
    this.reserve(12 + length * 3);
    const start = this.at + 8;
    const { bytes } = this;
    let size = -1;
    if (length <= 64) {
      let i = 0;
      for (; i < length; i++) {
        const code = value.charCodeAt(i);
        if (code > 127) break;
        bytes[start + i] = code;
      }
      if (i === length) size = length;
    }
    if (size < 0) size = utf8.encodeInto(value, bytes.subarray(start)).written;
    const index = this.at >> 2;
    this.words[index] = tag;
    this.words[index + 1] = size;
    this.at = (start + size + 3) & ~3;
  }
}

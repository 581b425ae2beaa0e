/** Bytes of a policy's memory that are laid out while it is compiled: room is taken, words are written, addresses stay. */

import { VALUE_FLAGS, VALUE_HASH, VALUE_TAG } from "@portcullis/runtime/abi";

export class StaticMemory {
  /** Address of the first byte. */
  readonly base: number;
  private space: Uint8Array;
  private view: DataView;
  private used: number;

  /** `initial`: the bytes at `base` already. */
  constructor(base: number, initial: Uint8Array) {
    this.base = base;
    this.space = new Uint8Array(Math.max(1 << 16, initial.length * 2));
    this.space.set(initial);
    this.view = new DataView(this.space.buffer);
    this.used = initial.length;
  }

  /** All bytes so far. */
  get bytes(): Uint8Array {
    return this.space.subarray(0, this.used);
  }

  /** The first address behind them. */
  get end(): number {
    return this.base + this.used;
  }

  /** Room for `size` bytes, all 0, at an address divisible by 8. */
  reserve(size: number): number {
    const start = (this.used + 7) & ~7;
    this.used = start + size;
    if (this.used > this.space.length) {
      const larger = new Uint8Array(Math.max(this.used, this.space.length * 2));
      larger.set(this.space);
      this.space = larger;
      this.view = new DataView(larger.buffer);
    }
    return this.base + start;
  }

  put(address: number, word: number): void {
    this.view.setUint32(address - this.base, word >>> 0, true);
  }

  putInt64(address: number, int: bigint): void {
    this.view.setBigInt64(address - this.base, int, true);
  }

  putBytes(address: number, bytes: Uint8Array): void {
    this.space.set(bytes, address - this.base);
  }

  putWords(address: number, words: readonly number[]): void {
    for (let i = 0; i < words.length; i++) this.put(address + i * 4, words[i] as number);
  }

  get(address: number): number {
    return this.view.getUint32(address - this.base, true);
  }

  /** The header that every value begins with. */
  header(address: number, tag: number, flags: number, hash: number): void {
    this.space[address - this.base + VALUE_TAG] = tag;
    this.space[address - this.base + VALUE_FLAGS] = flags;
    this.put(address + VALUE_HASH, hash);
  }
}

/** Bytes that are written one after the other, with WebAssembly's ways to write numbers and names. */

const encoder = new TextEncoder();

export class ByteWriter {
  private bytes: Uint8Array;
  /** How many bytes there are. */
  length = 0;

  constructor(capacity = 1 << 12) {
    this.bytes = new Uint8Array(capacity);
  }

  byte(value: number): void {
    if (this.length === this.bytes.length) this.reserve(1);
    this.bytes[this.length++] = value;
  }

  /** Those between two places, one by one: pieces of a few bytes are not worth a view of their own. */
  appendRange(bytes: Uint8Array, from: number, to: number): void {
    this.reserve(to - from);
    for (let i = from; i < to; i++) this.bytes[this.length++] = bytes[i] as number;
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** LEB128 of 32 bits without a sign. */
  unsigned(value: number): void {
    let rest = value >>> 0;
    while (rest > 0x7f) {
      this.byte((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.byte(rest);
  }

  /** LEB128 of 32 bits with a sign; a number without one is taken by its bits. */
  signed(value: number): void {
    let rest = value | 0;
    while (rest < -64 || rest > 63) {
      this.byte((rest & 0x7f) | 0x80);
      rest >>= 7;
    }
    this.byte(rest & 0x7f);
  }

  /** LEB128 of 64 bits with a sign. */
  signed64(value: bigint): void {
    let rest = BigInt.asIntN(64, value);
    while (rest < -64n || rest > 63n) {
      this.byte(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    this.byte(Number(rest & 0x7fn));
  }

  /** A text with its length before it. */
  name(text: string): void {
    const encoded = encoder.encode(text);
    this.unsigned(encoded.length);
    this.append(encoded);
  }

  /** A view of what was written, until something is written again. */
  view(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  copy(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }

  private reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, this.bytes.length * 2));
    larger.set(this.view());
    this.bytes = larger;
  }
}

export class ByteReader {
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  byte(): number {
    return this.bytes[this.at++] as number;
  }

  unsigned(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  }

  /** Skips a LEB128 of any width and sign. */
  skipNumber(): void {
    while (this.byte() >= 0x80);
  }

  take(length: number): Uint8Array {
    const taken = this.bytes.subarray(this.at, this.at + length);
    this.at += length;
    return taken;
  }

  name(): string {
    return new TextDecoder().decode(this.take(this.unsigned()));
  }

  list<T>(read: (i: number) => T): T[] {
    return Array.from({ length: this.unsigned() }, (_, i) => read(i));
  }
}

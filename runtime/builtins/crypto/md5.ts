/** MD5, RFC 1321: https://www.rfc-editor.org/rfc/rfc1321. Broken for signatures; kept for digests that others chose. */

import { padMessage } from "./padding.ts";

const shifts = [
  [7, 12, 17, 22],
  [5, 9, 14, 20],
  [4, 11, 16, 23],
  [6, 10, 15, 21],
] as const;

/** T[i] = floor(2^32 × |sin(i)|), i from 1. */
const sines = Int32Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 0x100000000) | 0);

function step(i: number, b: number, c: number, d: number): readonly [mixed: number, word: number] {
  if (i < 16) return [(b & c) | (~b & d), i];
  if (i < 32) return [(d & b) | (~d & c), (5 * i + 1) % 16];
  if (i < 48) return [b ^ c ^ d, (3 * i + 5) % 16];
  return [c ^ (b | ~d), (7 * i) % 16];
}

function compress(state: Int32Array, block: DataView, offset: number): void {
  let [a, b, c, d] = state as unknown as [number, number, number, number];
  for (let i = 0; i < 64; i++) {
    const [mixed, word] = step(i, b, c, d);
    const sum = (a + mixed + (sines[i] as number) + block.getInt32(offset + word * 4, true)) | 0;
    const shift = shifts[(i >> 4) as 0 | 1 | 2 | 3][(i & 3) as 0 | 1 | 2 | 3];
    a = d;
    d = c;
    c = b;
    b = (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0;
  }
  const worked = [a, b, c, d];
  for (let i = 0; i < 4; i++) state[i] = (state[i] as number) + (worked[i] as number);
}

export function md5(message: Uint8Array): Uint8Array {
  const state = Int32Array.of(0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476);
  const padded = padMessage(message, 64, "little");
  for (let offset = 0; offset < padded.byteLength; offset += 64) compress(state, padded, offset);
  const out = new DataView(new ArrayBuffer(16));
  for (const [i, word] of state.entries()) out.setInt32(i * 4, word, true);
  return new Uint8Array(out.buffer);
}

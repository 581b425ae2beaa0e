/** SHA-1, FIPS 180-4. Broken for signatures; kept for digests that others chose. */

import { padMessage } from "./padding.ts";

const rotate = (x: number, n: number): number => (x << n) | (x >>> (32 - n));

function mix(t: number, b: number, c: number, d: number): number {
  if (t < 20) return ((b & c) | (~b & d)) + 0x5a827999;
  if (t < 40) return (b ^ c ^ d) + 0x6ed9eba1;
  if (t < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}

function compress(state: Int32Array, block: DataView, offset: number, w: Int32Array): void {
  for (let t = 0; t < 16; t++) w[t] = block.getInt32(offset + t * 4);
  for (let t = 16; t < 80; t++) {
    w[t] = rotate((w[t - 3] as number) ^ (w[t - 8] as number) ^ (w[t - 14] as number) ^ (w[t - 16] as number), 1);
  }
  let [a, b, c, d, e] = state as unknown as [number, number, number, number, number];
  for (let t = 0; t < 80; t++) {
    const next = (rotate(a, 5) + mix(t, b, c, d) + e + (w[t] as number)) | 0;
    e = d;
    d = c;
    c = rotate(b, 30);
    b = a;
    a = next;
  }
  const worked = [a, b, c, d, e];
  for (let i = 0; i < 5; i++) state[i] = (state[i] as number) + (worked[i] as number);
}

export function sha1(message: Uint8Array): Uint8Array {
  const state = Int32Array.of(0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476, 0xc3d2e1f0 | 0);
  const padded = padMessage(message, 64, "big");
  const w = new Int32Array(80);
  for (let offset = 0; offset < padded.byteLength; offset += 64) compress(state, padded, offset, w);
  const out = new DataView(new ArrayBuffer(20));
  for (const [i, word] of state.entries()) out.setInt32(i * 4, word);
  return new Uint8Array(out.buffer);
}

/** SHA-256 and SHA-224, FIPS 180-4: https://csrc.nist.gov/pubs/fips/180-4/upd1/final */

import { roundConstants32, seed32 } from "./constants.ts";
import { padMessage } from "./padding.ts";

const rotate = (x: number, n: number): number => (x >>> n) | (x << (32 - n));

function compress(state: Int32Array, block: DataView, offset: number, w: Int32Array, k: Int32Array): void {
  for (let t = 0; t < 16; t++) w[t] = block.getInt32(offset + t * 4);
  for (let t = 16; t < 64; t++) {
    const [w2, w15] = [w[t - 2] as number, w[t - 15] as number];
    const s0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >>> 3);
    const s1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >>> 10);
    w[t] = ((w[t - 16] as number) + s0 + (w[t - 7] as number) + s1) | 0;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let t = 0; t < 64; t++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (k[t] as number) + (w[t] as number)) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  const worked = [a, b, c, d, e, f, g, h];
  for (let i = 0; i < 8; i++) state[i] = (state[i] as number) + (worked[i] as number);
}

export function sha256(message: Uint8Array): Uint8Array {
  const state = seed32();
  const padded = padMessage(message, 64, "big");
  const w = new Int32Array(64);
  const k = roundConstants32();
  for (let offset = 0; offset < padded.byteLength; offset += 64) compress(state, padded, offset, w, k);
  const out = new DataView(new ArrayBuffer(32));
  for (const [i, word] of state.entries()) out.setInt32(i * 4, word);
  return new Uint8Array(out.buffer);
}

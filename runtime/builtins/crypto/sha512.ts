/**
 * SHA-512 and SHA-384, FIPS 180-4. A 64 bit word is two 32 bit halves, high first, because bigint arithmetic would be
 * a hundred times slower; `l` and `h` in names stand for the halves.
 */

import { roundConstants64, seed64 } from "./constants.ts";
import { padMessage } from "./padding.ts";

const low = new Uint32Array(1);

/** Adds 64 bit words given in halves into `out[at]`, `out[at + 1]`. */
function sum(out: Int32Array, at: number, highs: number, lows: number): void {
  // `lows` is a sum of at most five unsigned 32 bit numbers, exact in a double.
  low[0] = lows % 0x100000000;
  out[at] = (highs + Math.floor(lows / 0x100000000)) | 0;
  out[at + 1] = low[0] as number;
}

function schedule(w: Int32Array): void {
  for (let t = 32; t < 160; t += 2) {
    const [h15, l15] = [w[t - 30] as number, w[t - 29] as number];
    const [h2, l2] = [w[t - 4] as number, w[t - 3] as number];
    const s0h = ((h15 >>> 1) | (l15 << 31)) ^ ((h15 >>> 8) | (l15 << 24)) ^ (h15 >>> 7);
    const s0l = ((l15 >>> 1) | (h15 << 31)) ^ ((l15 >>> 8) | (h15 << 24)) ^ ((l15 >>> 7) | (h15 << 25));
    const s1h = ((h2 >>> 19) | (l2 << 13)) ^ ((l2 >>> 29) | (h2 << 3)) ^ (h2 >>> 6);
    const s1l = ((l2 >>> 19) | (h2 << 13)) ^ ((h2 >>> 29) | (l2 << 3)) ^ ((l2 >>> 6) | (h2 << 26));
    const highs = s0h + s1h + (w[t - 32] as number) + (w[t - 14] as number);
    const lows = (s0l >>> 0) + (s1l >>> 0) + ((w[t - 31] as number) >>> 0) + ((w[t - 13] as number) >>> 0);
    sum(w, t, highs, lows);
  }
}

/** One block. `v` holds the working variables a to h in halves; `t1` and `t2` are scratch. */
function compress(state: Int32Array, w: Int32Array, k: Int32Array): void {
  schedule(w);
  const v = state.slice();
  const t1 = new Int32Array(2);
  const t2 = new Int32Array(2);
  for (let t = 0; t < 160; t += 2) {
    const [ah, al, bh, bl, ch, cl] = v as unknown as [number, number, number, number, number, number];
    const [eh, el, fh, fl] = [v[8] as number, v[9] as number, v[10] as number, v[11] as number];
    const [gh, gl, hh, hl] = [v[12] as number, v[13] as number, v[14] as number, v[15] as number];
    const s1h = ((eh >>> 14) | (el << 18)) ^ ((eh >>> 18) | (el << 14)) ^ ((el >>> 9) | (eh << 23));
    const s1l = ((el >>> 14) | (eh << 18)) ^ ((el >>> 18) | (eh << 14)) ^ ((eh >>> 9) | (el << 23));
    const choiceH = (eh & fh) ^ (~eh & gh);
    const choiceL = (el & fl) ^ (~el & gl);
    sum(
      t1,
      0,
      hh + s1h + choiceH + (k[t] as number) + (w[t] as number),
      (hl >>> 0) + (s1l >>> 0) + (choiceL >>> 0) + ((k[t + 1] as number) >>> 0) + ((w[t + 1] as number) >>> 0),
    );
    const s0h = ((ah >>> 28) | (al << 4)) ^ ((al >>> 2) | (ah << 30)) ^ ((al >>> 7) | (ah << 25));
    const s0l = ((al >>> 28) | (ah << 4)) ^ ((ah >>> 2) | (al << 30)) ^ ((ah >>> 7) | (al << 25));
    const majorityH = (ah & bh) ^ (ah & ch) ^ (bh & ch);
    const majorityL = (al & bl) ^ (al & cl) ^ (bl & cl);
    sum(t2, 0, s0h + majorityH, (s0l >>> 0) + (majorityL >>> 0));
    v.copyWithin(2, 0, 14);
    const [t1h, t1l] = [t1[0] as number, (t1[1] as number) >>> 0];
    sum(v, 8, (v[8] as number) + t1h, ((v[9] as number) >>> 0) + t1l);
    sum(v, 0, t1h + (t2[0] as number), t1l + ((t2[1] as number) >>> 0));
  }
  for (let i = 0; i < 16; i += 2) {
    const highs = (state[i] as number) + (v[i] as number);
    sum(state, i, highs, ((state[i + 1] as number) >>> 0) + ((v[i + 1] as number) >>> 0));
  }
}

function digest(message: Uint8Array, bits: 384 | 512): Uint8Array {
  const state = seed64(bits);
  const padded = padMessage(message, 128, "big");
  const w = new Int32Array(160);
  const k = roundConstants64();
  for (let offset = 0; offset < padded.byteLength; offset += 128) {
    for (let i = 0; i < 32; i++) w[i] = padded.getInt32(offset + i * 4);
    compress(state, w, k);
  }
  const out = new DataView(new ArrayBuffer(64));
  for (const [i, word] of state.entries()) out.setInt32(i * 4, word);
  return new Uint8Array(out.buffer).slice(0, bits / 8);
}

export const sha512 = (message: Uint8Array): Uint8Array => digest(message, 512);
export const sha384 = (message: Uint8Array): Uint8Array => digest(message, 384);

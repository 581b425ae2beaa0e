/** Hashes of values, as rtlib/hash.ts and rtlib/compare.ts compute them; change both. A hash is never 0. */

import { HASH_FINISHER, HASH_MULTIPLIER } from "@portcullis/runtime/abi";

export function mix(h: number, word: number): number {
  const x = Math.imul(h ^ word, HASH_MULTIPLIER);
  return x ^ (x >>> 15);
}

export function finish(h: number): number {
  let x = Math.imul(h ^ (h >>> 13), HASH_FINISHER);
  x ^= x >>> 16;
  return x === 0 ? 1 : x >>> 0;
}

export function hashBytes(seed: number, bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let h = mix(seed, bytes.length);
  const words = bytes.length & ~3;
  for (let i = 0; i < words; i += 4) h = mix(h, view.getInt32(i, true));
  if (bytes.length > words) {
    let word = 0;
    for (let i = words; i < bytes.length; i++) word |= (bytes[i] as number) << ((i - words) * 8);
    h = mix(h, word);
  }
  return finish(h);
}

export function hashInt(value: bigint): number {
  const bits = BigInt.asUintN(64, value);
  return finish(mix(mix(3, Number(bits & 0xffffffffn)), Number(bits >> 32n)));
}

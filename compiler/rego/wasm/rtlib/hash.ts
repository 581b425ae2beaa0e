// Hashes: deterministic, never seeded, since a host may move parsed data between instances of a module, and constants
// are laid out with their hashes at compile time. compiler/rego/wasm/hash.ts is the same in TypeScript; change both.
//
// A hash is never 0, which stands for "not computed".

import { HASH_FINISHER, HASH_MULTIPLIER } from "../../../../runtime/abi/layout";

export function mix(h: u32, word: u32): u32 {
  h = (h ^ word) * <u32>HASH_MULTIPLIER;
  return h ^ (h >> 15);
}

export function finish(h: u32): u32 {
  h = (h ^ (h >> 13)) * <u32>HASH_FINISHER;
  h ^= h >> 16;
  return h == 0 ? 1 : h;
}

/** Bytes in little-endian words, the last one padded with zeros; the length is part of the hash. */
export function hashBytes(seed: u32, at: usize, length: u32): u32 {
  let h = mix(seed, length);
  const words = at + (length & ~3);
  for (; at < words; at += 4) h = mix(h, load<u32>(at));
  const rest = length & 3;
  if (rest != 0) {
    let word: u32 = load<u8>(at);
    if (rest > 1) word |= (<u32>load<u8>(at, 1)) << 8;
    if (rest > 2) word |= (<u32>load<u8>(at, 2)) << 16;
    h = mix(h, word);
  }
  return finish(h);
}

export function hashInt(value: i64): u32 {
  return finish(mix(mix(3, <u32>value), <u32>(value >> 32)));
}

// UTF-8 as text from outside must be: shortest forms only, no surrogates, nothing beyond U+10FFFF.

/** Bytes of the well-formed sequence of two or more bytes at `at`, or 0. Reads nothing at or beyond `end`. */
export function sequenceAt(at: usize, end: usize): u32 {
  const a: u32 = load<u8>(at);
  const left = end - at;
  if (a < 0xc2 || left < 2) return 0;
  const b: u32 = load<u8>(at, 1);
  if ((b & 0xc0) != 0x80) return 0;
  if (a < 0xe0) return 2;
  if (left < 3 || (load<u8>(at, 2) & 0xc0) != 0x80) return 0;
  if (a < 0xf0) return (a == 0xe0 && b < 0xa0) || (a == 0xed && b >= 0xa0) ? 0 : 3;
  if (left < 4 || (load<u8>(at, 3) & 0xc0) != 0x80) return 0;
  return a > 0xf4 || (a == 0xf0 && b < 0x90) || (a == 0xf4 && b >= 0x90) ? 0 : 4;
}

// Bytes that came out of a decoder, as text.

import { bufferString, newBuffer, putBytes, putCode } from "../buffer";
import { refString } from "../string";
import { sequenceAt } from "../utf8";

/**
 * A string of bytes that need not be UTF-8: each byte that is none becomes U+FFFD, which is how OPA's strings show such
 * bytes as soon as they are written out. The bytes must stay as they are.
 */
export function textOf(bytes: usize, length: u32): usize {
  const end = bytes + length;
  let at = bytes;
  while (at < end) {
    const n = load<u8>(at) < 128 ? 1 : sequenceAt(at, end);
    if (n == 0) return repaired(bytes, at, end);
    at += n;
  }
  return refString(bytes, length);
}

function repaired(from: usize, at: usize, end: usize): usize {
  const b = newBuffer(<u32>(end - from));
  while (at < end) {
    const n = load<u8>(at) < 128 ? 1 : sequenceAt(at, end);
    if (n == 0) {
      putBytes(b, from, <u32>(at - from));
      putCode(b, 0xfffd);
      from = ++at;
    } else {
      at += n;
    }
  }
  putBytes(b, from, <u32>(end - from));
  return bufferString(b);
}

/** Value of a hexadecimal digit, or -1. */
export function hexValue(byte: u32): i32 {
  if (byte - 48 < 10) return byte - 48;
  const letter = (byte | 32) - 97;
  return letter < 6 ? letter + 10 : -1;
}

export function hexDigit(value: u32, upper: bool): u8 {
  return <u8>(value < 10 ? 48 + value : (upper ? 55 : 87) + value);
}

// Base64, as Go decodes it: line breaks are passed over, padding must be there in full, unused bits are ignored.

import { chargeBytes } from "../budget";
import { alloc, heapMark, heapRelease } from "../memory";
import { bytesOf, lengthOf, newString, refString } from "../string";
import { isString, newBoolean } from "../value";

function encode(text: usize, url: bool, padded: bool): usize {
  const n = lengthOf(text);
  const full = n / 3;
  const rest = n % 3;
  const length = full * 4 + (rest == 0 ? 0 : padded ? 4 : rest + 1);
  const result = newString(length);
  let to = bytesOf(result);
  let at = bytesOf(text);
  for (let i: u32 = 0; i < full; i++) {
    to = quad(to, ((<u32>load<u8>(at)) << 16) | ((<u32>load<u8>(at, 1)) << 8) | load<u8>(at, 2), 4, url);
    at += 3;
  }
  if (rest == 0) return result;
  const last = ((<u32>load<u8>(at)) << 16) | (rest == 2 ? (<u32>load<u8>(at, 1)) << 8 : 0);
  to = quad(to, last, rest + 1, url);
  if (!padded) return result;
  for (let i = rest; i < 3; i++) store<u8>(to++, 61);
  return result;
}

/** Writes the first `count` of the four digits of 24 bits. */
function quad(to: usize, bits: u32, count: u32, url: bool): usize {
  for (let i: u32 = 0; i < count; i++) store<u8>(to++, digit((bits >> (18 - 6 * i)) & 63, url));
  return to;
}

function digit(value: u32, url: bool): u8 {
  if (value < 26) return <u8>(65 + value);
  if (value < 52) return <u8>(71 + value);
  if (value < 62) return <u8>(value - 4);
  return value == 62 ? (url ? 45 : 43) : url ? 95 : 47;
}

function valueOf(byte: u32, url: bool): i32 {
  if (byte - 65 < 26) return byte - 65;
  if (byte - 97 < 26) return byte - 71;
  if (byte - 48 < 10) return byte + 4;
  if (byte == <u32>(url ? 45 : 43)) return 62;
  return byte == <u32>(url ? 95 : 47) ? 63 : -1;
}

let decodedLength: u32 = 0;

/** Address of the decoded bytes, in scratch space, or 0; leaves decodedLength. `pads`: so much padding is thought of behind it. */
function decode(text: usize, url: bool, pads: i32): usize {
  const out = alloc(((lengthOf(text) + 3) >> 2) * 3);
  let to = out;
  let at = bytesOf(text);
  const end = at + lengthOf(text);
  let bits: u32 = 0;
  let count = 0;
  let padding = 0;
  for (; at < end; at++) {
    const byte: u32 = load<u8>(at);
    if (byte == 10 || byte == 13) continue;
    if (byte == 61) {
      // One or two, and only to complete a group.
      if (count + ++padding > 4 || count < 2) return 0;
      continue;
    }
    const value = valueOf(byte, url);
    if (value < 0 || padding > 0) return 0;
    bits = (bits << 6) | value;
    if (++count == 4) {
      store<u8>(to, bits >> 16);
      store<u8>(to, bits >> 8, 1);
      store<u8>(to, bits, 2);
      to += 3;
      count = 0;
      bits = 0;
    }
  }
  padding += pads;
  if (padding > 0 ? count + padding != 4 : count != 0) return 0;
  if (count >= 2) {
    bits <<= 6 * (4 - count);
    store<u8>(to++, bits >> 16);
    if (count == 3) store<u8>(to++, bits >> 8);
  }
  decodedLength = <u32>(to - out);
  return out;
}

export function builtin_base64_encode(text: usize): usize {
  return isString(text) ? encode(text, false, true) : 0;
}

export function builtin_base64url_encode(text: usize): usize {
  return isString(text) ? encode(text, true, true) : 0;
}

export function builtin_base64url_encode_no_pad(text: usize): usize {
  return isString(text) ? encode(text, true, false) : 0;
}

export function builtin_base64_decode(text: usize): usize {
  if (!isString(text)) return 0;
  const bytes = decode(text, false, 0);
  return bytes == 0 ? 0 : refString(bytes, decodedLength);
}

/** Padding may be left out, by the count of all characters, line breaks too, unless the text ends with some. */
export function builtin_base64url_decode(text: usize): usize {
  if (!isString(text)) return 0;
  const n = lengthOf(text);
  const open = n == 0 || load<u8>(bytesOf(text) + (n - 1)) != 61;
  if (open && (n & 3) == 1) return 0;
  const bytes = decode(text, true, open ? <i32>((4 - (n & 3)) & 3) : 0);
  return bytes == 0 ? 0 : refString(bytes, decodedLength);
}

export function builtin_base64_is_valid(text: usize): usize {
  if (!isString(text)) return newBoolean(false);
  chargeBytes(lengthOf(text) << 2);
  const mark = heapMark();
  const valid = decode(text, false, 0) != 0;
  heapRelease(mark);
  return newBoolean(valid);
}

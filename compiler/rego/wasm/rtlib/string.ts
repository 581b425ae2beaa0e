// Strings: bytes, as a rule UTF-8. Decoders (base64, hex, urlquery) make strings of any bytes: a byte that begins no
// well-formed sequence then counts as one character, U+FFFD, as in Go, and leaves the module only as that byte. A string
// carries its hash once it was asked for, and the address of the policy's own string of the same bytes once that was looked
// up (resolve). The bytes of a symbolic string (runtime/abi/layout.ts) are written when somebody asks for them or for its
// length: other code need not know that there are such strings.

import {
  BUILTIN_MATERIALISE,
  HEADER_INTERN_MASK,
  HEADER_INTERN_TABLE,
  INTERN_NONE,
  INTERN_TAG_SHIFT,
  STRING_BYTES,
  STRING_ENDS,
  STRING_INTERN,
  STRING_LENGTH,
  STRING_SIZE,
  TAG_STRING,
  VALUE_HASH,
} from "../../../../runtime/abi/layout";
import { chargeBytes } from "./budget";
import { copyBytes } from "./copy";
import { hashBytes } from "./hash";
import { opaBuiltin1 } from "./host";
import { alloc, allocSmall } from "./memory";
import { sequenceAt } from "./utf8";
import { initValue, isStatic } from "./value";

/** Length in bytes. */
export function lengthOf(v: usize): u32 {
  if (isSymbolic(v)) materialise(v);
  return load<u32>(v, STRING_LENGTH);
}

/** Address of the bytes. */
export function bytesOf(v: usize): usize {
  if (isSymbolic(v)) materialise(v);
  return load<u32>(v, STRING_BYTES);
}

/** Whether its bytes have not been asked for yet. */
export function isSymbolic(v: usize): bool {
  return load<u32>(v, STRING_BYTES) == 0;
}

/** Has the host write length and bytes of a symbolic string. */
function materialise(v: usize): void {
  opaBuiltin1(BUILTIN_MATERIALISE, 0, v);
}

/** The first character of a symbolic string; 0 where it is not ASCII. */
export function firstOf(v: usize): u32 {
  return load<u8>(v, STRING_ENDS);
}

/** The last character of a symbolic string; 0 where it is not ASCII. */
export function lastOf(v: usize): u32 {
  return load<u8>(v, STRING_ENDS + 1);
}

function init(v: usize, bytes: usize, length: u32): void {
  initValue(v, TAG_STRING);
  store<u32>(v, length, STRING_LENGTH);
  store<u32>(v, bytes, STRING_BYTES);
  store<u32>(v, 0, STRING_INTERN);
}

/** A string of `length` bytes, which the caller writes at bytesOf() before anything else sees it. */
export function newString(length: u32): usize {
  const v = alloc(STRING_SIZE + length);
  init(v, v + STRING_SIZE, length);
  return v;
}

/** A string of the `length` bytes at `bytes`, copied. */
export function copyString(bytes: usize, length: u32): usize {
  const v = newString(length);
  copyBytes(v + STRING_SIZE, bytes, length);
  return v;
}

/** A string of the `length` bytes at `bytes`, which must stay as they are for as long as it lives. */
export function refString(bytes: usize, length: u32): usize {
  const v = alloc(STRING_SIZE);
  init(v, bytes, length);
  return v;
}

/**
 * A string value from an AssemblyScript literal (UTF-16 in a data segment, its length in bytes 4 bytes before it).
 * Made anew at every call.
 */
export function literal(text: string): usize {
  const at = changetype<usize>(text);
  const end = at + load<u32>(at - 4);
  let length: u32 = 0;
  for (let p = at; p < end; p += 2) {
    const unit: u32 = load<u16>(p);
    length += unit < 0x80 ? 1 : unit < 0x800 ? 2 : (unit & 0xf800) == 0xd800 ? 2 : 3;
  }
  const v = newString(length);
  let to = v + STRING_SIZE;
  for (let p = at; p < end; p += 2) {
    let code: u32 = load<u16>(p);
    if ((code & 0xfc00) == 0xd800) {
      p += 2;
      code = 0x10000 + ((code & 0x3ff) << 10) + (load<u16>(p) & 0x3ff);
    }
    to = putCodePoint(to, code);
  }
  return v;
}

/** Whether a string value holds the same text as an AssemblyScript literal of ASCII characters. */
export function sameText(v: usize, text: string): bool {
  const at = changetype<usize>(text);
  const length = load<u32>(at - 4) >> 1;
  if (lengthOf(v) != length) return false;
  const bytes = bytesOf(v);
  for (let i: u32 = 0; i < length; i++) if (load<u8>(bytes + i) != load<u16>(at + (i << 1))) return false;
  return true;
}

/** Writes a code point as UTF-8 and returns the address behind it. Lone surrogates become U+FFFD. */
export function putCodePoint(to: usize, code: u32): usize {
  if (code < 0x80) {
    store<u8>(to, code);
    return to + 1;
  }
  if (code < 0x800) {
    store<u8>(to, 0xc0 | (code >> 6));
    store<u8>(to, 0x80 | (code & 0x3f), 1);
    return to + 2;
  }
  if ((code & 0xfffff800) == 0xd800 || code > 0x10ffff) code = 0xfffd;
  if (code < 0x10000) {
    store<u8>(to, 0xe0 | (code >> 12));
    store<u8>(to, 0x80 | ((code >> 6) & 0x3f), 1);
    store<u8>(to, 0x80 | (code & 0x3f), 2);
    return to + 3;
  }
  store<u8>(to, 0xf0 | (code >> 18));
  store<u8>(to, 0x80 | ((code >> 12) & 0x3f), 1);
  store<u8>(to, 0x80 | ((code >> 6) & 0x3f), 2);
  store<u8>(to, 0x80 | (code & 0x3f), 3);
  return to + 4;
}

/** Bytes of the character at `at`, which is before `end`; 1 for a byte that begins no well-formed sequence. */
export function widthAt(at: usize, end: usize): u32 {
  return load<u8>(at) < 0x80 ? 1 : wideAt(at, end);
}

function wideAt(at: usize, end: usize): u32 {
  const n = sequenceAt(at, end);
  return n == 0 ? 1 : n;
}

/** The code point of the character at `at`, which is before `end`; U+FFFD for a byte that begins no well-formed sequence. */
export function codePointAt(at: usize, end: usize): u32 {
  const a: u32 = load<u8>(at);
  if (a < 0x80) return a;
  if (sequenceAt(at, end) == 0) return 0xfffd;
  const b: u32 = load<u8>(at, 1) & 0x3f;
  if (a < 0xe0) return ((a & 0x1f) << 6) | b;
  const c: u32 = load<u8>(at, 2) & 0x3f;
  if (a < 0xf0) return ((a & 0xf) << 12) | (b << 6) | c;
  return ((a & 7) << 18) | (b << 12) | (c << 6) | (load<u8>(at, 3) & 0x3f);
}

/** Length in code points. */
export function codePointCount(v: usize): u32 {
  const at = bytesOf(v);
  const end = at + lengthOf(v);
  chargeBytes(lengthOf(v));
  return countBetween(at, end);
}

/** Code points between two addresses. */
export function countBetween(from: usize, to: usize): u32 {
  let count: u32 = 0;
  while (from < to) {
    if (from + 8 <= to && (load<u64>(from) & 0x8080808080808080) == 0) {
      count += 8;
      from += 8;
    } else {
      count++;
      from += widthAt(from, to);
    }
  }
  return count;
}

/** Address of the first byte that begins no well-formed sequence, or `end`. */
export function badByte(at: usize, end: usize): usize {
  while (at < end) {
    if (load<u8>(at) < 0x80) {
      while (at + 8 <= end && (load<u64>(at) & 0x8080808080808080) == 0) at += 8;
      while (at < end && load<u8>(at) < 0x80) at++;
    } else {
      const n = sequenceAt(at, end);
      if (n == 0) return at;
      at += n;
    }
  }
  return end;
}

/** The string, or one with U+FFFD for each byte that begins no well-formed sequence: what Go makes of `[]rune(s)`. */
export function wellFormed(v: usize): usize {
  if (isSymbolic(v) || isStatic(v)) return v;
  let from = bytesOf(v);
  const end = from + lengthOf(v);
  chargeBytes(lengthOf(v));
  let bad = badByte(from, end);
  if (bad == end) return v;
  let length = lengthOf(v);
  for (let at = bad; at < end; at = badByte(at + 1, end)) length += 2;
  const result = newString(length);
  let to = bytesOf(result);
  for (; bad < end; bad = badByte(from, end)) {
    memory.copy(to, from, bad - from);
    to = putCodePoint(to + (bad - from), 0xfffd);
    from = bad + 1;
  }
  memory.copy(to, from, end - from);
  return result;
}

export function hashString(v: usize): u32 {
  let h = load<u32>(v, VALUE_HASH);
  if (h == 0) {
    h = hashBytes(TAG_STRING, bytesOf(v), lengthOf(v));
    store<u32>(v, h, VALUE_HASH);
  }
  return h;
}

export function sameBytes(a: usize, b: usize, length: u32): bool {
  chargeBytes(length);
  return equalBytes(a, b, length);
}

/** The same without a charge: for what was paid for, or is short. */
export function equalBytes(a: usize, b: usize, length: u32): bool {
  if (length >= 8) {
    const last = a + length - 8;
    const between = b - a;
    // Texts that are much alike mostly end differently. Some of the last eight are compared again.
    if (load<u64>(last) != load<u64>(last + between)) return false;
    for (; a < last; a += 8) if (load<u64>(a) != load<u64>(a + between)) return false;
    return true;
  }
  if (length >= 4) {
    const last = length - 4;
    return load<u32>(a) == load<u32>(b) && load<u32>(a + last) == load<u32>(b + last);
  }
  const end = a + length;
  while (a < end) {
    if (load<u8>(a) != load<u8>(b)) return false;
    a++;
    b++;
  }
  return true;
}

/** Whether two strings are equal. */
export function equalStrings(a: usize, b: usize): bool {
  if (a == b) return true;
  // The same text of a request has one symbolic string.
  if (isSymbolic(a)) return !isSymbolic(b) && isOfText(a, b);
  if (isSymbolic(b)) return isOfText(b, a);
  // The policy has each of its strings once.
  if (isStatic(a) && isStatic(b)) return false;
  return sameContent(a, b);
}

/** Whether a symbolic string has the text of one whose bytes are there. */
function isOfText(v: usize, other: usize): bool {
  const known: usize = load<u32>(v, STRING_INTERN);
  if (known != 0 && isStatic(other)) return known == other;
  // A symbolic string is not empty.
  if (load<u32>(other, STRING_LENGTH) == 0) return false;
  materialise(v);
  return sameContent(v, other);
}

function sameContent(a: usize, b: usize): bool {
  const length = load<u32>(a, STRING_LENGTH);
  if (length != load<u32>(b, STRING_LENGTH)) return false;
  const p: usize = load<u32>(a, STRING_BYTES);
  const q: usize = load<u32>(b, STRING_BYTES);
  if (length >= 8 && load<u64>(p + length - 8) != load<u64>(q + length - 8)) return false;
  return sameBytes(p, q, length);
}

/** Order by bytes, which is the order by code points: negative, 0, positive. */
export function compareStrings(a: usize, b: usize): i32 {
  if (a == b) return 0;
  const m = lengthOf(a);
  const n = lengthOf(b);
  let p = bytesOf(a);
  let q = bytesOf(b);
  let left = m < n ? m : n;
  chargeBytes(left);
  while (left >= 8 && load<u64>(p) == load<u64>(q)) {
    p += 8;
    q += 8;
    left -= 8;
  }
  while (left > 0) {
    const d = <i32>load<u8>(p) - <i32>load<u8>(q);
    if (d != 0) return d;
    p++;
    q++;
    left--;
  }
  return m < n ? -1 : <i32>(m > n);
}

/** The policy's own string of these bytes, or 0. */
export function findIntern(bytes: usize, length: u32, hash: u32): usize {
  const table: usize = load<u32>(HEADER_INTERN_TABLE);
  const mask = load<u32>(HEADER_INTERN_MASK);
  const tag = hash >> INTERN_TAG_SHIFT;
  let i = hash & mask;
  while (true) {
    const v: usize = load<u32>(table + (i << 2)) ^ tag;
    if (v == tag) return 0;
    // The bits tell seven of eight other strings from this one, without a look at them.
    if ((v & 7) == 0 && load<u32>(v, VALUE_HASH) == hash) {
      if (load<u32>(v, STRING_LENGTH) == length && sameBytes(load<u32>(v, STRING_BYTES), bytes, length)) return v;
    }
    i = (i + 1) & mask;
  }
}

/** Whether a string is not one of the policy's, and was not looked up among them. */
export function isUnresolved(v: usize): bool {
  return !isStatic(v) && load<u32>(v, STRING_INTERN) == 0;
}

/** The policy's own string equal to this one, or 0; looked up once for each string value. */
export function resolve(v: usize): usize {
  if (isStatic(v)) return v;
  const known: usize = load<u32>(v, STRING_INTERN);
  if (known != 0) return known == INTERN_NONE ? 0 : known;
  const found = findIntern(bytesOf(v), lengthOf(v), hashString(v));
  store<u32>(v, found == 0 ? INTERN_NONE : found, STRING_INTERN);
  return found;
}

/** Longer strings are looked up in the intern table only when someone asks. */
export const INTERN_LENGTH: u32 = 64;

/**
 * The string of at most INTERN_LENGTH bytes of a text from outside: the policy's own where it has one, so that later
 * comparisons are of addresses. Bytes that will not stay must be copied.
 */
export function givenString(bytes: usize, length: u32, copy: bool): usize {
  const hash = hashBytes(TAG_STRING, bytes, length);
  const own = findIntern(bytes, length, hash);
  return own != 0 ? own : textString(bytes, length, copy, hash);
}

/**
 * A string of a text from outside, with its hash if the policy is known not to have it, else 0. Bytes that will not stay must be
 * copied.
 */
export function textString(bytes: usize, length: u32, copy: bool, hash: u32): usize {
  const v = allocSmall(copy ? STRING_SIZE + length : STRING_SIZE);
  let at = bytes;
  if (copy) {
    at = v + STRING_SIZE;
    // Whole words: the block has room for them, and what lies below it can be read.
    if (bytes < v && length <= 64) for (let i: u32 = 0; i < length; i += 8) store<u64>(at + i, load<u64>(bytes + i));
    else copyBytes(at, bytes, length);
  }
  store<u64>(v, (<u64>hash << 32) | TAG_STRING);
  store<u64>(v, (<u64>at << 32) | length, STRING_LENGTH);
  store<u32>(v, hash == 0 ? 0 : INTERN_NONE, STRING_INTERN);
  return v;
}

/** The policy's own string in place of an equal one, where it has it and the string is not long. */
export function ownString(v: usize): usize {
  if (lengthOf(v) > INTERN_LENGTH) return v;
  const own = resolve(v);
  return own == 0 ? v : own;
}

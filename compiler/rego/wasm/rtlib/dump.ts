// Values to text: JSON without spaces, sets as arrays, keys that are not strings as the strings of their JSON; and OPA's
// value text, in which sets are `{1,2}` or `set()` and keys are what they are. Both in sorted order.

import { DUMP_BUFFER, HEADER_BYTES, TAG_ARRAY, TAG_BOOLEAN, TAG_NULL, TAG_NUMBER, TAG_OBJECT, TAG_SET, TAG_STRING } from "../../../../runtime/abi/layout";
import { arrayGet } from "./array";
import { Buffer, bufferBytes, bufferCommit, bufferLength, bufferReserve, bufferString, initBuffer, newBuffer, putByte, putBytes, putLiteral } from "./buffer";
import { hexDigit } from "./builtins/bytes";
import { abortWith } from "./host";
import { putNumber } from "./number";
import { newObject, objectKeyAt, objectPut, objectValueAt, sortObject } from "./object";
import { setAt, sortSet } from "./set";
import { badByte, bytesOf, lengthOf, widthAt } from "./string";
import { countOf, isString, isTrue, tagOf } from "./value";

/** Appends the value's JSON, or its value text. */
export function putValue(b: Buffer, v: usize, valueText: bool): void {
  switch (tagOf(v)) {
    case TAG_NULL:
      putWord(b, 0x6c6c756e, 4);
      break;
    case TAG_BOOLEAN:
      if (isTrue(v)) putWord(b, 0x65757274, 4);
      else putWord(b, 0x65736c6166, 5);
      break;
    case TAG_NUMBER:
      putNumber(b, v);
      break;
    case TAG_STRING:
      putQuoted(b, bytesOf(v), lengthOf(v));
      break;
    case TAG_ARRAY:
      putArray(b, v, valueText);
      break;
    case TAG_OBJECT:
      putObject(b, v, valueText);
      break;
    case TAG_SET:
      putSet(b, v, valueText);
      break;
  }
}

/** The low `length` bytes of a word, at most 8. */
function putWord(b: Buffer, word: u64, length: u32): void {
  store<u64>(bufferReserve(b, 8), word);
  bufferCommit(b, length);
}

function putArray(b: Buffer, v: usize, valueText: bool): void {
  putByte(b, 91);
  const n = countOf(v);
  for (let i: u32 = 0; i < n; i++) {
    if (i > 0) putByte(b, 44);
    putValue(b, arrayGet(v, i), valueText);
  }
  putByte(b, 93);
}

function putObject(b: Buffer, v: usize, valueText: bool): void {
  sortObject(v);
  const n = countOf(v);
  // Strings sort between other types: where the first and the last key are strings, all are.
  const plain = valueText || n == 0 || (isString(objectKeyAt(v, 0)) && isString(objectKeyAt(v, n - 1)));
  putEntries(b, plain ? v : withTextKeys(v), valueText);
}

function putEntries(b: Buffer, v: usize, valueText: bool): void {
  putByte(b, 123);
  const n = countOf(v);
  for (let i: u32 = 0; i < n; i++) {
    if (i > 0) putByte(b, 44);
    putValue(b, objectKeyAt(v, i), valueText);
    putByte(b, 58);
    putValue(b, objectValueAt(v, i), valueText);
  }
  putByte(b, 125);
}

/** The object as JSON has it: keys that are not strings become the strings of their JSON, and sort as these do. */
function withTextKeys(v: usize): usize {
  const n = countOf(v);
  const o = newObject(n);
  for (let i: u32 = 0; i < n; i++) {
    const key = objectKeyAt(v, i);
    objectPut(o, isString(key) ? key : dumpText(key), objectValueAt(v, i));
  }
  sortObject(o);
  return o;
}

/** A value's JSON as a string value. */
function dumpText(v: usize): usize {
  const text = newBuffer();
  putValue(text, v, false);
  return bufferString(text);
}

function putSet(b: Buffer, v: usize, valueText: bool): void {
  sortSet(v);
  const n = countOf(v);
  if (valueText && n == 0) {
    putLiteral(b, "set()");
    return;
  }
  putByte(b, valueText ? 123 : 91);
  for (let i: u32 = 0; i < n; i++) {
    if (i > 0) putByte(b, 44);
    putValue(b, setAt(v, i), valueText);
  }
  putByte(b, valueText ? 125 : 93);
}

/** Text as a JSON string, with no needless escapes. */
export function putQuoted(b: Buffer, bytes: usize, length: u32): void {
  let from = bytes;
  const end = bytes + length;
  if (badByte(bytes, end) != end) {
    putBytesQuoted(b, bytes, end);
    return;
  }
  let to = bufferReserve(b, length + 2);
  store<u8>(to++, 34);
  while (true) {
    while (end - from >= 8) {
      const word = load<u64>(from);
      if (needsEscape(word)) break;
      store<u64>(to, word);
      from += 8;
      to += 8;
    }
    let c: u32 = 0;
    while (from < end) {
      c = load<u8>(from);
      if (c < 32 || c == 34 || c == 92) break;
      store<u8>(to++, c);
      from++;
    }
    if (from == end) break;
    bufferCommit(b, <u32>(to - bufferBytes(b)) - bufferLength(b));
    putEscape(b, c);
    from++;
    to = bufferReserve(b, <u32>(end - from) + 1);
  }
  store<u8>(to++, 34);
  bufferCommit(b, <u32>(to - bufferBytes(b)) - bufferLength(b));
}

/** A string that is not UTF-8: only for a host that knows what its bytes are written as. */
function putBytesQuoted(b: Buffer, at: usize, end: usize): void {
  if (load<u32>(HEADER_BYTES) == 0) abortWith("a string that is not UTF-8 cannot be written as text");
  putByte(b, 34);
  while (at < end) {
    const c: u32 = load<u8>(at);
    const width = widthAt(at, end);
    if (c < 32 || c == 34 || c == 92) {
      putEscape(b, c);
    } else if (c < 128 || width > 1) {
      putBytes(b, at, width);
    } else {
      putLiteral(b, "\\udc");
      putByte(b, hexDigit(c >> 4, false));
      putByte(b, hexDigit(c & 15, false));
    }
    at += width;
  }
  putByte(b, 34);
}

/** Whether any of eight bytes is a control character, a quotation mark or a backslash; may say so of others. */
function needsEscape(word: u64): bool {
  const ones: u64 = 0x0101010101010101;
  const quote = word ^ (ones * 34);
  const backslash = word ^ (ones * 92);
  // The high bit of each byte that is below the one subtracted from it; borrows only add bytes that are not.
  const low = (word - ones * 32) | (quote - ones) | (backslash - ones);
  return (low & ~word & (ones << 7)) != 0;
}

function putEscape(b: Buffer, c: u32): void {
  putByte(b, 92);
  switch (c) {
    case 34:
    case 92:
      putByte(b, c);
      break;
    case 8:
      putByte(b, 98);
      break;
    case 9:
      putByte(b, 116);
      break;
    case 10:
      putByte(b, 110);
      break;
    case 12:
      putByte(b, 102);
      break;
    case 13:
      putByte(b, 114);
      break;
    default:
      putLiteral(b, "u00");
      putByte(b, 48 + (c >> 4));
      putByte(b, (c & 15) < 10 ? 48 + (c & 15) : 87 + (c & 15));
  }
}

// OPA ABI ------------------------------------------------------------------------------------------------------------

/** NUL-terminated text in a block of its own, which the host may free. */
function dump(v: usize, valueText: bool): usize {
  initBuffer(DUMP_BUFFER, 60);
  putValue(DUMP_BUFFER, v, valueText);
  store<u8>(bufferReserve(DUMP_BUFFER, 1), 0);
  bufferCommit(DUMP_BUFFER, 1);
  return bufferBytes(DUMP_BUFFER);
}

export function opa_json_dump(v: usize): usize {
  return dump(v, false);
}

export function opa_value_dump(v: usize): usize {
  return dump(v, true);
}

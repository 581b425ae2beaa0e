// Go's quoted strings, and values as OPA prints them: [1, "a"], {"k": 1}, {1, 2}, set().

import { arrayGet } from "../array";
import { Buffer, putByte, putCode, putLiteral } from "../buffer";
import { putNumber } from "../number";
import { objectKeyAt, objectValueAt, sortObject } from "../object";
import { setAt, sortSet } from "../set";
import { bytesOf, codePointAt, lengthOf, widthAt } from "../string";
import { isPrintable } from "../unicode/printable";
import { countOf, isArray, isBoolean, isNull, isNumber, isObject, isString, isTrue } from "../value";
import { hexDigit } from "./bytes";

/** The bytes between double quotes, with Go's escapes; with `ascii`, nothing but ASCII. */
export function putGoQuoted(b: Buffer, bytes: usize, length: u32, ascii: bool): void {
  putByte(b, 34);
  const end = bytes + length;
  let at = bytes;
  while (at < end) {
    const width = widthAt(at, end);
    if (width == 1 && load<u8>(at) >= 128) {
      putLiteral(b, "\\x");
      putHex(b, load<u8>(at), 2);
    } else {
      putGoRune(b, codePointAt(at, end), 34, ascii);
    }
    at += width;
  }
  putByte(b, 34);
}

/** One code point inside quotes of the given kind. */
export function putGoRune(b: Buffer, code: u32, quote: u32, ascii: bool): void {
  if (code == quote || code == 92) {
    putByte(b, 92);
    putByte(b, code);
    return;
  }
  if (code < 128 ? code >= 32 && code < 127 : !ascii && isPrintable(code)) {
    putCode(b, code);
    return;
  }
  putByte(b, 92);
  if (code >= 7 && code <= 13) {
    // abtnvfr
    putByte(b, load<u8>(SHORT_ESCAPES + (code - 7)));
  } else if (code < 32 || code == 127) {
    putByte(b, 120);
    putHex(b, code, 2);
  } else if (code < 0x10000) {
    putByte(b, 117);
    putHex(b, code, 4);
  } else {
    putByte(b, 85);
    putHex(b, code, 8);
  }
}

const SHORT_ESCAPES: usize = memory.data<u8>([97, 98, 116, 110, 118, 102, 114]);

function putHex(b: Buffer, value: u32, digits: i32): void {
  for (let i = digits - 1; i >= 0; i--) putByte(b, hexDigit((value >> (i << 2)) & 15, false));
}

/** Any value as OPA prints it. */
export function putTerm(b: Buffer, v: usize): void {
  if (isString(v)) {
    putGoQuoted(b, bytesOf(v), lengthOf(v), false);
  } else if (isNumber(v)) {
    putNumber(b, v);
  } else if (isBoolean(v)) {
    if (isTrue(v)) putLiteral(b, "true");
    else putLiteral(b, "false");
  } else if (isNull(v)) {
    putLiteral(b, "null");
  } else {
    putCollection(b, v);
  }
}

function putCollection(b: Buffer, v: usize): void {
  const n = countOf(v);
  const array = isArray(v);
  const object = isObject(v);
  if (object) sortObject(v);
  else if (!array) sortSet(v);
  if (!array && !object && n == 0) {
    putLiteral(b, "set()");
    return;
  }
  putByte(b, array ? 91 : 123);
  for (let i: u32 = 0; i < n; i++) {
    if (i > 0) putLiteral(b, ", ");
    if (object) {
      putTerm(b, objectKeyAt(v, i));
      putLiteral(b, ": ");
      putTerm(b, objectValueAt(v, i));
    } else {
      putTerm(b, array ? arrayGet(v, i) : setAt(v, i));
    }
  }
  putByte(b, array ? 93 : 125);
}

// Lower and upper case, code point by code point.

import { bufferString, newBuffer, putCode } from "../buffer";
import { bytesOf, codePointAt, lengthOf, newString, widthAt } from "../string";
import { toLower, toUpper } from "../unicode/case";
import { isString } from "../value";

function convert(text: usize, upper: bool): usize {
  const from = bytesOf(text);
  const end = from + lengthOf(text);
  let at = from;
  let changed = false;
  const first: u32 = upper ? 97 : 65;
  for (; at < end; at++) {
    const byte: u32 = load<u8>(at);
    if (byte >= 128) return convertUnicode(text, upper);
    if (byte - first < 26) changed = true;
  }
  if (!changed) return text;
  const result = newString(lengthOf(text));
  let to = bytesOf(result);
  for (at = from; at < end; at++) {
    const byte: u32 = load<u8>(at);
    store<u8>(to++, byte - first < 26 ? byte ^ 32 : byte);
  }
  return result;
}

function convertUnicode(text: usize, upper: bool): usize {
  let at = bytesOf(text);
  const end = at + lengthOf(text);
  const b = newBuffer(lengthOf(text));
  while (at < end) {
    const code = codePointAt(at, end);
    putCode(b, upper ? toUpper(code) : toLower(code));
    at += widthAt(at, end);
  }
  return bufferString(b);
}

export function builtin_lower(text: usize): usize {
  return isString(text) ? convert(text, false) : 0;
}

export function builtin_upper(text: usize): usize {
  return isString(text) ? convert(text, true) : 0;
}

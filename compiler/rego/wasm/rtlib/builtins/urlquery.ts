// Query strings of URLs, as Go reads and writes them.

import { arrayGet, arrayPush, newArray } from "../array";
import { Buffer, bufferLength, bufferString, newBuffer, putByte } from "../buffer";
import { alloc } from "../memory";
import { newObject, objectGet, objectKeyAt, objectPut, objectValueAt, sortObject } from "../object";
import { setAt, sortSet } from "../set";
import { bytesOf, lengthOf, refString } from "../string";
import { countOf, isArray, isObject, isSet, isString } from "../value";
import { hexDigit, hexValue } from "./bytes";
import { withStringKeys } from "./json-text";

function unreserved(byte: u32): bool {
  if ((byte | 32) - 97 < 26 || byte - 48 < 10) return true;
  return byte == 45 || byte == 46 || byte == 95 || byte == 126;
}

function putEscaped(b: Buffer, text: usize): void {
  const from = bytesOf(text);
  const end = from + lengthOf(text);
  for (let at = from; at < end; at++) {
    const byte: u32 = load<u8>(at);
    if (byte == 32) {
      putByte(b, 43);
    } else if (unreserved(byte)) {
      putByte(b, byte);
    } else {
      putByte(b, 37);
      putByte(b, hexDigit(byte >> 4, true));
      putByte(b, hexDigit(byte & 15, true));
    }
  }
}

export function builtin_urlquery_encode(text: usize): usize {
  if (!isString(text)) return 0;
  const b = newBuffer();
  putEscaped(b, text);
  return bufferString(b);
}

/** The string that is escaped from `at` to `end`, or 0. */
function unescape(at: usize, end: usize): usize {
  const out = alloc(end - at);
  let to = out;
  for (; at < end; at++) {
    let byte: u32 = load<u8>(at);
    if (byte == 43) {
      byte = 32;
    } else if (byte == 37) {
      if (end - at < 3) return 0;
      const high = hexValue(load<u8>(at, 1));
      const low = hexValue(load<u8>(at, 2));
      if (high < 0 || low < 0) return 0;
      byte = (high << 4) | low;
      at += 2;
    }
    store<u8>(to++, byte);
  }
  return refString(out, <u32>(to - out));
}

export function builtin_urlquery_decode(text: usize): usize {
  return isString(text) ? unescape(bytesOf(text), bytesOf(text) + lengthOf(text)) : 0;
}

/** Values must be strings, or arrays or sets of strings; keys are what they are in JSON, and come in order. */
export function builtin_urlquery_encode_object(v: usize): usize {
  if (!isObject(v)) return 0;
  const object = withStringKeys(v);
  sortObject(object);
  const b = newBuffer();
  const n = countOf(object);
  for (let i: u32 = 0; i < n; i++) {
    const key = objectKeyAt(object, i);
    const value = objectValueAt(object, i);
    if (isString(value)) {
      putPair(b, key, value);
      continue;
    }
    if (!isArray(value) && !isSet(value)) return 0;
    if (isSet(value)) sortSet(value);
    for (let j: u32 = 0; j < countOf(value); j++) {
      const element = isArray(value) ? arrayGet(value, j) : setAt(value, j);
      if (!isString(element)) return 0;
      putPair(b, key, element);
    }
  }
  return bufferString(b);
}

function putPair(b: Buffer, key: usize, value: usize): void {
  if (bufferLength(b) > 0) putByte(b, 38);
  putEscaped(b, key);
  putByte(b, 61);
  putEscaped(b, value);
}

/** {key: [value, ..]}; undefined when a part has a semicolon or a bad escape. */
export function builtin_urlquery_decode_object(text: usize): usize {
  if (!isString(text)) return 0;
  const result = newObject(4);
  let at = bytesOf(text);
  const end = at + lengthOf(text);
  while (at < end) {
    let stop = at;
    let equals: usize = 0;
    for (; stop < end && load<u8>(stop) != 38; stop++) {
      if (load<u8>(stop) == 59) return 0;
      if (load<u8>(stop) == 61 && equals == 0) equals = stop;
    }
    if (stop > at) {
      const key = unescape(at, equals == 0 ? stop : equals);
      const value = unescape(equals == 0 ? stop : equals + 1, stop);
      if (key == 0 || value == 0) return 0;
      let values = objectGet(result, key);
      if (values == 0) {
        values = newArray(1);
        objectPut(result, key, values);
      }
      arrayPush(values, value);
    }
    at = stop + 1;
  }
  return result;
}

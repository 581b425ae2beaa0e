// uuid.parse: what a UUID says about itself.

import { bufferString, newBuffer, putByte, putLiteral } from "../buffer";
import { newInt, putInt } from "../number";
import { newObject, objectPut } from "../object";
import { bytesOf, lengthOf, literal, sameText, copyString } from "../string";
import { isString } from "../value";
import { hexDigit, hexValue } from "./bytes";

const BYTES: usize = memory.data(16);

/** With or without hyphens, in braces, or as a URN; false for anything else. */
function read(text: usize): bool {
  let at = bytesOf(text);
  const n = lengthOf(text);
  if (n == 45) {
    if (!sameText(lowered(at, 9), "urn:uuid:")) return false;
    at += 9;
  } else if (n == 38) {
    // Go looks at neither bracket.
    at++;
  } else if (n != 36 && n != 32) {
    return false;
  }
  for (let i: u32 = 0; i < 16; i++) {
    if (n != 32 && (i == 4 || i == 6 || i == 8 || i == 10)) {
      if (load<u8>(at) != 45) return false;
      at++;
    }
    const high = hexValue(load<u8>(at));
    const low = hexValue(load<u8>(at, 1));
    if (high < 0 || low < 0) return false;
    store<u8>(BYTES + i, (high << 4) | low);
    at += 2;
  }
  return true;
}

function lowered(at: usize, n: u32): usize {
  const copy = copyString(at, n);
  for (let p = bytesOf(copy); p < bytesOf(copy) + n; p++) if (<u32>load<u8>(p) - 65 < 26) store<u8>(p, load<u8>(p) | 32);
  return copy;
}

export function builtin_uuid_parse(text: usize): usize {
  if (!isString(text) || !read(text)) return 0;
  const result = newObject(7);
  const version = load<u8>(BYTES, 6) >> 4;
  objectPut(result, literal("version"), newInt(version));
  objectPut(result, literal("variant"), variant());
  if (version != 1 && version != 2) return result;
  objectPut(result, literal("time"), newInt(time()));
  objectPut(result, literal("nodeid"), node());
  objectPut(result, literal("macvariables"), macVariables());
  objectPut(result, literal("clocksequence"), newInt(<i64>(load<u8>(BYTES, 8) & 0x3f) * 256 + load<u8>(BYTES, 9)));
  if (version == 2) {
    objectPut(result, literal("id"), newInt(word(0)));
    objectPut(result, literal("domain"), domain());
  }
  return result;
}

/** Four bytes, most significant first. */
function word(at: usize): u32 {
  return bswap<u32>(load<u32>(BYTES + at));
}

function variant(): usize {
  const byte = load<u8>(BYTES, 8);
  if ((byte & 0xc0) == 0x80) return literal("RFC4122");
  if ((byte & 0xe0) == 0xc0) return literal("Microsoft");
  return (byte & 0xe0) == 0xe0 ? literal("Future") : literal("Reserved");
}

/** Nanoseconds since 1970; the UUID counts 100 ns from the beginning of the Gregorian calendar. */
function time(): i64 {
  const middle = <i64>word(4);
  const ticks = ((middle & 0xfff) << 48) | ((middle >> 16) << 32) | <i64>word(0);
  const since = ticks - 122192928000000000;
  return (since / 10000000) * 1000000000 + (since % 10000000) * 100;
}

function node(): usize {
  const b = newBuffer(20);
  for (let i: u32 = 10; i < 16; i++) {
    if (i > 10) putByte(b, 45);
    const byte: u32 = load<u8>(BYTES + i);
    putByte(b, hexDigit(byte >> 4, false));
    putByte(b, hexDigit(byte & 15, false));
  }
  return bufferString(b);
}

function macVariables(): usize {
  switch (load<u8>(BYTES, 10) & 3) {
    case 3:
      return literal("local:multicast");
    case 1:
      return literal("global:multicast");
    case 2:
      return literal("local:unicast");
    default:
      return literal("global:unicast");
  }
}

function domain(): usize {
  switch (load<u8>(BYTES, 9)) {
    case 0:
      return literal("Person");
    case 1:
      return literal("Group");
    case 2:
      return literal("Org");
    default: {
      const b = newBuffer();
      putLiteral(b, "Domain");
      putInt(b, load<u8>(BYTES, 9));
      return bufferString(b);
    }
  }
}

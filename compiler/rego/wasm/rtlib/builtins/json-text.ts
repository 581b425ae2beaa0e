// JSON text from and to values, as Go writes it: characters that HTML minds are escaped, keys are in order.

import { arrayGet } from "../array";
import { Buffer, bufferString, newBuffer, putByte, putBytes, putLiteral, putString } from "../buffer";
import { chargeBytes } from "../budget";
import { abortWith } from "../host";
import { heapMark, heapRelease } from "../memory";
import { putNumber } from "../number";
import { newObject, objectKeyAt, objectPut, objectValueAt, sortObject } from "../object";
import { isTooDeep, parseText } from "../parse";
import { setAt, sortSet } from "../set";
import { bytesOf, lengthOf, literal, sameText, wellFormed, widthAt } from "../string";
import { countOf, isArray, isBoolean, isNull, isNumber, isObject, isString, isTrue, newBoolean } from "../value";
import { hexDigit } from "./bytes";

/** `null`, little-endian. */
const NULL_WORD: u32 = 0x6c6c756e;

/** What a level of nesting begins its lines with; 0 for text in one line. */
let prefix: usize = 0;
let indent: usize = 0;

function newLine(b: Buffer, depth: i32): void {
  if (prefix == 0) return;
  putByte(b, 10);
  putString(b, prefix);
  for (let i = 0; i < depth; i++) putString(b, indent);
}

function putJson(b: Buffer, v: usize, depth: i32): void {
  if (isString(v)) {
    putJsonString(b, v);
  } else if (isNumber(v)) {
    putNumber(b, v);
  } else if (isBoolean(v)) {
    if (isTrue(v)) putLiteral(b, "true");
    else putLiteral(b, "false");
  } else if (isNull(v)) {
    putLiteral(b, "null");
  } else if (isObject(v)) {
    putJsonObject(b, v, depth);
  } else {
    putJsonArray(b, v, depth);
  }
}

/** An array, or a set as the array of its sorted elements. */
function putJsonArray(b: Buffer, v: usize, depth: i32): void {
  const array = isArray(v);
  if (!array) sortSet(v);
  const n = countOf(v);
  putByte(b, 91);
  for (let i: u32 = 0; i < n; i++) {
    if (i > 0) putByte(b, 44);
    newLine(b, depth + 1);
    putJson(b, array ? arrayGet(v, i) : setAt(v, i), depth + 1);
  }
  if (n > 0) newLine(b, depth);
  putByte(b, 93);
}

function putJsonObject(b: Buffer, v: usize, depth: i32): void {
  const o = withStringKeys(v);
  sortObject(o);
  const n = countOf(o);
  putByte(b, 123);
  for (let i: u32 = 0; i < n; i++) {
    if (i > 0) putByte(b, 44);
    newLine(b, depth + 1);
    putJsonString(b, objectKeyAt(o, i));
    putByte(b, 58);
    if (prefix != 0) putByte(b, 32);
    putJson(b, objectValueAt(o, i), depth + 1);
  }
  if (n > 0) newLine(b, depth);
  putByte(b, 125);
}

/** The object with every key that is not a string replaced by its JSON text; if keys become equal, the last one counts. */
export function withStringKeys(v: usize): usize {
  const n = countOf(v);
  let plain = true;
  for (let i: u32 = 0; i < n && plain; i++) plain = isString(objectKeyAt(v, i));
  if (plain) return v;
  sortObject(v);
  const o = newObject(n);
  for (let i: u32 = 0; i < n; i++) {
    const key = objectKeyAt(v, i);
    objectPut(o, isString(key) ? key : compact(key), objectValueAt(v, i));
  }
  return o;
}

function compact(v: usize): usize {
  const outer = prefix;
  prefix = 0;
  const b = newBuffer();
  putJson(b, v, 0);
  prefix = outer;
  return bufferString(b);
}

function putJsonString(b: Buffer, v: usize): void {
  putByte(b, 34);
  const end = bytesOf(v) + lengthOf(v);
  let run = bytesOf(v);
  for (let at = run; at < end; at++) {
    const c: u32 = load<u8>(at);
    const width = widthAt(at, end);
    // U+2028 and U+2029 are e2 80 a8 and e2 80 a9.
    const separator = width == 3 && c == 0xe2 && load<u8>(at, 1) == 0x80 && (load<u8>(at, 2) & 0xfe) == 0xa8;
    if (c >= 128 && !separator && width > 1) {
      at += width - 1;
      continue;
    }
    if (c >= 32 && c != 34 && c != 92 && c != 38 && c != 60 && c != 62 && c < 128) continue;
    putBytes(b, run, <u32>(at - run));
    if (separator) {
      putLiteral(b, "\\u202");
      putByte(b, load<u8>(at, 2) - 0x70);
      at += 2;
    } else if (c >= 128) {
      putLiteral(b, "\\ufffd");
    } else {
      putEscape(b, c);
    }
    run = at + 1;
  }
  putBytes(b, run, <u32>(end - run));
  putByte(b, 34);
}

function putEscape(b: Buffer, c: u32): void {
  putByte(b, 92);
  const short = c == 34 || c == 92 ? c : c == 8 ? 98 : c == 9 ? 116 : c == 10 ? 110 : c == 12 ? 102 : c == 13 ? 114 : 0;
  if (short != 0) {
    putByte(b, short);
    return;
  }
  putLiteral(b, "u00");
  putByte(b, hexDigit(c >> 4, false));
  putByte(b, hexDigit(c & 15, false));
}

export function builtin_json_marshal(v: usize): usize {
  prefix = 0;
  return compact(v);
}

/** Options: `prefix` and `indent` of lines, `pretty` to say whether there are lines at all (any of the others says so too). */
export function builtin_json_marshal_with_options(v: usize, options: usize): usize {
  if (!isObject(options)) return 0;
  let before: usize = 0;
  let step: usize = 0;
  let pretty: i32 = -1;
  const n = countOf(options);
  for (let i: u32 = 0; i < n; i++) {
    const key = objectKeyAt(options, i);
    const value = objectValueAt(options, i);
    if (!isString(key)) return 0;
    if (sameText(key, "pretty")) {
      if (!isBoolean(value)) return 0;
      pretty = isTrue(value) ? 1 : 0;
    } else if (sameText(key, "prefix") && isString(value)) {
      before = value;
    } else if (sameText(key, "indent") && isString(value)) {
      step = value;
    } else {
      return 0;
    }
  }
  if (pretty == 0 || (pretty < 0 && before == 0 && step == 0)) return builtin_json_marshal(v);
  prefix = before == 0 ? literal("") : before;
  indent = step == 0 ? literal("\t") : step;
  const b = newBuffer();
  putString(b, prefix);
  putJson(b, v, 0);
  prefix = 0;
  return bufferString(b);
}

export function builtin_json_unmarshal(text: usize): usize {
  if (!isString(text)) return 0;
  // Go reads a byte that begins no character as U+FFFD.
  const read = wellFormed(text);
  const at = bytesOf(read);
  const end = at + lengthOf(read);
  const mark = heapMark();
  let v = readOrEnd(at, lengthOf(read), true);
  // What OPA reads behind the value is an error, unless it begins with `null`.
  for (let p = at + 1; v == 0 && p + 4 <= end; p++) {
    if (load<u32>(p) != NULL_WORD) continue;
    heapRelease(mark);
    chargeBytes(<u32>(p - at));
    v = readOrEnd(at, <u32>(p - at), true);
  }
  return v;
}

/** The value or 0. A text that nests deeper than we read ends the evaluation: `not` would make an answer of 0. */
function readOrEnd(text: usize, length: u32, bounded: bool): usize {
  const v = parseText(text, length, true, false, bounded);
  if (v == 0 && isTooDeep()) abortWith("a JSON text nests too deep");
  return v;
}

export function builtin_json_is_valid(text: usize): usize {
  if (!isString(text)) return newBoolean(false);
  chargeBytes(lengthOf(text) << 2);
  const mark = heapMark();
  const read = wellFormed(text);
  const valid = readOrEnd(bytesOf(read), lengthOf(read), false) != 0;
  heapRelease(mark);
  return newBoolean(valid);
}

// Regular expressions with the syntax and the matches of RE2, in time linear in the text.

import { arrayPush, newArray } from "../array";
import { Buffer, bufferString, newBuffer, putByte, putBytes } from "../buffer";
import { alloc } from "../memory";
import { readInt, readInteger } from "../number";
import { bytesOf, codePointAt, lengthOf, sameBytes, widthAt } from "../string";
import { DECIMAL_DIGITS, inCategories, LETTERS } from "../unicode/category";
import { isNumber, isString, newBoolean } from "../value";
import { nameAt, nameLength, regexOf, slotCount } from "./regex/compile";
import { NOWHERE, runRegex } from "./regex/machine";
import { beginMatches, nextMatch } from "./regex/matches";
import { part } from "./strings";

export function builtin_regex_is_valid(pattern: usize): usize {
  return newBoolean(isString(pattern) && regexOf(pattern) != 0);
}

export function builtin_regex_match(pattern: usize, text: usize): usize {
  if (!isString(pattern) || !isString(text)) return 0;
  const program = regexOf(pattern);
  return program == 0 ? 0 : newBoolean(runRegex(program, bytesOf(text), lengthOf(text), 0, 0, 0));
}

export function builtin_re_match(pattern: usize, text: usize): usize {
  return builtin_regex_match(pattern, text);
}

/** What a pair of slots says of the text, or the empty string. */
function captured(text: usize, slots: usize): usize {
  const from = load<u32>(slots);
  const to = load<u32>(slots, 4);
  return from == NOWHERE || to == NOWHERE ? part(text, text) : part(text + from, text + to);
}

/** The first `limit` matches, or all if it is negative. */
export function builtin_regex_find_n(pattern: usize, text: usize, limit: usize): usize {
  if (!isString(pattern) || !isString(text) || !isNumber(limit) || !readInt(limit)) return 0;
  const program = regexOf(pattern);
  if (program == 0) return 0;
  const slots = alloc(8);
  const at = bytesOf(text);
  const result = newArray(0);
  beginMatches(program, at, lengthOf(text), 2, slots);
  for (let left = readInteger; left != 0 && nextMatch(); left--) arrayPush(result, captured(at, slots));
  return result;
}

/** The same, each with its groups: [whole, group 1, ..]. */
export function builtin_regex_find_all_string_submatch_n(pattern: usize, text: usize, limit: usize): usize {
  if (!isString(pattern) || !isString(text) || !isNumber(limit) || !readInt(limit)) return 0;
  const program = regexOf(pattern);
  if (program == 0) return 0;
  const n = slotCount(program);
  const slots = alloc(n << 2);
  const at = bytesOf(text);
  const result = newArray(0);
  beginMatches(program, at, lengthOf(text), n, slots);
  for (let left = readInteger; left != 0 && nextMatch(); left--) {
    const groups = newArray(n >> 1);
    for (let i: u32 = 0; i < n; i += 2) arrayPush(groups, captured(at, slots + (i << 2)));
    arrayPush(result, groups);
  }
  return result;
}

export function builtin_regex_split(pattern: usize, text: usize): usize {
  if (!isString(pattern) || !isString(text)) return 0;
  const program = regexOf(pattern);
  if (program == 0) return 0;
  const result = newArray(0);
  const at = bytesOf(text);
  const length = lengthOf(text);
  if (length == 0 && lengthOf(pattern) > 0) {
    arrayPush(result, text);
    return result;
  }
  const slots = alloc(8);
  let rest: u32 = 0;
  let last: u32 = 0;
  beginMatches(program, at, length, 2, slots);
  while (nextMatch()) {
    last = load<u32>(slots);
    // A match of nothing in front of everything does not split.
    if (load<u32>(slots, 4) != 0) arrayPush(result, part(at + rest, at + last));
    rest = load<u32>(slots, 4);
  }
  if (last != length) arrayPush(result, part(at + rest, at + length));
  return result;
}

// Replacement ----------------------------------------------------------------------------------------------------------

export function builtin_regex_replace(text: usize, pattern: usize, template: usize): usize {
  if (!isString(text) || !isString(pattern) || !isString(template)) return 0;
  const program = regexOf(pattern);
  if (program == 0) return 0;
  const n = slotCount(program);
  const slots = alloc(n << 2);
  const at = bytesOf(text);
  const length = lengthOf(text);
  if (!runRegex(program, at, length, 0, n, slots)) return text;
  const b = newBuffer(length);
  let copied: u32 = 0;
  let position: u32 = 0;
  do {
    const from = load<u32>(slots);
    const to = load<u32>(slots, 4);
    putBytes(b, at + copied, from - copied);
    // Not for nothing right behind another match.
    if (to > copied || from == 0) expand(b, template, program, at, slots, n);
    copied = to;
    const width = position < length ? widthAt(at + position, at + length) : 1;
    position = position + width > to ? position + width : to;
  } while (position <= length && runRegex(program, at, length, position, n, slots));
  putBytes(b, at + copied, length - copied);
  return bufferString(b);
}

/** $1, ${1}, $name and ${name} stand for groups, $$ for a dollar sign; a name is as long as it can be. */
function expand(b: Buffer, template: usize, program: usize, text: usize, slots: usize, n: u32): void {
  let at = bytesOf(template);
  const end = at + lengthOf(template);
  while (at < end) {
    let dollar = at;
    while (dollar < end && load<u8>(dollar) != 36) dollar++;
    putBytes(b, at, <u32>(dollar - at));
    if (dollar == end) return;
    at = dollar + 1;
    if (at < end && load<u8>(at) == 36) {
      putByte(b, 36);
      at++;
      continue;
    }
    const braced = at < end && load<u8>(at) == 123;
    const name = braced ? at + 1 : at;
    const stop = nameEnd(name, end);
    if (stop == name || (braced && (stop == end || load<u8>(stop) != 125))) {
      putByte(b, 36);
      continue;
    }
    at = braced ? stop + 1 : stop;
    const group = groupOf(program, name, <u32>(stop - name), slots, n);
    if (group != 0) putBytes(b, text + load<u32>(group), load<u32>(group, 4) - load<u32>(group));
  }
}

/** Letters, digits and underscores. */
function nameEnd(at: usize, end: usize): usize {
  while (at < end) {
    const code = codePointAt(at, end);
    const ascii = (code | 32) - 97 < 26 || code - 48 < 10 || code == 95;
    if (!ascii && (code < 128 || !inCategories(code, LETTERS | DECIMAL_DIGITS))) return at;
    at += widthAt(at, end);
  }
  return at;
}

/** Address of the slots of the group of that number or name; 0 if the group does not exist or did not take part. */
function groupOf(program: usize, name: usize, length: u32, slots: usize, n: u32): usize {
  let number: i32 = 0;
  for (let i: u32 = 0; i < length && number >= 0; i++) {
    const digit = <i32>load<u8>(name + i) - 48;
    number = digit < 0 || digit > 9 || number >= 100000000 ? -1 : number * 10 + digit;
  }
  if (length > 1 && load<u8>(name) == 48) number = -1;
  if (number >= 0) return number < <i32>(n >> 1) ? present(slots + (<usize>number << 3)) : 0;
  for (let i: u32 = 1; i < n >> 1; i++) {
    if (nameLength(program, i) != length || !sameBytes(nameAt(program, i), name, length)) continue;
    // Several groups may have that name: take the first that took part.
    const found = present(slots + (i << 3));
    if (found != 0) return found;
  }
  return 0;
}

function present(slots: usize): usize {
  return load<u32>(slots) == NOWHERE || load<u32>(slots, 4) == NOWHERE ? 0 : slots;
}

// Templates ------------------------------------------------------------------------------------------------------------

/** A pattern in which only what stands between the delimiters is a regular expression; it must match the whole text. */
export function builtin_regex_template_match(template: usize, text: usize, open: usize, close: usize): usize {
  if (!isString(template) || !isString(text) || !isString(open) || !isString(close)) return 0;
  if (lengthOf(open) != 1 || lengthOf(close) != 1) return 0;
  const opening = load<u8>(bytesOf(open));
  const closing = load<u8>(bytesOf(close));
  const pattern = newBuffer();
  putByte(pattern, 94);
  let copied = bytesOf(template);
  const end = copied + lengthOf(template);
  let level = 0;
  let start: usize = 0;
  for (let at = copied; at < end; at++) {
    const byte = load<u8>(at);
    if (byte == opening) {
      if (++level == 1) start = at;
    } else if (byte == closing) {
      level--;
      if (level < 0) return 0;
      if (level > 0) continue;
      putQuotedMeta(pattern, copied, start);
      if (!validPart(start + 1, at)) return 0;
      putByte(pattern, 40);
      putBytes(pattern, start + 1, <u32>(at - start - 1));
      putByte(pattern, 41);
      copied = at + 1;
    }
  }
  if (level != 0) return 0;
  putQuotedMeta(pattern, copied, end);
  putByte(pattern, 36);
  return builtin_regex_match(bufferString(pattern), text);
}

/** Whether a part of a template is a regular expression by itself. */
function validPart(from: usize, to: usize): bool {
  const b = newBuffer();
  putByte(b, 94);
  putBytes(b, from, <u32>(to - from));
  putByte(b, 36);
  return regexOf(bufferString(b)) != 0;
}

/** Text in which nothing has a meaning for a regular expression. */
function putQuotedMeta(b: Buffer, at: usize, end: usize): void {
  for (; at < end; at++) {
    const byte: u32 = load<u8>(at);
    // \.+*?()|[]{}^$
    const meta =
      byte == 92 || byte == 46 || (byte >= 40 && byte <= 43) || byte == 63 || byte == 124 || byte == 91 || byte == 93 || byte == 123 || byte == 125 || byte == 94 || byte == 36;
    if (meta) putByte(b, 92);
    putByte(b, byte);
  }
}

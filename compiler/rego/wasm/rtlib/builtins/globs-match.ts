// regex.globs_match: whether two patterns of a small language have a string in common. In it, `.` is any character, [a-c]
// a set, `+` and `*` repeat what stands before, a backslash takes the meaning away.
//
// The answer is that of the library which OPA uses, its peculiarities included: the same recursion over the rests of both
// patterns, but with every answer remembered, so that it takes polynomial time.

import { charge } from "../budget";
import { abortWith } from "../host";
import { alloc } from "../memory";
import { bytesOf, codePointAt, lengthOf, sameBytes, widthAt } from "../string";
import { isString, newBoolean } from "../value";
import { addRange, beginClass, classNode } from "./regex/class";
import { payloadOf, rangeCount } from "./regex/node";

const CHARACTER: u32 = 0;
const DOT: u32 = 1;
const SET: u32 = 2;

const ONCE: u32 = 0;
const PLUS: u32 = 1;
const STAR: u32 = 2;

/** Longer patterns are refused: the table of answers has a byte for each pair of rests and each kind of question. */
const MAX_TOKENS: u32 = 1000;
const TOKEN: usize = 20;

// A token: kind, repetition, code point or address of ranges, count of ranges (low, high), spare.
let tokens: usize = 0;
let tokenCount: u32 = 0;

function kindAt(token: usize): u32 {
  return load<u32>(token);
}

function repetitionAt(token: usize): u32 {
  return load<u32>(token, 4);
}

/** Reads a pattern; false when it is not valid. */
function tokenize(text: usize): bool {
  let at = bytesOf(text);
  const end = at + lengthOf(text);
  tokens = alloc((<usize>lengthOf(text) + 1) * TOKEN);
  tokenCount = 0;
  while (at < end) {
    const token = tokens + tokenCount * TOKEN;
    memory.fill(token, 0, TOKEN);
    const c: u32 = load<u8>(at);
    if (c == 43 || c == 42 || c == 93) return false;
    if (c == 46) {
      store<u32>(token, DOT);
      at++;
    } else if (c == 91) {
      at = readSet(token, at + 1, end);
      if (at == 0) return false;
    } else {
      if (c == 92) at++;
      if (at >= end) return false;
      store<u32>(token, codePointAt(at, end), 8);
      at += widthAt(at, end);
    }
    if (at < end && (load<u8>(at) == 43 || load<u8>(at) == 42)) {
      store<u32>(token, load<u8>(at) == 43 ? PLUS : STAR, 4);
      at++;
    }
    // A single backslash at the end is an error even where only a repetition could stand.
    if (at + 1 == end && load<u8>(at) == 92) return false;
    // Keep one of several equal tokens in a row.
    const before = token - TOKEN;
    if (tokenCount > 0 && repetitionAt(token) != ONCE && repetitionAt(before) != ONCE && sameToken(token, before)) {
      if (repetitionAt(token) == PLUS) store<u32>(before, PLUS, 4);
    } else {
      tokenCount++;
    }
  }
  return true;
}

/** Reads a set behind its bracket; the address behind it, or 0. */
function readSet(token: usize, at: usize, end: usize): usize {
  beginClass();
  let previous: i32 = -1;
  while (at < end) {
    const c: u32 = load<u8>(at);
    if (c == 93) {
      const node = classNode(false);
      store<u32>(token, SET);
      store<u32>(token, payloadOf(node), 8);
      store<u32>(token, rangeCount(node), 12);
      return at + 1;
    }
    if (c == 45) {
      at++;
      // Neither the last character nor anything special may follow.
      if (previous < 0 || end - at < 2 || load<u8>(at) == 93 || load<u8>(at) == 45) return 0;
      if (load<u8>(at) == 92) at++;
      if (at >= end) return 0;
      const high = codePointAt(at, end);
      if (<i32>high < previous) return 0;
      addRange(<u32>previous, high);
      at += widthAt(at, end);
      previous = -1;
      continue;
    }
    if (c == 92) at++;
    if (at >= end) return 0;
    const code = codePointAt(at, end);
    at += widthAt(at, end);
    addRange(code, code);
    previous = <i32>code;
  }
  return 0;
}

/** Whether two tokens are the same but for repetition. */
function sameToken(a: usize, b: usize): bool {
  if (kindAt(a) != kindAt(b)) return false;
  if (kindAt(a) == CHARACTER) return load<u32>(a, 8) == load<u32>(b, 8);
  if (kindAt(a) == DOT) return true;
  const n = load<u32>(a, 12);
  return n == load<u32>(b, 12) && sameBytes(load<u32>(a, 8), load<u32>(b, 8), n << 3);
}

/** Whether two tokens have a character in common. */
function meet(a: usize, b: usize): bool {
  if (kindAt(a) > kindAt(b)) {
    const swap = a;
    a = b;
    b = swap;
  }
  if (kindAt(a) == DOT || kindAt(b) == DOT) return true;
  if (kindAt(b) == CHARACTER) return load<u32>(a, 8) == load<u32>(b, 8);
  if (kindAt(a) == CHARACTER) return holds(b, load<u32>(a, 8), load<u32>(a, 8));
  const ranges: usize = load<u32>(a, 8);
  for (let i: u32 = 0; i < load<u32>(a, 12); i++) {
    if (holds(b, load<u32>(ranges + (i << 3)), load<u32>(ranges + (i << 3), 4))) return true;
  }
  return false;
}

function holds(set: usize, low: u32, high: u32): bool {
  const ranges: usize = load<u32>(set, 8);
  for (let i: u32 = 0; i < load<u32>(set, 12); i++) {
    if (low <= load<u32>(ranges + (i << 3), 4) && load<u32>(ranges + (i << 3)) <= high) return true;
  }
  return false;
}

// The recursion. A rest is the number of its first token; `side` says which pattern plays the first part. -------------

let first0: usize = 0;
let first1: usize = 0;
let length0: u32 = 0;
let length1: u32 = 0;
let answers: usize = 0;

function tokenAt(side: u32, i: u32): usize {
  return (side == 0 ? first0 : first1) + i * TOKEN;
}

function lengthAt(side: u32): u32 {
  return side == 0 ? length0 : length1;
}

/** Where the answer to a question is kept: 0 unknown, 1 no, 2 yes. */
function answerAt(question: u32, side: u32, i: u32, j: u32): usize {
  const a = side == 0 ? i : j;
  const b = side == 0 ? j : i;
  return answers + (((question << 1) | side) * (length0 + 1) + a) * (length1 + 1) + b;
}

function normal(side: u32, i: u32, j: u32): bool {
  const at = answerAt(0, side, i, j);
  if (load<u8>(at) == 0) store<u8>(at, compareRests(side, i, j) ? 2 : 1);
  return load<u8>(at) == 2;
}

function compareRests(side: u32, i: u32, j: u32): bool {
  const other = 1 - side;
  charge(1);
  while (i < lengthAt(side) && j < lengthAt(other)) {
    const a = tokenAt(side, i);
    const b = tokenAt(other, j);
    if (repetitionAt(a) != ONCE) return repetitionAt(a) == PLUS ? plus(side, i, j) : star(side, i, j);
    if (repetitionAt(b) != ONCE) return repetitionAt(b) == PLUS ? plus(other, j, i) : star(other, j, i);
    if (!meet(a, b)) return false;
    i++;
    j++;
  }
  return i == lengthAt(side) && j == lengthAt(other);
}

/** The rest at `i` begins with a token that is repeated once or more. */
function plus(side: u32, i: u32, j: u32): bool {
  const other = 1 - side;
  if (!meet(tokenAt(side, i), tokenAt(other, j))) return false;
  if (star(side, i, j + 1)) return true;
  return repetitionAt(tokenAt(other, j)) != ONCE && normal(side, i + 1, j);
}

/** The rest at `i` begins with a token that is repeated any number of times. */
function star(side: u32, i: u32, j: u32): bool {
  const at = answerAt(1, side, i, j);
  if (load<u8>(at) == 0) store<u8>(at, consume(side, i, j) ? 2 : 1);
  return load<u8>(at) == 2;
}

function consume(side: u32, i: u32, j: u32): bool {
  const other = 1 - side;
  const repeated = tokenAt(side, i);
  const hasNext = i + 1 < lengthAt(side);
  for (; j < lengthAt(other); j++) {
    const token = tokenAt(other, j);
    if (hasNext && meet(token, tokenAt(side, i + 1)) && normal(side, i + 1, j)) return true;
    if (!meet(token, repeated)) return false;
  }
  return !hasNext;
}

export function builtin_regex_globs_match(a: usize, b: usize): usize {
  if (!isString(a) || !isString(b) || !tokenize(a)) return 0;
  const left = tokens;
  let n = tokenCount;
  if (!tokenize(b)) return 0;
  const right = tokens;
  let m = tokenCount;
  if (n > MAX_TOKENS || m > MAX_TOKENS) abortWith("a glob is too long");
  // What stands once at both beginnings or both ends must meet; one such token is left on each side.
  let from: u32 = 0;
  while (from < n && from < m) {
    const x = left + from * TOKEN;
    const y = right + from * TOKEN;
    if (repetitionAt(x) != ONCE || repetitionAt(y) != ONCE) break;
    if (!meet(x, y)) return newBoolean(false);
    from++;
  }
  if (from > 0) from--;
  const end = n;
  while (n > from && m > from) {
    const x = left + (n - 1) * TOKEN;
    const y = right + (m - 1) * TOKEN;
    if (repetitionAt(x) != ONCE || repetitionAt(y) != ONCE) break;
    if (!meet(x, y)) return newBoolean(false);
    n--;
    m--;
  }
  if (n < end) {
    n++;
    m++;
  }
  first0 = left + from * TOKEN;
  first1 = right + from * TOKEN;
  length0 = n - from;
  length1 = m - from;
  const size = (length0 + 1) * (length1 + 1) * 4;
  answers = alloc(size);
  memory.fill(answers, 0, size);
  return newBoolean(normal(0, 0, 0));
}

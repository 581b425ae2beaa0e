// Reads the syntax of RE2 as Go has it: one pass over the pattern with a stack of nodes, on which `(` and `|` stand until
// their partners come. Any error makes the whole pattern invalid.

import { alloc, blockCapacity, extend } from "../../memory";
import { codePointAt, sequenceLength } from "../../string";
import { simpleFold } from "../../unicode/case";
import { hexValue } from "../bytes";
import { addFoldedRange, addRange, beginClass, classNode } from "./class";
import { addPerlClass, addPosixClass, addUnicodeClass } from "./named-class";
import {
  ALTERNATE,
  ANY,
  ANY_BUT_NEWLINE,
  appendChild,
  ASSERT,
  BAR,
  CAPTURE,
  CONCAT,
  EMPTY,
  firstChild,
  heightOf,
  kindOf,
  LAZY,
  leastOf,
  LITERAL,
  mostOf,
  newNode,
  nextSibling,
  Node,
  OPEN,
  PLUS,
  QUEST,
  REPEAT,
  sizeOf,
  STAR,
} from "./node";
import { BEGIN_LINE, BEGIN_TEXT, END_LINE, END_TEXT, NO_WORD_BOUNDARY, WORD_BOUNDARY } from "./program";

const MAX_REPEAT = 1000;
const MAX_HEIGHT = 1000;
/** Instructions of a program: 16 bytes each. Go allows a little more than three times as many. */
const MAX_SIZE: u32 = 1 << 20;

const FOLD: u32 = 1;
const DOT_NEWLINE: u32 = 2;
const ONE_LINE: u32 = 4;
const UNGREEDY: u32 = 8;

let at: usize = 0;
let end: usize = 0;
let flags: u32 = 0;
let stack: usize = 0;
let depth: u32 = 0;
let failed = false;

/** Groups of the pattern that was read last, not counting the whole. */
export let groupCount: i32 = 0;
/** Their names: address and length of each, 0 where there is none, from group 1 on. */
export let groupNames: usize = 0;

function push(node: Node): void {
  const size = (depth + 1) << 2;
  if (size > <u32>blockCapacity(stack) && !extend(stack, size << 1)) {
    const larger = alloc(size << 1);
    memory.copy(larger, stack, depth << 2);
    stack = larger;
  }
  store<u32>(stack + (depth << 2), <u32>node);
  depth++;
}

// @ts-ignore: decorator
@inline
function onStack(i: u32): Node {
  return load<u32>(stack + (i << 2));
}

/** The syntax tree of the pattern, or 0. */
export function parseRegex(pattern: usize, length: u32): Node {
  at = pattern;
  end = pattern + length;
  flags = ONE_LINE;
  stack = alloc(124);
  depth = 0;
  failed = false;
  groupCount = 0;
  groupNames = alloc(60);
  let repeated = false;
  while (at < end && !failed) repeated = parseOne(repeated);
  if (failed) return 0;
  closeAlternatives();
  if (depth != 1 || failed) return 0;
  const root = onStack(0);
  return kindOf(root) == OPEN || heightOf(root) > MAX_HEIGHT || sizeOf(root) > MAX_SIZE ? 0 : root;
}

/** Reads one item; the result says whether it was a repetition, since two of them may not follow each other. */
function parseOne(repeated: bool): bool {
  const c: u32 = load<u8>(at);
  switch (c) {
    case 40:
      openGroup();
      return false;
    case 41:
      at++;
      closeGroup();
      return false;
    case 124:
      at++;
      closeConcat();
      push(newNode(BAR));
      return false;
    case 94:
      at++;
      assert((flags & ONE_LINE) != 0 ? BEGIN_TEXT : BEGIN_LINE);
      return false;
    case 36:
      at++;
      assert((flags & ONE_LINE) != 0 ? END_TEXT : END_LINE);
      return false;
    case 46:
      at++;
      push(newNode((flags & DOT_NEWLINE) != 0 ? ANY : ANY_BUT_NEWLINE));
      return false;
    case 91:
      parseClass();
      return false;
    case 42:
      at++;
      repeat(STAR, 0, -1, repeated);
      return true;
    case 43:
      at++;
      repeat(PLUS, 1, -1, repeated);
      return true;
    case 63:
      at++;
      repeat(QUEST, 0, 1, repeated);
      return true;
    case 123:
      if (parseRepeat()) {
        repeat(REPEAT, least, most, repeated);
        return true;
      }
      at++;
      literal(c);
      return false;
    case 92:
      parseBackslash();
      return false;
    default:
      literal(takeCode());
      return false;
  }
}

function takeCode(): u32 {
  const code = codePointAt(at);
  at += sequenceLength(load<u8>(at));
  return code;
}

function assert(condition: u32): void {
  const node = newNode(ASSERT);
  store<u32>(node, condition, 20);
  push(node);
}

function literal(code: u32): void {
  if ((flags & FOLD) != 0 && simpleFold(code) != code) {
    beginClass();
    addRange(code, code);
    for (let other = simpleFold(code); other != code; other = simpleFold(other)) addRange(other, other);
    push(classNode(false));
    return;
  }
  const node = newNode(LITERAL);
  store<u32>(node, code, 20);
  push(node);
}

// Repetition -----------------------------------------------------------------------------------------------------------

let least: i32 = 0;
let most: i32 = 0;

/** {n}, {n,} or {n,m}, which is taken; false leaves everything as it is: the brace is a literal. */
function parseRepeat(): bool {
  const start = at;
  at++;
  least = parseInt();
  if (least == -1) return backTo(start);
  most = least;
  if (at < end && load<u8>(at) == 44) {
    at++;
    if (at < end && load<u8>(at) == 125) {
      most = -1;
    } else {
      most = parseInt();
      if (most == -1) return backTo(start);
    }
  }
  if (at >= end || load<u8>(at) != 125) return backTo(start);
  at++;
  if (least > MAX_REPEAT || most > MAX_REPEAT || (most >= 0 && least > most)) failed = true;
  return true;
}

function backTo(start: usize): bool {
  at = start;
  return false;
}

/** Digits without leading zeros, saturating; -1 if there are none. */
function parseInt(): i32 {
  if (at >= end || <u32>load<u8>(at) - 48 > 9) return -1;
  if (load<u8>(at) == 48 && end - at > 1 && <u32>load<u8>(at, 1) - 48 <= 9) return -1;
  let value = 0;
  for (; at < end && <u32>load<u8>(at) - 48 <= 9; at++) {
    if (value < 100000000) value = value * 10 + (<i32>load<u8>(at) - 48);
  }
  return value;
}

function repeat(kind: u8, from: i32, to: i32, repeated: bool): void {
  let lazy = (flags & UNGREEDY) != 0;
  if (at < end && load<u8>(at) == 63) {
    at++;
    lazy = !lazy;
  }
  if (failed || repeated || depth == 0 || kindOf(onStack(depth - 1)) >= OPEN) {
    failed = true;
    return;
  }
  const node = newNode(kind);
  const child = onStack(depth - 1);
  appendChild(node, child);
  if (lazy) store<u8>(node, LAZY, 1);
  store<i32>(node, from, 12);
  store<i32>(node, to, 16);
  const size: u64 = sizeOf(child);
  let total = size + 2;
  if (kind == REPEAT) total = to < 0 ? size * <u64>max(from, 1) + 2 : size * <u64>to + <u64>(to - from);
  store<u32>(node, <u32>min<u64>(max<u64>(total, 1), <u64>MAX_SIZE + 1), 36);
  store<u32>(stack + ((depth - 1) << 2), <u32>node);
  if (heightOf(node) > MAX_HEIGHT || sizeOf(node) > MAX_SIZE) failed = true;
  else if (kind == REPEAT && (from >= 2 || to >= 2) && !repeatAllowed(node, MAX_REPEAT)) failed = true;
}

/** Whether nested repetitions make no more than `n` copies of what is innermost. */
function repeatAllowed(node: Node, n: i32): bool {
  if (kindOf(node) == REPEAT) {
    let copies = mostOf(node);
    if (copies == 0) return true;
    if (copies < 0) copies = leastOf(node);
    if (copies > n) return false;
    if (copies > 0) n /= copies;
  }
  for (let child = firstChild(node); child != 0; child = nextSibling(child)) if (!repeatAllowed(child, n)) return false;
  return true;
}

// Groups and alternatives ----------------------------------------------------------------------------------------------

/** Puts what stands on the stack above the last `(` or `|` together. */
function closeConcat(): void {
  let first = depth;
  while (first > 0 && kindOf(onStack(first - 1)) < OPEN) first--;
  const n = depth - first;
  if (n == 1) return;
  const node = newNode(n == 0 ? EMPTY : CONCAT);
  let size: u64 = 1;
  for (let i = first; i < depth; i++) {
    size += sizeOf(onStack(i));
    appendChild(node, onStack(i));
  }
  store<u32>(node, <u32>min<u64>(size, <u64>MAX_SIZE + 1), 36);
  depth = first;
  push(node);
}

/** The same for the alternatives above the last `(`. */
function closeAlternatives(): void {
  closeConcat();
  let first = depth;
  while (first > 0 && kindOf(onStack(first - 1)) != OPEN) first--;
  if (depth - first == 1) return;
  const node = newNode(ALTERNATE);
  let size: u64 = 0;
  // Alternatives and bars in turn.
  for (let i = first; i < depth; i += 2) {
    size += <u64>sizeOf(onStack(i)) + 1;
    appendChild(node, onStack(i));
  }
  store<u32>(node, <u32>min<u64>(size, <u64>MAX_SIZE + 1), 36);
  depth = first;
  push(node);
}

function closeGroup(): void {
  closeAlternatives();
  if (depth < 2 || kindOf(onStack(depth - 2)) != OPEN) {
    failed = true;
    return;
  }
  const open = onStack(depth - 2);
  const body = onStack(depth - 1);
  depth -= 2;
  // The flags are again what they were when the group was opened.
  flags = load<u32>(open, 20);
  const group = leastOf(open);
  if (group == 0) {
    push(body);
    return;
  }
  const node = newNode(CAPTURE);
  store<i32>(node, group, 12);
  appendChild(node, body);
  store<u32>(node, min(sizeOf(body) + 2, MAX_SIZE + 1), 36);
  if (heightOf(node) > MAX_HEIGHT) failed = true;
  push(node);
}

function pushOpen(group: i32): void {
  const node = newNode(OPEN);
  store<i32>(node, group, 12);
  store<u32>(node, flags, 20);
  push(node);
}

function openCapture(name: usize, length: u32): void {
  groupCount++;
  const size = <u32>groupCount << 3;
  if (size > <u32>blockCapacity(groupNames) && !extend(groupNames, size << 1)) {
    const larger = alloc(size << 1);
    memory.copy(larger, groupNames, size - 8);
    groupNames = larger;
  }
  store<u32>(groupNames + (size - 8), <u32>name);
  store<u32>(groupNames + (size - 8), length, 4);
  pushOpen(groupCount);
}

/** At `(`. */
function openGroup(): void {
  at++;
  if (at >= end || load<u8>(at) != 63) {
    openCapture(0, 0);
    return;
  }
  at++;
  // (?P<name> or (?<name>
  let name = at;
  if (name < end && load<u8>(name) == 80) name++;
  if (name < end && load<u8>(name) == 60) {
    openNamed(name + 1);
    return;
  }
  openFlags();
}

function openNamed(name: usize): void {
  let stop = name;
  while (stop < end && isWord(load<u8>(stop))) stop++;
  if (stop == name || stop >= end || load<u8>(stop) != 62) {
    failed = true;
    return;
  }
  at = stop + 1;
  openCapture(name, <u32>(stop - name));
}

function isWord(byte: u32): bool {
  return (byte | 32) - 97 < 26 || byte - 48 < 10 || byte == 95;
}

/** Flags up to `)`, which hold from here on, or up to `:`, which hold in the group that this opens. */
function openFlags(): void {
  let wanted = flags;
  let negative = false;
  let any = false;
  while (at < end) {
    const c: u32 = load<u8>(at++);
    let bit: u32 = 0;
    let inverted = false;
    switch (c) {
      case 105:
        bit = FOLD;
        break;
      case 109:
        bit = ONE_LINE;
        inverted = true;
        break;
      case 115:
        bit = DOT_NEWLINE;
        break;
      case 85:
        bit = UNGREEDY;
        break;
      case 45:
        if (negative) {
          failed = true;
          return;
        }
        negative = true;
        any = false;
        continue;
      case 58:
      case 41:
        if (negative && !any) failed = true;
        if (c == 58) pushOpen(0);
        flags = wanted;
        return;
      default:
        failed = true;
        return;
    }
    any = true;
    if (negative == inverted) wanted |= bit;
    else wanted &= ~bit;
  }
  failed = true;
}

// Escapes and classes --------------------------------------------------------------------------------------------------

function parseBackslash(): void {
  if (end - at < 2) {
    failed = true;
    return;
  }
  const c: u32 = load<u8>(at, 1);
  switch (c) {
    case 65:
      at += 2;
      assert(BEGIN_TEXT);
      return;
    case 122:
      at += 2;
      assert(END_TEXT);
      return;
    case 98:
      at += 2;
      assert(WORD_BOUNDARY);
      return;
    case 66:
      at += 2;
      assert(NO_WORD_BOUNDARY);
      return;
    case 81:
      at += 2;
      while (at < end) {
        if (load<u8>(at) == 92 && end - at >= 2 && load<u8>(at, 1) == 69) {
          at += 2;
          return;
        }
        literal(takeCode());
      }
      return;
    default:
      break;
  }
  if (isClassEscape()) {
    beginClass();
    parseClassEscape();
    if (!failed) push(classNode(false));
    return;
  }
  const code = parseEscape();
  if (code >= 0) literal(<u32>code);
  else failed = true;
}

/** Whether \d \s \w \p or one of their opposites stands here. */
function isClassEscape(): bool {
  if (end - at < 2 || load<u8>(at) != 92) return false;
  const c = <u32>load<u8>(at, 1) | 32;
  return c == 100 || c == 115 || c == 119 || c == 112;
}

/** Adds it to the open class. */
function parseClassEscape(): void {
  const c: u32 = load<u8>(at, 1);
  at += 2;
  const fold = (flags & FOLD) != 0;
  if ((c | 32) != 112) {
    addPerlClass(c, fold);
    return;
  }
  if (at >= end) {
    failed = true;
    return;
  }
  let name = at;
  if (load<u8>(at) != 123) {
    at += sequenceLength(load<u8>(at));
  } else {
    name++;
    while (at < end && load<u8>(at) != 125) at++;
    if (at >= end) {
      failed = true;
      return;
    }
    at++;
  }
  const length = <u32>(at - name) - (load<u8>(name - 1) == 123 ? 1 : 0);
  if (!addUnicodeClass(name, length, c == 80, fold)) failed = true;
}

/** The code point of the escape at the backslash, or -1. */
function parseEscape(): i32 {
  at++;
  if (at >= end) return -1;
  const c = takeCode();
  // Punctuation stands for itself.
  if (c < 128 && ((c | 32) - 97 >= 26 && c - 48 >= 10)) return <i32>c;
  switch (c) {
    case 49:
    case 50:
    case 51:
    case 52:
    case 53:
    case 54:
    case 55:
      // One digit would be a reference to a group.
      return at < end && <u32>load<u8>(at) - 48 < 8 ? octal(c - 48) : -1;
    case 48:
      return octal(0);
    case 120:
      return hexadecimal();
    case 97:
      return 7;
    case 102:
      return 12;
    case 110:
      return 10;
    case 114:
      return 13;
    case 116:
      return 9;
    case 118:
      return 11;
    default:
      return -1;
  }
}

/** Up to three digits, the first of which is read. */
function octal(value: i32): i32 {
  for (let i = 0; i < 2 && at < end && <u32>load<u8>(at) - 48 < 8; i++) value = value * 8 + (<i32>load<u8>(at++) - 48);
  return value;
}

/** Two digits, or any number in braces. */
function hexadecimal(): i32 {
  if (at >= end) return -1;
  if (load<u8>(at) != 123) {
    if (end - at < 2) return -1;
    const high = hexValue(load<u8>(at));
    const low = hexValue(load<u8>(at, 1));
    at += 2;
    return high < 0 || low < 0 ? -1 : high * 16 + low;
  }
  at++;
  let value: i32 = 0;
  const start = at;
  while (at < end && load<u8>(at) != 125) {
    const digit = hexValue(load<u8>(at++));
    if (digit < 0) return -1;
    value = value * 16 + digit;
    if (value > 0x10ffff) return -1;
  }
  if (at >= end || at == start) return -1;
  at++;
  return value;
}

/** At `[`. */
function parseClass(): void {
  at++;
  beginClass();
  const negated = at < end && load<u8>(at) == 94;
  if (negated) at++;
  let first = true;
  while (true) {
    if (at >= end) {
      failed = true;
      return;
    }
    if (load<u8>(at) == 93 && !first) break;
    first = false;
    if (load<u8>(at) == 91 && end - at > 2 && load<u8>(at, 1) == 58 && parsePosix()) {
      if (failed) return;
      continue;
    }
    if (isClassEscape()) {
      parseClassEscape();
      if (failed) return;
      continue;
    }
    const from = classCharacter();
    let to = from;
    if (from >= 0 && end - at >= 2 && load<u8>(at) == 45 && load<u8>(at, 1) != 93) {
      at++;
      to = classCharacter();
    }
    if (from < 0 || to < from) {
      failed = true;
      return;
    }
    if ((flags & FOLD) != 0) addFoldedRange(from, to);
    else addRange(from, to);
  }
  at++;
  push(classNode(negated));
}

function classCharacter(): i32 {
  if (at >= end) return -1;
  return load<u8>(at) == 92 ? parseEscape() : <i32>takeCode();
}

/** [:name:], taken if it is closed; an unknown name is an error. */
function parsePosix(): bool {
  const name = at + 2;
  for (let stop = name; end - stop >= 2; stop++) {
    if (load<u8>(stop) != 58 || load<u8>(stop, 1) != 93) continue;
    if (!addPosixClass(name, <u32>(stop - name), (flags & FOLD) != 0)) failed = true;
    at = stop + 2;
    return true;
  }
  return false;
}

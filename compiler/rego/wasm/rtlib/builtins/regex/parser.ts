// Reads the syntax of RE2 as Go has it: one pass over the pattern with a stack of nodes, on which `(` and `|` stand until
// their partners come. Any error makes the whole pattern invalid.

import { abortWith } from "../../host";
import { alloc, blockCapacity, extend } from "../../memory";
import { simpleFold } from "../../unicode/case";
import { addRange, beginClass, classNode } from "./class";
import { parseEscape } from "./escape";
import {
  ANY,
  ANY_BUT_NEWLINE,
  appendChild,
  ASSERT,
  BAR,
  CAPTURE,
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
import { beginStack, closeAlternatives, closeConcat, depth, drop, MAX_SIZE, onStack, push, replaceTop } from "./node-stack";
import { isClassEscape, parseClass, parseClassEscape } from "./parse-class";
import { BEGIN_LINE, BEGIN_TEXT, END_LINE, END_TEXT, NO_WORD_BOUNDARY, WORD_BOUNDARY } from "./program";
import { at, beginPattern, end, fail, failed, moveTo, skip, takeByte, takeCode } from "./reader";
import { least, MAX_REPEAT, most, parseRepeat } from "./repeat-counts";

const MAX_HEIGHT = 1000;
/** Larger ones end the evaluation: Go has some more, and if they were invalid here, `not` would make an answer of it. */
const LARGEST: u32 = 1 << 20;
const FOLD: u32 = 1;
const DOT_NEWLINE: u32 = 2;
const ONE_LINE: u32 = 4;
const UNGREEDY: u32 = 8;

let flags: u32 = 0;

/** Groups of the pattern that was read last, not counting the whole. */
export let groupCount: i32 = 0;
/** Their names: address and length of each, 0 for a group without a name, from group 1 on. */
export let groupNames: usize = 0;

/** The syntax tree of the pattern, or 0. */
export function parseRegex(pattern: usize, length: u32): Node {
  beginPattern(pattern, length);
  flags = ONE_LINE;
  beginStack();
  groupCount = 0;
  groupNames = alloc(60);
  let repeated = false;
  while (at < end && !failed) repeated = parseOne(repeated);
  if (failed) return 0;
  closeAlternatives();
  if (depth != 1 || failed) return 0;
  const root = onStack(0);
  if (kindOf(root) == OPEN || heightOf(root) > MAX_HEIGHT || sizeOf(root) > MAX_SIZE) return 0;
  if (sizeOf(root) > LARGEST) abortWith("a regular expression is too large");
  return root;
}

/** Reads one item; the result says whether it was a repetition, since two of them may not follow each other. */
function parseOne(repeated: bool): bool {
  const c: u32 = load<u8>(at);
  switch (c) {
    case 40:
      openGroup();
      return false;
    case 41:
      skip(1);
      closeGroup();
      return false;
    case 124:
      skip(1);
      closeConcat();
      push(newNode(BAR));
      return false;
    case 94:
      skip(1);
      assert((flags & ONE_LINE) != 0 ? BEGIN_TEXT : BEGIN_LINE);
      return false;
    case 36:
      skip(1);
      assert((flags & ONE_LINE) != 0 ? END_TEXT : END_LINE);
      return false;
    case 46:
      skip(1);
      push(newNode((flags & DOT_NEWLINE) != 0 ? ANY : ANY_BUT_NEWLINE));
      return false;
    case 91:
      bracket();
      return false;
    case 42:
      skip(1);
      repeat(STAR, 0, -1, repeated);
      return true;
    case 43:
      skip(1);
      repeat(PLUS, 1, -1, repeated);
      return true;
    case 63:
      skip(1);
      repeat(QUEST, 0, 1, repeated);
      return true;
    case 123:
      if (parseRepeat()) {
        repeat(REPEAT, least, most, repeated);
        return true;
      }
      skip(1);
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

/** At `[`. */
function bracket(): void {
  const node = parseClass((flags & FOLD) != 0);
  if (node != 0) push(node);
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

function repeat(kind: u8, from: i32, to: i32, repeated: bool): void {
  let lazy = (flags & UNGREEDY) != 0;
  if (at < end && load<u8>(at) == 63) {
    skip(1);
    lazy = !lazy;
  }
  if (failed || repeated || depth == 0 || kindOf(onStack(depth - 1)) >= OPEN) {
    fail();
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
  replaceTop(node);
  if (heightOf(node) > MAX_HEIGHT || sizeOf(node) > MAX_SIZE) fail();
  else if (kind == REPEAT && (from >= 2 || to >= 2) && !repeatAllowed(node, MAX_REPEAT)) fail();
}

/** Whether nested repetitions make no more than `n` copies of the innermost expression. */
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

function closeGroup(): void {
  closeAlternatives();
  if (depth < 2 || kindOf(onStack(depth - 2)) != OPEN) {
    fail();
    return;
  }
  const open = onStack(depth - 2);
  const body = onStack(depth - 1);
  drop(2);
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
  if (heightOf(node) > MAX_HEIGHT) fail();
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
  skip(1);
  if (at >= end || load<u8>(at) != 63) {
    openCapture(0, 0);
    return;
  }
  skip(1);
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
    fail();
    return;
  }
  moveTo(stop + 1);
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
    const c: u32 = takeByte();
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
          fail();
          return;
        }
        negative = true;
        any = false;
        continue;
      case 58:
      case 41:
        if (negative && !any) fail();
        if (c == 58) pushOpen(0);
        flags = wanted;
        return;
      default:
        fail();
        return;
    }
    any = true;
    if (negative == inverted) wanted |= bit;
    else wanted &= ~bit;
  }
  fail();
}

function parseBackslash(): void {
  if (end - at < 2) {
    fail();
    return;
  }
  const c: u32 = load<u8>(at, 1);
  switch (c) {
    case 65:
      skip(2);
      assert(BEGIN_TEXT);
      return;
    case 122:
      skip(2);
      assert(END_TEXT);
      return;
    case 98:
      skip(2);
      assert(WORD_BOUNDARY);
      return;
    case 66:
      skip(2);
      assert(NO_WORD_BOUNDARY);
      return;
    case 81:
      skip(2);
      while (at < end) {
        if (load<u8>(at) == 92 && end - at >= 2 && load<u8>(at, 1) == 69) {
          skip(2);
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
    parseClassEscape((flags & FOLD) != 0);
    if (!failed) push(classNode(false));
    return;
  }
  const code = parseEscape();
  if (code >= 0) literal(<u32>code);
  else fail();
}

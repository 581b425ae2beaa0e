// Programs of the matching machine, and their compilation from syntax trees.
//
// A program is one block that holds no addresses, so that the compiler can lay out those of a policy's own patterns as
// static data. Offsets count from its beginning:
//
//   +0  u32  count of instructions      +4  u32  size of the block, a multiple of 4      +8  u32  first instruction
//   +12 u32  count of capture slots, two for each group and two for the whole
//   +16 u32  offset of the names of the groups: (offset, length) from group 1 on
//   +20 u32  whether every match begins at the start of the text
//   +24 u32  whether `first bytes` holds: a match is never empty and begins with one of them
//   +28      32 bytes: a bit for each byte that a match may begin with
//   +64      the instructions, then names, then classes
//
// An instruction has 16 bytes:
//
//   +0  u32  operation      +4  u32  next instruction      +8  u32  argument      +12 u32  class
//
// The argument is the other alternative (SPLIT), a code point (CHAR), a condition (TEST), or a slot (SAVE). A class is
// the offset of a bit for each ASCII character (16 bytes), the count of ranges, and the ranges; until the program is
// finished it is an address.

import { alloc, heapMark, heapRelease } from "../../memory";
import { putCodePoint } from "../../string";
import {
  ALTERNATE,
  ANY,
  ANY_BUT_NEWLINE,
  ASSERT,
  CAPTURE,
  CLASS,
  CONCAT,
  EMPTY,
  firstChild,
  isLazy,
  kindOf,
  leastOf,
  LITERAL,
  mostOf,
  nextSibling,
  Node,
  payloadOf,
  PLUS,
  QUEST,
  rangeCount,
  REPEAT,
  sizeOf,
  STAR,
} from "./node";

export const FAIL: u32 = 0;
export const JUMP: u32 = 1;
export const SPLIT: u32 = 2;
export const CHAR: u32 = 3;
export const IN_CLASS: u32 = 4;
export const ANY_CHAR: u32 = 5;
export const ANY_CHAR_BUT_NEWLINE: u32 = 6;
export const TEST: u32 = 7;
export const SAVE: u32 = 8;
export const MATCH: u32 = 9;

/** Conditions of TEST. */
export const BEGIN_LINE: u32 = 1;
export const END_LINE: u32 = 2;
export const BEGIN_TEXT: u32 = 4;
export const END_TEXT: u32 = 8;
export const WORD_BOUNDARY: u32 = 16;
export const NO_WORD_BOUNDARY: u32 = 32;

/** Where the instructions begin. */
export const CODE: usize = 64;

let code: usize = 0;
let count: u32 = 0;
/** Bytes of all classes so far. */
let classBytes: u32 = 0;

/** Field of a class's node, which has no last child. */
const CLASS_ADDRESS: usize = 28;

// What the last compile() made: its first instruction (0: it cannot match), the open ends, and whether it may be empty.
// Open ends are a list through the very fields that will be filled: (instruction << 1 | 1 for the argument), 0 at its end.
let start: u32 = 0;
let openHead: u32 = 0;
let openTail: u32 = 0;
let nullable = false;

function emit(operation: u32, argument: u32): u32 {
  const at = code + (<usize>count << 4);
  store<u32>(at, operation);
  store<u32>(at, 0, 4);
  store<u32>(at, argument, 8);
  store<u32>(at, 0, 12);
  return count++;
}

// @ts-ignore: decorator
@inline
function field(end: u32): usize {
  return code + (<usize>(end >> 1) << 4) + ((end & 1) == 0 ? 4 : 8);
}

function patch(head: u32, target: u32): void {
  while (head != 0) {
    const at = field(head);
    head = load<u32>(at);
    store<u32>(at, target);
  }
}

/** One instruction by itself, its `next` open. */
function single(operation: u32, argument: u32, empty: bool): void {
  start = emit(operation, argument);
  openHead = start << 1;
  openTail = openHead;
  nullable = empty;
}

function compile(node: Node): void {
  switch (kindOf(node)) {
    case EMPTY:
      single(JUMP, 0, true);
      break;
    case LITERAL:
      single(CHAR, payloadOf(node), false);
      break;
    case CLASS:
      single(IN_CLASS, 0, false);
      store<u32>(code + (<usize>start << 4), <u32>classOf(node), 12);
      break;
    case ANY:
      single(ANY_CHAR, 0, false);
      break;
    case ANY_BUT_NEWLINE:
      single(ANY_CHAR_BUT_NEWLINE, 0, false);
      break;
    case ASSERT:
      single(TEST, payloadOf(node), true);
      break;
    case CAPTURE:
      compileCapture(node);
      break;
    case STAR:
      compile(firstChild(node));
      star(isLazy(node));
      break;
    case PLUS:
      compile(firstChild(node));
      plus(isLazy(node));
      break;
    case QUEST:
      compile(firstChild(node));
      quest(isLazy(node));
      break;
    case REPEAT:
      compileRepeat(node);
      break;
    case CONCAT:
      compileConcat(node);
      break;
    case ALTERNATE:
      compileAlternate(node);
      break;
  }
}

/** What was compiled before, then what was compiled last. The parts of both are given; the result is in the globals. */
function concatenate(firstStart: u32, firstHead: u32, firstNullable: bool): void {
  patch(firstHead, start);
  start = firstStart;
  nullable = nullable && firstNullable;
}

function compileCapture(node: Node): void {
  const slot = <u32>leastOf(node) << 1;
  const open = emit(SAVE, slot);
  compile(firstChild(node));
  concatenate(open, open << 1, true);
  const first = start;
  const head = openHead;
  const empty = nullable;
  single(SAVE, slot + 1, true);
  concatenate(first, head, empty);
}

function compileConcat(node: Node): void {
  let child = firstChild(node);
  compile(child);
  for (child = nextSibling(child); child != 0; child = nextSibling(child)) {
    const first = start;
    const head = openHead;
    const empty = nullable;
    compile(child);
    concatenate(first, head, empty);
  }
}

/** Joins two lists of open ends. */
function join(head: u32, tail: u32): void {
  if (head == 0) return;
  if (openHead == 0) {
    openHead = head;
    openTail = tail;
    return;
  }
  store<u32>(field(tail), openHead);
  openHead = head;
}

function compileAlternate(node: Node): void {
  let child = firstChild(node);
  compile(child);
  for (child = nextSibling(child); child != 0; child = nextSibling(child)) {
    const first = start;
    const head = openHead;
    const tail = openTail;
    const empty = nullable;
    compile(child);
    const split = emit(SPLIT, start);
    store<u32>(code + (<usize>split << 4), first, 4);
    start = split;
    join(head, tail);
    nullable = nullable || empty;
  }
}

/** A SPLIT one way of which, the preferred one unless lazy, leads to `target`; the other is open: returned. */
function branch(target: u32, lazy: bool): u32 {
  const split = emit(SPLIT, 0);
  store<u32>(code + (<usize>split << 4) + (lazy ? 8 : 4), target);
  return (split << 1) | (lazy ? 0 : 1);
}

function quest(lazy: bool): void {
  const open = branch(start, lazy);
  start = open >> 1;
  join(open, open);
  nullable = true;
}

/** Back to the start from every open end; the entry stays as it was. */
function plus(lazy: bool): void {
  const open = branch(start, lazy);
  patch(openHead, open >> 1);
  openHead = open;
  openTail = open;
}

/** A star over what may be empty is an optional plus, so that preference is as in Perl. */
function star(lazy: bool): void {
  if (nullable) {
    plus(lazy);
    quest(lazy);
    return;
  }
  const open = branch(start, lazy);
  patch(openHead, open >> 1);
  start = open >> 1;
  openHead = open;
  openTail = open;
  nullable = true;
}

/** x{2,4} is xx(x(x)?)?, x{2,} is xx+. */
function compileRepeat(node: Node): void {
  const child = firstChild(node);
  const least = leastOf(node);
  const most = mostOf(node);
  const lazy = isLazy(node);
  if (most == 0) {
    single(JUMP, 0, true);
    return;
  }
  if (most < 0 && least == 0) {
    compile(child);
    star(lazy);
    return;
  }
  let first: u32 = 0;
  let head: u32 = 0;
  let empty = true;
  for (let i = 0; i < least; i++) {
    compile(child);
    if (most < 0 && i == least - 1) plus(lazy);
    if (i > 0) concatenate(first, head, empty);
    first = start;
    head = openHead;
    empty = nullable;
  }
  if (most <= least) return;
  // The optional copies, from the first to the last; each may also leave: those ends are collected.
  let leaveHead: u32 = 0;
  let leaveTail: u32 = 0;
  for (let i = least; i < most; i++) {
    compile(child);
    const open = branch(start, lazy);
    start = open >> 1;
    if (first != 0) patch(head, start);
    else first = start;
    head = openHead;
    if (leaveHead == 0) {
      leaveTail = open;
    } else {
      store<u32>(field(open), leaveHead);
    }
    leaveHead = open;
  }
  start = first;
  join(leaveHead, leaveTail);
  nullable = empty;
}

/**
 * The class of a node, made once however often the node is repeated. The word before it is its offset in the finished
 * program, 0 before there is one.
 */
function classOf(node: Node): usize {
  const known: usize = load<u32>(node, CLASS_ADDRESS);
  if (known != 0) return known;
  const n = rangeCount(node);
  const ranges: usize = payloadOf(node);
  const c = alloc(4 + classSize(n)) + 4;
  memory.fill(c - 4, 0, 20);
  store<u32>(c, n, 16);
  memory.copy(c + 20, ranges, n << 3);
  for (let i: u32 = 0; i < n; i++) {
    const low = load<u32>(ranges + (i << 3));
    const high = load<u32>(ranges + (i << 3), 4);
    for (let b = low; b <= high && b < 128; b++) store<u8>(c + (b >> 3), load<u8>(c + (b >> 3)) | <u8>(<u32>1 << (b & 7)));
  }
  store<u32>(node, <u32>c, CLASS_ADDRESS);
  classBytes += classSize(n);
  return c;
}

// @ts-ignore: decorator
@inline
function classSize(ranges: u32): u32 {
  return 20 + (ranges << 3);
}

/** Whether the class holds the code point. */
export function classHolds(c: usize, wanted: u32): bool {
  if (wanted < 128) return (load<u8>(c + (wanted >> 3)) & (1 << (wanted & 7))) != 0;
  let low: u32 = 0;
  let high = load<u32>(c, 16);
  while (low < high) {
    const middle = (low + high) >> 1;
    const range = c + 20 + (middle << 3);
    if (wanted < load<u32>(range)) high = middle;
    else if (wanted > load<u32>(range, 4)) low = middle + 1;
    else return true;
  }
  return false;
}

/** The program of a tree with `groups` groups, of these names: (address, length) each. */
export function compileProgram(root: Node, groups: u32, names: usize): usize {
  code = alloc(<usize>(sizeOf(root) + 4) << 4);
  count = 0;
  classBytes = 0;
  emit(FAIL, 0);
  compile(root);
  const first = start;
  patch(openHead, emit(MATCH, 0));
  let nameBytes: u32 = groups << 3;
  for (let i: u32 = 0; i < groups; i++) nameBytes += load<u32>(names + (i << 3), 4);
  const namesAt = <u32>CODE + (count << 4);
  const classesAt = (namesAt + nameBytes + 3) & ~3;
  const program = alloc(classesAt + classBytes);
  memory.fill(program, 0, classesAt);
  store<u32>(program, count);
  store<u32>(program, classesAt + classBytes, 4);
  store<u32>(program, first, 8);
  store<u32>(program, 2 + (groups << 1), 12);
  store<u32>(program, namesAt, 16);
  store<u32>(program, anchored(first) ? 1 : 0, 20);
  store<u32>(program, findFirstBytes(program, first) ? 1 : 0, 24);
  copyNames(program, groups, names);
  moveClasses(program + classesAt, classesAt);
  memory.copy(program + CODE, code, <usize>count << 4);
  return program;
}

/** Frees what was needed to compile a program, everything since `mark`, and keeps the program alone. */
export function keepProgram(program: usize, mark: usize): usize {
  const size = load<u32>(program, 4);
  heapRelease(mark);
  // Scratch space lies between the mark and the program, so this one begins before it, header and all.
  const kept = alloc(size);
  memory.copy(kept, program, size);
  return kept;
}

function copyNames(program: usize, groups: u32, names: usize): void {
  let entry = program + load<u32>(program, 16);
  let to = entry + (groups << 3);
  for (let i: u32 = 0; i < groups; i++) {
    const length = load<u32>(names + (i << 3), 4);
    store<u32>(entry, <u32>(to - program));
    store<u32>(entry, length, 4);
    memory.copy(to, load<u32>(names + (i << 3)), length);
    entry += 8;
    to += length;
  }
}

/** Copies each class once to its place, the first one to `to` at this offset, and writes the offsets into the instructions. */
function moveClasses(to: usize, offset: u32): void {
  for (let i: u32 = 0; i < count; i++) {
    const at = code + (<usize>i << 4);
    if (load<u32>(at) != IN_CLASS) continue;
    const c: usize = load<u32>(at, 12);
    if (load<u32>(c - 4) == 0) {
      const size = classSize(load<u32>(c, 16));
      memory.copy(to, c, size);
      store<u32>(c - 4, offset);
      to += size;
      offset += size;
    }
    store<u32>(at, load<u32>(c - 4), 12);
  }
}

function anchored(first: u32): bool {
  let at = code + (<usize>first << 4);
  while (load<u32>(at) == SAVE || load<u32>(at) == JUMP) at = code + (<usize>load<u32>(at, 4) << 4);
  return load<u32>(at) == TEST && (load<u32>(at, 8) & BEGIN_TEXT) != 0;
}

/** Walks what is reachable without reading, and notes the bytes that may be read next; false if a match may be empty. */
function findFirstBytes(program: usize, first: u32): bool {
  const seen = alloc(count);
  memory.fill(seen, 0, count);
  const stack = alloc(<usize>(count + 1) << 2);
  let depth: u32 = 1;
  store<u32>(stack, first);
  store<u8>(seen + first, 1);
  while (depth > 0) {
    const pc = load<u32>(stack + (--depth << 2));
    const at = code + (<usize>pc << 4);
    switch (load<u32>(at)) {
      case MATCH:
      case ANY_CHAR:
      case ANY_CHAR_BUT_NEWLINE:
        return false;
      case CHAR:
        markFirst(program, load<u32>(at, 8), load<u32>(at, 8));
        break;
      case IN_CLASS: {
        const c: usize = load<u32>(at, 12);
        for (let i: u32 = 0; i < load<u32>(c, 16); i++) {
          markFirst(program, load<u32>(c + 20 + (i << 3)), load<u32>(c + 24 + (i << 3)));
        }
        break;
      }
      case FAIL:
        break;
      default: {
        for (let side = 4; side <= (load<u32>(at) == SPLIT ? 8 : 4); side += 4) {
          const next = load<u32>(at + side);
          if (load<u8>(seen + next) != 0) continue;
          store<u8>(seen + next, 1);
          store<u32>(stack + (depth++ << 2), next);
        }
      }
    }
  }
  return true;
}

function markFirst(program: usize, low: u32, high: u32): void {
  // First bytes of UTF-8 are in the order of the code points.
  const last = firstByte(high);
  for (let b = firstByte(low); b <= last; b++) {
    // Bytes that continue a sequence are no first bytes, although they are in between.
    if (b == 0x80) b = 0xc0;
    const at = program + 28 + (b >> 3);
    store<u8>(at, load<u8>(at) | <u8>(<u32>1 << (b & 7)));
  }
}

function firstByte(c: u32): u32 {
  // Surrogates do not occur in text, and would be written as something else.
  if (c - 0xd800 < 0x800) return 0xed;
  putCodePoint(BYTES, c);
  return load<u8>(BYTES);
}

// @ts-ignore: decorator
@lazy
const BYTES: usize = memory.data(8);

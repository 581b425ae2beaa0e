// Compiles syntax trees to programs of the matching machine.

import { alloc } from "../../memory";
import { findFirstBytes, isAnchored } from "./first-bytes";
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
  madeClass,
  mostOf,
  nextSibling,
  Node,
  payloadOf,
  PLUS,
  QUEST,
  rangeCount,
  REPEAT,
  setMadeClass,
  sizeOf,
  STAR,
} from "./node";
import {
  ANCHORED,
  ANY_CHAR,
  ANY_CHAR_BUT_NEWLINE,
  CHAR,
  classSize,
  CODE,
  FAIL,
  IN_CLASS,
  JUMP,
  MATCH,
  SAVE,
  SKIPPING,
  SPLIT,
  TEST,
} from "./program";
import { noteRepetition } from "./repetition";

let code: usize = 0;
let count: u32 = 0;
/** Bytes of all classes so far. */
let classBytes: u32 = 0;

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

/** Two programs in sequence. The parts of both are given; the result is in the globals. */
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

/** A star over an expression that may be empty is an optional plus, so that preference is as in Perl. */
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
  const known = madeClass(node);
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
  setMadeClass(node, c);
  classBytes += classSize(n);
  return c;
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
  store<u32>(program, isAnchored(code, first) ? 1 : 0, ANCHORED);
  store<u32>(program, findFirstBytes(program, code, count, first) ? 1 : 0, SKIPPING);
  copyNames(program, groups, names);
  moveClasses(program + classesAt, classesAt);
  memory.copy(program + CODE, code, <usize>count << 4);
  noteRepetition(program, root);
  return program;
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

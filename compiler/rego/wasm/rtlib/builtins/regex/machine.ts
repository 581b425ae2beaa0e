// The matching machine: all ways through the program at once, step by step over the text, in time linear in both. Ways
// are kept in order of preference; of those that end, the most preferred one is the match (leftmost, then as in Perl).

import { charge, chargeBytes } from "../../budget";
import { copyBytes } from "../../copy";
import { alloc, heapMark, heapRelease } from "../../memory";
import { codePointAt, widthAt } from "../../string";
import {
  ANCHORED,
  ANY_CHAR,
  ANY_CHAR_BUT_NEWLINE,
  BEGIN_LINE,
  BEGIN_TEXT,
  CHAR,
  classHolds,
  CODE,
  END_LINE,
  END_TEXT,
  FAIL,
  FIRST_BYTES,
  IN_CLASS,
  JUMP,
  MATCH,
  NO_WORD_BOUNDARY,
  REPEATED,
  SAVE,
  SKIPPING,
  SPLIT,
  TEST,
  WORD_BOUNDARY,
} from "./program";
import { findRepetition } from "./repetition";

/** Stands for "no position" in slots. */
export const NOWHERE: u32 = 0xffffffff;

let program: usize = 0;
let code: usize = 0;
let textStart: usize = 0;
let textEnd: usize = 0;
let slots: u32 = 0;

// A queue is the address of its count, then for each thread (instruction, address of its slots). `sparse` tells for each
// instruction where in the queue it would be, which is true only if the queue says so too.
let current: usize = 0;
let upcoming: usize = 0;
let sparse: usize = 0;
/** Explorations left to do: (instruction, 0), or (slot + 1, old value) with the highest bit set: put the value back. */
let stack: usize = 0;
/** Slots of threads that ended, linked through their first word. */
let freeSlots: usize = 0;
let scratchSlots: usize = 0;

const RESTORE: u32 = 0x80000000;

/**
 * Finds the leftmost match at `from` or behind it, in the text that begins at `begin`; positions are offsets from there.
 * The first `wanted` slots of the match are written to `found`; with 0 wanted any match will do.
 */
export function runRegex(regex: usize, begin: usize, length: u32, from: u32, wanted: u32, found: usize): bool {
  if (load<u32>(regex, ANCHORED) != 0 && from > 0) return false;
  if (load<u32>(regex, SKIPPING) != 0) {
    // Most texts that do not match end here: what the machine needs is allocated behind this.
    from = <u32>(firstPlace(regex, begin + from, begin + length) - begin);
    if (from == length) return false;
  }
  if (load<u32>(regex, REPEATED) != 0) return findRepetition(regex, begin, length, from, wanted, found);
  const mark = heapMark();
  program = regex;
  const n = load<u32>(program);
  code = program + CODE;
  textStart = begin;
  textEnd = begin + length;
  slots = wanted;
  current = alloc(4 + (n << 3));
  upcoming = alloc(4 + (n << 3));
  sparse = alloc(n << 2);
  // Every value is good, but a fuzzer of memory would object to reading bytes that were never written.
  memory.fill(sparse, 0, n << 2);
  stack = alloc((n << 4) + 16);
  freeSlots = 0;
  scratchSlots = alloc((wanted << 2) + 4);
  store<u32>(current, 0);
  store<u32>(upcoming, 0);
  const matched = search(from, found);
  heapRelease(mark);
  return matched;
}

/** Address of the first byte from `at` on that a match may begin with, or `end`; in an anchored program `at` or `end`. */
function firstPlace(regex: usize, at: usize, end: usize): usize {
  const from = at;
  const last = load<u32>(regex, ANCHORED) != 0 ? min(at + 1, end) : end;
  while (at < last) {
    const byte: u32 = load<u8>(at);
    if ((load<u8>(regex + FIRST_BYTES + (byte >> 3)) & (1 << (byte & 7))) != 0) break;
    at++;
  }
  chargeBytes(<u32>(at - from) << 1);
  return at == last ? end : at;
}

function search(from: u32, found: usize): bool {
  const first = load<u32>(program, 8);
  const anchored = load<u32>(program, ANCHORED) != 0;
  const skipping = load<u32>(program, SKIPPING) != 0;
  let at = textStart + from;
  let matched = false;
  do {
    if (load<u32>(current) == 0) {
      if (matched || (anchored && at != textStart)) return matched;
      if (skipping) {
        at = firstPlace(program, at, textEnd);
        if (at == textEnd) return false;
      }
    }
    if (!matched && (!anchored || at == textStart)) {
      for (let i: u32 = 0; i < slots; i++) store<u32>(scratchSlots + (i << 2), NOWHERE);
      if (slots > 0) store<u32>(scratchSlots, <u32>(at - textStart));
      add(current, first, at);
    }
    const c = at < textEnd ? codePointAt(at, textEnd) : 0;
    const next = at < textEnd ? at + widthAt(at, textEnd) : at + 1;
    if (step(c, at, next, found)) {
      matched = true;
      if (slots == 0) return true;
    }
    at = next;
  } while (at <= textEnd);
  return matched;
}

/** Moves every thread over the code point `c` (none at the end of the text). True if a match was found. */
function step(c: u32, at: usize, next: usize, found: usize): bool {
  const n = load<u32>(current);
  charge(<i32>(2 + (n >> 1)));
  let matched = false;
  for (let i: u32 = 0; i < n; i++) {
    const thread = current + 4 + (i << 3);
    const mine: usize = load<u32>(thread, 4);
    if (!matched) {
      const instruction = code + (<usize>load<u32>(thread) << 4);
      const operation = load<u32>(instruction);
      if (operation == MATCH) {
        if (slots > 0) {
          copyBytes(found, mine, slots << 2);
          if (slots > 1) store<u32>(found, <u32>(at - textStart), 4);
        }
        // Threads behind this one are less preferred.
        matched = true;
      } else if (at < textEnd && reads(instruction, operation, c)) {
        if (slots > 0) copyBytes(scratchSlots, mine, slots << 2);
        add(upcoming, load<u32>(instruction, 4), next);
      }
    }
    if (mine != 0) {
      store<u32>(mine, <u32>freeSlots);
      freeSlots = mine;
    }
  }
  store<u32>(current, 0);
  const swap = current;
  current = upcoming;
  upcoming = swap;
  return matched;
}

function reads(instruction: usize, operation: u32, c: u32): bool {
  switch (operation) {
    case CHAR:
      return load<u32>(instruction, 8) == c;
    case IN_CLASS:
      return classHolds(program + load<u32>(instruction, 12), c);
    case ANY_CHAR:
      return true;
    case ANY_CHAR_BUT_NEWLINE:
      return c != 10;
    default:
      return false;
  }
}

/** Follows everything that reads nothing from instruction `pc` at `at`, and queues the instructions that read; scratchSlots are its slots. */
function add(queue: usize, pc: u32, at: usize): void {
  let depth: u32 = 1;
  let conditions: i32 = -1;
  store<u64>(stack, pc);
  while (depth > 0) {
    depth--;
    const word = load<u32>(stack + (depth << 3));
    if ((word & RESTORE) != 0) {
      store<u32>(scratchSlots + ((word & ~RESTORE) << 2), load<u32>(stack + (depth << 3), 4));
      continue;
    }
    let here = word;
    // Straight on as long as there is one way only.
    while (true) {
      const count = load<u32>(queue);
      const place = load<u32>(sparse + (here << 2));
      if (place < count && load<u32>(queue + 4 + (place << 3)) == here) break;
      store<u32>(sparse + (here << 2), count);
      const thread = queue + 4 + (count << 3);
      store<u32>(queue, count + 1);
      store<u32>(thread, here);
      store<u32>(thread, 0, 4);
      const instruction = code + (<usize>here << 4);
      const operation = load<u32>(instruction);
      if (operation == SPLIT) {
        store<u64>(stack + (depth << 3), load<u32>(instruction, 8));
        depth++;
        here = load<u32>(instruction, 4);
      } else if (operation == JUMP) {
        here = load<u32>(instruction, 4);
      } else if (operation == SAVE) {
        const slot = load<u32>(instruction, 8);
        if (slot < slots) {
          store<u32>(stack + (depth << 3), slot | RESTORE);
          store<u32>(stack + (depth << 3), load<u32>(scratchSlots + (slot << 2)), 4);
          depth++;
          store<u32>(scratchSlots + (slot << 2), <u32>(at - textStart));
        }
        here = load<u32>(instruction, 4);
      } else if (operation == TEST) {
        if (conditions < 0) conditions = conditionsAt(at);
        if ((load<u32>(instruction, 8) & ~<u32>conditions) != 0) break;
        here = load<u32>(instruction, 4);
      } else {
        if (operation != FAIL && slots > 0) store<u32>(thread, <u32>copySlots(), 4);
        break;
      }
    }
  }
}

function copySlots(): usize {
  let copy = freeSlots;
  if (copy != 0) freeSlots = load<u32>(copy);
  else copy = alloc(slots << 2);
  copyBytes(copy, scratchSlots, slots << 2);
  return copy;
}

function isWordAt(at: usize): bool {
  const byte: u32 = load<u8>(at);
  return (byte | 32) - 97 < 26 || byte - 48 < 10 || byte == 95;
}

function conditionsAt(at: usize): i32 {
  let result: u32 = 0;
  if (at == textStart) result |= BEGIN_TEXT | BEGIN_LINE;
  else if (load<u8>(at - 1) == 10) result |= BEGIN_LINE;
  if (at == textEnd) result |= END_TEXT | END_LINE;
  else if (load<u8>(at) == 10) result |= END_LINE;
  const before = at > textStart && isWordAt(at - 1);
  const after = at < textEnd && isWordAt(at);
  return <i32>(result | (before != after ? WORD_BOUNDARY : NO_WORD_BOUNDARY));
}

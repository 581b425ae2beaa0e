// Programs of the matching machine.
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
//   +60 u32  of a pattern that repeats one character or class (repetition.ts) that: the code point and ONE_CHARACTER, the
//            offset of the class, ANY_CHARACTER or ANY_BUT_LINE_END; 0 for any other pattern
//   +64 u32  how often at least         +68 u32  at most: 2^32 - 1 for any number
//   +72 u32  whether the match must end where the text does
//   +76      the instructions, then names, then classes
//
// An instruction has 16 bytes:
//
//   +0  u32  operation      +4  u32  next instruction      +8  u32  argument      +12 u32  class
//
// The argument is the other alternative (SPLIT), a code point (CHAR), a condition (TEST), or a slot (SAVE). A class is
// the offset of a bit for each ASCII character (16 bytes), the count of ranges, and the ranges; until the program is
// finished it is an address.

import { alloc, heapRelease } from "../../memory";

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
export const CODE: usize = 76;

export const ANCHORED: usize = 20;
export const SKIPPING: usize = 24;
/** Where the bits of the first bytes begin. */
export const FIRST_BYTES: usize = 28;
export const REPEATED: usize = 60;
export const REPEATED_LEAST: usize = 64;
export const REPEATED_MOST: usize = 68;
export const REPEATED_TO_END: usize = 72;

/** What is repeated, where it is no class: offsets of classes are greater than the two others. */
export const ANY_CHARACTER: u32 = 1;
export const ANY_BUT_LINE_END: u32 = 2;
export const ONE_CHARACTER: u32 = 0x80000000;

/** Bytes of a class with this many ranges. */
export function classSize(ranges: u32): u32 {
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

/** Frees what was needed to compile a program, everything since `mark`, and keeps the program alone. */
export function keepProgram(program: usize, mark: usize): usize {
  const size = load<u32>(program, 4);
  heapRelease(mark);
  // Scratch space lies between the mark and the program, so this one begins before it, header and all.
  const kept = alloc(size);
  memory.copy(kept, program, size);
  return kept;
}

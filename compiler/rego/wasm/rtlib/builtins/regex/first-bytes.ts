// The bytes with which matches of a program can begin, so that a search skips the others.

import { alloc } from "../../memory";
import { putCodePoint } from "../../string";
import {
  ANY_CHAR,
  ANY_CHAR_BUT_NEWLINE,
  BEGIN_TEXT,
  CHAR,
  FAIL,
  FIRST_BYTES,
  IN_CLASS,
  JUMP,
  MATCH,
  SAVE,
  SPLIT,
  TEST,
} from "./program";

/** Whether every match of the program, whose instructions are at `code`, begins at the start of the text. */
export function isAnchored(code: usize, first: u32): bool {
  let at = code + (<usize>first << 4);
  while (load<u32>(at) == SAVE || load<u32>(at) == JUMP) at = code + (<usize>load<u32>(at, 4) << 4);
  return load<u32>(at) == TEST && (load<u32>(at, 8) & BEGIN_TEXT) != 0;
}

/** Walks the instructions that are reachable without reading, and notes the bytes that may be read next; false if a match may be empty. */
export function findFirstBytes(program: usize, code: usize, count: u32, first: u32): bool {
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
  // A byte that begins no character reads as U+FFFD.
  if (low <= 0xfffd && high >= 0xfffd) memory.fill(program + FIRST_BYTES + 16, 0xff, 16);
  // First bytes of UTF-8 are in the order of the code points.
  const last = firstByte(high);
  for (let b = firstByte(low); b <= last; b++) {
    // Bytes that continue a sequence are no first bytes, although they are in between.
    if (b == 0x80) b = 0xc0;
    const at = program + FIRST_BYTES + (b >> 3);
    store<u8>(at, load<u8>(at) | <u8>(<u32>1 << (b & 7)));
  }
}

function firstByte(c: u32): u32 {
  // Surrogates do not occur in text, and would be written as something else.
  if (c - 0xd800 < 0x800) return 0xed;
  putCodePoint(BYTES, c);
  return load<u8>(BYTES);
}

const BYTES: usize = memory.data(8);

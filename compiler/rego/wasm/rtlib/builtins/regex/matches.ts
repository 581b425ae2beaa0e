// All matches of a regular expression in a text, one after the other, none overlapping.

import { widthAt } from "../../string";
import { runRegex } from "./machine";

let program: usize = 0;
let begin: usize = 0;
let length: u32 = 0;
let wanted: u32 = 0;
let slots: usize = 0;
let position: u32 = 0;
let done = false;
let lastEnd: u32 = 0;
let any = false;

/** Begins with the first match; each will fill the first `slotCount` (2 or more) slots at `found`. One walk at a time. */
export function beginMatches(regex: usize, text: usize, textLength: u32, slotCount: u32, found: usize): void {
  program = regex;
  begin = text;
  length = textLength;
  wanted = slotCount;
  slots = found;
  position = 0;
  done = false;
  any = false;
}

/** Finds the next match. An empty match right behind the last one does not count. */
export function nextMatch(): bool {
  while (!done) {
    if (!runRegex(program, begin, length, position, wanted, slots)) break;
    const from = load<u32>(slots);
    const to = load<u32>(slots, 4);
    const accepted = to != position || !any || from != lastEnd;
    if (to == position) {
      // Empty, where the search began: go on behind the next code point.
      if (position < length) position += widthAt(begin + position, begin + length);
      else done = true;
    } else {
      position = to;
    }
    any = true;
    lastEnd = to;
    if (accepted) return true;
  }
  done = true;
  return false;
}

// General categories of code points.
//
// The table is runs that cover all code points in order: a byte of category (low 5 bits) and length - 1 (high 3 bits; 7
// says that a varint follows, to be added). Category 30 stands for alternating Lu and Ll, as in Latin Extended.

import { CATEGORY_RUNS } from "./category-data";

/** Two letters for each category in the order of the table's numbers. */
const NAMES: usize = memory.data<u8>([
  67, 110, 76, 117, 76, 108, 76, 116, 76, 109, 76, 111, 77, 110, 77, 99, 77, 101, 78, 100, 78, 108, 78, 111, 80, 99, 80,
  100, 80, 115, 80, 101, 80, 105, 80, 102, 80, 111, 83, 109, 83, 99, 83, 107, 83, 111, 90, 115, 90, 108, 90, 112, 67, 99,
  67, 102, 67, 115, 67, 111,
]);
const CATEGORIES = 30;
const ALTERNATING: u32 = 30;
const UPPER: u32 = 1 << 1;
const LOWER: u32 = 1 << 2;
const TITLE: u32 = 1 << 3;

export const LETTERS: u32 = 0x3e;
export const DECIMAL_DIGITS: u32 = 1 << 9;

/** A set of categories, bit by number, of a name of one or two letters in canonical case (Lu, L, Lc for LC); 0 for none. */
export function categoryMask(name: usize, length: u32): u32 {
  if (length == 0 || length > 2) return 0;
  const first = load<u8>(name);
  if (length == 2 && first == 76 && load<u8>(name, 1) == 99) return UPPER | LOWER | TITLE;
  let mask: u32 = 0;
  for (let i = 0; i < CATEGORIES; i++) {
    if (load<u8>(NAMES + (i << 1)) != first) continue;
    if (length == 2 && load<u8>(NAMES + (i << 1), 1) != load<u8>(name, 1)) continue;
    mask |= 1 << i;
  }
  return mask;
}

// A walk over the ranges of a set of categories. -----------------------------------------------------------------------

let at: usize = 0;
let code: u32 = 0;
let run: u32 = 0;
let runStart: u32 = 0;
let runEnd: u32 = 0;
/** The last range that nextRange found. */
export let rangeLow: u32 = 0;
export let rangeHigh: u32 = 0;

export function beginCategories(): void {
  at = CATEGORY_RUNS;
  code = 0;
  runEnd = 0;
}

function nextRun(): void {
  const byte: u32 = load<u8>(at++);
  let length = (byte >> 5) + 1;
  if (byte >> 5 == 7) {
    let shift = 0;
    let more: u32;
    do {
      more = load<u8>(at++);
      length += (more & 127) << shift;
      shift += 7;
    } while (more >= 128);
  }
  run = byte & 31;
  runStart = code;
  runEnd = code + length;
}

/** Finds the next range of code points whose category is in the set; false at the end. Neighbours may touch. */
export function nextRange(mask: u32): bool {
  while (true) {
    if (code == runEnd) {
      if (code > 0x10ffff) return false;
      nextRun();
    }
    const first = code;
    if (run == ALTERNATING && (mask & (UPPER | LOWER)) != (UPPER | LOWER)) {
      // One by one; the run begins with upper case.
      const upper = ((first - runStart) & 1) == 0;
      code++;
      if ((mask & (upper ? UPPER : LOWER)) == 0) continue;
    } else {
      code = runEnd;
      if (run == ALTERNATING ? (mask & UPPER) == 0 : (mask & (1 << run)) == 0) continue;
    }
    rangeLow = first;
    rangeHigh = code - 1;
    return true;
  }
}

/** Whether the code point's category is in the set. */
export function inCategories(wanted: u32, mask: u32): bool {
  beginCategories();
  while (nextRange(mask)) {
    if (wanted < rangeLow) return false;
    if (wanted <= rangeHigh) return true;
  }
  return false;
}

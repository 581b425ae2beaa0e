// Case of single code points: lower, upper and simple folding, each a table of runs.
//
// A table is a count, then runs in ascending order of their first code point, all numbers varints (7 bits a byte, low
// first): distance from the first code point of the run before, (length - 1) * 2 + (step - 1), and the zigzag of what is
// added to each code point of the run.

import { FOLD_RUNS, LOWER_RUNS, UPPER_RUNS } from "./case-data";

let at: usize = 0;

function next(): u32 {
  let value: u32 = 0;
  let shift = 0;
  let byte: u32;
  do {
    byte = load<u8>(at++);
    value |= (byte & 127) << shift;
    shift += 7;
  } while (byte >= 128);
  return value;
}

/** What the table makes of the code point. */
function map(table: usize, code: u32): u32 {
  at = table;
  let first: u32 = 0;
  for (let runs = next(); runs > 0; runs--) {
    first += next();
    const shape = next();
    const zigzag = next();
    if (first > code) return code;
    const step = (shape & 1) + 1;
    const distance = code - first;
    if (distance <= (shape >> 1) * step && distance % step == 0) return code + ((zigzag >> 1) ^ (0 - (zigzag & 1)));
  }
  return code;
}

export function toLower(code: u32): u32 {
  if (code < 128) return code - 65 < 26 ? code + 32 : code;
  return map(LOWER_RUNS, code);
}

export function toUpper(code: u32): u32 {
  if (code < 128) return code - 97 < 26 ? code - 32 : code;
  return map(UPPER_RUNS, code);
}

/** The next of the code points that are equal but for case, in a cycle: K, k, Kelvin sign, K. */
export function simpleFold(code: u32): u32 {
  return map(FOLD_RUNS, code);
}

// Walking the code points between two bounds that fold to something else, for character classes.

let walkRuns: u32 = 0;
let walkFirst: u32 = 0;
let walkAt: usize = 0;
let walkIndex: u32 = 0;
let walkCount: u32 = 0;
let walkStep: u32 = 0;

/** Begins a walk over all code points that simpleFold changes. One at a time. */
export function beginFolds(): void {
  at = FOLD_RUNS;
  walkRuns = next();
  walkAt = at;
  walkFirst = 0;
  walkIndex = 0;
  walkCount = 0;
}

/** The next one at or above `low`, or 0 at the end or above `high`. Runs may overlap, so the order is only that of runs. */
export function nextFold(low: u32, high: u32): u32 {
  while (true) {
    while (walkIndex < walkCount) {
      const code = walkFirst + walkIndex * walkStep;
      walkIndex++;
      if (code >= low && code <= high) return code;
    }
    if (walkRuns == 0) return 0;
    walkRuns--;
    at = walkAt;
    walkFirst += next();
    const shape = next();
    next();
    walkAt = at;
    if (walkFirst > high) return 0;
    walkStep = (shape & 1) + 1;
    walkCount = (shape >> 1) + 1;
    // Nothing of a run that ends below is wanted.
    walkIndex = walkFirst + (walkCount - 1) * walkStep < low ? walkCount : 0;
  }
}

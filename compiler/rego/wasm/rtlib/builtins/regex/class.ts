// Sets of code points while a regular expression is read: lists of ranges (low, high), 8 bytes each, in a block that
// grows. One is open at a time: a class never contains another.

import { alloc, blockCapacity, extend } from "../../memory";
import { beginFolds, nextFold, simpleFold } from "../../unicode/case";
import { CLASS, newNode, Node } from "./node";

export const MAX_CODE: u32 = 0x10ffff;

let ranges: usize = 0;
let count: u32 = 0;

export function beginClass(): void {
  ranges = alloc(60);
  count = 0;
}

function low(i: u32): u32 {
  return load<u32>(ranges + (i << 3));
}

function high(i: u32): u32 {
  return load<u32>(ranges + (i << 3), 4);
}

function put(i: u32, from: u32, to: u32): void {
  store<u32>(ranges + (i << 3), from);
  store<u32>(ranges + (i << 3), to, 4);
}

export function addRange(from: u32, to: u32): void {
  // Ranges mostly come in order: grow the last one, or the one before (two alphabets in turn).
  for (let i: u32 = 1; i <= 2 && i <= count; i++) {
    const l = low(count - i);
    const h = high(count - i);
    if (from <= h + 1 && l <= to + 1) {
      put(count - i, min(from, l), max(to, h));
      return;
    }
  }
  const size = (count + 1) << 3;
  if (size > <u32>blockCapacity(ranges) && !extend(ranges, size << 1)) {
    const larger = alloc(size << 1);
    memory.copy(larger, ranges, count << 3);
    ranges = larger;
  }
  put(count, from, to);
  count++;
}

/** The range, and the characters that equal one of its members but for case. */
export function addFoldedRange(from: u32, to: u32): void {
  addRange(from, to);
  if (from == 0 && to == MAX_CODE) return;
  beginFolds();
  for (let code = nextFold(from, to); code != 0; code = nextFold(from, to)) {
    for (let other = simpleFold(code); other != code; other = simpleFold(other)) {
      if (other < from || other > to) addRange(other, other);
    }
  }
}

/** Sorts the ranges and merges those that touch. */
function cleanClass(): void {
  sort();
  if (count < 2) return;
  let last: u32 = 0;
  for (let i: u32 = 1; i < count; i++) {
    const from = low(i);
    const to = high(i);
    if (from <= high(last) + 1) {
      if (to > high(last)) put(last, low(last), to);
    } else {
      last++;
      put(last, from, to);
    }
  }
  count = last + 1;
}

/** Heap sort by lower ends: in place, and never quadratic. */
function sort(): void {
  let sorted = true;
  for (let i: u32 = 1; i < count && sorted; i++) sorted = low(i - 1) <= low(i);
  if (sorted) return;
  for (let i = count >> 1; i > 0; i--) sift(i - 1, count);
  for (let end = count - 1; end > 0; end--) {
    swap(0, end);
    sift(0, end);
  }
}

function swap(i: u32, j: u32): void {
  const a = load<u64>(ranges + (i << 3));
  store<u64>(ranges + (i << 3), load<u64>(ranges + (j << 3)));
  store<u64>(ranges + (j << 3), a);
}

function sift(root: u32, end: u32): void {
  while (true) {
    let child: u32 = 2 * root + 1;
    if (child >= end) return;
    if (child + 1 < end && low(child) < low(child + 1)) child++;
    if (low(root) >= low(child)) return;
    swap(root, child);
    root = child;
  }
}

/** Everything that the clean class does not hold. */
function negateClass(): void {
  const from = ranges;
  const n = count;
  ranges = alloc((n + 1) << 3);
  count = 0;
  let next: u32 = 0;
  for (let i: u32 = 0; i < n; i++) {
    const l = load<u32>(from + (i << 3));
    if (next < l) put(count++, next, l - 1);
    next = load<u32>(from + (i << 3), 4) + 1;
  }
  if (next <= MAX_CODE) put(count++, next, MAX_CODE);
}

/** The node of the open class. */
export function classNode(negated: bool): Node {
  cleanClass();
  if (negated) negateClass();
  const node = newNode(CLASS);
  store<u32>(node, <u32>ranges, 20);
  store<u32>(node, count, 24);
  return node;
}

// Part of a class: what \d or [:alpha:] add may have to be negated by itself. ------------------------------------------

let outerRanges: usize = 0;
let outerCount: u32 = 0;

/** Puts the open class aside and begins another. */
export function beginPart(): void {
  outerRanges = ranges;
  outerCount = count;
  beginClass();
}

/** Adds the part, negated if asked, to the class that was put aside, which is open again. */
export function endPart(negated: bool): void {
  cleanClass();
  if (negated) negateClass();
  const part = ranges;
  const n = count;
  ranges = outerRanges;
  count = outerCount;
  for (let i: u32 = 0; i < n; i++) addRange(load<u32>(part + (i << 3)), load<u32>(part + (i << 3), 4));
}

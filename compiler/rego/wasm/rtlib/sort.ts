// Stable merge sort of entries by their keys, in place but for scratch space at the end of the heap.

import { compare } from "./compare";
import { alloc, free, heapMark, heapRelease } from "./memory";

/** Runs of this many entries are sorted by insertion. */
const RUN: u32 = 12;

/** Sorts `count` entries of 4 (shift 2) or 8 (shift 3) bytes that begin with the address of their key. */
export function sortEntries(entries: usize, count: u32, shift: u32): void {
  for (let i: u32 = 0; i < count; i += RUN) insertion(entries, i, i + RUN < count ? i + RUN : count, shift);
  if (count <= RUN) return;
  const mark = heapMark();
  let from = entries;
  const scratch = alloc(count << shift);
  let to = scratch;
  for (let width = RUN; width < count; width <<= 1) {
    for (let i: u32 = 0; i < count; i += width << 1) {
      const middle = i + width < count ? i + width : count;
      const end = middle + width < count ? middle + width : count;
      merge(from, to, i, middle, end, shift);
    }
    const swap = from;
    from = to;
    to = swap;
  }
  if (from != entries) memory.copy(entries, from, count << shift);
  // The block may have come from a free list, and then lies before the mark.
  if (scratch < mark) free(scratch);
  else heapRelease(mark);
}

function insertion(entries: usize, first: u32, end: u32, shift: u32): void {
  const start = entries + (first << shift);
  const stop = entries + (end << shift);
  const step: usize = 1 << shift;
  for (let p = start + step; p < stop; p += step) {
    const key: usize = load<u32>(p);
    const value = shift == 3 ? load<u32>(p, 4) : 0;
    let q = p;
    while (q > start && compare(load<u32>(q - step), key) > 0) {
      if (shift == 3) store<u64>(q, load<u64>(q - step));
      else store<u32>(q, load<u32>(q - step));
      q -= step;
    }
    store<u32>(q, key);
    if (shift == 3) store<u32>(q, value, 4);
  }
}

function merge(from: usize, to: usize, first: u32, middle: u32, end: u32, shift: u32): void {
  const step: usize = 1 << shift;
  let a = from + (first << shift);
  const aEnd = from + (middle << shift);
  let b = aEnd;
  const bEnd = from + (end << shift);
  let t = to + (first << shift);
  while (a < aEnd && b < bEnd) {
    let e: usize;
    if (compare(load<u32>(a), load<u32>(b)) <= 0) {
      e = a;
      a += step;
    } else {
      e = b;
      b += step;
    }
    if (shift == 3) store<u64>(t, load<u64>(e));
    else store<u32>(t, load<u32>(e));
    t += step;
  }
  memory.copy(t, a, aEnd - a);
  memory.copy(t + (aEnd - a), b, bEnd - b);
}

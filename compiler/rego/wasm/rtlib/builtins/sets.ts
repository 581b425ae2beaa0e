// Set operations.

import { newSet, setAdd, setAt, setHas, sortSet, unionOf } from "../set";
import { countOf, isSet } from "../value";

function intersection(a: usize, b: usize): usize {
  // The smaller one is walked, or the first: its elements stay, where equal ones differ in writing.
  const walked = countOf(b) < countOf(a) ? b : a;
  const other = walked == a ? b : a;
  const n = countOf(walked);
  const result = newSet(n);
  for (let i: u32 = 0; i < n; i++) {
    const element = setAt(walked, i);
    if (setHas(other, element)) setAdd(result, element);
  }
  return result;
}

function addAll(to: usize, from: usize): void {
  const n = countOf(from);
  for (let i: u32 = 0; i < n; i++) setAdd(to, setAt(from, i));
}

export function difference(a: usize, b: usize): usize {
  const n = countOf(a);
  const result = newSet(n);
  for (let i: u32 = 0; i < n; i++) {
    const element = setAt(a, i);
    if (!setHas(b, element)) setAdd(result, element);
  }
  return result;
}

export function builtin_and(a: usize, b: usize): usize {
  return isSet(a) && isSet(b) ? intersection(a, b) : 0;
}

export function builtin_or(a: usize, b: usize): usize {
  return isSet(a) && isSet(b) ? unionOf(a, b) : 0;
}

export function builtin_set_diff(a: usize, b: usize): usize {
  return isSet(a) && isSet(b) ? difference(a, b) : 0;
}

/** The intersection of a set of sets, in their order; without any set it is empty. */
export function builtin_intersection(sets: usize): usize {
  if (!isSet(sets)) return 0;
  const n = countOf(sets);
  if (n == 0) return newSet(0);
  for (let i: u32 = 0; i < n; i++) if (!isSet(setAt(sets, i))) return 0;
  sortSet(sets);
  let result = setAt(sets, 0);
  for (let i: u32 = 1; i < n; i++) result = intersection(result, setAt(sets, i));
  return result;
}

export function builtin_union(sets: usize): usize {
  if (!isSet(sets)) return 0;
  const n = countOf(sets);
  for (let i: u32 = 0; i < n; i++) if (!isSet(setAt(sets, i))) return 0;
  sortSet(sets);
  const result = newSet(0);
  for (let i: u32 = 0; i < n; i++) addAll(result, setAt(sets, i));
  return result;
}

// Comparison of any two values.

import { compare, equal } from "../compare";
import { newBoolean } from "../value";

export function builtin_equal(a: usize, b: usize): usize {
  return newBoolean(equal(a, b));
}

export function builtin_neq(a: usize, b: usize): usize {
  return newBoolean(!equal(a, b));
}

export function builtin_lt(a: usize, b: usize): usize {
  return newBoolean(compare(a, b) < 0);
}

export function builtin_lte(a: usize, b: usize): usize {
  return newBoolean(compare(a, b) <= 0);
}

export function builtin_gt(a: usize, b: usize): usize {
  return newBoolean(compare(a, b) > 0);
}

export function builtin_gte(a: usize, b: usize): usize {
  return newBoolean(compare(a, b) >= 0);
}

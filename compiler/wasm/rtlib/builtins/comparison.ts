// Comparison operators as functions.

import { equal } from "../compare";
import { newBoolean } from "../value";

export function builtin_equal(a: usize, b: usize): usize {
  return newBoolean(equal(a, b));
}

export function builtin_neq(a: usize, b: usize): usize {
  return newBoolean(!equal(a, b));
}

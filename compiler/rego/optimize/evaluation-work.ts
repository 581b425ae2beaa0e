/**
 * The work that evaluations while compiling may take, counted in statements; and what ends one early. What goes through values
 * counts as well: a short policy can make one statement dear.
 */

import { compareValues, sizeOf, type Value } from "../value/index.ts";

/** Size of an operand of comparisons and builtins, in values: one that contains itself many times over has no end. */
const MANY = 100_000;

/** Thrown where the evaluation needs a value that is not known at compile time, or more work than it may take. */
export class Unknown extends Error {}

/** Thrown where a complete rule or a member of an object has two values. */
export class Conflict extends Unknown {}

export class Work {
  private left: number;
  private limit = 0;

  /** `steps`: what all evaluations together may take. */
  constructor(steps: number) {
    this.left = steps;
  }

  /** Allows this many steps from here on, until it is called again. */
  limitTo(steps: number): void {
    this.limit = Math.max(0, this.left - steps);
  }

  /** Counts statements. */
  step(count = 1): void {
    this.left -= count;
    if (this.left < this.limit) throw new Unknown();
  }

  /** Counts a search: it compares this many members with the value, each of which may equal it but for its end. */
  search(members: number, value: Value): void {
    this.step((members * sized(value)) / 32);
  }

  /** Counts putting this many turns of a loop in order; the loop may end at the first one. */
  turns(count: number): void {
    this.step(count >> 1);
  }

  /** Something goes through all of the value. */
  charge(value: Value): void {
    this.step(sized(value) >> 6);
  }

  /** A value is written for a builtin. */
  argument(value: Value): void {
    this.step(sized(value) >> 4);
  }

  /** Counts a builtin, which took this many steps of its own and made the value. */
  result(steps: number, value: Value | undefined): void {
    this.step((steps >> 3) + (value === undefined ? 0 : sized(value)));
  }

  compare(a: Value, b: Value): number {
    this.charge(a);
    this.charge(b);
    return compareValues(a, b);
  }
}

function sized(value: Value): number {
  const size = sizeOf(value, MANY);
  if (size > MANY) throw new Unknown();
  return size;
}

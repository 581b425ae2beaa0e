/** The work that evaluations while compiling may take, counted in statements; and what ends one early. */

import { compareValues } from "../base/order.ts";
import type { Value } from "../base/value.ts";
import { sizeOf } from "./known-values.ts";

/** Size of an operand of comparisons and builtins, in values: one that contains itself many times over has no end. */
const MANY = 100_000;

/** Thrown where the evaluation needs a value that is not known at compile time. */
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

  /** From here on so many, until this is called again. */
  limitTo(steps: number): void {
    this.limit = Math.max(0, this.left - steps);
  }

  /** One statement. */
  step(): void {
    if (--this.left < this.limit) throw new Unknown();
  }

  /** A search goes through so many members. */
  search(members: number): void {
    this.left -= members >> 5;
  }

  /** Something goes through all of the value. */
  charge(value: Value): void {
    const size = sizeOf(value, MANY);
    this.left -= size >> 6;
    if (size > MANY) throw new Unknown();
  }

  compare(a: Value, b: Value): number {
    this.charge(a);
    this.charge(b);
    return compareValues(a, b);
  }
}

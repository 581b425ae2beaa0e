/** How blocks end: each of several ways, under its condition. */

import type { Formula, Formulas } from "./formula.ts";

/** A block ran to its end; any other number says how many blocks around it are left as well. */
export const END = -1;
/** All blocks of the function are left. */
export const RETURN = Number.POSITIVE_INFINITY;

/** Ways to end, each with its condition. */
export type Ends = Map<number, Formula>;

export class Endings {
  private readonly formulas: Formulas;

  constructor(formulas: Formulas) {
    this.formulas = formulas;
  }

  add(ends: Ends, left: number, when: Formula): Ends {
    if (when !== this.formulas.false) ends.set(left, this.formulas.or(ends.get(left) ?? this.formulas.false, when));
    return ends;
  }

  /** Goes on where it holds, and leaves the block where it does not. */
  test(reached: Formula, holds: Formula): Ends {
    const ends: Ends = new Map();
    this.add(ends, END, this.formulas.and(reached, holds));
    return this.add(ends, 0, this.formulas.and(reached, this.formulas.not(holds)));
  }

  /** When what stands behind a block goes on; other ends leave one block less. */
  after(inner: Ends, ends: Ends, reached: Formula): Formula {
    let isLeft = false;
    for (const [left, when] of inner) {
      if (left <= 0) continue;
      isLeft = true;
      this.add(ends, left - 1, when);
    }
    // Whether the block ran to its end or not is then all the same.
    if (!isLeft) return reached;
    return this.formulas.or(inner.get(END) ?? this.formulas.false, inner.get(0) ?? this.formulas.false);
  }

  negated(inner: Ends): Ends {
    const ends: Ends = new Map();
    for (const [left, when] of inner) this.add(ends, left === END ? 0 : left === 0 ? END : left - 1, when);
    return ends;
  }
}

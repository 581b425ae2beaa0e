/** What got slower since a run that was kept, beyond what the machine moves by itself. */

/** A figure, and between what it lay while it was measured: the quartiles of rounds, or the least and the most of passes. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

export interface Slower {
  readonly name: string;
  readonly before: number;
  readonly now: number;
}

/** Less is no finding, however little the rounds moved: another layout of the same code moves more. */
const LEAST = 1.1;

/** Slower beyond noise: by more than a tenth, and the two ranges do not meet. Figures that only one of the runs has are left out. */
export function slowerThan(before: readonly Figure[], now: readonly Figure[]): Slower[] {
  const kept = new Map(before.map((figure) => [figure.name, figure]));
  return now.flatMap(({ name, value, low }) => {
    const old = kept.get(name);
    return old !== undefined && value > old.value * LEAST && low > old.high
      ? [{ name, before: old.value, now: value }]
      : [];
  });
}

/** Blocks as they stand in each other. */

interface Nested<Level> {
  readonly depth: number;
  readonly around: Level | undefined;
}

/** The innermost level around both. */
export function innermost<Level extends Nested<Level>>(a: Level | undefined, b: Level | undefined): Level | undefined {
  let [left, right] = [a, b];
  while (left !== right) {
    if (left === undefined || right === undefined) return undefined;
    if (left.depth >= right.depth) left = left.around;
    else right = right.around;
  }
  return left;
}

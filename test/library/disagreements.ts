/** Compares answers with a statement, and keeps what a person can read: the few smallest differences. */
import { isDeepStrictEqual } from "node:util";
import type { Statement } from "../statements/index.ts";
import type { Batch } from "./evaluator.ts";

export interface Disagreement {
  readonly input: unknown;
  readonly expected: unknown;
  readonly actual: unknown;
  readonly policy: unknown;
}

export function disagreements(
  batches: readonly Batch[],
  answers: readonly (readonly unknown[])[],
  statement: Statement,
): Disagreement[] {
  const found = batches.flatMap(({ policy, inputs }, b) =>
    inputs.flatMap((input, i) => {
      const expected = statement(policy, input);
      const actual = answers[b]?.[i];
      return isDeepStrictEqual(plain(actual), plain(expected)) ? [] : [{ input, expected, actual, policy }];
    }),
  );
  const size = (one: Disagreement): number => JSON.stringify(one.input).length;
  return found.sort((a, b) => size(a) - size(b)).slice(0, 3);
}

/** As JSON says it: `-0` is `0`, and prototypes do not count. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

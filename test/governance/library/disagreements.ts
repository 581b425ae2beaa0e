/** Compares answers with the statement of a decision, and keeps what a person can read: the few smallest differences. */
import { isDeepStrictEqual } from "node:util";
import { extended } from "../../statements/extension.ts";
import { type DecisionName, statements } from "../../statements/index.ts";
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
  decision: DecisionName,
): Disagreement[] {
  const found = batches.flatMap(({ policy, inputs, extension, requirements }, b) =>
    inputs.flatMap((input, i) => {
      const expected = statedAnswer({ policy, extension, requirements }, input, decision);
      const actual = answers[b]?.[i];
      return isDeepStrictEqual(plain(actual), plain(expected)) ? [] : [{ input, expected, actual, policy }];
    }),
  );
  const size = (one: Disagreement): number => (JSON.stringify(one.input) ?? "").length;
  return found.sort((a, b) => size(a) - size(b)).slice(0, 3);
}

/** What the statement says. */
export function statedAnswer(
  {
    policy,
    extension,
    requirements,
  }: Pick<Batch, "policy"> & {
    readonly extension?: Batch["extension"] | undefined;
    readonly requirements?: Batch["requirements"] | undefined;
  },
  input: unknown,
  decision: DecisionName,
): unknown {
  return extended(decision, statements[decision](policy, input), extension, requirements);
}

/** As JSON says it: `-0` is `0`, and prototypes do not count. */
export function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

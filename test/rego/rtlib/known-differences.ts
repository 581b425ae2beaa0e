/**
 * Where OPA 1.22 answers otherwise than rtlib does, each with the reason. What is listed here is left out of the comparison,
 * and nothing else.
 */

import type { Difference } from "./differential.ts";
import type { Call } from "./opa.ts";

interface Known {
  readonly name: RegExp;
  readonly reason: string;
  /** Of the differences of such calls, those that the reason explains. */
  readonly holds: (difference: Difference) => boolean;
  /** A call that differs for this reason. The suite fails when it does no longer: then the entry must go. */
  readonly witness: Call;
}

export const knownDifferences: readonly Known[] = [
  {
    name: /^replace$/,
    reason:
      "OPA 1.22 replaces the empty text between bytes, which makes text that is not UTF-8; rtlib between characters",
    holds: ({ call }) => call.includes(', "", '),
    witness: { name: "replace", args: ["é", "", "-"] },
  },
];

export function unexplained(differences: readonly Difference[]): Difference[] {
  return differences.filter((difference) => {
    const name = difference.call.slice(0, difference.call.indexOf("("));
    return !knownDifferences.some((known) => known.name.test(name) && known.holds(difference));
  });
}

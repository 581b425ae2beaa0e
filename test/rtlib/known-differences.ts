/**
 * Where OPA 1.22 answers otherwise than rtlib does, each with the reason. What is listed here is left out of the comparison,
 * and nothing else.
 */

import type { Difference } from "./differential.ts";

interface Known {
  readonly name: RegExp;
  readonly reason: string;
  /** Default: all differences of such calls. */
  readonly holds?: (difference: Difference) => boolean;
}

/** Digits beyond what 64 bits hold exactly, in an operand or a result. */
const isHuge = ({ call, opa, rtlib }: Difference): boolean =>
  /\d{17}|e\+?\d{2,}/i.test(`${call} ${opa} ${rtlib}`) || opa === undefined;

const known: readonly Known[] = [
  {
    name: /^(plus|minus|mul|div|rem|abs|round|ceil|floor|bits\.\w+|numbers\.range(_step)?|sum|product|max|min|format_int|to_number)$/,
    reason: "OPA 1.22 computes exactly with integers beyond 64 bits; rtlib rounds them as OPA did before",
    holds: isHuge,
  },
  {
    name: /^sprintf$/,
    reason: "numbers beyond 64 bits, as above, and Go's names of their types",
    holds: (difference) =>
      isHuge(difference) || /\*?big\.|float64|int64|json\.Number/.test(`${difference.opa} ${difference.rtlib}`),
  },
  {
    name: /^product$/,
    reason: "OPA 1.22 multiplies fractions as doubles",
    holds: ({ call }) => call.includes("."),
  },
  { name: /^min$/, reason: "OPA 1.22 takes null for the least of a set", holds: ({ call }) => call.includes("null") },
  {
    name: /^replace$/,
    reason:
      "OPA 1.22 replaces the empty text between bytes, which makes text that is not UTF-8; rtlib between characters",
    holds: ({ call }) => call.includes(', "", '),
  },
  {
    name: /^glob\.match$/,
    reason:
      "OPA 1.22 lets no single character match an empty text, and refuses a brace that is not closed and a backslash at the end",
    holds: ({ call, opa }) => call.endsWith(', "")') || opa === undefined,
  },
  {
    name: /^internal\.member_3$/,
    reason: "in OPA 1.22 a member of a set is its own key",
    holds: ({ opa, rtlib }) => opa === "true" && rtlib === "false",
  },
  { name: /^graph\.reachable_paths$/, reason: "OPA 1.22 ends a path where it would meet a node again" },
];

export function unexplained(differences: readonly Difference[]): Difference[] {
  return differences.filter((difference) => {
    const name = difference.call.slice(0, difference.call.indexOf("("));
    return !known.some((one) => one.name.test(name) && (one.holds?.(difference) ?? true));
  });
}

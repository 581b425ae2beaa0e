/** Rules named as the functions behind signs: beside them `<` is a call of `lt`, and `in` one of `internal.member_2`. */

import type { Random } from "./random.ts";

const BINARY = [
  ...["equal", "neq", "lt", "lte", "gt", "gte", "plus", "minus", "mul", "div", "rem", "or", "and"],
  "internal.member_2",
];
/** With these most statements of most programs mean something else. */
const STATEMENTS = ["eq", "assign"];

/** Definitions that call no sign themselves, so that none is recursive. */
const BODIES = [
  "NAME(a, _) := a",
  "NAME(_, b) := b",
  "NAME(a, b) := [a, b]",
  "NAME(_, _) := false",
  "NAME(a, b) if not object.subset([a, a], [b])",
  "NAME(a, _) if is_number(a)",
  "default NAME(_, _) := false\nNAME(_, b) if is_string(b)",
];

/** A module of the package `name` with some such rules. */
export function capturing(random: Random, name: string): string {
  const count = 1 + random.int(3);
  const rules = random.times(count, () => {
    const captured = random.pick(random.chance(0.05) ? STATEMENTS : BINARY);
    return random.pick(BODIES).replaceAll("NAME", captured);
  });
  return [`package ${name}`, ...new Set(rules)].join("\n\n");
}

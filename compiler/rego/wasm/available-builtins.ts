/** Which builtins a module of ours can call: those of rtlib, and those that every host of our runtime supplies. */

import { hostBuiltinNames } from "@portcullis/runtime/abi";
import { isNative } from "./native-builtins.ts";

/** Handled by the planner, so that no function of their name is ever called. */
const PLANNED = new Set([
  "eq",
  "internal.print",
  "print",
  "rego.metadata.chain",
  "rego.metadata.rule",
  "trace",
  "internal.template_string",
]);

/** The catalogue's names that a policy may call; `allowed` are those that the author's own host promises to supply. */
export function availableBuiltins(catalogue: Iterable<string>, allowed: readonly string[]): ReadonlySet<string> {
  const known = [...catalogue].filter((name) => PLANNED.has(name) || isNative(name) || hostBuiltinNames.has(name));
  return new Set([...known, ...allowed]);
}

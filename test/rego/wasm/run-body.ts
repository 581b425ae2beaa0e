/** The body of a rule, in the text of the IR, compiled and run. */

import type { Value } from "../../../compiler/rego/value/value.ts";
import { emit, entrypoint, Module } from "./module.ts";

/** Runs the body of one rule function over an input and data; `undefined` when the rule is undefined. */
export function run(
  body: string,
  input?: unknown,
  data?: unknown,
  more = "",
  constants: readonly Value[] = [],
): unknown {
  const indented = body.replace(/^/gm, "  ").replace(/\s+$/, "");
  const policy = `${entrypoint("p", "g0.data.p")}func g0.data.p(L0, L1) -> L2 path g0/p\n${indented}\n${more}`;
  const m = new Module(emit(policy, constants));
  if (data !== undefined) m.setData(data);
  const results = m.evaluate(input) as { result: unknown }[];
  return results.length === 0 ? undefined : results[0]?.result;
}

export const RETURN = "block\n  return L2";

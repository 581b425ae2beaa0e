/**
 * Asks the Rego of a bundle about one input, as the planned rules say and without a module. The caller compares the answers
 * with those of the bundle's module.
 */

import { BUILTIN_LIMITS, PlannedAnswers } from "@portcullis/rego/optimize";
import type { Module } from "@portcullis/rego/syntax";

/** `undefined` for Rego that does not compile as it is. */
export async function regoAnswers(
  parsed: readonly Module[],
  ensure: readonly string[],
  allowBuiltins: readonly string[],
): Promise<PlannedAnswers | undefined> {
  const [{ planModules }, { builtinCaller }] = await Promise.all([
    import("@portcullis/rego/pipeline"),
    import("@portcullis/rego/wasm"),
  ]);
  const { policy } = planModules({ modules: [], parsed, ensure, allowBuiltins, indexFrom: Number.POSITIVE_INFINITY });
  return policy && new PlannedAnswers(policy, builtinCaller(...BUILTIN_LIMITS));
}

/**
 * Asks the Rego of a bundle about one input, as the planned rules say and without a module. The caller compares the answers
 * with those of the bundle's module.
 */

import { BUILTIN_LIMITS, type BuiltinCall, PlannedAnswers } from "@portcullis/rego/optimize";
import type { Module } from "@portcullis/rego/syntax";
import { describeBundle } from "@portcullis/runtime";
import type { OpenedPolicy } from "../opened-policy.ts";
import { hostBuiltins } from "./host-builtins.ts";

/** Answers to one question after another, of a time each; `undefined` for Rego that does not compile as it is. */
export async function regoAnswers(
  opened: OpenedPolicy,
  parsed: readonly Module[],
  ensure: readonly string[],
): Promise<(() => PlannedAnswers) | undefined> {
  const [{ planModules }, { builtinCaller }, { builtins }] = await Promise.all([
    import("@portcullis/rego/pipeline"),
    import("@portcullis/rego/wasm"),
    describeBundle(opened.bundle),
  ]);
  const allowBuiltins = builtins;
  const { policy } = planModules({ modules: [], parsed, ensure, allowBuiltins, indexFrom: Number.POSITIVE_INFINITY });
  if (policy === undefined) return undefined;
  const own = builtinCaller(...BUILTIN_LIMITS);
  const hosts = await hostBuiltins(opened, builtins);
  const call: BuiltinCall = (name, args, took) => {
    const found = own(name, args, took);
    return found === "unknown" ? hosts(name, args) : found;
  };
  return () => new PlannedAnswers(policy, call);
}

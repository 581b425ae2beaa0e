/** One evaluation of a compiled query, on the spot: its solutions, what was printed, and what took how long. */

import { type LoadOptions, load } from "@portcullis/runtime";
import type { Span } from "../diagnostics/index.ts";
import type { QueryModule } from "../pipeline/index.ts";
import { REACHED } from "../plan/index.ts";
import { evaluationHost } from "./evaluation-host.ts";
import { type ExpressionProfile, Stopwatch } from "./stopwatch.ts";

/** What a query answered. */
export interface QueryAnswer {
  /** The solutions as JSON text, in the shape of `opa eval`: `[]` where the query is undefined. `undefined`: a fault. */
  readonly text: string | undefined;
  /** Why there is no answer: a conflict of rules, a limit that was reached. */
  readonly fault: { readonly code: string; readonly message: string } | undefined;
  /** What rules print, and note with `trace`: one line each. */
  readonly printed: readonly string[];
  readonly notes: readonly string[];
  /** For a query that was compiled with `profile`: the expressions that were evaluated, the one that took longest first. */
  readonly profile: readonly ExpressionProfile[] | undefined;
  readonly timing: QueryTiming;
}

/** Milliseconds. */
export interface QueryTiming {
  /** From the module's bytes to an instance. */
  readonly load: number;
  readonly evaluate: number;
}

/**
 * Evaluates a query once. `input`: JSON text; without it there is no input. The host has a clock, seeded chance and no network.
 * Rejects with the runtime's LoadError for a builtin that is missing.
 */
export async function askQuery(
  { wasm, name, places }: QueryModule,
  input: string | undefined,
  options: LoadOptions = {},
): Promise<QueryAnswer> {
  const watch = places === undefined ? undefined : new Stopwatch();
  const host = evaluationHost({
    ...options,
    builtins: [...(options.builtins ?? []), ...(watch === undefined ? [] : [{ [REACHED]: watch.reached }])],
  });
  const began = performance.now();
  const policy = await load(wasm, host.load);
  const loaded = performance.now();
  watch?.start();
  const answer = input === undefined ? policy.evaluate(name, undefined) : policy.evaluateJson(name, input);
  watch?.stop();
  const evaluated = performance.now();
  const { lastFault: fault } = policy;
  const { printed, notes } = host.take();
  return {
    text: fault === undefined && typeof answer === "string" ? answer : undefined,
    fault,
    printed,
    notes,
    profile: watch?.profile(places as readonly Span[]),
    timing: { load: loaded - began, evaluate: evaluated - loaded },
  };
}

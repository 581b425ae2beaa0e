/**
 * What the suites of the library ask: decisions, in batches, from whatever evaluates the library's Rego. One suite then
 * holds for the product and for a real `opa` alike.
 */
import type { Extension } from "../statements/extension.ts";
import type { DecisionName } from "../statements/index.ts";
import type { PolicyData } from "../statements/policy.ts";
import { opaEvaluator } from "./opa-evaluator.ts";

/** Requests to one policy. */
export interface Batch {
  readonly policy: PolicyData;
  /** What an author's extension of the decision denies. */
  readonly extension?: Extension;
  readonly inputs: readonly unknown[];
}

export interface Evaluator {
  readonly name: string;
  /** How many decisions a suite may ask it for in a reasonable time, relative to others. */
  readonly effort: number;
  /** One answer for each input of each batch, in order. */
  decide(decision: DecisionName, batches: readonly Batch[]): Promise<readonly (readonly unknown[])[]>;
}

/** Those that are there. Suites call this once and say so when it is empty. */
export const evaluators: readonly Evaluator[] = [opaEvaluator()].filter((found) => found !== undefined);

if (evaluators.length === 0) console.warn("SKIPPED: nothing here evaluates Rego; put `opa` on the PATH");

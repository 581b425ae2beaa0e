/**
 * What the suites of the library ask: decisions, in batches, from whatever evaluates the library's Rego. One suite then
 * holds for the product and for a real `opa` alike.
 */
import type { Extension, Requirements } from "../../statements/extension.ts";
import type { DecisionName } from "../../statements/index.ts";
import type { PolicyData } from "../../statements/policy.ts";

/** Requests to one policy. */
export interface Batch {
  readonly policy: PolicyData;
  /** What an author's extension of the decision denies. */
  readonly extension?: Extension;
  /** What an author demands of the decision, and what of it is met. */
  readonly requirements?: Requirements;
  readonly inputs: readonly unknown[];
}

export interface Evaluator {
  readonly name: string;
  /** How many policies a property may try in a reasonable time: to some evaluators a new one is dear. */
  readonly policies: number;
  /** How many requests a property makes of each policy. */
  readonly requests: number;
  /** Compiles each policy by itself, which is dear. */
  readonly compilesEach: boolean;
  /** One answer for each input of each batch, in order. */
  decide(decision: DecisionName, batches: readonly Batch[]): Promise<readonly (readonly unknown[])[]>;
}

/** The modules do not compile. */
export class RefusedModules extends Error {
  override readonly name = "RefusedModules";
}

/** Evaluation ended without an answer. */
export class EvaluationFault extends Error {
  override readonly name = "EvaluationFault";
}

/**
 * What metrics say of a decision: stable ids alone. A label with text of a request would fill a time series database, and
 * put into it what should not be kept.
 */

import type { Evaluator } from "../policy.ts";

/** What decisions are counted by: stable ids of the policy, never text of a request. */
export interface DecisionLabels {
  /** `unknown` for a name that the policy does not have. */
  readonly entrypoint: string;
  /** `allow` and `deny`, also for a rule that is `true` or `false`; `value` for any other. */
  readonly outcome: "allow" | "deny" | "undefined" | "fault" | "value";
  /** Empty where the answer names none. */
  readonly gate: string;
  readonly reason: string;
}

/** Reasons that carry text of the request, and their ids. */
const CARRYING: readonly (readonly [RegExp, string])[] = [[/^Persona '[\s\S]*' was not found$/, "persona_not_found"]];
const GATE = /^[A-Z][A-Z0-9_]{0,63}$/;
const REASON = /^[a-z][a-z0-9_]{0,63}$/;

export class Labeller {
  private readonly evaluator: Evaluator;
  private readonly names: ReadonlySet<string>;

  constructor(evaluator: Evaluator) {
    this.evaluator = evaluator;
    this.names = new Set(evaluator.entrypoints);
  }

  labels(entrypoint: unknown, result: unknown): DecisionLabels {
    const name = typeof entrypoint === "string" && this.names.has(entrypoint) ? entrypoint : "unknown";
    const outcome = this.evaluator.lastFault === undefined ? outcomeOf(result) : "fault";
    const { gate, reason } = (typeof result === "object" && result !== null ? result : {}) as Record<string, unknown>;
    // A frozen answer consists of the policy's constants.
    const isConstant = Object.isFrozen(result);
    return { entrypoint: name, outcome, gate: idOf(gate, GATE, isConstant), reason: idOf(reason, REASON, isConstant) };
  }
}

function outcomeOf(result: unknown): DecisionLabels["outcome"] {
  if (result === undefined) return "undefined";
  const answer = typeof result === "object" && result !== null && "allowed" in result ? result.allowed : result;
  if (answer === true) return "allow";
  return answer === false || answer !== result ? "deny" : "value";
}

function idOf(text: unknown, pattern: RegExp, isConstant: boolean): string {
  if (text === undefined) return "";
  if (typeof text !== "string") return "other";
  const carrying = CARRYING.find(([form]) => form.test(text));
  if (carrying !== undefined) return carrying[1];
  return pattern.test(text) || (isConstant && text.length <= 128) ? text : "other";
}

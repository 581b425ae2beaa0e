/**
 * What metrics say of a decision: stable ids alone. A label with text of a request would fill a time series database, and
 * put into it what should not be kept.
 */

import type { Evaluator } from "../policy.ts";

/** What decisions are counted by: stable ids of the policy, never text of a request. */
export interface DecisionLabels {
  /** `unknown` for a name that the policy does not have. */
  readonly entrypoint: string;
  /** `allow` and `deny`, also of AuthZEN's form, and for a rule that is `true` or `false`; `value` for any other. */
  readonly outcome: "allow" | "deny" | "undefined" | "fault" | "value";
  /** Empty where the answer names none. */
  readonly gate: string;
  readonly reason: string;
}

/** Reasons that carry text of the request, and their ids. */
const CARRYING: readonly (readonly [RegExp, string])[] = [[/^Persona '[\s\S]*' was not found$/, "persona_not_found"]];
const GATE = /^[A-Z][A-Z0-9_]{0,63}$/;
const REASON = /^[a-z][a-z0-9_]{0,63}$/;

/** Series of one entrypoint. Authors who make ids of requests' texts get `other` from there on. */
const MOST_SERIES = 200;

/** Labels that were told: of each entrypoint as many as a database bears. */
export class Series {
  private readonly told = new Map<string, DecisionLabels>();
  private readonly counts = new Map<string, number>();

  /** One object for all labels that are equal. */
  of(labels: DecisionLabels): DecisionLabels {
    const { entrypoint, outcome, gate, reason } = labels;
    const key = `${entrypoint}\n${outcome}\n${gate}\n${reason}`;
    const known = this.told.get(key);
    if (known !== undefined) return known;
    const count = this.counts.get(entrypoint) ?? 0;
    const isOther = gate === "other" && reason === "other";
    if (count >= MOST_SERIES && !isOther) return this.of({ ...labels, gate: "other", reason: "other" });
    this.counts.set(entrypoint, count + 1);
    this.told.set(key, labels);
    return labels;
  }
}

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
    const answer = membersOf(result);
    // AuthZEN's answer says why in its context.
    const why = typeof answer["decision"] === "boolean" ? membersOf(answer["context"]) : answer;
    const { gate, reason } = why;
    // A frozen answer consists of the policy's constants.
    const isConstant = Object.isFrozen(why);
    return { entrypoint: name, outcome, gate: idOf(gate, GATE, isConstant), reason: idOf(reason, REASON, isConstant) };
  }
}

function membersOf(value: unknown): Record<string, unknown> {
  return (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
}

function outcomeOf(result: unknown): DecisionLabels["outcome"] {
  if (result === undefined) return "undefined";
  const members = membersOf(result);
  const said = typeof members["decision"] === "boolean" ? members["decision"] : result;
  const answer = "allowed" in members ? members["allowed"] : said;
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

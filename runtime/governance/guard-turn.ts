/**
 * The subagent gate around a turn: decide once, log one line, hand the parent turn its delegated subagents. A denial never
 * throws and never ends the parent turn: the turn goes on without subagents.
 */

import type { WithHandles } from "../encode/index.ts";
import { own } from "../host/own.ts";
import { holdMembers, holdOptions, type OptionTable } from "../options.ts";
import { FAULTS, type SubagentDeniedMembers } from "./answers.ts";
import { type AuditRecord, auditLine, auditRecord } from "./audit.ts";
import type { Decision, SubagentDecision } from "./decision.ts";
import { clock, inUse, quietly, type Replaceable } from "./guarding.ts";
import type { DecisionOf, KnownAs, PolicyIds } from "./policy-ids.ts";
import type { SubagentRequest } from "./requests.ts";

/** What guardTurn needs of a decision. */
export type DelegationAnswer = Decision & SubagentDeniedMembers;

/** The parts of a policy that guardTurn needs. */
export interface SubagentDecider<Ids extends PolicyIds = PolicyIds> extends KnownAs<Ids> {
  /** As `Policy.subagent`. */
  subagent(request: WithHandles<SubagentRequest>): DecisionOf<Ids, "subagent">;
}

/** The denial of a turn that could not be decided. */
export type DelegationFault = typeof FAULTS.subagent;

/** The facts of one turn that the subagent gate decides on. */
export interface GuardedTurn {
  readonly persona: string;
  /** `opts.subagentGovernance` exactly as the caller sent it. */
  readonly governance?: unknown;
  /** The environment as the host read it; `CHIRALITY_SUBAGENT_GOVERNANCE_WARN_MS` sets the slow-evaluation warning. */
  readonly env: { readonly [name: string]: unknown };
}

/** Where the audit line, the record and the warning of a turn go. */
export interface GuardOptions {
  /**
   * Receives the audit line; a throwing sink is ignored. Default: standard error, or else the console. `false`
   * writes no line: then `record`, or the `record` of the result, is all that is left of the turn.
   */
  readonly log?: ((line: string) => void) | false | undefined;
  /** Receives the same as a structured record. */
  readonly record?: (record: AuditRecord) => void;
  /** Receives the slow-evaluation warning; default: `log`. */
  readonly warn?: (line: string) => void;
  /** Milliseconds, monotonic; default `performance.now`. */
  readonly now?: () => number;
}

const GUARD_TURN_OPTIONS: OptionTable = {
  log: "function|false?",
  record: "function",
  warn: "function",
  now: "function",
};

const TURN: { readonly [Name in keyof GuardedTurn]-?: "any?" } = { persona: "any?", governance: "any?", env: "any?" };

declare const guarded: unique symbol;

/**
 * Names that a guard has let through. Nothing else makes a value of this type: an API that injects subagents, and takes this
 * instead of `readonly string[]`, cannot be called with names that no policy was asked about.
 */
export type GuardedSubagents<Name extends string = string> = readonly Name[] & { readonly [guarded]: true };

/** What a turn may delegate, and why. */
export interface GuardedResult<Answer extends DelegationAnswer = SubagentDecision> {
  /** The only subagents that may be injected into this turn. Frozen; empty on every denial. */
  readonly delegatedSubagents: GuardedSubagents<Answer["delegatedSubagents"][number]>;
  /** As the policy answered. */
  readonly decision: Answer | DelegationFault;
  readonly record: AuditRecord;
}

/** Never throws but for an option that there is not or of another type, and a member that no turn has, with a TypeError. A policy that can be replaced is read once: the turn sees one revision. */
export function guardTurn<Ids extends PolicyIds = PolicyIds>(
  policy: Replaceable<SubagentDecider<Ids>>,
  turn: GuardedTurn,
  options: GuardOptions = {},
): GuardedResult<DecisionOf<Ids, "subagent">> {
  type Answer = DecisionOf<Ids, "subagent">;
  holdOptions(options, GUARD_TURN_OPTIONS);
  holdMembers(turn, "turn", TURN);
  const started = clock(options.now);
  let delegated: readonly string[] = [];
  let decision: Answer | DelegationFault = FAULTS.subagent;
  let persona = "";
  let warnAfter: number | undefined;
  try {
    const env = own(turn, "env");
    if (typeof env !== "object" || env === null) throw new TypeError("a turn has an environment");
    const given = own(turn, "persona");
    persona = typeof given === "string" ? given : "";
    warnAfter = warnLimit(own(env, "CHIRALITY_SUBAGENT_GOVERNANCE_WARN_MS"));
    const answer: unknown = inUse(policy, "subagent").subagent({
      persona: given as string,
      governance: own(turn, "governance"),
      env: { CHIRALITY_ENABLE_SUBAGENTS: own(env, "CHIRALITY_ENABLE_SUBAGENTS") },
    });
    if (isDecision<Answer>(answer)) {
      decision = answer;
      if (answer.allowed === true) delegated = [...answer.delegatedSubagents];
    }
  } catch {
    // The denial of a fault stands.
  }
  const milliseconds = Math.max(0, clock(options.now) - started);
  const record = auditRecord(decision, persona, milliseconds);
  let log: GuardOptions["log"] = toStandardError;
  quietly(() => {
    log = options.log ?? toStandardError;
  });
  quietly(() => (log || undefined)?.(auditLine(record)));
  quietly(() => options.record?.(record));
  if (warnAfter !== undefined && milliseconds > warnAfter) {
    const line = `subagent-governance WARN slow evaluation: ${milliseconds.toFixed(3)} ms is over ${warnAfter} ms`;
    quietly(() => (options.warn ?? (log || undefined))?.(line));
  }
  return {
    delegatedSubagents: Object.freeze(delegated) as GuardedSubagents<Answer["delegatedSubagents"][number]>,
    decision,
    record,
  };
}

/** Node, Deno, Bun and Workers write it there; a browser shows it. */
function toStandardError(line: string): void {
  console.error(line);
}

function isDecision<Answer extends DelegationAnswer>(answer: unknown): answer is Answer {
  const lists = ["allowlistedSubagents", "delegatedSubagents"];
  return own(answer, "allowed") !== undefined && lists.every((key) => Array.isArray(own(answer, key)));
}

/** A finite number above 0, given as a number or as decimal text; anything else means no warning. */
function warnLimit(value: unknown): number | undefined {
  const limit =
    typeof value === "number" ? value : typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
  return Number.isFinite(limit) && limit > 0 ? limit : undefined;
}

/**
 * The subagent gate around a turn: decide once, log one line, hand the parent turn its delegated subagents. A denial never
 * throws and never ends the parent turn: the turn goes on without subagents.
 */

import { type AuditRecord, auditLine, auditRecord } from "./audit.ts";
import type { SubagentDecision } from "./decision.ts";

/** The parts of a policy that guardTurn needs. */
export interface SubagentDecider {
  subagent(request: {
    readonly persona: string;
    readonly governance?: unknown;
    readonly env: { readonly CHIRALITY_ENABLE_SUBAGENTS?: unknown };
  }): SubagentDecision;
}

export interface GuardedTurn {
  readonly persona: string;
  /** `opts.subagentGovernance` exactly as the caller sent it. */
  readonly governance?: unknown;
  /** The environment as the host read it; `CHIRALITY_SUBAGENT_GOVERNANCE_WARN_MS` sets the slow-evaluation warning. */
  readonly env: { readonly [name: string]: unknown };
}

export interface GuardOptions {
  /** Receives the audit line; a throwing sink is ignored. */
  readonly log?: (line: string) => void;
  /** Receives the same as a structured record. */
  readonly record?: (record: AuditRecord) => void;
  /** Receives the slow-evaluation warning; default: `log`. */
  readonly warn?: (line: string) => void;
  /** Milliseconds, monotonic; default `performance.now`. */
  readonly now?: () => number;
}

export interface GuardedResult {
  /** The only subagents that may be injected into this turn. Empty on every denial. */
  readonly delegatedSubagents: readonly string[];
  readonly decision: SubagentDecision;
  readonly record: AuditRecord;
}

const FAULT: SubagentDecision = Object.freeze({
  allowed: false,
  gate: "INTERNAL_ERROR",
  reason: "invalid input",
  allowlistedSubagents: Object.freeze([]),
  delegatedSubagents: Object.freeze([]),
});

/** Never throws. */
export function guardTurn(policy: SubagentDecider, turn: GuardedTurn, options: GuardOptions = {}): GuardedResult {
  const started = clock(options);
  let decision = FAULT;
  let persona = "";
  let warnAfter: number | undefined;
  try {
    const env = own(turn, "env");
    if (typeof env !== "object" || env === null) throw new TypeError("a turn has an environment");
    const given = own(turn, "persona");
    persona = typeof given === "string" ? given : "";
    warnAfter = warnLimit(own(env, "CHIRALITY_SUBAGENT_GOVERNANCE_WARN_MS"));
    const answer: unknown = policy.subagent({
      persona: given as string,
      governance: own(turn, "governance"),
      env: { CHIRALITY_ENABLE_SUBAGENTS: own(env, "CHIRALITY_ENABLE_SUBAGENTS") },
    });
    if (isDecision(answer)) decision = answer;
  } catch {
    // The denial of a fault stands.
  }
  const milliseconds = Math.max(0, clock(options) - started);
  const record = auditRecord(decision, persona, milliseconds);
  quietly(() => options.log?.(auditLine(record)));
  quietly(() => options.record?.(record));
  if (warnAfter !== undefined && milliseconds > warnAfter) {
    const line = `subagent-governance WARN slow evaluation: ${milliseconds.toFixed(3)} ms is over ${warnAfter} ms`;
    quietly(() => (options.warn ?? options.log)?.(line));
  }
  return { delegatedSubagents: decision.allowed === true ? decision.delegatedSubagents : [], decision, record };
}

/** Inherited members do not count: an approval that every object has was given by nobody. */
function own(holder: unknown, key: string): unknown {
  if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, key)) return undefined;
  return (holder as Record<string, unknown>)[key];
}

function isDecision(answer: unknown): answer is SubagentDecision {
  const lists = ["allowlistedSubagents", "delegatedSubagents"];
  return own(answer, "allowed") !== undefined && lists.every((key) => Array.isArray(own(answer, key)));
}

/** A clock that fails measures nothing. */
function clock(options: GuardOptions): number {
  try {
    const now = options.now === undefined ? performance.now() : options.now();
    return Number.isFinite(now) ? now : 0;
  } catch {
    return 0;
  }
}

/** A finite number above 0, given as a number or as decimal text; anything else means no warning. */
function warnLimit(value: unknown): number | undefined {
  const limit =
    typeof value === "number" ? value : typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
  return Number.isFinite(limit) && limit > 0 ? limit : undefined;
}

function quietly(action: () => void): void {
  try {
    action();
  } catch {
    // A broken log sink must not reach the parent turn.
  }
}

/**
 * The subagent gate around a turn: decide once, log one line, hand the parent turn its delegated subagents. A denial never
 * throws and never ends the parent turn: the turn goes on without subagents.
 */

import { type AuditRecord, auditLine, auditRecord } from "./audit.ts";
import type { SubagentDecision } from "./decision.ts";

/** What guardTurn needs of a policy. */
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
  const now = options.now ?? (() => performance.now());
  const started = now();
  let decision: SubagentDecision;
  let persona = "";
  let warnAfter: number | undefined;
  try {
    persona = typeof turn.persona === "string" ? turn.persona : "";
    warnAfter = warnLimit(turn.env["CHIRALITY_SUBAGENT_GOVERNANCE_WARN_MS"]);
    decision = policy.subagent({
      persona: turn.persona,
      governance: turn.governance,
      env: { CHIRALITY_ENABLE_SUBAGENTS: turn.env["CHIRALITY_ENABLE_SUBAGENTS"] },
    });
  } catch {
    decision = FAULT;
  }
  const milliseconds = Math.max(0, now() - started);
  const record = auditRecord(decision, persona, milliseconds);
  quietly(() => options.log?.(auditLine(record)));
  quietly(() => options.record?.(record));
  if (warnAfter !== undefined && milliseconds > warnAfter) {
    const line = `subagent-governance WARN slow evaluation: ${milliseconds.toFixed(3)} ms is over ${warnAfter} ms`;
    quietly(() => (options.warn ?? options.log)?.(line));
  }
  return { delegatedSubagents: decision.allowed === true ? decision.delegatedSubagents : [], decision, record };
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

/** The audit ledger of the harness contract: exactly six events, in one order. */

import { canonicalHash, type Writable } from "../../json/index.ts";
import { CONTRACT_VERSION, type Facts, NOT_EXECUTED, recordOf } from "./record.ts";

interface Step {
  readonly action: string;
  readonly outcome: "success" | "denied" | "failed";
  readonly reason: string | null;
  /** Hash of the request. */
  readonly asked: string;
  /** The answer, of which only the hash is kept. */
  readonly answered: Writable;
  readonly error?: { readonly code: string; readonly message: string };
  /** Whether the event names the tool. */
  readonly namesTool?: boolean;
}

export function ledgerOf(facts: Facts): Writable {
  return steps(facts).map((step, index) => eventOf(facts, step, index + 1));
}

function steps(facts: Facts): readonly Step[] {
  const { request, verdict } = facts;
  const { laneReason, toolReason } = verdict;
  const final = toolReason === null ? "failed" : "completed";
  return [
    {
      action: "run_created",
      outcome: "success",
      reason: null,
      asked: canonicalHash({ run_record: recordOf(facts, "running") }),
      answered: { created: true },
    },
    {
      action: "lane_authorized",
      outcome: laneReason === null ? "success" : "denied",
      reason: laneReason,
      asked: canonicalHash({ role_id: request.role, lane_id: request.lane }),
      answered: { authorized: laneReason === null, reason: laneReason },
    },
    {
      action: "tool_requested",
      outcome: "success",
      reason: null,
      asked: facts.requestHash,
      answered: { received: true },
      namesTool: true,
    },
    {
      action: "tool_allowed",
      outcome: toolReason === null ? "success" : "denied",
      reason: toolReason,
      asked: canonicalHash({ tool_name: request.tool, lane_id: request.lane }),
      answered: { allowed: toolReason === null, reason: toolReason },
      namesTool: true,
    },
    toolReason === null ? notExecuted(facts) : denied(facts, toolReason),
    {
      action: "run_completed",
      outcome: toolReason === null ? "failed" : "success",
      reason: final,
      asked: canonicalHash({ final_status: final }),
      answered: { completed: true, status: final },
    },
  ];
}

function notExecuted(facts: Facts): Step {
  return {
    action: "tool_executed",
    outcome: "failed",
    reason: "harness_no_execution",
    asked: facts.requestHash,
    answered: { status: "failed", error_code: NOT_EXECUTED.code },
    error: NOT_EXECUTED,
    namesTool: true,
  };
}

function denied(facts: Facts, reason: string): Step {
  return {
    action: "tool_denied",
    outcome: "denied",
    reason,
    asked: facts.requestHash,
    answered: {
      status: "denied",
      error_code: "TOOL_DENIED",
      diagnostic: {
        category: "policy",
        message: "Tool execution denied by Tool Gateway policy.",
        likely_cause: reason,
        suggested_fix: "Enable and implement tool OR adjust lane permissions under attorney-approved contract change.",
        retryable: false,
        severity: "high",
      },
    },
    error: { code: "TOOL_DENIED", message: `Denied: ${reason}` },
    namesTool: true,
  };
}

function eventOf(facts: Facts, step: Step, number: number): Writable {
  const { request, runId } = facts;
  return {
    event_id: `EVT_${runId}_${String(number).padStart(3, "0")}`,
    timestamp_utc: facts.now,
    action_type: step.action,
    outcome: step.outcome,
    outcome_reason_bounded: step.reason,
    contract_version: CONTRACT_VERSION,
    policy_versions_lanes: facts.lanesVersion,
    policy_versions_roles: facts.rolesVersion,
    case_id: request.caseId,
    lane_id: request.lane,
    run_id: runId,
    parent_run_id: null,
    root_run_id: runId,
    actor_type: "agent",
    actor_id: "harness_actor",
    role_id: request.role,
    target_json: {},
    request_hash_sha256: step.asked,
    response_hash_sha256: canonicalHash(step.answered),
    input_artifacts_json: [],
    output_artifacts_json: [],
    error_code: step.error?.code ?? null,
    error_message_bounded: step.error?.message ?? null,
    retryable: step.error === undefined ? null : false,
    metadata_json: step.namesTool === true && request.tool ? { tool_name: request.tool } : {},
  };
}

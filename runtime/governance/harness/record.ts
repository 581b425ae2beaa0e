/** The run record of the harness contract. */

import type { Writable } from "../../json/index.ts";
import type { RequestFacts } from "./request.ts";
import type { Verdict } from "./run.ts";

/** Everything that record and ledger are made of. */
export interface Facts {
  readonly request: RequestFacts;
  readonly runId: string;
  readonly requestHash: string;
  /** Every time in record and ledger. */
  readonly now: string;
  readonly verdict: Verdict;
  readonly lanesVersion: string;
  readonly rolesVersion: string;
}

export const CONTRACT_VERSION = "v1";
export const NOT_EXECUTED = { code: "TOOL_NOT_IMPLEMENTED", message: "Harness does not execute tools." } as const;

/** `running` is the record as the first event hashes it, before anything was decided. */
export function recordOf(facts: Facts, stage: "running" | "final"): { readonly [key: string]: Writable } {
  const { request, runId, now, verdict } = facts;
  // A denial completes the run; an allowed request fails, because the harness executes nothing.
  const failed = stage === "final" && verdict.toolReason === null;
  return {
    run_id: runId,
    parent_run_id: null,
    root_run_id: runId,
    correlation_id: null,
    run_kind: request.runKind,
    status: stage === "running" ? "running" : failed ? "failed" : "completed",
    contract_version: CONTRACT_VERSION,
    policy_versions_lanes: facts.lanesVersion,
    policy_versions_roles: facts.rolesVersion,
    taxonomy_versions_coa: null,
    taxonomy_versions_tags: null,
    taxonomy_versions_entities: null,
    case_id: request.caseId,
    lane_id: request.lane,
    actor_type: "agent",
    actor_id: "harness_actor",
    role_id: request.role,
    created_at_utc: now,
    started_at_utc: now,
    completed_at_utc: stage === "running" ? null : now,
    error_code: failed ? NOT_EXECUTED.code : null,
    error_message_bounded: failed ? NOT_EXECUTED.message : null,
    retryable: null,
    metadata_json: { harness: true, idempotency_key: request.idempotencyKey },
    inputs_artifacts_json: [],
    outputs_artifacts_json: [],
  };
}

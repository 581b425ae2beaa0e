/** Written by `make generate` from `compiler/library`: what each decision can answer. Do not edit. */

import type { Allowed, Denied } from "./decision.ts";
import type { CallMembers, CloseMembers, ExecMembers, HandoffMembers, LineageMembers, SubagentMembers, ToolMembers } from "./members.ts";

/** How the lane decision allows. */
export type LaneAllowed =
  | Allowed<"lane_authorized">;

/** How the lane decision denies, authors' rules aside. */
export type LaneDenied =
  | Denied<"ROLE", "role_not_defined">
  | Denied<"LANE", "lane_not_defined">
  | Denied<"LANE_ROLE", "role_not_allowed_for_lane">
  | Denied<"EXTENSION", "invalid_extension_answer">
  | Denied<"INTERNAL_ERROR", "no_decision">
  | Denied<"INTERNAL_ERROR", "invalid input">
  | Denied<"INTERNAL_ERROR", "stale">;

/** How the tool decision allows. */
export type ToolAllowed =
  | Allowed<"tool_allowed">;

/** How the tool decision denies, authors' rules aside. */
export type ToolDenied =
  | (Denied<"LANE_AUTHORIZATION", "lane_not_authorized"> & Pick<ToolMembers, "lane_reason">)
  | Denied<"TOOL", "tool_not_registered">
  | Denied<"LANE_TOOL", "tool_not_allowed_in_lane">
  | Denied<"TOOL_ENABLED", "tool_disabled">
  | Denied<"TOOL_IMPLEMENTED", "tool_not_implemented">
  | Denied<"TOOL_ENABLED", "tool_not_enabled">
  | Denied<"EXTENSION", "invalid_extension_answer">
  | Denied<"INTERNAL_ERROR", "no_decision">
  | Denied<"INTERNAL_ERROR", "invalid input">
  | Denied<"INTERNAL_ERROR", "stale">;

/** How the subagent decision allows. */
export type SubagentAllowed<Subagent extends string = string> =
  | (Allowed<"All delegation governance gates passed."> & Pick<SubagentMembers<Subagent>, "allowlistedSubagents" | "delegatedSubagents" | "approvalRef"> & Partial<Pick<SubagentMembers<Subagent>, "approvedBy">>);

/** How the subagent decision denies, authors' rules aside. */
export type SubagentDenied<Subagent extends string = string> = SubagentDeniedMembers<Subagent> &
  (
    | Denied<"INTERNAL_ERROR", "invalid input">
    | Denied<"INTERNAL_ERROR", `Persona '${string}' was not found`>
    | Denied<"ENVIRONMENT", "CHIRALITY_ENABLE_SUBAGENTS is not set to \"true\".">
    | Denied<"PERSONA_ALLOWLIST", "Active persona is not allowlisted for subagents.">
    | Denied<"METADATA_PRESENCE", "opts.subagentGovernance is missing or invalid.">
    | Denied<"CONTEXT_SEALED", "contextSealed must be strictly true.">
    | Denied<"PIPELINE_RUN_APPROVED", "pipelineRunApproved must be strictly true.">
    | Denied<"APPROVAL_REF", "approvalRef must be a non-empty string.">
    | Denied<"APPROVED_BY", "approvedBy must not name an agent.">
    | Denied<"EXTENSION", "invalid_extension_answer">
    | Denied<"INTERNAL_ERROR", "no_decision">
    | Denied<"INTERNAL_ERROR", "stale">
  );

/** What every denial of the subagent decision says besides. */
export type SubagentDeniedMembers<Subagent extends string = string> = Pick<SubagentMembers<Subagent>, "allowlistedSubagents" | "delegatedSubagents">;

/** How the lineage decision allows. */
export type LineageAllowed =
  | Allowed<"no_lineage">
  | Allowed<"empty_lineage">
  | Allowed<"single_agent">
  | Allowed<"lineage_ok">;

/** How the lineage decision denies, authors' rules aside. */
export type LineageDenied =
  | Denied<"LINEAGE", "lineage_missing">
  | Denied<"MALFORMED_LINEAGE", "malformed_lineage">
  | (Denied<"SPAWN_DEPTH", "spawn_depth_exceeded"> & Pick<LineageMembers, "pair" | "parent" | "child"> & Partial<Pick<LineageMembers, "depth" | "max">>)
  | (Denied<"PARENT_MANIFEST", "parent_manifest_missing"> & Pick<LineageMembers, "pair" | "parent" | "child">)
  | (Denied<"SPAWN_PERMISSION", "spawn_not_permitted"> & Pick<LineageMembers, "pair" | "parent" | "child">)
  | (Denied<"AGENT_ID", "duplicate_agent_id"> & Pick<LineageMembers, "index">)
  | (Denied<"DEPTH_POSITION", "spawn_depth_not_positional"> & Pick<LineageMembers, "index">)
  | (Denied<"AGENT_MANIFEST", "manifest_missing"> & Pick<LineageMembers, "index">)
  | Denied<"EXTENSION", "invalid_extension_answer">
  | Denied<"INTERNAL_ERROR", "no_decision">
  | Denied<"INTERNAL_ERROR", "invalid input">
  | Denied<"INTERNAL_ERROR", "stale">;

/** How the handoff decision allows. */
export type HandoffAllowed =
  | (Allowed<"handoff_accepted"> & Pick<HandoffMembers, "violations">);

/** How the handoff decision denies, authors' rules aside. */
export type HandoffDenied = HandoffDeniedMembers &
  (
    | Denied<"RECORD", "invalid_record">
    | Denied<"REQUIRED_FIELDS", "missing_required_field">
    | Denied<"IDENTITY_FIELDS", "field_not_nonempty_string">
    | Denied<"AGENTS", "unknown_agent">
    | Denied<"AGENTS", "role_boundary">
    | Denied<"RESULT", "result_invalid">
    | Denied<"ACTIONS", "actions_taken_empty">
    | Denied<"ACTIONS", "actions_taken_item_blank">
    | Denied<"ARTIFACTS", "artifacts_empty">
    | Denied<"ARTIFACTS", "artifact_not_object">
    | Denied<"ARTIFACTS", "artifact_path_missing">
    | Denied<"ARTIFACTS", "artifact_kind_missing">
    | Denied<"ARTIFACTS", "artifact_path_escapes">
    | Denied<"ARTIFACTS", "artifact_path_not_found">
    | Denied<"ARTIFACTS", "artifact_path_not_a_file">
    | Denied<"ARTIFACTS", "artifact_digest_mismatch">
    | Denied<"NEXT_ACTION", "next_action_not_object">
    | Denied<"NEXT_ACTION", "next_action_missing">
    | Denied<"NEXT_ACTION", "next_action_placeholder">
    | Denied<"MUTATIONS", "attempted_mutations_invalid">
    | Denied<"MUTATIONS", "forbidden_mutation">
    | Denied<"RULEBOOK", "rulebook_not_object">
    | Denied<"RULEBOOK", "rulebook_applied_not_boolean">
    | Denied<"RULEBOOK", "rulebook_evidence_missing">
    | Denied<"EVIDENCE", "result_contradicts_evidence">
    | Denied<"FAILURE", "failure_not_attributed">
    | Denied<"EXTENSION", "invalid_extension_answer">
    | Denied<"INTERNAL_ERROR", "no_decision">
    | Denied<"INTERNAL_ERROR", "invalid input">
    | Denied<"INTERNAL_ERROR", "stale">
  );

/** What every denial of the handoff decision says besides. */
export type HandoffDeniedMembers = Pick<HandoffMembers, "violations">;

/** How the exec decision allows. */
export type ExecAllowed =
  | (Allowed<"inline_permitted_mode"> & Pick<ExecMembers, "reply" | "code">)
  | (Allowed<"hat_verified_script"> & Pick<ExecMembers, "reply" | "code">);

/** How the exec decision denies, authors' rules aside. */
export type ExecDenied = ExecDeniedMembers &
  (
    | Denied<"MODE", "unknown_mode">
    | Denied<"INLINE", "inline_execution_forbidden">
    | Denied<"KIND", "unknown_execution_kind">
    | Denied<"SESSION", "session_invalid">
    | (Denied<"CONTRACT", "no_active_contract"> & Pick<ExecMembers<"no_contract" | "malformed_contract_id" | "contract_signature_invalid" | "contract_not_open" | "contract_expired">, "detail">)
    | Denied<"CONTRACT_MODE", "contract_mode_mismatch">
    | Denied<"STAGING", "script_outside_staging">
    | Denied<"STAGING", "script_staged_for_other_contract">
    | Denied<"HAT_PRESENT", "missing_hat_signature">
    | Denied<"HAT_PRESENT", "malformed_hat_packet">
    | (Denied<"HAT_SIGNATURE", "hat_signature_invalid"> & Partial<Pick<ExecMembers<"hat_expired">, "detail">>)
    | Denied<"HASH", "script_hash_mismatch">
    | Denied<"HAT_CONTRACT", "contract_mismatch">
    | Denied<"TARGETS", "target_manifest_mismatch">
    | Denied<"HAT_MODE", "hat_mode_mismatch">
    | Denied<"OPERATIONS", "operation_manifest_mismatch">
    | Denied<"EXTENSION", "invalid_extension_answer">
    | Denied<"INTERNAL_ERROR", "no_decision">
    | Denied<"INTERNAL_ERROR", "invalid input">
    | Denied<"INTERNAL_ERROR", "stale">
  );

/** What every denial of the exec decision says besides. */
export type ExecDeniedMembers = Pick<ExecMembers, "reply" | "code">;

/** How the close decision allows. */
export type CloseAllowed =
  | (Allowed<"reconciled"> & Pick<CloseMembers, "reply" | "code" | "commit_blocked" | "undeclared">);

/** How the close decision denies, authors' rules aside. */
export type CloseDenied = CloseDeniedMembers &
  (
    | Denied<"BASELINE", "no_baseline">
    | Denied<"CONTRACT", "contract_signature_invalid">
    | Denied<"CONTRACT", "contract_expired">
    | Denied<"DIFF", "diff_unavailable">
    | Denied<"INTERNAL_ERROR", "invalid input">
    | Denied<"CONTAINMENT", "undeclared_changes">
    | (Denied<"OPERATIONS", "undeclared_operation"> & Pick<CloseMembers, "operations">)
    | Denied<"EXTENSION", "invalid_extension_answer">
    | Denied<"INTERNAL_ERROR", "no_decision">
    | Denied<"INTERNAL_ERROR", "stale">
  );

/** What every denial of the close decision says besides. */
export type CloseDeniedMembers = Pick<CloseMembers, "reply" | "code" | "commit_blocked" | "undeclared">;

/** How the call decision allows. */
export type CallAllowed =
  | Allowed<"call_allowed">;

/** How the call decision denies, authors' rules aside. */
export type CallDenied =
  | (Denied<"LINEAGE", "lineage_not_permitted"> & Pick<CallMembers, "lineage_reason"> & Partial<LineageMembers>)
  | Denied<"LINEAGE", "lineage_missing">
  | (Denied<"CAPABILITY", "agent_unknown"> & Pick<CallMembers, "index">)
  | (Denied<"CAPABILITY", "tool_not_delegable"> & Pick<CallMembers, "index">)
  | ToolDenied
  | Denied<"TOOL_LANE", "lane_not_allowed_for_tool">
  | Denied<"SCOPE", "scope_malformed">
  | (Denied<"SCOPE", "scope_key_missing"> & Pick<CallMembers, "missing">)
  | Denied<"FLAGS", "flags_malformed">
  | (Denied<"FLAGS", "flag_prohibited"> & Pick<CallMembers, "flags">)
  | Denied<"ARGUMENTS", "arguments_malformed">
  | (Denied<"ARGUMENTS", "argument_unknown"> & Pick<CallMembers, "argument">)
  | (Denied<"ARGUMENTS", "argument_missing"> & Pick<CallMembers, "argument">)
  | (Denied<"ARGUMENTS", "argument_type"> & Pick<CallMembers, "argument"> & Partial<Pick<CallMembers, "index">>)
  | (Denied<"ARGUMENTS", "argument_not_allowed"> & Pick<CallMembers, "argument" | "rule"> & Partial<Pick<CallMembers, "index">>)
  | (Denied<"ARGUMENTS", "path_unresolved"> & Pick<CallMembers, "argument"> & Partial<Pick<CallMembers, "index">>)
  | (Denied<"ARGUMENTS", "command_not_plain"> & Pick<CallMembers, "argument"> & Partial<Pick<CallMembers, "index">>)
  | Denied<"WRITES", "writes_malformed">
  | (Denied<"WRITES", "write_not_allowed"> & Pick<CallMembers, "index">)
  | (Denied<"WRITES", "write_not_of_tool"> & Pick<CallMembers, "index">)
  | (Denied<"APPROVAL", "approval_required"> & Pick<CallMembers, "approval"> & Partial<Pick<CallMembers, "call_sha256">>)
  | Denied<"APPROVAL", "approval_malformed">
  | Denied<"APPROVAL", "approval_not_human">
  | Denied<"APPROVAL", "approver_unknown">
  | Denied<"APPROVAL", "approver_expired">
  | Denied<"APPROVAL", "approver_not_for_tool">
  | Denied<"APPROVAL", "approval_signature_invalid">
  | Denied<"APPROVAL", "approval_not_for_this_call">
  | Denied<"APPROVAL", "approval_for_other_policy">
  | Denied<"APPROVAL", "approval_expired">
  | Denied<"APPROVAL", "approval_refused">
  | Denied<"APPROVAL", "approval_used">
  | (Denied<"LIMITS", "limit_key_missing"> & Pick<CallMembers, "limit">)
  | (Denied<"LIMITS", "history_missing"> & Pick<CallMembers, "limit">)
  | (Denied<"LIMITS", "limit_calls"> & Pick<CallMembers, "limit"> & Partial<Pick<CallMembers, "retry_after_ms">>)
  | (Denied<"LIMITS", "limit_sum"> & Pick<CallMembers, "limit"> & Partial<Pick<CallMembers, "retry_after_ms">>)
  | (Denied<"LIMITS", "limit_order"> & Pick<CallMembers, "limit">)
  | (Denied<"LIMITS", "limit_hours"> & Pick<CallMembers, "limit">)
  | Denied<"EXTENSION", "invalid_extension_answer">
  | Denied<"INTERNAL_ERROR", "no_decision">
  | Denied<"INTERNAL_ERROR", "invalid input">
  | Denied<"INTERNAL_ERROR", "stale">;

const NONE: readonly [] = Object.freeze([]);
const FAULT = Object.freeze({ allowed: false, gate: "INTERNAL_ERROR", reason: "invalid input" });

/** What a policy answers that lacks a decision, or has no room left to ask it: the library's last word, for each. */
export const FAULTS: {
  readonly lane: Denied<"INTERNAL_ERROR", "invalid input">;
  readonly tool: Denied<"INTERNAL_ERROR", "invalid input">;
  readonly subagent: Denied<"INTERNAL_ERROR", "invalid input"> & SubagentDeniedMembers;
  readonly lineage: Denied<"INTERNAL_ERROR", "invalid input">;
  readonly handoff: Denied<"INTERNAL_ERROR", "invalid input"> & HandoffDeniedMembers;
  readonly exec: Denied<"INTERNAL_ERROR", "invalid input"> & ExecDeniedMembers;
  readonly close: Denied<"INTERNAL_ERROR", "invalid input"> & CloseDeniedMembers;
  readonly call: Denied<"INTERNAL_ERROR", "invalid input">;
} = {
  lane: FAULT,
  tool: FAULT,
  subagent: Object.freeze({ ...FAULT, allowlistedSubagents: NONE, delegatedSubagents: NONE }),
  lineage: FAULT,
  handoff: Object.freeze({ ...FAULT, violations: NONE }),
  exec: Object.freeze({ ...FAULT, reply: "D", code: "EN-EXEC-D-001" }),
  close: Object.freeze({ ...FAULT, reply: "I", code: "CT-GATE-I-004", commit_blocked: true, undeclared: NONE }),
  call: FAULT,
};

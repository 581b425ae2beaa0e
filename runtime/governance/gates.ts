/** Written by `make generate` from the METADATA of `compiler/library`: what is known of each gate. Do not edit. */

import type { DecisionKind, GateDescription } from "../abi/index.ts";

const LANE: readonly GateDescription[] = [
  {
    gate: "ROLE", depends: "data",
    rule: "the role is defined",
    says: {
      "role_not_defined": "the policy defines no role {role}",
    },
  },
  {
    gate: "LANE", depends: "data",
    rule: "the lane is defined",
    says: {
      "lane_not_defined": "the policy defines no lane {lane}",
    },
  },
  {
    gate: "LANE_ROLE", depends: "data",
    rule: "the lane admits the role",
    says: {
      "role_not_allowed_for_lane": "lane {lane} does not admit role {role}",
    },
  },
];

const TOOL: readonly GateDescription[] = [
  {
    gate: "LANE_AUTHORIZATION", depends: "data",
    rule: "a tool is used where the lane decision allows",
    says: {
      "lane_not_authorized": "role {role} may not work in lane {lane}, because of {lane_reason}",
    },
  },
  {
    gate: "TOOL", depends: "data",
    rule: "the tool is registered",
    says: {
      "tool_not_registered": "the registry has no tool {tool}",
    },
  },
  {
    gate: "LANE_TOOL", depends: "data",
    rule: "the lane lists the tool",
    says: {
      "tool_not_allowed_in_lane": "lane {lane} does not list tool {tool}",
    },
  },
  {
    gate: "TOOL_ENABLED", depends: "data",
    rule: "the tool is enabled",
    says: {
      "tool_disabled": "tool {tool} is switched off",
      "tool_not_enabled": "the registry does not say that tool {tool} is enabled",
    },
  },
  {
    gate: "TOOL_IMPLEMENTED", depends: "data",
    rule: "the tool is implemented",
    says: {
      "tool_not_implemented": "the registry does not say that tool {tool} is implemented",
    },
  },
];

const SUBAGENT: readonly GateDescription[] = [
  {
    gate: "INTERNAL_ERROR", depends: "data",
    rule: "what is unknown or no request is denied",
    says: {
      "invalid input": "the request names no persona",
      "Persona '…' was not found": "the policy has no persona {persona}",
    },
  },
  {
    gate: "ENVIRONMENT", depends: "facts",
    rule: "subagents are switched on, by exactly `\"true\"`",
    says: {
      "CHIRALITY_ENABLE_SUBAGENTS is not set to \"true\".": "subagents are not switched on in the environment",
    },
  },
  {
    gate: "PERSONA_ALLOWLIST", depends: "data",
    rule: "the persona is TYPE 1 and lists subagents",
    says: {
      "Active persona is not allowlisted for subagents.": "{persona} is not TYPE 1, or lists no subagent",
    },
  },
  {
    gate: "METADATA_PRESENCE", depends: "request",
    rule: "there is governance metadata",
    says: {
      "opts.subagentGovernance is missing or invalid.": "the request has no governance metadata",
    },
  },
  {
    gate: "CONTEXT_SEALED", depends: "request",
    rule: "the context is sealed, as the caller attests (K-SEAL-1)",
    says: {
      "contextSealed must be strictly true.": "the caller does not attest that the context is sealed",
    },
  },
  {
    gate: "PIPELINE_RUN_APPROVED", depends: "request",
    rule: "the pipeline run is approved",
    says: {
      "pipelineRunApproved must be strictly true.": "the pipeline run is not approved",
    },
  },
  {
    gate: "APPROVAL_REF", depends: "request",
    rule: "the approval has a reference",
    says: {
      "approvalRef must be a non-empty string.": "the approval has no reference",
    },
  },
  {
    gate: "APPROVED_BY", depends: "request",
    rule: "people approve and agents do not, where the policy says `approvers: human` (K-AUTH-1)",
    says: {
      "approvedBy must not name an agent.": "the approval is given in the name of an agent",
    },
  },
];

const LINEAGE: readonly GateDescription[] = [
  {
    gate: "LINEAGE", depends: "data",
    rule: "there is a chain, where the policy requires one",
    says: {
      "lineage_missing": "the request has no chain of agents, and the policy requires one",
    },
  },
  {
    gate: "MALFORMED_LINEAGE", depends: "request",
    rule: "the chain can be read",
    says: {
      "malformed_lineage": "the chain is no list of agents with a type and a depth",
    },
  },
  {
    gate: "SPAWN_DEPTH", depends: "data",
    rule: "a child is not deeper than its parent allows",
    says: {
      "spawn_depth_exceeded": "{parent} may not start {child} at depth {depth}",
    },
  },
  {
    gate: "PARENT_MANIFEST", depends: "data",
    rule: "every parent has a manifest",
    says: {
      "parent_manifest_missing": "agent type {parent} has no spawn manifest",
    },
  },
  {
    gate: "SPAWN_PERMISSION", depends: "data",
    rule: "its parent may spawn it",
    says: {
      "spawn_not_permitted": "{parent} may not start {child}",
    },
  },
  {
    gate: "AGENT_ID", depends: "request",
    rule: "no agent stands in a chain twice",
    says: {
      "duplicate_agent_id": "agent {index} of the chain has the identity of one before it",
    },
  },
  {
    gate: "DEPTH_POSITION", depends: "request",
    rule: "a depth that an agent tells of itself is not believed",
    says: {
      "spawn_depth_not_positional": "agent {index} of the chain does not say its place as its depth",
    },
  },
  {
    gate: "AGENT_MANIFEST", depends: "data",
    rule: "so has the last agent",
    says: {
      "manifest_missing": "the last agent of the chain has no spawn manifest",
    },
  },
];

const HANDOFF: readonly GateDescription[] = [
  {
    gate: "RECORD", depends: "request",
    rule: "what is delivered is a record",
    says: {
      "invalid_record": "what is delivered is no record",
    },
  },
  {
    gate: "REQUIRED_FIELDS", depends: "request",
    rule: "it has its ten fields, and those that the policy adds; without one the delivery is invalid",
    says: {
      "missing_required_field": "the record lacks a required field",
    },
  },
  {
    gate: "IDENTITY_FIELDS", depends: "request",
    rule: "fields that identify the delivery are written",
    says: {
      "field_not_nonempty_string": "a field that identifies the delivery is blank",
    },
  },
  {
    gate: "AGENTS", depends: "request",
    rule: "a handoff goes between a master and a sub that the policy knows, where `agents` names them",
    says: {
      "unknown_agent": "an agent of the handoff is not one of the policy's",
      "role_boundary": "the handoff goes from a master to a master, or from a sub to a sub",
    },
  },
  {
    gate: "RESULT", depends: "request",
    rule: "`result` is `PASS`, `FAIL` or `BLOCKED`",
    says: {
      "result_invalid": "the result is neither PASS nor FAIL nor BLOCKED",
    },
  },
  {
    gate: "ACTIONS", depends: "request",
    rule: "it says what was done",
    says: {
      "actions_taken_empty": "the record lists no action",
      "actions_taken_item_blank": "an action says nothing",
    },
  },
  {
    gate: "ARTIFACTS", depends: "facts",
    rule: "completion is claimed with evidence: artifacts with `path` and `kind`, which can be read from the repository",
    says: {
      "artifacts_empty": "the record lists no artifact",
      "artifact_not_object": "an artifact is no object",
      "artifact_path_missing": "an artifact has no path",
      "artifact_kind_missing": "an artifact has no kind",
      "artifact_path_escapes": "an artifact lies outside of the repository",
      "artifact_path_not_found": "an artifact is not there",
      "artifact_path_not_a_file": "an artifact is no file",
      "artifact_digest_mismatch": "an artifact has other bytes than the record says",
    },
  },
  {
    gate: "NEXT_ACTION", depends: "request",
    rule: "the next action can be carried out: `owner`, `action`, `input`, no placeholder",
    says: {
      "next_action_not_object": "the next action is no object",
      "next_action_missing": "the next action lacks its owner, its action or its input",
      "next_action_placeholder": "the next action begins with a placeholder",
    },
  },
  {
    gate: "MUTATIONS", depends: "facts",
    rule: "a sub does not change top-level contracts: by what the record says was attempted, and by where its artifacts lie",
    says: {
      "attempted_mutations_invalid": "the attempted mutations are no list of texts",
      "forbidden_mutation": "what must not be changed was changed, or attempted",
    },
  },
  {
    gate: "RULEBOOK", depends: "request",
    rule: "an applied rulebook update names its evidence",
    says: {
      "rulebook_not_object": "the rulebook update is no object",
      "rulebook_applied_not_boolean": "the rulebook update does not say whether it was applied",
      "rulebook_evidence_missing": "an applied rulebook update names no run",
    },
  },
  {
    gate: "EVIDENCE", depends: "request",
    rule: "the result does not contradict the evidence",
    says: {
      "result_contradicts_evidence": "the result contradicts the evidence",
    },
  },
  {
    gate: "FAILURE", depends: "request",
    rule: "a failure belongs to one layer, and has a hypothesis, a patch and a result, where `agents` names who hands over",
    says: {
      "failure_not_attributed": "a failed result is not attributed to one layer",
    },
  },
];

const EXEC: readonly GateDescription[] = [
  {
    gate: "MODE", depends: "data", judges: "contract",
    rule: "the mode is one of the policy",
    says: {
      "unknown_mode": "`{mode}` is no mode of the policy",
    },
  },
  {
    gate: "INLINE", depends: "request",
    rule: "inline code runs in few modes alone",
    says: {
      "inline_execution_forbidden": "inline code may not run in mode {mode}",
    },
  },
  {
    gate: "KIND", depends: "request",
    rule: "all else is a file",
    says: {
      "unknown_execution_kind": "what is to run is neither inline code nor a script",
    },
  },
  {
    gate: "SESSION", depends: "facts",
    rule: "the session is the one that gave out the secret",
    says: {
      "session_invalid": "the session is not the one that signed",
    },
  },
  {
    gate: "CONTRACT", depends: "facts", judges: "contract",
    rule: "the contract is there, signed by this session, open, and not expired",
    says: {
      "no_active_contract": "no contract is in force: {detail}",
    },
  },
  {
    gate: "CONTRACT_MODE", depends: "request",
    rule: "contract and agent are in one mode",
    says: {
      "contract_mode_mismatch": "the contract is for another mode than {mode}",
    },
  },
  {
    gate: "STAGING", depends: "facts",
    rule: "the file lies in the staging folder of its contract, by its canonical path",
    says: {
      "script_outside_staging": "the script does not lie in a staging folder",
      "script_staged_for_other_contract": "the script lies in the staging folder of another contract",
    },
  },
  {
    gate: "HAT_PRESENT", depends: "request",
    rule: "there is a packet with the script's hash, contract, targets, mode and time",
    says: {
      "missing_hat_signature": "no person has signed a packet for the script",
      "malformed_hat_packet": "the packet lacks what a packet signs",
    },
  },
  {
    gate: "HAT_SIGNATURE", depends: "facts",
    rule: "a person of this session has signed the packet, not too long ago",
    says: {
      "hat_signature_invalid": "the signature of the packet does not hold, or has lapsed",
    },
  },
  {
    gate: "HASH", depends: "facts",
    rule: "the script is the one that was signed, to the byte",
    says: {
      "script_hash_mismatch": "the script is not the one that was signed",
    },
  },
  {
    gate: "HAT_CONTRACT", depends: "request",
    rule: "the packet is for this contract",
    says: {
      "contract_mismatch": "the packet is for another contract",
    },
  },
  {
    gate: "TARGETS", depends: "request",
    rule: "its targets are the contract's",
    says: {
      "target_manifest_mismatch": "the packet has other targets than the contract",
    },
  },
  {
    gate: "HAT_MODE", depends: "request",
    rule: "packet and agent are in one mode",
    says: {
      "hat_mode_mismatch": "the packet is for another mode than {mode}",
    },
  },
  {
    gate: "OPERATIONS", depends: "request",
    rule: "its operations are the contract's",
    says: {
      "operation_manifest_mismatch": "the packet has other operations than the contract",
    },
  },
];

const CLOSE: readonly GateDescription[] = [
  {
    gate: "BASELINE", depends: "facts",
    rule: "the work is compared with a baseline",
    says: {
      "no_baseline": "there is no baseline to compare with",
    },
  },
  {
    gate: "CONTRACT", depends: "facts",
    rule: "the contract is signed, and was not expired at the last commit",
    says: {
      "contract_signature_invalid": "the signature of the contract does not hold",
      "contract_expired": "the contract had expired at the last commit",
    },
  },
  {
    gate: "DIFF", depends: "facts",
    rule: "everything that changed is seen: commits, index, work tree, untracked files",
    says: {
      "diff_unavailable": "what changed cannot be told",
    },
  },
  {
    gate: "INTERNAL_ERROR", depends: "request", judges: "contract",
    rule: "the contract says its root and its targets",
    says: {
      "invalid input": "the contract does not say its root and its targets",
    },
  },
  {
    gate: "CONTAINMENT", depends: "facts", judges: "contract",
    rule: "a change lies in the contract's root and in a declared target, by whole segments, and can be resolved",
    says: {
      "undeclared_changes": "what changed lies outside of what was declared: {undeclared}",
    },
  },
  {
    gate: "OPERATIONS", depends: "facts", judges: "contract",
    rule: "what was done to a file was declared",
    says: {
      "undeclared_operation": "what was done to a file was not declared",
    },
  },
];

const CALL: readonly GateDescription[] = [
  {
    gate: "LINEAGE", depends: "data",
    rule: "the chain of agents is there, and allowed",
    says: {
      "lineage_not_permitted": "the chain of agents is not permitted, because of {lineage_reason}",
      "lineage_missing": "the call has no chain of agents, and needs one",
    },
  },
  {
    gate: "CAPABILITY", depends: "data",
    rule: "each agent of the chain has a manifest, and could be given the tool",
    says: {
      "agent_unknown": "agent {index} of the chain has no spawn manifest",
      "tool_not_delegable": "agent {index} of the chain could not be given tool {tool}",
    },
  },
  ...TOOL,
  {
    gate: "TOOL_LANE", depends: "data",
    rule: "the tool may be used in this lane by its own list",
    says: {
      "lane_not_allowed_for_tool": "tool {tool} allows other lanes than {lane}",
    },
  },
  {
    gate: "SCOPE", depends: "request",
    rule: "the call has the scope that lane and tool require",
    says: {
      "scope_malformed": "the scope of the call is no object",
      "scope_key_missing": "the scope of the call lacks {missing}",
    },
  },
  {
    gate: "FLAGS", depends: "request",
    rule: "no flag is raised that lane or tool prohibits",
    says: {
      "flags_malformed": "the flags of the call are no list of texts",
      "flag_prohibited": "the call raises what lane or tool prohibit: {flags}",
    },
  },
  {
    gate: "ARGUMENTS", depends: "facts",
    rule: "the arguments are what the tool says they may be",
    says: {
      "arguments_malformed": "the arguments of the call are no object",
      "argument_unknown": "tool {tool} has no argument `{argument}`",
      "argument_missing": "tool {tool} needs argument `{argument}`",
      "argument_type": "argument `{argument}` is of another type than tool {tool} takes",
      "argument_not_allowed": "argument `{argument}` is not what `{rule}` of tool {tool} allows",
      "path_unresolved": "where the file lies that argument `{argument}` names cannot be told",
      "command_not_plain": "argument `{argument}` is no plain command: shells would read more in it than words",
    },
  },
  {
    gate: "WRITES", depends: "request",
    rule: "lane and tool allow what is written",
    says: {
      "writes_malformed": "the writes of the call are no list of tables and modes",
      "write_not_allowed": "lane {lane} does not allow write {index} of the call",
      "write_not_of_tool": "tool {tool} does not write the table of write {index}",
    },
  },
  {
    gate: "APPROVAL", depends: "facts", judges: "approval",
    rule: "a person has approved, where the tool or one of its arguments asks for it; this very call, where the approval is bound",
    says: {
      "approval_required": "this call of tool {tool} needs the approval of a person",
      "approval_malformed": "the approval does not say all that it must, its reference and who gave it before all",
      "approval_not_human": "the approval is given in the name of an agent",
      "approver_unknown": "the policy has no approver of the name in the approval",
      "approver_expired": "the last day of the approver has passed",
      "approver_not_for_tool": "the approver may not approve calls of tool {tool}",
      "approval_signature_invalid": "the approval is not signed with the key of its approver",
      "approval_not_for_this_call": "the approval is for another call",
      "approval_for_other_policy": "the approval was given under another policy than the one that decides",
      "approval_expired": "the approval is no longer valid, or for more than a day",
      "approval_refused": "an approver has refused this call, or it is not known whether one has",
      "approval_used": "the approval was used before, or nothing is kept that could tell",
    },
  },
  {
    gate: "LIMITS", depends: "facts", judges: "history",
    rule: "the limits on how often, how much, in which order and when are kept",
    says: {
      "limit_key_missing": "the call does not say what limit {limit} counts by",
      "history_missing": "the host does not say what limit {limit} has to know of earlier calls",
      "limit_calls": "limit {limit} allows no more calls for now",
      "limit_sum": "limit {limit} does not allow that much more for now",
      "limit_order": "limit {limit} does not allow the call after what was called before",
      "limit_hours": "limit {limit} does not allow the call at this time",
    },
  },
];

/** The gates of the library by decision, in the order in which they are asked. An author's gates are not among them. */
export const GATES: { readonly [Kind in DecisionKind]: readonly GateDescription[] } = {
  lane: LANE,
  tool: TOOL,
  subagent: SUBAGENT,
  lineage: LINEAGE,
  handoff: HANDOFF,
  exec: EXEC,
  close: CLOSE,
  call: CALL,
};

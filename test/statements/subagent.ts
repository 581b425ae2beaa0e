/** The subagent decision, stated from `subagent.md`. */
import { isPersonName } from "./agents.ts";
import type { PolicyData } from "./policy.ts";
import { type Decision, entry, field, isObject, isWritten, trimmed } from "./values.ts";

const name = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;

export function subagent(policy: PolicyData, input: unknown): Decision {
  const persona = field(input, "persona");
  const unknown = (reason: string): Decision => ({
    allowed: false,
    gate: "INTERNAL_ERROR",
    reason,
    allowlistedSubagents: [],
    delegatedSubagents: [],
  });
  if (typeof persona !== "string") return unknown("invalid input");
  const agent = name.test(persona) ? entry(policy.agents, persona.split("-").join("_")) : undefined;
  if (agent === undefined) return unknown(`Persona '${persona}' was not found`);

  const deny = (gate: string, reason: string): Decision => ({
    allowed: false,
    gate,
    reason,
    allowlistedSubagents: agent.allowlist,
    delegatedSubagents: [],
  });
  if (field(field(input, "env"), "CHIRALITY_ENABLE_SUBAGENTS") !== "true") {
    return deny("ENVIRONMENT", 'CHIRALITY_ENABLE_SUBAGENTS is not set to "true".');
  }
  if (agent.type !== 1 || agent.allowlist.length === 0) {
    return deny("PERSONA_ALLOWLIST", "Active persona is not allowlisted for subagents.");
  }
  const governance = field(input, "governance");
  if (!isObject(governance)) return deny("METADATA_PRESENCE", "opts.subagentGovernance is missing or invalid.");
  if (field(governance, "contextSealed") !== true) {
    return deny("CONTEXT_SEALED", "contextSealed must be strictly true.");
  }
  if (field(governance, "pipelineRunApproved") !== true) {
    return deny("PIPELINE_RUN_APPROVED", "pipelineRunApproved must be strictly true.");
  }
  const approvalRef = field(governance, "approvalRef");
  if (!isWritten(approvalRef)) return deny("APPROVAL_REF", "approvalRef must be a non-empty string.");
  const approvedBy = field(governance, "approvedBy");
  const isHumanWanted = policy.settings.subagents.approvers === "human";
  if (isHumanWanted && isWritten(approvedBy) && !isPersonName(policy, approvedBy)) {
    return deny("APPROVED_BY", "approvedBy must not name an agent.");
  }
  return {
    allowed: true,
    gate: "ALLOW",
    reason: "All delegation governance gates passed.",
    allowlistedSubagents: agent.allowlist,
    delegatedSubagents: agent.delegated,
    approvalRef: trimmed(approvalRef),
    ...(isWritten(approvedBy) ? { approvedBy: trimmed(approvedBy) } : {}),
  };
}

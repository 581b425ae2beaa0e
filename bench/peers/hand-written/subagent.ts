import type { SubagentRequest } from "@portcullis/runtime";
import type { PolicyTables } from "../../bundles.ts";
import { agentNames } from "./agents.ts";
import { type Answer, constant } from "./constant.ts";

const NOT_NAMED: Answer = constant({
  allowed: false,
  gate: "INTERNAL_ERROR",
  reason: "invalid input",
  allowlistedSubagents: [],
  delegatedSubagents: [],
});

export function subagentOf(policy: PolicyTables): (request: SubagentRequest) => Answer {
  const agents = new Map(Object.entries(policy.agents));
  const isStrict = policy.settings.subagents?.approvers === "human";
  const { isPerson } = agentNames(policy);
  return ({ persona, governance, env }) => {
    if (typeof persona !== "string") return NOT_NAMED;
    const agent = agents.get(persona) ?? agents.get(persona.replaceAll("-", "_"));
    const denial = (gate: string, reason: string): Answer => ({
      allowed: false,
      gate,
      reason,
      allowlistedSubagents: agent?.allowlist ?? [],
      delegatedSubagents: [],
    });
    if (agent === undefined) return denial("INTERNAL_ERROR", `Persona '${persona}' was not found`);
    if (env.CHIRALITY_ENABLE_SUBAGENTS !== "true")
      return denial("ENVIRONMENT", 'CHIRALITY_ENABLE_SUBAGENTS is not set to "true".');
    if (agent.type !== 1 || agent.allowlist.length === 0)
      return denial("PERSONA_ALLOWLIST", "Active persona is not allowlisted for subagents.");
    if (typeof governance !== "object" || governance === null || Array.isArray(governance))
      return denial("METADATA_PRESENCE", "opts.subagentGovernance is missing or invalid.");
    const sent = governance as Record<string, unknown>;
    if (sent["contextSealed"] !== true) return denial("CONTEXT_SEALED", "contextSealed must be strictly true.");
    if (sent["pipelineRunApproved"] !== true)
      return denial("PIPELINE_RUN_APPROVED", "pipelineRunApproved must be strictly true.");
    const approvalRef = typeof sent["approvalRef"] === "string" ? sent["approvalRef"].trim() : "";
    if (approvalRef === "") return denial("APPROVAL_REF", "approvalRef must be a non-empty string.");
    const approvedBy = typeof sent["approvedBy"] === "string" ? sent["approvedBy"].trim() : "";
    if (isStrict && approvedBy !== "" && !isPerson(approvedBy))
      return denial("APPROVED_BY", "approvedBy must not name an agent.");
    return {
      allowed: true,
      gate: "ALLOW",
      reason: "All delegation governance gates passed.",
      allowlistedSubagents: agent.allowlist,
      delegatedSubagents: agent.delegated,
      approvalRef,
      ...(approvedBy === "" ? {} : { approvedBy }),
    };
  };
}

# METADATA
# title: Subagent decision
# description: |
#   May this persona's turn be handed subagents, and which? Fail-closed delegation governance: environment, allowlist and
#   approval metadata all have to be there, exactly. What a persona may delegate to is compiled into the agent table.
# schemas:
#   - input: schema.subagent
package portcullis.subagent

import data.portcullis.agents
import data.portcullis.extension
import data.portcullis.policy
import data.portcullis.text

# METADATA
# title: portcullis/subagent/decision
# description: |
#   Delegation governance, `{persona, governance, env}` to
#   `{allowed, gate, reason, allowlistedSubagents, delegatedSubagents, approvalRef?, approvedBy?}`.
# entrypoint: true
# schemas:
#   - input: schema.subagent
default decision := {
	"allowed": false,
	"gate": "INTERNAL_ERROR",
	"reason": "no_decision",
	"allowlistedSubagents": [],
	"delegatedSubagents": [],
}

decision := object.union(undelegated, extension.denied(unmet)) if {
	verdict.allowed
} else := object.union(undelegated, extension.denial(data.portcullis.ext.subagent.deny)) if {
	verdict.allowed
} else := verdict

undelegated := {"allowlistedSubagents": agent.allowlist, "delegatedSubagents": []}

# What authors say must hold, and does not, in the order of its names.
unmet := [{"gate": gate, "reason": policy.gates.subagent[gate]} |
	some gate in sort(object.keys(policy.gates.subagent))
	not data.portcullis.ext.subagent.must[gate]
]

verdict := {
	"allowed": false,
	"gate": "INTERNAL_ERROR",
	"reason": "invalid input",
	"allowlistedSubagents": [],
	"delegatedSubagents": [],
} if {
	not persona_named
} else := {
	"allowed": false,
	"gate": "INTERNAL_ERROR",
	"reason": concat("", ["Persona '", input.persona, "' was not found"]),
	"allowlistedSubagents": [],
	"delegatedSubagents": [],
} if {
	not agent
} else := {
	"allowed": false,
	"gate": "ENVIRONMENT",
	"reason": "CHIRALITY_ENABLE_SUBAGENTS is not set to \"true\".",
	"allowlistedSubagents": agent.allowlist,
	"delegatedSubagents": [],
} if {
	not environment_enabled
} else := {
	"allowed": false,
	"gate": "PERSONA_ALLOWLIST",
	"reason": "Active persona is not allowlisted for subagents.",
	"allowlistedSubagents": agent.allowlist,
	"delegatedSubagents": [],
} if {
	not persona_allowlisted
} else := {
	"allowed": false,
	"gate": "METADATA_PRESENCE",
	"reason": "opts.subagentGovernance is missing or invalid.",
	"allowlistedSubagents": agent.allowlist,
	"delegatedSubagents": [],
} if {
	not governance_present
} else := {
	"allowed": false,
	"gate": "CONTEXT_SEALED",
	"reason": "contextSealed must be strictly true.",
	"allowlistedSubagents": agent.allowlist,
	"delegatedSubagents": [],
} if {
	not context_sealed
} else := {
	"allowed": false,
	"gate": "PIPELINE_RUN_APPROVED",
	"reason": "pipelineRunApproved must be strictly true.",
	"allowlistedSubagents": agent.allowlist,
	"delegatedSubagents": [],
} if {
	not pipeline_run_approved
} else := {
	"allowed": false,
	"gate": "APPROVAL_REF",
	"reason": "approvalRef must be a non-empty string.",
	"allowlistedSubagents": agent.allowlist,
	"delegatedSubagents": [],
} if {
	not approval_ref
} else := {
	"allowed": false,
	"gate": "APPROVED_BY",
	"reason": "approvedBy must not name an agent.",
	"allowlistedSubagents": agent.allowlist,
	"delegatedSubagents": [],
} if {
	approved_by_agent
} else := {
	"allowed": true,
	"gate": "ALLOW",
	"reason": "All delegation governance gates passed.",
	"allowlistedSubagents": agent.allowlist,
	"delegatedSubagents": agent.delegated,
	"approvalRef": approval_ref,
	"approvedBy": approved_by,
} if {
	approved_by
} else := {
	"allowed": true,
	"gate": "ALLOW",
	"reason": "All delegation governance gates passed.",
	"allowlistedSubagents": agent.allowlist,
	"delegatedSubagents": agent.delegated,
	"approvalRef": approval_ref,
}

# METADATA
# custom:
#   gate: INTERNAL_ERROR
#   rule: what is unknown or no request is denied
#   depends: data
#   says:
#     invalid input: the request names no persona
persona_named if is_string(input.persona)

# The table's keys are names with `_` for every `-`, and most callers write them so: then one look-up is enough. A text
# that is not a name is no key either way. A number would find the key that is written like it, hence the gate before.
# METADATA
# custom:
#   gate: INTERNAL_ERROR
#   depends: data
#   says:
#     Persona '…' was not found: the policy has no persona {persona}
agent := found if {
	found := policy.agents[input.persona]
} else := policy.agents[replace(input.persona, "-", "_")]

# METADATA
# custom:
#   gate: ENVIRONMENT
#   rule: subagents are switched on, by exactly `"true"`
#   depends: facts
#   says:
#     CHIRALITY_ENABLE_SUBAGENTS is not set to "true".: subagents are not switched on in the environment
environment_enabled if input.env.CHIRALITY_ENABLE_SUBAGENTS == "true"

# METADATA
# custom:
#   gate: PERSONA_ALLOWLIST
#   rule: the persona is TYPE 1 and lists subagents
#   depends: data
#   says:
#     Active persona is not allowlisted for subagents.: "{persona} is not TYPE 1, or lists no subagent"
persona_allowlisted if {
	agent.type == 1
	count(agent.allowlist) > 0
}

# METADATA
# custom:
#   gate: METADATA_PRESENCE
#   rule: there is governance metadata
#   depends: request
#   says:
#     opts.subagentGovernance is missing or invalid.: the request has no governance metadata
governance_present if is_object(input.governance)

# METADATA
# custom:
#   gate: CONTEXT_SEALED
#   rule: the context is sealed, as the caller attests (K-SEAL-1)
#   depends: request
#   says:
#     contextSealed must be strictly true.: the caller does not attest that the context is sealed
context_sealed if input.governance.contextSealed == true

# METADATA
# custom:
#   gate: PIPELINE_RUN_APPROVED
#   rule: the pipeline run is approved
#   depends: request
#   says:
#     pipelineRunApproved must be strictly true.: the pipeline run is not approved
pipeline_run_approved if input.governance.pipelineRunApproved == true

# Trimmed, and undefined when it is not a string or nothing is left.
# METADATA
# custom:
#   gate: APPROVAL_REF
#   rule: the approval has a reference
#   depends: request
#   says:
#     approvalRef must be a non-empty string.: the approval has no reference
approval_ref := ref if {
	ref := trim(input.governance.approvalRef, text.blank)
	ref != ""
}

approved_by := name if {
	name := trim(input.governance.approvedBy, text.blank)
	name != ""
}

# A setting: without it an agent may approve.
# METADATA
# custom:
#   gate: APPROVED_BY
#   rule: "people approve and agents do not, where the policy says `approvers: human` (K-AUTH-1)"
#   depends: request
#   says:
#     approvedBy must not name an agent.: the approval is given in the name of an agent
approved_by_agent if {
	policy.settings.subagents.approvers == "human"
	approved_by
	not agents.person(approved_by)
}

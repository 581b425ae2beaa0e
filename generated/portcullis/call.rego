# METADATA
# title: Call decision
# description: |
#   May this tool be called now, in this lane, with this scope, these flags and these writes, by this chain of agents? One
#   question for a gateway in front of tools: it composes the lineage and the tool decision, with whatever extends them,
#   and adds what lanes, tools and manifests say besides. `null` counts as absent for the optional members of the input.
# schemas:
#   - input: schema.call
package portcullis.call

import data.portcullis.approval
import data.portcullis.arguments
import data.portcullis.extension
import data.portcullis.limits
import data.portcullis.lineage
import data.portcullis.policy
import data.portcullis.text
import data.portcullis.tool

# METADATA
# title: portcullis/call/decision
# description: |
#   One tool call, `{role, lane, tool, scope?, flags?, writes?, lineage?, approval?, args?, facts?}` to
#   `{allowed, gate, reason}`, with `lineage_reason`, `index`, `missing`, `flags`, `argument`, `rule`, `approval`, `call_sha256`,
#   `limit` or `retry_after_ms` where a gate has more to say.
# entrypoint: true
# schemas:
#   - input: schema.call
default decision := {"allowed": false, "gate": "INTERNAL_ERROR", "reason": "no_decision"}

decision := extension.denied(unmet) if {
	verdict.allowed
} else := extension.denial(data.portcullis.ext.call.deny) if {
	verdict.allowed
} else := verdict

# What authors say must hold, and does not, in the order of its names.
unmet := [{"gate": gate, "reason": policy.gates.call[gate]} |
	some gate in sort(object.keys(policy.gates.call))
	not data.portcullis.ext.call.must[gate]
]

verdict := lineage_denial if {
	not lineage.decision.allowed
} else := {"allowed": false, "gate": "LINEAGE", "reason": "lineage_missing"} if {
	not lineage_optional
	not lineage_given
} else := {"allowed": false, "gate": "CAPABILITY", "reason": "agent_unknown", "index": unable_agent} if {
	unable_is_unknown
} else := {"allowed": false, "gate": "CAPABILITY", "reason": "tool_not_delegable", "index": unable_agent} if {
	unable_agent
} else := tool.decision if {
	not tool.decision.allowed
} else := {"allowed": false, "gate": "TOOL_LANE", "reason": "lane_not_allowed_for_tool"} if {
	not lane_allowed_for_tool
} else := {"allowed": false, "gate": "SCOPE", "reason": "scope_malformed"} if {
	not scope_well_formed
} else := {"allowed": false, "gate": "SCOPE", "reason": "scope_key_missing", "missing": sort(missing_keys)} if {
	count(missing_keys) > 0
} else := {"allowed": false, "gate": "FLAGS", "reason": "flags_malformed"} if {
	not flags_well_formed
} else := {"allowed": false, "gate": "FLAGS", "reason": "flag_prohibited", "flags": sort(raised_flags)} if {
	count(raised_flags) > 0
} else := arguments.denial if {
	arguments.denial
} else := {"allowed": false, "gate": "WRITES", "reason": "writes_malformed"} if {
	not writes_well_formed
} else := {"allowed": false, "gate": "WRITES", "reason": "write_not_allowed", "index": write_beyond_lane} if {
	write_beyond_lane
} else := {"allowed": false, "gate": "WRITES", "reason": "write_not_of_tool", "index": write_beyond_tool} if {
	write_beyond_tool
} else := approval.denial if {
	approval.denial
} else := limits.denial if {
	limits.denial
} else := {"allowed": true, "gate": "ALLOW", "reason": "call_allowed"}

# METADATA
# custom:
#   gate: LINEAGE
#   rule: the chain of agents is there, and allowed
#   depends: data
#   says:
#     lineage_not_permitted: the chain of agents is not permitted, because of {lineage_reason}
lineage_denial := object.union(lineage.decision, {
	"gate": "LINEAGE",
	"reason": "lineage_not_permitted",
	"lineage_reason": lineage.decision.reason,
})

lineage_optional if policy.settings.call.lineage == "optional"

# METADATA
# custom:
#   gate: LINEAGE
#   depends: data
#   says:
#     lineage_missing: the call has no chain of agents, and needs one
lineage_given if count(input.lineage) > 0

# The place of the first agent that could not be given this tool. Place 0 holds, too: only `false` and undefined do not.
# METADATA
# custom:
#   gate: CAPABILITY
#   rule: each agent of the chain has a manifest, and could be given the tool
#   depends: data
#   says:
#     tool_not_delegable: agent {index} of the chain could not be given tool {tool}
unable_agent := unable_agents[0]

unable_agents := [i |
	some i, agent in input.lineage
	not able(agent)
]

able(agent) if policy.manifests[agent.agent_type].tools[input.tool]

# A manifest that lists no tools leaves them to the lane.
able(agent) if {
	policy.manifests[agent.agent_type]
	not policy.manifests[agent.agent_type].tools
}

able(agent) if {
	unknown_agents_allowed
	not policy.manifests[agent.agent_type]
}

# METADATA
# custom:
#   gate: CAPABILITY
#   depends: data
#   says:
#     agent_unknown: agent {index} of the chain has no spawn manifest
unable_is_unknown if {
	agent := input.lineage[unable_agent]
	not policy.manifests[agent.agent_type]
}

unknown_agents_allowed if policy.settings.call.unknown_agents == "allow"

# METADATA
# custom:
#   gate: TOOL_LANE
#   rule: the tool may be used in this lane by its own list
#   depends: data
#   says:
#     lane_not_allowed_for_tool: tool {tool} allows other lanes than {lane}
lane_allowed_for_tool if not policy.tools[input.tool].lanes

lane_allowed_for_tool if policy.tools[input.tool].lanes[input.lane]

# `false` is there, and is malformed: each of these asks whether there is a value that is not null.
scope_given if input.scope != null

# METADATA
# custom:
#   gate: SCOPE
#   rule: the call has the scope that lane and tool require
#   depends: request
#   says:
#     scope_malformed: the scope of the call is no object
scope_well_formed if not scope_given

scope_well_formed if is_object(input.scope)

# METADATA
# custom:
#   gate: SCOPE
#   depends: request
#   says:
#     scope_key_missing: the scope of the call lacks {missing}
missing_keys contains key if {
	some key, _ in policy.lanes[input.lane].requires
	not scope_has(key)
}

missing_keys contains key if {
	some key, _ in policy.tools[input.tool].scope_keys
	not scope_has(key)
}

scope_has(key) if text.written(input.scope[key])

scope_has(key) if is_number(input.scope[key])

flags_given if input.flags != null

# METADATA
# custom:
#   gate: FLAGS
#   rule: no flag is raised that lane or tool prohibits
#   depends: request
#   says:
#     flags_malformed: the flags of the call are no list of texts
flags_well_formed if not flags_given

flags_well_formed if {
	is_array(input.flags)
	every flag in input.flags {
		is_string(flag)
	}
}

# METADATA
# custom:
#   gate: FLAGS
#   depends: request
#   says:
#     flag_prohibited: "the call raises what lane or tool prohibit: {flags}"
raised_flags contains flag if {
	some flag, _ in policy.lanes[input.lane].prohibits
	raised(flag)
}

raised_flags contains flag if {
	some flag, _ in policy.tools[input.tool].prohibited_flags
	raised(flag)
}

raised(flag) if flag in input.flags

# A member of the scope or of the arguments raises the flag of its name, unless it says that it does not.
raised(flag) if {
	value := input.scope[flag]
	not value in {false, null}
}

raised(flag) if {
	value := input.args[flag]
	not value in {false, null}
}

writes_given if input.writes != null

# METADATA
# custom:
#   gate: WRITES
#   rule: lane and tool allow what is written
#   depends: request
#   says:
#     writes_malformed: the writes of the call are no list of tables and modes
writes_well_formed if not writes_given

writes_well_formed if {
	is_array(input.writes)
	every write in input.writes {
		is_string(write.table)
		is_string(write.mode)
	}
}

# METADATA
# custom:
#   gate: WRITES
#   depends: request
#   says:
#     write_not_allowed: lane {lane} does not allow write {index} of the call
write_beyond_lane := writes_beyond_lane[0]

writes_beyond_lane := [i |
	some i, write in input.writes
	not lane_allows(write)
]

lane_allows(write) if policy.lanes[input.lane].writes[write.table][write.mode]

# METADATA
# custom:
#   gate: WRITES
#   depends: request
#   says:
#     write_not_of_tool: tool {tool} does not write the table of write {index}
write_beyond_tool := writes_beyond_tool[0]

writes_beyond_tool := [i |
	some i, write in input.writes
	policy.tools[input.tool].write_targets
	not tool_writes(write)
]

tool_writes(write) if policy.tools[input.tool].write_targets[write.table]

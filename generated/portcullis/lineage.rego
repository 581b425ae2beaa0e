# METADATA
# title: Lineage decision
# description: |
#   Did every agent of the chain have the permission to spawn the next one? The chain is walked from the root, and the
#   first pair that breaks a rule decides. Rules that give an index hold for index 0 too: in Rego only `false` and
#   undefined do not hold.
# schemas:
#   - input: schema.lineage
package portcullis.lineage

import data.portcullis.extension
import data.portcullis.policy

# METADATA
# title: portcullis/lineage/decision
# description: |
#   Spawn chain of an agent, `{lineage}` to `{allowed, gate, reason}` with `pair`, `parent`, `child`, `depth` and `max`, or
#   `index`, where a pair or an agent is at fault.
# entrypoint: true
# schemas:
#   - input: schema.lineage
default decision := {"allowed": false, "gate": "INTERNAL_ERROR", "reason": "no_decision"}

decision := extension.denied(unmet) if {
	verdict.allowed
} else := extension.denial(data.portcullis.ext.lineage.deny) if {
	verdict.allowed
} else := verdict

# What authors say must hold, and does not, in the order of its names.
unmet := [{"gate": gate, "reason": policy.gates.lineage[gate]} |
	some gate in sort(object.keys(policy.gates.lineage))
	not data.portcullis.ext.lineage.must[gate]
]

verdict := {"allowed": false, "gate": "LINEAGE", "reason": "lineage_missing"} if {
	policy.settings.lineage.require
	lineage_missing
} else := {"allowed": true, "gate": "ALLOW", "reason": "no_lineage"} if {
	no_lineage
} else := {"allowed": false, "gate": "MALFORMED_LINEAGE", "reason": "malformed_lineage"} if {
	not well_formed
} else := {"allowed": true, "gate": "ALLOW", "reason": "empty_lineage"} if {
	count(input.lineage) == 0
} else := pair_denial if {
	broken_pair
} else := {"allowed": false, "gate": "AGENT_ID", "reason": "duplicate_agent_id", "index": repeated_id} if {
	repeated_id
} else := {"allowed": false, "gate": "DEPTH_POSITION", "reason": "spawn_depth_not_positional", "index": misplaced} if {
	not depth_reported
	misplaced
} else := {"allowed": true, "gate": "ALLOW", "reason": "single_agent"} if {
	count(input.lineage) == 1
} else := {"allowed": false, "gate": "AGENT_MANIFEST", "reason": "manifest_missing", "index": last} if {
	not manifested(input.lineage[last])
} else := {"allowed": true, "gate": "ALLOW", "reason": "lineage_ok"}

# METADATA
# custom:
#   gate: LINEAGE
#   rule: there is a chain, where the policy requires one
#   depends: data
#   says:
#     lineage_missing: the request has no chain of agents, and the policy requires one
lineage_missing if no_lineage

lineage_missing if input.lineage == []

# An absent lineage is no lineage. `false` is there, and is malformed, so this asks whether there is a value at all.
no_lineage if input.lineage == null

no_lineage if {
	is_object(input)
	not lineage_given
}

lineage_given if _ := input.lineage

default max_chain := 64

max_chain := policy.settings.lineage.max_chain

# Between two numbers, in Rego's order of values, lie only numbers.
# METADATA
# custom:
#   gate: MALFORMED_LINEAGE
#   rule: the chain can be read
#   depends: request
#   says:
#     malformed_lineage: the chain is no list of agents with a type and a depth
well_formed if {
	is_array(input.lineage)
	count(input.lineage) <= max_chain
	every agent in input.lineage {
		is_string(agent.agent_type)
		agent.agent_type != ""
		agent.spawn_depth >= 0
		agent.spawn_depth <= 4294967295
		floor(agent.spawn_depth) == agent.spawn_depth
		not nameless(agent)
	}
}

# The identity is optional, but when it is there it is a string.
nameless(agent) if {
	id := agent.agent_id
	not is_string(id)
}

# The first gate that parent and child, who do not pass all three, fail at.
pair_gate(parent, child) := "PARENT_MANIFEST" if {
	not manifested(parent)
} else := "SPAWN_DEPTH" if {
	not shallow(parent, child)
} else := "SPAWN_PERMISSION"

# METADATA
# custom:
#   gate: PARENT_MANIFEST
#   rule: every parent has a manifest
#   depends: data
#   says:
#     parent_manifest_missing: agent type {parent} has no spawn manifest
manifested(agent) if policy.manifests[agent.agent_type]

# METADATA
# custom:
#   gate: SPAWN_DEPTH
#   rule: a child is not deeper than its parent allows
#   depends: data
#   says:
#     spawn_depth_exceeded: "{parent} may not start {child} at depth {depth}"
shallow(parent, child) if child.spawn_depth <= policy.manifests[parent.agent_type].max_spawn_depth

# METADATA
# custom:
#   gate: SPAWN_PERMISSION
#   rule: its parent may spawn it
#   depends: data
#   says:
#     spawn_not_permitted: "{parent} may not start {child}"
permitted(parent, child) if policy.manifests[parent.agent_type].can_spawn[child.agent_type]

# A parent without a manifest passes neither gate.
passes(parent, child) if {
	shallow(parent, child)
	permitted(parent, child)
}

# The gate that the pair of the agent at `i` and the next one fails.
gate_at(i) := pair_gate(input.lineage[i], input.lineage[i + 1])

broken_pair := broken_pairs[0]

broken_pairs := [i |
	some i, parent in input.lineage
	child := input.lineage[i + 1]
	not passes(parent, child)
]

pair_denial := {
	"allowed": false,
	"gate": "SPAWN_DEPTH",
	"reason": "spawn_depth_exceeded",
	"pair": [broken_pair, broken_pair + 1],
	"parent": input.lineage[broken_pair].agent_type,
	"child": input.lineage[broken_pair + 1].agent_type,
	"depth": input.lineage[broken_pair + 1].spawn_depth,
	"max": policy.manifests[input.lineage[broken_pair].agent_type].max_spawn_depth,
} if {
	gate_at(broken_pair) == "SPAWN_DEPTH"
} else := {
	"allowed": false,
	"gate": gate_at(broken_pair),
	"reason": pair_reasons[gate_at(broken_pair)],
	"pair": [broken_pair, broken_pair + 1],
	"parent": input.lineage[broken_pair].agent_type,
	"child": input.lineage[broken_pair + 1].agent_type,
}

# A depth that no manifest bounds is exceeded, too: there is a reason for every gate.
pair_reasons := {
	"PARENT_MANIFEST": "parent_manifest_missing",
	"SPAWN_DEPTH": "spawn_depth_exceeded",
	"SPAWN_PERMISSION": "spawn_not_permitted",
}

# METADATA
# custom:
#   gate: AGENT_ID
#   rule: no agent stands in a chain twice
#   depends: request
#   says:
#     duplicate_agent_id: agent {index} of the chain has the identity of one before it
repeated_id := repeated_ids[0]

# Agents that have the identity of an agent before them.
repeated_ids := [i |
	some i, agent in input.lineage
	id := agent.agent_id
	some j, other in input.lineage
	j < i
	other.agent_id == id
]

depth_reported if policy.settings.lineage.depth == "reported"

# METADATA
# custom:
#   gate: DEPTH_POSITION
#   rule: a depth that an agent tells of itself is not believed
#   depends: request
#   says:
#     spawn_depth_not_positional: agent {index} of the chain does not say its place as its depth
misplaced := misplaced_agents[0]

misplaced_agents := [i |
	some i, agent in input.lineage
	agent.spawn_depth != i
]

# METADATA
# custom:
#   gate: AGENT_MANIFEST
#   rule: so has the last agent
#   depends: data
#   says:
#     manifest_missing: the last agent of the chain has no spawn manifest
last := count(input.lineage) - 1

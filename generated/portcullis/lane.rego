# METADATA
# title: Lane decision
# description: |
#   May this role work in this lane? Each gate is a rule that holds when the gate passes; a gate denies when its rule
#   does not hold, so that an input which is missing, or of another type, denies. (`not policy.roles[input.role]` would
#   itself be undefined without `input.role`, and the chain would fall through to the allow.)
# schemas:
#   - input: schema.lane
package portcullis.lane

import data.portcullis.extension
import data.portcullis.policy

# METADATA
# title: portcullis/lane/decision
# description: Lane authorization of a role, `{role, lane}` to `{allowed, gate, reason}`.
# entrypoint: true
# schemas:
#   - input: schema.lane
default decision := {"allowed": false, "gate": "INTERNAL_ERROR", "reason": "no_decision"}

decision := extension.denied(unmet) if {
	verdict.allowed
} else := extension.denial(data.portcullis.ext.lane.deny) if {
	verdict.allowed
} else := verdict

# What authors say must hold, and does not, in the order of its names.
unmet := [{"gate": gate, "reason": policy.gates.lane[gate]} |
	some gate in sort(object.keys(policy.gates.lane))
	not data.portcullis.ext.lane.must[gate]
]

verdict := {"allowed": false, "gate": "ROLE", "reason": "role_not_defined"} if {
	not role_defined
} else := {"allowed": false, "gate": "LANE", "reason": "lane_not_defined"} if {
	not lane_defined
} else := {"allowed": false, "gate": "LANE_ROLE", "reason": "role_not_allowed_for_lane"} if {
	not role_allowed
} else := {"allowed": true, "gate": "ALLOW", "reason": "lane_authorized"}

# A number would find the key that is written like it, so ids are held to be strings first.
# METADATA
# custom:
#   gate: ROLE
#   rule: the role is defined
#   depends: data
#   says:
#     role_not_defined: the policy defines no role {role}
role_defined if {
	is_string(input.role)
	policy.roles[input.role]
}

# METADATA
# custom:
#   gate: LANE
#   rule: the lane is defined
#   depends: data
#   says:
#     lane_not_defined: the policy defines no lane {lane}
lane_defined if {
	is_string(input.lane)
	policy.lanes[input.lane]
}

# METADATA
# custom:
#   gate: LANE_ROLE
#   rule: the lane admits the role
#   depends: data
#   says:
#     role_not_allowed_for_lane: lane {lane} does not admit role {role}
role_allowed if policy.lanes[input.lane].roles[input.role]

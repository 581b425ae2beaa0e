# METADATA
# title: Tool decision
# description: May this role use this tool in this lane? The lane decision comes first, with whatever extends it.
# schemas:
#   - input: schema.tool
package portcullis.tool

import data.portcullis.extension
import data.portcullis.lane
import data.portcullis.policy

# METADATA
# title: portcullis/tool/decision
# description: Tool authorization, `{role, lane, tool}` to `{allowed, gate, reason, lane_reason?}`.
# entrypoint: true
# schemas:
#   - input: schema.tool
default decision := {"allowed": false, "gate": "INTERNAL_ERROR", "reason": "no_decision"}

decision := extension.denied(unmet) if {
	verdict.allowed
} else := extension.denial(data.portcullis.ext.tool.deny) if {
	verdict.allowed
} else := verdict

# What authors say must hold, and does not, in the order of its names.
unmet := [{"gate": gate, "reason": policy.gates.tool[gate]} |
	some gate in sort(object.keys(policy.gates.tool))
	not data.portcullis.ext.tool.must[gate]
]

# `enabled` is asked twice: a tool that is switched off says so first, and one that was never switched on says so last.
# METADATA
# custom:
#   gate: LANE_AUTHORIZATION
#   rule: a tool is used where the lane decision allows
#   depends: data
#   says:
#     lane_not_authorized: role {role} may not work in lane {lane}, because of {lane_reason}
verdict := {
	"allowed": false,
	"gate": "LANE_AUTHORIZATION",
	"reason": "lane_not_authorized",
	"lane_reason": lane.decision.reason,
} if {
	not lane.decision.allowed
} else := {"allowed": false, "gate": "TOOL", "reason": "tool_not_registered"} if {
	not tool_registered
} else := {"allowed": false, "gate": "LANE_TOOL", "reason": "tool_not_allowed_in_lane"} if {
	not tool_in_lane
} else := {"allowed": false, "gate": "TOOL_ENABLED", "reason": "tool_disabled"} if {
	tool_disabled
} else := {"allowed": false, "gate": "TOOL_IMPLEMENTED", "reason": "tool_not_implemented"} if {
	not tool_implemented
} else := {"allowed": false, "gate": "TOOL_ENABLED", "reason": "tool_not_enabled"} if {
	not tool_enabled
} else := {"allowed": true, "gate": "ALLOW", "reason": "tool_allowed"}

# METADATA
# custom:
#   gate: TOOL
#   rule: the tool is registered
#   depends: data
#   says:
#     tool_not_registered: the registry has no tool {tool}
tool_registered if {
	is_string(input.tool)
	policy.tools[input.tool]
}

# METADATA
# custom:
#   gate: LANE_TOOL
#   rule: the lane lists the tool
#   depends: data
#   says:
#     tool_not_allowed_in_lane: lane {lane} does not list tool {tool}
tool_in_lane if policy.lanes[input.lane].tools[input.tool]

# METADATA
# custom:
#   gate: TOOL_ENABLED
#   rule: the tool is enabled
#   depends: data
#   says:
#     tool_disabled: tool {tool} is switched off
tool_disabled if policy.tools[input.tool].enabled == false

# METADATA
# custom:
#   gate: TOOL_IMPLEMENTED
#   rule: the tool is implemented
#   depends: data
#   says:
#     tool_not_implemented: the registry does not say that tool {tool} is implemented
tool_implemented if policy.tools[input.tool].implementation_status == "implemented"

# METADATA
# custom:
#   gate: TOOL_ENABLED
#   depends: data
#   says:
#     tool_not_enabled: the registry does not say that tool {tool} is enabled
tool_enabled if policy.tools[input.tool].enabled == true

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

decision := extension.denial(data.portcullis.ext.tool.deny) if {
	verdict.allowed
} else := verdict

# `enabled` is asked twice: a tool that is switched off says so first, and one that was never switched on says so last.
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

tool_registered if {
	is_string(input.tool)
	policy.tools[input.tool]
}

tool_in_lane if policy.lanes[input.lane].tools[input.tool]

tool_disabled if policy.tools[input.tool].enabled == false

tool_implemented if policy.tools[input.tool].implementation_status == "implemented"

tool_enabled if policy.tools[input.tool].enabled == true

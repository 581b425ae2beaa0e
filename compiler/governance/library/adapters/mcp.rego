# METADATA
# title: Tool calls of the Model Context Protocol
# description: |
#   May this `tools/call` request be passed on? The input is `{request, identity}`: the JSON-RPC request as the client sent
#   it, and who stands behind it as the gateway knows it, `{role, lane, lineage?, approval?}`. `adapters.mcp.tools` of
#   `portcullis.yaml` says which tool of the registry a name is, and which arguments are the scope.
package portcullis.mcp

import data.portcullis.adapter
import data.portcullis.policy
import data.portcullis.text

# METADATA
# title: portcullis/mcp/call
# description: |
#   One `tools/call` request, `{request, identity}` to `{allowed, gate, reason}`, with what the call decision has to say
#   besides. The arguments are the call's `args`.
# entrypoint: true
default call := {"allowed": false, "gate": "INTERNAL_ERROR", "reason": "no_decision"}

call := verdict

verdict := {"allowed": false, "gate": "REQUEST", "reason": "request_malformed"} if {
	not request_well_formed
} else := {"allowed": false, "gate": "IDENTITY", "reason": "identity_missing"} if {
	not identified
} else := {"allowed": false, "gate": "MAPPING", "reason": "tool_not_mapped"} if {
	not mapped
} else := answer if {
	answer := data.portcullis.call.decision with input as asked
}

request_well_formed if {
	input.request.jsonrpc == "2.0"
	input.request.method == "tools/call"
	text.written(input.request.params.name)
	adapter.absent_or_object(input.request.params, "arguments")
}

identified if {
	text.written(input.identity.role)
	text.written(input.identity.lane)
}

mapped := policy.adapters.mcp.tools[input.request.params.name]

arguments := object.get(input.request.params, "arguments", {})

asked := {
	"role": input.identity.role,
	"lane": input.identity.lane,
	"tool": mapped.tool,
	"scope": adapter.scope_of(mapped, arguments),
	"flags": mapped.flags,
	"writes": mapped.writes,
	"lineage": object.get(input.identity, "lineage", null),
	"approval": object.get(input.identity, "approval", null),
	"args": arguments,
}

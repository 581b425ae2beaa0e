# METADATA
# title: AuthZEN's access evaluation
# related_resources:
#   - https://openid.net/specs/authorization-api-1_0.html
# description: |
#   May this subject do this to this resource? The subject's id is a role, the resource's a tool of the registry, and
#   `adapters.authzen` of `portcullis.yaml` says in which lane an action is done. What else the call decision asks for stands
#   in the context: `scope`, `flags`, `writes`, `lineage`, `approval`. A member of the context that no setting lets
#   pass is a denial: it might be one of those, misspelt.
package portcullis.authzen

import data.portcullis.adapter
import data.portcullis.call
import data.portcullis.policy
import data.portcullis.text

# METADATA
# title: portcullis/authzen/evaluation
# description: |
#   One evaluation, `{subject, action, resource, context?}` to `{decision, context}`; the context has `gate`, `reason` and what
#   the call decision has to say besides. The action's properties are the call's `args`.
# entrypoint: true
default evaluation := {"decision": false, "context": {"gate": "INTERNAL_ERROR", "reason": "no_decision"}}

evaluation := {"decision": verdict.allowed, "context": adapter.details(verdict)}

verdict := {"allowed": false, "gate": "REQUEST", "reason": "request_malformed"} if {
	not request_well_formed
} else := {"allowed": false, "gate": "IDENTITY", "reason": "identity_missing"} if {
	not subject_named
} else := {"allowed": false, "gate": "IDENTITY", "reason": "subject_type_not_mapped"} if {
	not subject_is_role
} else := {"allowed": false, "gate": "MAPPING", "reason": "action_not_mapped"} if {
	not mapped
} else := {"allowed": false, "gate": "MAPPING", "reason": "resource_type_not_mapped"} if {
	not resource_is_tool
} else := {"allowed": false, "gate": "REQUEST", "reason": "context_not_understood"} if {
	not context_understood
} else := answer if {
	answer := call.decision with input as asked
}

mapping := policy.adapters.authzen

request_well_formed if {
	text.written(input.action.name)
	text.written(input.resource.type)
	text.written(input.resource.id)
	adapter.absent_or_object(input.action, "properties")
	adapter.absent_or_object(input, "context")
}

subject_named if text.written(input.subject.id)

subject_is_role if input.subject.type == mapping.subject_type

resource_is_tool if input.resource.type == mapping.resource_type

mapped := mapping.actions[input.action.name]

context := object.get(input, "context", {})

context_understood if {
	every name, _ in context {
		understood(name)
	}
}

understood(name) if name in {"scope", "flags", "writes", "lineage", "approval"}

understood(name) if mapping.ignored_context[name]

# METADATA
# title: portcullis/authzen/asked
# description: |
#   The request of the call decision that an evaluation asks about, for hosts that find out what came before the call. They write it
#   as `facts` beside the evaluation, and no client may. `{decision: false}` for a request that is not an evaluation.
# entrypoint: true
default asked := {"decision": false}

asked := {
	"role": input.subject.id,
	"lane": mapped.lane,
	"tool": input.resource.id,
	"scope": object.get(context, "scope", null),
	"flags": object.get(context, "flags", null),
	"writes": object.get(context, "writes", null),
	"lineage": object.get(context, "lineage", null),
	"approval": object.get(context, "approval", null),
	"args": object.get(input.action, "properties", {}),
	"facts": object.get(input, "facts", null),
}

# METADATA
# title: portcullis/authzen/actions
# description: The names of the actions that are mapped, sorted, for hosts that search for those which would be allowed.
# entrypoint: true
default actions := []

actions := sort(object.keys(mapping.actions))

package portcullis.authzen_test

import data.portcullis.authzen
import data.portcullis.mcp_test

policy := object.union(mcp_test.policy, {"adapters": {"authzen": {
	"subject_type": "role",
	"resource_type": "tool",
	"actions": {"use": {"lane": "L"}},
	"ignored_context": {"time": true},
}}})

good := {
	"subject": {"type": "role", "id": "R"},
	"action": {"name": "use"},
	"resource": {"type": "tool", "id": "t"},
	"context": {"scope": {"story": "s-1"}, "time": "now"},
}

answer(path, value) := result if {
	result := authzen.evaluation with data.portcullis.policy as policy
		with input as json.patch(good, [{"op": "add", "path": path, "value": value}])
}

reason(path, value) := answer(path, value).context.reason

test_allows_what_the_call_decision_allows if {
	answer("/context/time", 2) == {"decision": true, "context": {"gate": "ALLOW", "reason": "call_allowed"}}
}

test_gives_the_call_decision_s_denial if {
	answer("/context/scope", {}) == {
		"decision": false,
		"context": {"gate": "SCOPE", "reason": "scope_key_missing", "missing": ["story"]},
	}
}

test_denies_what_it_does_not_know if {
	reason("/action", {}) == "request_malformed"
	reason("/context", null) == "request_malformed"
	reason("/subject", {}) == "identity_missing"
	reason("/subject/type", "user") == "subject_type_not_mapped"
	reason("/action/name", "other") == "action_not_mapped"
	reason("/resource/type", "page") == "resource_type_not_mapped"
	reason("/context/flag", []) == "context_not_understood"
}

test_denies_where_nothing_is_known if {
	answer := authzen.evaluation with input as {} with data.portcullis.policy as {}
	not answer.decision
}

test_names_the_actions_that_are_mapped if {
	authzen.actions == ["use"] with data.portcullis.policy as policy
	authzen.actions == [] with data.portcullis.policy as {}
}

package portcullis.mcp_test

import data.portcullis.mcp

policy := {
	"settings": {"lineage": {"depth": "positional", "max_chain": 4, "require": false}, "call": {"lineage": "optional"}},
	"roles": {"R": {}},
	"lanes": {"L": {"roles": {"R": true}, "tools": {"t": true}, "writes": {}, "requires": {"story": true}, "prohibits": {}}},
	"tools": {"t": {
		"enabled": true,
		"implementation_status": "implemented",
		"scope_keys": {},
		"prohibited_flags": {},
		"approval": "none",
	}},
	"manifests": {},
	"adapters": {"mcp": {"tools": {"use": {"tool": "t", "scope": {"story": "s"}, "flags": [], "writes": []}}}},
}

good := {
	"request": {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "use", "arguments": {"s": "s-1"}}},
	"identity": {"role": "R", "lane": "L"},
}

answer(path, value) := result if {
	result := mcp.call with data.portcullis.policy as policy
		with input as json.patch(good, [{"op": "replace", "path": path, "value": value}])
}

test_allows_what_the_call_decision_allows if {
	answer("/request/id", 2) == {"allowed": true, "gate": "ALLOW", "reason": "call_allowed"}
}

test_gives_the_call_decision_s_denial if {
	answer("/request/params/arguments", {}) == {
		"allowed": false,
		"gate": "SCOPE",
		"reason": "scope_key_missing",
		"missing": ["story"],
	}
}

test_denies_what_it_does_not_know if {
	answer("/request/method", "tools/list").reason == "request_malformed"
	answer("/request/params/arguments", null).reason == "request_malformed"
	answer("/request/params/name", "other").reason == "tool_not_mapped"
	answer("/identity/role", "").reason == "identity_missing"
	answer("/identity", null).reason == "identity_missing"
}

test_denies_where_nothing_is_known if {
	answer := mcp.call with input as {} with data.portcullis.policy as {}
	not answer.allowed
}

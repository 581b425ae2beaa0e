package portcullis.offer_test

import data.portcullis.offer

policy := {
	"settings": {"lineage": {"depth": "positional", "max_chain": 4, "require": false}, "call": {"lineage": "required"}},
	"roles": {"R": {}},
	"lanes": {"L": {"roles": {"R": true}}, "M": {"roles": {"R": true}}, "N": {"roles": {}}},
	"manifests": {},
	"offers": {
		"resources": {"open": false, "lanes": {
			"L": {"names": {"memo://style": true}, "prefixes": ["file:///desk/"]},
			"N": {"names": {"memo://style": true}, "prefixes": []},
		}},
		"prompts": {"open": true},
	},
}

good := {
	"role": "R",
	"lane": "L",
	"kind": "resources",
	"name": "memo://style",
	"lineage": [{"agent_type": "a", "spawn_depth": 0}],
}

answer(path, value) := result if {
	result := offer.mcp with data.portcullis.policy as policy
		with input as json.patch(good, [{"op": "replace", "path": path, "value": value}])
}

allowed := {"allowed": true, "gate": "ALLOW", "reason": "offered"}

denied(gate, reason) := {"allowed": false, "gate": gate, "reason": reason}

test_allows_what_the_lane_lists if {
	every name in ["memo://style", "file:///desk/a.txt", "file:///desk/a/b"] {
		answer("/name", name) == allowed
	}
}

test_denies_what_the_lane_does_not_list if {
	names := [
		"memo://styles", "memo://style/", "file:///desk", "file:///desk/", "file:///desk/../etc/passwd", "file:///desk/./a",
		"file:///desk/a//b", "file:///desk/%2e%2e/a", "file:///desk/a b", "file:///desk/a?b", "FILE:///desk/a",
	]
	every name in names {
		answer("/name", name) == denied("OFFER", "not_offered_in_lane")
	}
	answer("/lane", "M") == denied("OFFER", "not_offered_in_lane")
}

test_opens_what_passes if {
	answer("/kind", "prompts") == allowed
	result := offer.mcp with data.portcullis.policy as policy
		with input as object.union(good, {"kind": "prompts", "lane": "M", "name": "anything"})
	result == allowed
}

test_denies_who_may_not_be_in_the_lane if {
	answer("/lane", "N") == denied("LANE_AUTHORIZATION", "lane_not_authorized")
	answer("/role", "S") == denied("LANE_AUTHORIZATION", "lane_not_authorized")
}

test_denies_a_chain_that_is_missing_or_not_permitted if {
	answer("/lineage", []) == denied("LINEAGE", "lineage_missing")
	answer("/lineage", "a") == denied("LINEAGE", "lineage_not_permitted")
}

test_needs_no_chain_where_calls_need_none if {
	settings := object.union(policy.settings, {"call": {"lineage": "optional"}})
	result := offer.mcp with data.portcullis.policy as object.union(policy, {"settings": settings})
		with input as object.remove(good, ["lineage"])
	result == allowed
}

test_denies_what_is_no_request if {
	answer("/kind", "tools") == denied("REQUEST", "request_malformed")
	answer("/name", " ") == denied("REQUEST", "request_malformed")
	answer("/name", 1) == denied("REQUEST", "request_malformed")
}

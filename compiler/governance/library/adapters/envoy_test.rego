package portcullis.envoy_test

import data.portcullis.envoy
import data.portcullis.mcp_test

mapped := {"tool": "t", "scope": {}, "flags": [], "writes": [], "parameters": {"story": 1}}

policy := object.union(mcp_test.policy, {"adapters": {"envoy": {
	"headers": {"role": "x-role", "lane": "x-lane", "lineage": "x-lineage", "scope": {"run": "x-run"}},
	"routes": [
		object.union(mapped, {
			"method": "GET",
			"segments": ["stories", null],
			"query": {"year": true},
			"body": "ignored",
		}),
		object.union(mapped, {
			"method": "POST",
			"segments": ["stories", null],
			"query": {},
			"body": "json",
			"lane": "L",
		}),
		object.union(mapped, {"method": "PUT", "segments": ["a", null], "query": {}, "body": "ignored"}),
		object.union(mapped, {"method": "PUT", "segments": [null, "b"], "query": {}, "body": "ignored"}),
	],
}}})

headers := {"x-role": "R", "x-lane": "L"}

asked(method, path, more) := result if {
	result := envoy.authz with data.portcullis.policy as policy
		with input as {
			"attributes": {"request": {"http": {
				"method": method,
				"path": path,
				"headers": object.union(headers, more),
			}}},
			"parsed_body": {},
			"truncated_body": method == "PATCH",
		}
}

reason(method, path) := asked(method, path, {}).reason

test_allows_what_the_call_decision_allows if {
	asked("GET", "/stories/s-1?year=2020", {}) == {
		"allowed": true,
		"gate": "ALLOW",
		"reason": "call_allowed",
		"dynamic_metadata": {"gate": "ALLOW", "reason": "call_allowed"},
	}
	asked("POST", "/stories/s-1", {"x-lane": "none"}).allowed
	asked("GET", "/stories/s-1", {"x-lineage": "[]"}).allowed
}

test_tells_envoy_of_a_denial if {
	asked("GET", "/stories/s-1", {"x-role": "S"}) == {
		"allowed": false,
		"gate": "LANE_AUTHORIZATION",
		"reason": "lane_not_authorized",
		"lane_reason": "role_not_defined",
		"http_status": 403,
		"headers": {"content-type": "application/json"},
		"body": `{"gate":"LANE_AUTHORIZATION","reason":"lane_not_authorized"}`,
		"dynamic_metadata": {"gate": "LANE_AUTHORIZATION", "reason": "lane_not_authorized"},
	}
}

test_denies_paths_with_more_than_one_meaning if {
	every path in ["/stories//", "/stories/..", "/stories/%2e", "/stories/a;b", "/stories/a?x=1?y=2"] {
		reason("GET", path) == "path_ambiguous"
	}
	reason("GET", "/other/a") == "route_not_mapped"
	reason("PUT", "/a/b") == "route_ambiguous"
}

test_denies_a_query_that_nobody_mapped if {
	every query in ["year", "year=", "year=1&year=2", "month=1", "year=%31", ""] {
		reason("GET", sprintf("/stories/a?%s", [query])) == "query_not_mapped"
	}
}

test_denies_without_a_whole_identity if {
	asked("GET", "/stories/a", {"x-role": ""}).reason == "identity_missing"
	asked("GET", "/stories/a", {"x-role": "R,S"}).reason == "identity_missing"
	asked("GET", "/stories/a", {"x-lineage": "["}).reason == "identity_malformed"
	asked("GET", "/stories/a", {"x-run": "r-1,r-2"}).reason == "identity_malformed"
	asked("GET", "/stories/a", {"x-run": "r-1"}).allowed
}

test_denies_a_body_that_is_not_there_as_a_whole if {
	request := {"attributes": {"request": {"http": {"method": "POST", "path": "/stories/a", "headers": headers}}}}
	every body in [{}, {"parsed_body": []}, {"parsed_body": {}, "truncated_body": true}] {
		answer := envoy.authz with input as object.union(request, body) with data.portcullis.policy as policy
		answer.reason == "body_not_understood"
	}
}

test_denies_where_nothing_is_known if {
	answer := envoy.authz with input as {} with data.portcullis.policy as {}
	answer.reason == "request_malformed"
}

package portcullis.lane_test

import data.portcullis.lane

# The keys that look like other types catch an evaluation that takes `1` for "1".
policy := {
	"roles": {"R": {}, "S": {}, "1": {}, "true": {}, "null": {}},
	"lanes": {
		"L": {"roles": {"R": true, "1": true, "true": true, "null": true}, "tools": {}},
		"1": {"roles": {"R": true}, "tools": {}},
		"true": {"roles": {"R": true}, "tools": {}},
		"null": {"roles": {"R": true}, "tools": {}},
	},
}

good := {"role": "R", "lane": "L"}

# Every type, and strings that are not ids.
wrong := [null, true, false, 0, 1, 1.5, "", "r", " R", "__proto__", [], ["R"], {}, {"R": true}]

decide(request) := answer if {
	answer := lane.decision with input as request with data.portcullis.policy as policy
}

denies(request, gate, reason) if {
	decide(request) == {"allowed": false, "gate": gate, "reason": reason}
}

test_allow if decide(good) == {"allowed": true, "gate": "ALLOW", "reason": "lane_authorized"}

test_unknown_fields_are_ignored if {
	decide(object.union(good, {"allowed": false, "tool": 1})) == decide(good)
}

test_role_of_every_type if {
	every value in wrong {
		denies(object.union(good, {"role": value}), "ROLE", "role_not_defined")
	}
}

test_role_missing if denies({"lane": "L"}, "ROLE", "role_not_defined")

test_lane_of_every_type if {
	every value in wrong {
		denies(object.union(good, {"lane": value}), "LANE", "lane_not_defined")
	}
}

test_lane_missing if denies({"role": "R"}, "LANE", "lane_not_defined")

test_role_comes_before_lane if denies({"role": "X", "lane": "X"}, "ROLE", "role_not_defined")

test_lane_role if denies({"role": "S", "lane": "L"}, "LANE_ROLE", "role_not_allowed_for_lane")

test_role_that_only_the_lane_knows if {
	only_lane := {"roles": {}, "lanes": {"L": {"roles": {"R": true}, "tools": {}}}}
	answer := lane.decision with input as good with data.portcullis.policy as only_lane
	answer.gate == "ROLE"
}

test_input_of_every_type if {
	every value in wrong {
		denies(value, "ROLE", "role_not_defined")
	}
}

test_no_input if {
	answer := lane.decision with data.portcullis.policy as policy
	answer.gate == "ROLE"
}

test_no_policy if {
	every absent in [{}, {"roles": {"R": {}}}, {"roles": null, "lanes": null}] {
		answer := lane.decision with input as good with data.portcullis.policy as absent
		answer.allowed == false
	}
}

test_demand_of_authors_that_is_not_met if {
	demanding := object.union(policy, {"gates": {"lane": {"G": "not_so"}}})
	answer := lane.decision with input as good with data.portcullis.policy as demanding
	answer.allowed == false
	answer.gate == "G"
	answer.reason == "not_so"
}

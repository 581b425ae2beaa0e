package portcullis.tool_test

import data.portcullis.tool

ready := {"enabled": true, "implementation_status": "implemented"}

policy := {
	"roles": {"R": {}},
	"lanes": {"L": {"roles": {"R": true}, "tools": {
		"T": true,
		"1": true,
		"true": true,
		"null": true,
		"unregistered": true,
	}}},
	"tools": {"T": ready, "1": ready, "true": ready, "null": ready, "elsewhere": ready},
}

good := {"role": "R", "lane": "L", "tool": "T"}

# Every type, and strings that are not ids.
wrong := [null, true, false, 0, 1, 1.5, "", "t", " T", "__proto__", [], ["T"], {}, {"T": true}]

decide(request) := answer if {
	answer := tool.decision with input as request with data.portcullis.policy as policy
}

# The decision on the good request when the tool is as `entry` says.
decide_entry(entry) := answer if {
	changed := object.union(policy, {"tools": {"T": null}})
	as_entry := json.patch(changed, [{"op": "replace", "path": "/tools/T", "value": entry}])
	answer := tool.decision with input as good with data.portcullis.policy as as_entry
}

denies(request, gate, reason) if {
	decide(request) == {"allowed": false, "gate": gate, "reason": reason}
}

denies_lane(request, reason) if {
	decide(request) == {
		"allowed": false,
		"gate": "LANE_AUTHORIZATION",
		"reason": "lane_not_authorized",
		"lane_reason": reason,
	}
}

test_allow if decide(good) == {"allowed": true, "gate": "ALLOW", "reason": "tool_allowed"}

test_lane_reasons if {
	denies_lane({"role": "X", "lane": "L", "tool": "T"}, "role_not_defined")
	denies_lane({"role": "R", "lane": "X", "tool": "T"}, "lane_not_defined")
	denies_lane({"role": "R", "tool": "T"}, "lane_not_defined")
	denies_lane({}, "role_not_defined")
}

test_lane_extension_denies_the_tool if {
	answer := tool.decision with input as good
		with data.portcullis.policy as policy
		with data.portcullis.ext.lane.deny as {{"gate": "FREEZE", "reason": "frozen"}}
	answer.gate == "LANE_AUTHORIZATION"
	answer.lane_reason == "frozen"
}

test_tool_of_every_type if {
	every value in wrong {
		denies(object.union(good, {"tool": value}), "TOOL", "tool_not_registered")
	}
}

test_tool_missing if denies({"role": "R", "lane": "L"}, "TOOL", "tool_not_registered")

test_tool_that_only_the_lane_knows if {
	denies({"role": "R", "lane": "L", "tool": "unregistered"}, "TOOL", "tool_not_registered")
}

test_tool_of_no_lane if {
	denies({"role": "R", "lane": "L", "tool": "elsewhere"}, "LANE_TOOL", "tool_not_allowed_in_lane")
}

test_states if {
	expected := [
		[{"enabled": true, "implementation_status": "implemented"}, "ALLOW", "tool_allowed"],
		[{"enabled": false, "implementation_status": "implemented"}, "TOOL_ENABLED", "tool_disabled"],
		[{"enabled": false, "implementation_status": "planned"}, "TOOL_ENABLED", "tool_disabled"],
		[{"enabled": false}, "TOOL_ENABLED", "tool_disabled"],
		[{"enabled": true, "implementation_status": "planned"}, "TOOL_IMPLEMENTED", "tool_not_implemented"],
		[{"enabled": true, "implementation_status": "Implemented"}, "TOOL_IMPLEMENTED", "tool_not_implemented"],
		[{"enabled": true, "implementation_status": true}, "TOOL_IMPLEMENTED", "tool_not_implemented"],
		[{"enabled": true}, "TOOL_IMPLEMENTED", "tool_not_implemented"],
		[{"implementation_status": "planned"}, "TOOL_IMPLEMENTED", "tool_not_implemented"],
		[{}, "TOOL_IMPLEMENTED", "tool_not_implemented"],
		[{"implementation_status": "implemented"}, "TOOL_ENABLED", "tool_not_enabled"],
		[{"enabled": null, "implementation_status": "implemented"}, "TOOL_ENABLED", "tool_not_enabled"],
		[{"enabled": "true", "implementation_status": "implemented"}, "TOOL_ENABLED", "tool_not_enabled"],
		[{"enabled": 1, "implementation_status": "implemented"}, "TOOL_ENABLED", "tool_not_enabled"],
	]
	every row in expected {
		answer := decide_entry(row[0])
		[answer.gate, answer.reason] == [row[1], row[2]]
		answer.allowed == object.get({"ALLOW": true}, row[1], false)
	}
}

test_no_input if {
	answer := tool.decision with data.portcullis.policy as policy
	answer.gate == "LANE_AUTHORIZATION"
}

test_no_policy if {
	answer := tool.decision with input as good with data.portcullis.policy as {}
	answer.allowed == false
}

test_extension if {
	answer := tool.decision with input as good
		with data.portcullis.policy as policy
		with data.portcullis.ext.tool.deny as {{"gate": "FREEZE", "reason": "frozen"}}
	answer == {"allowed": false, "gate": "FREEZE", "reason": "frozen"}
}

test_demand_of_authors_that_is_not_met if {
	demanding := object.union(policy, {"gates": {"tool": {"G": "not_so"}}})
	answer := tool.decision with input as good with data.portcullis.policy as demanding
	answer.allowed == false
	answer.gate == "G"
	answer.reason == "not_so"
}

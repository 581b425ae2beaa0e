package portcullis.lineage_test

import data.portcullis.lineage

policy := {
	"settings": {"lineage": {"depth": "positional", "max_chain": 4}},
	"manifests": {
		"lead": {"can_spawn": {"work": true, "ghost": true}, "max_spawn_depth": 2},
		"work": {"can_spawn": {"work": true, "lead": true}, "max_spawn_depth": 3},
		"idle": {"can_spawn": {}, "max_spawn_depth": 9},
	},
}

decide(request) := answer if {
	answer := lineage.decision with input as request with data.portcullis.policy as policy
}

decide_chain(chain) := decide({"lineage": chain})

decide_reported(chain) := answer if {
	reported := object.union(policy, {"settings": {"lineage": {"depth": "reported"}}})
	answer := lineage.decision with input as {"lineage": chain} with data.portcullis.policy as reported
}

allows(request, reason) if decide(request) == {"allowed": true, "gate": "ALLOW", "reason": reason}

malformed := {"allowed": false, "gate": "MALFORMED_LINEAGE", "reason": "malformed_lineage"}

agent(type, depth) := {"agent_type": type, "spawn_depth": depth}

test_no_lineage if {
	allows({}, "no_lineage")
	allows({"lineage": null}, "no_lineage")
	allows({"other": [1]}, "no_lineage")
}

test_allows if {
	allows({"lineage": []}, "empty_lineage")
	allows({"lineage": [agent("lead", 0)]}, "single_agent")
	allows({"lineage": [agent("unheard of", 0)]}, "single_agent")
	allows({"lineage": [agent("lead", 0), agent("work", 1)]}, "lineage_ok")
	allows({"lineage": [agent("lead", 0), agent("work", 1), agent("work", 2), agent("lead", 3)]}, "lineage_ok")
}

test_lineage_of_other_types if {
	every value in [true, false, 0, 1, "", "x", {}, {"0": agent("lead", 0)}] {
		decide_chain(value) == malformed
	}
}

test_input_of_other_types if {
	every value in [null, true, false, 0, "", "lineage", [], ["lineage"], [null]] {
		decide(value) == malformed
	}
}

test_no_input if {
	answer := lineage.decision with data.portcullis.policy as policy
	answer == malformed
}

test_agent_of_other_types if {
	every value in [null, true, false, 0, "", "lead", [], ["lead", 0], {}] {
		decide_chain([value]) == malformed
		decide_chain([agent("lead", 0), value]) == malformed
	}
}

test_agent_type_of_other_types if {
	every value in [null, true, false, 0, 1, "", [], ["lead"], {}, {"lead": true}] {
		decide_chain([agent(value, 0)]) == malformed
	}
	decide_chain([{"spawn_depth": 0}]) == malformed
}

test_spawn_depth_of_other_types if {
	every value in [null, true, false, -1, 0.5, 4294967296, 1e300, "", "0", [], [0], {}] {
		decide_chain([agent("lead", value)]) == malformed
		decide_reported([agent("lead", value)]) == malformed
	}
	decide_chain([{"agent_type": "lead"}]) == malformed
}

test_agent_id_of_other_types if {
	every value in [null, true, false, 0, 1, [], ["a"], {}] {
		decide_chain([object.union(agent("lead", 0), {"agent_id": value})]) == malformed
	}
}

test_largest_depth if decide_reported([agent("lead", 4294967295)]).allowed

test_whole_numbers_in_any_writing if {
	decide_chain([agent("lead", 0.0), agent("work", 1e0)]).allowed
}

test_chain_limit if {
	decide_chain([agent("work", i) | some i in numbers.range(0, 3)]).reason == "lineage_ok"
	decide_chain([agent("work", i) | some i in numbers.range(0, 4)]) == malformed
}

test_chain_limit_is_64_by_itself if {
	open := {"manifests": {"work": {"can_spawn": {"work": true}, "max_spawn_depth": 4294967295}}}
	every last, reason in {63: "lineage_ok", 64: "malformed_lineage"} {
		chain := [agent("work", i) | some i in numbers.range(0, last)]
		answer := lineage.decision with input as {"lineage": chain} with data.portcullis.policy as open
		answer.reason == reason
	}
}

test_parent_manifest if decide_chain([agent("unheard of", 0), agent("work", 9)]) == {
	"allowed": false,
	"gate": "PARENT_MANIFEST",
	"reason": "parent_manifest_missing",
	"pair": [0, 1],
	"parent": "unheard of",
	"child": "work",
}

test_spawn_depth if decide_chain([agent("lead", 0), agent("nobody", 3)]) == {
	"allowed": false,
	"gate": "SPAWN_DEPTH",
	"reason": "spawn_depth_exceeded",
	"pair": [0, 1],
	"parent": "lead",
	"child": "nobody",
	"depth": 3,
	"max": 2,
}

test_spawn_depth_without_a_bound if {
	unbound := {"manifests": {"lead": {"can_spawn": {"work": true}}, "work": {"can_spawn": {}, "max_spawn_depth": 1}}}
	chain := [agent("lead", 0), agent("work", 1)]
	answer := lineage.decision with input as {"lineage": chain} with data.portcullis.policy as unbound
	[answer.allowed, answer.gate] == [false, "SPAWN_DEPTH"]
}

test_spawn_permission if decide_chain([agent("lead", 0), agent("work", 1), agent("idle", 3)]) == {
	"allowed": false,
	"gate": "SPAWN_PERMISSION",
	"reason": "spawn_not_permitted",
	"pair": [1, 2],
	"parent": "work",
	"child": "idle",
}

test_first_pair_decides if {
	chain := [agent("idle", 0), agent("lead", 1), agent("nobody", 9), agent("work", 1)]
	answer := decide_chain(chain)
	[answer.gate, answer.pair] == ["SPAWN_PERMISSION", [0, 1]]
}

test_agent_id if {
	chain := [agent("work", 0), agent("work", 0), agent("work", 0), agent("work", 0)]
	named := [object.union(item, {"agent_id": id}) | some i, item in chain; id := ["a", "b", "b", "a"][i]]
	decide_chain(named) == {"allowed": false, "gate": "AGENT_ID", "reason": "duplicate_agent_id", "index": 2}
	some_named := array.concat(array.slice(named, 0, 1), array.slice(chain, 1, 4))
	decide_chain(some_named).gate == "DEPTH_POSITION"
}

test_depth_position if {
	expected := {"allowed": false, "gate": "DEPTH_POSITION", "reason": "spawn_depth_not_positional", "index": 1}
	decide_chain([agent("lead", 0), agent("work", 2), agent("work", 1)]) == expected
	decide_reported([agent("lead", 0), agent("work", 2), agent("work", 1)]).reason == "lineage_ok"
	decide_chain([agent("lead", 1)]).index == 0
	decide_reported([agent("lead", 1)]).reason == "single_agent"
}

test_agent_manifest if decide_chain([agent("lead", 0), agent("ghost", 1)]) == {
	"allowed": false,
	"gate": "AGENT_MANIFEST",
	"reason": "manifest_missing",
	"index": 1,
}

test_no_policy if {
	chain := [agent("lead", 0), agent("work", 1)]
	answer := lineage.decision with input as {"lineage": chain} with data.portcullis.policy as {}
	answer.gate == "PARENT_MANIFEST"
}

test_extension if {
	answer := lineage.decision with input as {"lineage": [agent("lead", 0)]}
		with data.portcullis.policy as policy
		with data.portcullis.ext.lineage.deny as {{"gate": "FREEZE", "reason": "frozen"}}
	answer == {"allowed": false, "gate": "FREEZE", "reason": "frozen"}
}

decide_required(request) := answer if {
	required := object.union(policy, {"settings": {"lineage": {"require": true}}})
	answer := lineage.decision with input as request with data.portcullis.policy as required
}

test_a_lineage_can_be_required if {
	missing := {"allowed": false, "gate": "LINEAGE", "reason": "lineage_missing"}
	decide_required({}) == missing
	decide_required({"lineage": null}) == missing
	decide_required({"lineage": []}) == missing
	decide_required({"lineage": "x"}) == malformed
	decide_required({"lineage": [agent("lead", 0)]}).allowed
}

test_demand_of_authors_that_is_not_met if {
	demanding := object.union(policy, {"gates": {"lineage": {"G": "not_so"}}})
	answer := lineage.decision with input as {"lineage": [agent("lead", 0)]} with data.portcullis.policy as demanding
	answer.allowed == false
	answer.gate == "G"
	answer.reason == "not_so"
}

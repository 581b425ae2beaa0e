package portcullis.handoff_roles_test

import data.portcullis.handoff

policy := {"handoff": {
	"required_fields": [],
	"forbidden_mutations": {},
	"placeholders": {},
	"agents": {"lead": "master", "desk": "master", "work": "sub", "help": "sub"},
	"forbidden_paths": {"Rules/top": true, "plan.md": true},
}}

record := {
	"handoff_id": "h",
	"task_id": "t",
	"from_agent": "work",
	"to_agent": "lead",
	"input_scope": "s",
	"actions_taken": ["did"],
	"artifacts": [{"path": "e/a.md", "kind": "log"}],
	"result": "PASS",
	"next_action": {"owner": "o", "action": "a", "input": "i"},
	"rulebook_update": {"applied": false},
}

there := {"exists": true, "file": true, "contained": true, "resolved": "e/a.md"}

decide(changed, evidence) := answer if {
	answer := handoff.decision with input as {"record": object.union(record, changed), "artifacts": evidence}
		with data.portcullis.policy as policy
}

found(changed) := [[entry.gate, entry.reason, entry.path] | some entry in decide(changed, {"e/a.md": there}).violations]

# One artifact at a path, found behind it at another.
lying(from, path, resolved) := [[entry.reason, entry.path] | some entry in answer.violations] if {
	to := {"work": "lead", "lead": "work"}[from]
	changed := {"from_agent": from, "to_agent": to, "artifacts": [{"path": path, "kind": "log"}]}
	answer := decide(changed, {path: object.union(there, {"resolved": resolved})})
}

test_between_master_and_sub if {
	found({}) == []
	found({"from_agent": "desk", "to_agent": "help"}) == []
	boundary := [["AGENTS", "role_boundary", "/to_agent"]]
	found({"to_agent": "help"}) == boundary
	found({"to_agent": "work"}) == boundary
	found({"from_agent": "desk"}) == boundary
}

test_unknown_agents if {
	every name in ["Work", "work ", "wor", "work2", "w\u043erk", "master", "__proto__"] {
		found({"from_agent": name}) == [["AGENTS", "unknown_agent", "/from_agent"]]
		found({"to_agent": name}) == [["AGENTS", "unknown_agent", "/to_agent"]]
	}
	found({"from_agent": "x", "to_agent": "x"}) == [
		["AGENTS", "unknown_agent", "/from_agent"],
		["AGENTS", "unknown_agent", "/to_agent"],
	]

	# A value without a name is not a name.
	found({"from_agent": 7}) == [["IDENTITY_FIELDS", "field_not_nonempty_string", "/from_agent"]]
}

test_forbidden_artifacts if {
	forbidden := [["forbidden_mutation", "/artifacts/0/path"]]
	every path in ["rules/top", "Rules/TOP/x", "rules\\top\\x", "./rules//top/x", "rules/top/", "plan.md", "PLAN.md"] {
		lying("work", path, "e/a.md") == forbidden
		lying("work", "e/a.md", path) == forbidden
		lying("lead", path, path) == []
	}
	every path in ["rules", "rules/topmost", "rules/x/top", "x/rules/top", "plan.md.txt", "plan"] {
		lying("work", path, path) == []
	}

	# A link to an unknown place.
	every resolved in [null, 7, ["e/a.md"], "x/../rules/top", ".."] {
		lying("work", "e/a.md", resolved) == forbidden
		lying("lead", "e/a.md", resolved) == []
	}
}

test_forbidden_attempts if {
	forbidden := [["MUTATIONS", "forbidden_mutation", "/attempted_mutations/1"]]
	every name in ["rules/top", " Rules\\Top/x ", "/rules", "rules", "", "x/../rules/top", "plan.md"] {
		found({"attempted_mutations": ["x", name]}) == forbidden
		found({"from_agent": "lead", "to_agent": "work", "attempted_mutations": ["x", name]}) == []
	}

	# What holds every top-level contract is no one's to change.
	found({"from_agent": "lead", "to_agent": "work", "attempted_mutations": ["x", "."]}) == forbidden
	every name in ["rules/other", "rules/topmost", "rule", "plan", "e"] {
		found({"attempted_mutations": [name]}) == []
	}
}

test_attributed_failures if {
	good := {"layer": "skill", "hypothesis": "h", "patch": {"file": "p"}, "result": "r"}
	every layer in ["identity", "skill", "mcp", "tool", "mcp/tool"] {
		found({"result": "FAIL", "failure": object.union(good, {"layer": layer})}) == []
	}
	every failure in [null, "skill", [], 7] {
		found({"result": "FAIL", "failure": failure}) == [["FAILURE", "failure_not_attributed", "/failure"]]
	}
	found({"result": "FAIL"}) == [["FAILURE", "failure_not_attributed", "/failure"]]
	every layer in ["Skill", "skill ", "", "skill/tool", null, ["skill"]] {
		found({"result": "FAIL", "failure": object.union(good, {"layer": layer})}) == [[
			"FAILURE",
			"failure_not_attributed",
			"/failure/layer",
		]]
	}
	every part in ["hypothesis", "patch", "result"] {
		every value in ["", " ", null, {}, ["x"], 1] {
			failure := json.patch(good, [{"op": "replace", "path": concat("", ["/", part]), "value": value}])
			found({"result": "FAIL", "failure": failure}) == [[
				"FAILURE",
				"failure_not_attributed",
				concat("", ["/failure/", part]),
			]]
		}
	}
	count(found({"result": "FAIL", "failure": {}})) == 4

	# What did not fail has nothing to attribute.
	every result in ["PASS", "BLOCKED"] {
		found({"result": result, "failure": {}}) == []
	}
}

test_without_agents if {
	changed := {"to_agent": "work", "result": "FAIL", "attempted_mutations": ["plan.md"]}
	answer := handoff.decision with input as {"record": object.union(record, changed), "artifacts": {"e/a.md": there}}
		with data.portcullis.policy as {"handoff": object.remove(policy.handoff, ["agents"])}
	answer.allowed
}

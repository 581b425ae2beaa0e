package portcullis.handoff_test

import data.portcullis.handoff

record := {
	"handoff_id": "h",
	"task_id": "t",
	"from_agent": "a",
	"to_agent": "b",
	"input_scope": "s",
	"actions_taken": ["did", {"what": "that"}],
	"artifacts": [{"path": "e/a.md", "kind": "log"}, {"path": "e/b.md", "kind": "log"}],
	"result": "PASS",
	"next_action": {"owner": "o", "action": "a", "input": "i"},
	"rulebook_update": {"applied": true, "evidence_run_id": "r"},
}

there := {"exists": true, "file": true, "contained": true}

evidence := {"e/a.md": there, "e/b.md": there}

accepted := {"allowed": true, "gate": "ALLOW", "reason": "handoff_accepted", "violations": []}

decide(changed) := answer if {
	answer := handoff.decision with input as {"record": changed, "artifacts": evidence}
		with data.portcullis.policy as {}
}

changed(path, value) := json.patch(record, [{"op": "add", "path": path, "value": value}])

without(path) := json.patch(record, [{"op": "remove", "path": path}])

# The violations of a record as [gate, reason, path].
found(answer) := [[entry.gate, entry.reason, entry.path] | some entry in answer.violations]

# Every one of the values at the path is exactly this violation.
violates(path, values, gate, reason, pointer) if {
	every value in values {
		answer := decide(changed(path, value))
		found(answer) == [[gate, reason, pointer]]
		[answer.allowed, answer.gate, answer.reason] == [false, gate, reason]
	}
}

others := [null, true, false, 0, 1, [], ["x"]]

test_accepted if {
	decide(record) == accepted
	decide(object.union(record, {"allowed": false, "violations": [1]})) == accepted
}

test_record if {
	expected := {"gate": "RECORD", "reason": "invalid_record", "path": ""}
	every value in array.concat(others, ["", "x"]) {
		answer := handoff.decision with input as {"record": value, "artifacts": evidence}
		answer == {"allowed": false, "gate": "RECORD", "reason": "invalid_record", "violations": [expected]}
		as_input := handoff.decision with input as value
		as_input == answer
	}
	handoff.decision.violations == [expected]
}

test_required_fields if {
	every field in handoff.required_floor {
		found(decide(without(concat("", ["/", field])))) == [["REQUIRED_FIELDS", "missing_required_field", concat("", ["/", field])]]
	}
	paths := [entry.path | some entry in decide({"task_id": 1}).violations]
	paths == [concat("", ["/", field]) | some field in handoff.required_floor; field != "task_id"]
}

test_policy_adds_required_fields if {
	added := {"handoff": {"required_fields": ["task_id", "a/b~c", "severity", "a/b~c"]}}
	answer := handoff.decision with input as {"record": record, "artifacts": evidence} with data.portcullis.policy as added
	[entry.path | some entry in answer.violations] == ["/a~1b~0c", "/severity"]
}

test_identity_fields if {
	every field in ["handoff_id", "task_id", "from_agent", "to_agent"] {
		pointer := concat("", ["/", field])
		values := array.concat(others, ["", " \ufeff", {}, {"a": 1}])
		violates(pointer, values, "IDENTITY_FIELDS", "field_not_nonempty_string", pointer)
	}
	values := array.concat(others, ["", " \u3000", {}])
	violates("/input_scope", values, "IDENTITY_FIELDS", "field_not_nonempty_string", "/input_scope")
	decide(changed("/input_scope", {"a": null})) == accepted
}

test_result if {
	values := array.concat(others, ["", "pass", " PASS", "DONE", {}, {"PASS": 1}])
	violates("/result", values, "RESULT", "result_invalid", "/result")
	decide(changed("/result", "BLOCKED")) == accepted
	decide(changed("/result", "FAIL")) == accepted
}

test_actions if {
	violates("/actions_taken", [null, true, 0, "", "x", [], {}, {"a": 1}], "ACTIONS", "actions_taken_empty", "/actions_taken")
	values := array.concat(others, ["", "  ", {}])
	violates("/actions_taken/1", values, "ACTIONS", "actions_taken_item_blank", "/actions_taken/1")
	found(decide(changed("/actions_taken", ["", "x", 1]))) == [
		["ACTIONS", "actions_taken_item_blank", "/actions_taken/0"],
		["ACTIONS", "actions_taken_item_blank", "/actions_taken/2"],
	]
}

test_artifacts if {
	violates("/artifacts", [null, true, 0, "", "x", [], {}, {"a": 1}], "ARTIFACTS", "artifacts_empty", "/artifacts")
	violates("/artifacts/0", array.concat(others, ["e/a.md"]), "ARTIFACTS", "artifact_not_object", "/artifacts/0")
	blank := array.concat(others, ["", " ", {}, {"a": 1}])
	violates("/artifacts/1/path", blank, "ARTIFACTS", "artifact_path_missing", "/artifacts/1/path")
	violates("/artifacts/1/kind", blank, "ARTIFACTS", "artifact_kind_missing", "/artifacts/1/kind")
	found(decide(changed("/artifacts", [{}, "x", {"path": "/x"}]))) == [
		["ARTIFACTS", "artifact_path_missing", "/artifacts/0/path"],
		["ARTIFACTS", "artifact_kind_missing", "/artifacts/0/kind"],
		["ARTIFACTS", "artifact_not_object", "/artifacts/1"],
		["ARTIFACTS", "artifact_kind_missing", "/artifacts/2/kind"],
		["ARTIFACTS", "artifact_path_escapes", "/artifacts/2/path"],
	]
}

fault(path, facts) := answer.reason if {
	answer := handoff.decision with input as {
		"record": changed("/artifacts", [{"path": path, "kind": "log"}]),
		"artifacts": facts,
	}
}

test_evidence if {
	escaping := ["/e/a.md", "..", "../a", "e/../a", "e/..", "\\a", "..\\a", "e\\..\\a"]
	every path in escaping {
		fault(path, {path: there}) == "artifact_path_escapes"
	}
	every path in ["e/..a", "e..", "...", "e//a", "./e", "C:/a", " "] {
		fault(concat("", [path, "x"]), {concat("", [path, "x"]): there}) == "handoff_accepted"
	}
	every value in [null, false, 0, 1, "true", [], {}] {
		fault("e", {"e": object.union(there, {"contained": value})}) == "artifact_path_escapes"
		fault("e", {"e": object.union(there, {"exists": value})}) == "artifact_path_not_found"
		fault("e", {"e": object.union(there, {"file": value})}) == "artifact_path_not_a_file"
	}
	every value in array.concat(others, ["e"]) {
		fault("e", {"e": value}) == "artifact_path_not_found"
		fault("e", value) == "artifact_path_not_found"
	}
	fault("e", {}) == "artifact_path_not_found"
	fault("e", {"e": {}}) == "artifact_path_escapes"
}

test_digest if {
	seen := object.union(there, {"sha256": "ab", "size": 1})
	judged := {value: answer.reason |
		some value in ["ab", "AB", "", "a", "abc", "ab ", null, true, 1, [], ["ab"], {}]
		answer := handoff.decision with input as {
			"record": changed("/artifacts", [{"path": "e", "kind": "log", "sha256": value}]),
			"artifacts": {"e": seen},
		}
	}
	{value | some value, reason in judged; reason == "handoff_accepted"} == {"ab"}
	{reason | some value, reason in judged; value != "ab"} == {"artifact_digest_mismatch"}
	named := changed("/artifacts", [{"path": "e", "kind": "log", "sha256": "ab"}])
	every facts in [there, object.union(there, {"sha256": null})] {
		answer := handoff.decision with input as {"record": named, "artifacts": {"e": facts}}
		found(answer) == [["ARTIFACTS", "artifact_digest_mismatch", "/artifacts/0/sha256"]]
	}
	lost := handoff.decision with input as {"record": named, "artifacts": {}}
	found(lost) == [["ARTIFACTS", "artifact_path_not_found", "/artifacts/0/path"]]
	unnamed := handoff.decision with input as {
		"record": changed("/artifacts", [{"path": "e", "kind": "log"}]),
		"artifacts": {"e": seen},
	}
	unnamed.allowed
}

test_next_action if {
	violates("/next_action", array.concat(others, ["do it"]), "NEXT_ACTION", "next_action_not_object", "/next_action")
	every field in ["owner", "action"] {
		pointer := concat("", ["/next_action/", field])
		values := array.concat(others, ["", " ", {}, {"a": 1}])
		violates(pointer, values, "NEXT_ACTION", "next_action_missing", pointer)
	}
	values := [null, true, 0, "", " ", [], {}]
	violates("/next_action/input", values, "NEXT_ACTION", "next_action_missing", "/next_action/input")
	every value in [[null], {"a": null}, "x"] {
		decide(changed("/next_action/input", value)) == accepted
	}
	[entry.path | some entry in decide(changed("/next_action", {})).violations] == ["/next_action/owner", "/next_action/action", "/next_action/input"]
}

test_placeholders if {
	every field in ["owner", "action", "input"] {
		pointer := concat("", ["/next_action/", field])
		words := ["todo", "TBD", "n/a", "Na", "NONE", "pending", "later"]
		values := array.concat(words, ["later on", " ToDo-1", "todo.", "n/a\n", "none:x"])
		violates(pointer, values, "NEXT_ACTION", "next_action_placeholder", pointer)
		every text in ["today", "n/ab", "nah", "na1", "na/x", "-", "(todo)", "\ufefftodo", "t\u043edo", "todo\u00e9", "x none"] {
			decide(changed(pointer, text)) == accepted
		}
	}
}

test_policy_adds_placeholders if {
	added := {"handoff": {"placeholders": {"Soon": true}}}
	every text, allowed in {"soon enough": false, "todo": false, "sooner": true} {
		answer := handoff.decision with input as {"record": changed("/next_action/owner", text), "artifacts": evidence}
			with data.portcullis.policy as added
		answer.allowed == allowed
	}
}

test_mutations if {
	values := [null, true, false, 0, "", "gates", {}, {"0": "x"}, [1], ["x", null], [["x"]]]
	violates("/attempted_mutations", values, "MUTATIONS", "attempted_mutations_invalid", "/attempted_mutations")
	decide(changed("/attempted_mutations", [])) == accepted
	every name in ["gate", "gates2", "x.gates", "x/gates", "~gates", "gates#", "", " ", "gates "] {
		decide(changed("/attempted_mutations", ["x", name])).allowed == name != "gates "
	}
}

test_forbidden_mutations if {
	forbidden := array.concat([name | some name in handoff.forbidden_floor], [" Gates", "/gates", "/GATES/x", "gates.x", "gates[0]", "gates/", "gates.", "\ufeffgates", "//gates", "./gates", "..\\Gates\\x", "#/gates", "$.gates", "$", "/", " . ", "trigger_regression_contract.a/b[c]"])
	every name in forbidden {
		found(decide(changed("/attempted_mutations", ["x", name]))) == [["MUTATIONS", "forbidden_mutation", "/attempted_mutations/1"]]
	}
}

test_policy_adds_forbidden_mutations if {
	added := {"handoff": {"forbidden_mutations": {"/Budget": true}}}
	every name, allowed in {"budget": false, "budget.x": false, "gates": false, "budgets": true} {
		answer := handoff.decision with input as {"record": changed("/attempted_mutations", [name]), "artifacts": evidence}
			with data.portcullis.policy as added
		answer.allowed == allowed
	}
}

test_rulebook if {
	values := array.concat(others, ["x"])
	violates("/rulebook_update", values, "RULEBOOK", "rulebook_not_object", "/rulebook_update")
	applied := [null, 0, 1, "true", [], [true], {}]
	violates("/rulebook_update/applied", applied, "RULEBOOK", "rulebook_applied_not_boolean", "/rulebook_update/applied")
	found(decide(without("/rulebook_update/applied"))) == [["RULEBOOK", "rulebook_applied_not_boolean", "/rulebook_update/applied"]]
	missing := [["RULEBOOK", "rulebook_evidence_missing", "/rulebook_update/evidence_run_id"]]
	every value in array.concat(others, ["", " ", {}]) {
		found(decide(changed("/rulebook_update/evidence_run_id", value))) == missing
	}
	found(decide(without("/rulebook_update/evidence_run_id"))) == missing
	decide(changed("/rulebook_update", {"applied": false})) == accepted
}

contradicts(result, applied, statuses) if {
	described := json.patch(record, [
		{"op": "replace", "path": "/result", "value": result},
		{"op": "replace", "path": "/rulebook_update/applied", "value": applied},
		{"op": "add", "path": "/artifacts/0/status", "value": statuses[0]},
		{"op": "add", "path": "/artifacts/1/status", "value": statuses[1]},
	])
	found(decide(described)) == [["EVIDENCE", "result_contradicts_evidence", "/result"]]
}

test_contradictions if {
	every status in ["FAIL", "BLOCKED", "fail", "Blocked"] {
		contradicts("PASS", true, ["PASS", status])
		contradicts("PASS", false, [status, null])
	}
	every result in ["FAIL", "BLOCKED"] {
		contradicts(result, true, ["PASS", "pass"])
		not contradicts(result, false, ["PASS", "PASS"])
		not contradicts(result, true, ["PASS", null])
		not contradicts(result, true, ["PASS", "FAIL"])
	}
	every status in ["PASS", " FAIL", "FAILED", null, ["FAIL"]] {
		not contradicts("PASS", true, [status, status])
	}
	found(decide(object.union(record, {"result": "FAIL", "artifacts": []}))) == [["ARTIFACTS", "artifacts_empty", "/artifacts"]]
}

test_all_violations_in_order if {
	empty := {field: null | some field in handoff.required_floor}
	reasons := [entry.reason | some entry in decide(object.union(empty, {"attempted_mutations": null})).violations]
	reasons == [
		"field_not_nonempty_string", "field_not_nonempty_string", "field_not_nonempty_string", "field_not_nonempty_string",
		"field_not_nonempty_string", "result_invalid", "actions_taken_empty", "artifacts_empty", "next_action_not_object",
		"attempted_mutations_invalid", "rulebook_not_object",
	]
}

test_extension if {
	answer := handoff.decision with input as {"record": record, "artifacts": evidence}
		with data.portcullis.ext.handoff.deny as {{"gate": "B", "reason": "b"}, {"gate": "A", "reason": "a"}}
	answer == {"allowed": false, "gate": "A", "reason": "a", "violations": [
		{"gate": "A", "reason": "a", "path": ""},
		{"gate": "B", "reason": "b", "path": ""},
	]}
}

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

package portcullis.close_test

import data.portcullis.close

good := {
	"baseline_sha": "abc",
	"contract": {"signature_valid": true, "expired": false},
	"contract_root": "/r",
	"declared_targets": ["docs", "src/a.ts"],
	"declared_operations": ["WRITE", "CREATE"],
	"changed_files": [{"path": "docs/x", "resolved": "/r/docs/x", "operation": "WRITE"}],
}

reconciled := {
	"allowed": true,
	"gate": "ALLOW",
	"reason": "reconciled",
	"reply": "S",
	"code": "CT-GATE-S-004",
	"commit_blocked": false,
	"undeclared": [],
}

decide(request) := answer if {
	answer := close.decision with input as request
}

changed(path, value) := json.patch(good, [{"op": "replace", "path": path, "value": value}])

without(path) := json.patch(good, [{"op": "remove", "path": path}])

blocks(request, gate, reason, undeclared) if {
	decide(request) == {
		"allowed": false,
		"gate": gate,
		"reason": reason,
		"reply": "I",
		"code": "CT-GATE-I-004",
		"commit_blocked": true,
		"undeclared": undeclared,
	}
}

# The answer when only a file that resolves to `resolved` changed.
resolves(resolved) := decide(changed("/changed_files", [{"path": "f", "resolved": resolved, "operation": "WRITE"}]))

targets(list, resolved) := answer if {
	answer := decide(object.union(good, {
		"declared_targets": list,
		"changed_files": [{"path": "f", "resolved": resolved, "operation": "WRITE"}],
	}))
}

test_reconciled if {
	decide(good) == reconciled
	decide(changed("/changed_files", [])) == reconciled
	decide(object.union(good, {"commit_blocked": true})) == reconciled
}

test_baseline if {
	every value in [null, true, false, 0, "", " \ufeff", [], ["abc"], {}] {
		blocks(changed("/baseline_sha", value), "BASELINE", "no_baseline", [])
		blocks(value, "BASELINE", "no_baseline", [])
	}
	blocks(without("/baseline_sha"), "BASELINE", "no_baseline", [])
}

test_no_input if close.decision.gate == "BASELINE"

test_contract if {
	every value in [null, true, 1, "", "signed", "Unsigned", [], {}, ["unsigned"], {"expired": false}] {
		blocks(changed("/contract", value), "CONTRACT", "contract_signature_invalid", [])
	}
	blocks(without("/contract"), "CONTRACT", "contract_signature_invalid", [])
	every value in [null, false, 1, "true", [true]] {
		blocks(changed("/contract/signature_valid", value), "CONTRACT", "contract_signature_invalid", [])
	}
	every value in [null, true, 0, "false", ""] {
		blocks(changed("/contract/expired", value), "CONTRACT", "contract_expired", [])
	}
	blocks(without("/contract/expired"), "CONTRACT", "contract_expired", [])
	decide(changed("/contract", "unsigned")) == reconciled
	blocks(object.union(without("/contract"), {"baseline_sha": null}), "BASELINE", "no_baseline", [])
	blocks(object.union(without("/contract"), {"changed_files": null}), "CONTRACT", "contract_signature_invalid", [])
}

blocks_operations(request, operations) if {
	decide(request) == {
		"allowed": false,
		"gate": "OPERATIONS",
		"reason": "undeclared_operation",
		"reply": "I",
		"code": "CT-GATE-I-004",
		"commit_blocked": true,
		"undeclared": [],
		"operations": operations,
	}
}

test_operations if {
	every operation in ["DELETE", "RENAME", "MODE", "EXECUTE", "write", ""] {
		blocks_operations(changed("/changed_files/0/operation", operation), [{"path": "docs/x", "operation": operation}])
	}
	every operation in [null, 1, true, ["WRITE"], {}] {
		blocks_operations(changed("/changed_files/0/operation", operation), [{"path": "docs/x", "operation": null}])
	}
	blocks_operations(without("/changed_files/0/operation"), [{"path": "docs/x", "operation": null}])
	every operation in ["CREATE", "WRITE", "DELETE", "RENAME", "MODE"] {
		request := object.union(changed("/changed_files/0/operation", operation), {"declared_operations": [operation]})
		decide(request) == reconciled
	}
	unknown := object.union(changed("/changed_files/0/operation", "EXECUTE"), {"declared_operations": ["EXECUTE"]})
	blocks_operations(unknown, [{"path": "docs/x", "operation": "EXECUTE"}])
}

test_operations_must_be_a_list_of_strings if {
	every value in [null, "WRITE", [], ["WRITE", 1], {"WRITE": true}, [["WRITE"]]] {
		blocks_operations(changed("/declared_operations", value), [{"path": "docs/x", "operation": "WRITE"}])
		decide(object.union(changed("/declared_operations", value), {"changed_files": []})) == reconciled
	}
	blocks_operations(without("/declared_operations"), [{"path": "docs/x", "operation": "WRITE"}])
}

test_operations_are_sorted_by_path_and_unique if {
	files := [{"path": row[0], "resolved": "/r/docs/x", "operation": row[1]} |
		some row in [["b", "MODE"], ["a", "MODE"], ["b", "DELETE"], ["b", "MODE"], ["c", "WRITE"]]
	]
	blocks_operations(changed("/changed_files", files), [
		{"path": "a", "operation": "MODE"},
		{"path": "b", "operation": "DELETE"},
		{"path": "b", "operation": "MODE"},
	])
}

test_containment_comes_before_operations if {
	files := [{"path": "f", "resolved": "/r/x", "operation": "MODE"}]
	blocks(changed("/changed_files", files), "CONTAINMENT", "undeclared_changes", ["f"])
}

test_diff if {
	every value in [null, true, false, 0, "", "x", {}, [null], ["docs/x"], [[]], [{}], [{"path": 1}]] {
		blocks(changed("/changed_files", value), "DIFF", "diff_unavailable", [])
	}
	blocks(without("/changed_files"), "DIFF", "diff_unavailable", [])
}

test_scope if {
	every value in [null, true, 0, [], {}] {
		blocks(changed("/contract_root", value), "INTERNAL_ERROR", "invalid input", [])
	}
	blocks(without("/contract_root"), "INTERNAL_ERROR", "invalid input", [])
	every value in [null, true, 0, "docs", {}, [1], ["docs", null]] {
		blocks(changed("/declared_targets", value), "INTERNAL_ERROR", "invalid input", [])
	}
	blocks(without("/declared_targets"), "INTERNAL_ERROR", "invalid input", [])
}

test_resolved_inside if {
	every path in ["/r/docs", "/r/docs/x", "/r/docs/x/y", "/r/docs/..x", "/r/src/a.ts", "/r/src/a.ts/x"] {
		resolves(path).allowed
	}
}

test_resolved_outside if {
	every path in [
		null, true, 0, "", [], {}, "docs/x", "r/docs/x", "/docs/x", "/r", "/", "/r/docs2", "/r/docs2/x", "/r/Docs/x",
		"/r/src", "/r/src/a.ts2", "/rr/docs/x", "/r/docs/../x", "/r/docs/../docs/x", "/r/./docs/x", "/r//docs/x", "/r/docs/",
	] {
		resolves(path).gate == "CONTAINMENT"
	}
	blocks(changed("/changed_files", [{"path": "f"}]), "CONTAINMENT", "undeclared_changes", ["f"])
}

test_roots if {
	every root, allowed in {"/r": true, "/r/": true, "/": false, "r": false, "": false, ".": false, "/r/..": false, "/r/docs": false, "/R": false} {
		decide(changed("/contract_root", root)).allowed == allowed
	}
}

test_targets if {
	every target in ["docs", "/r/docs", "/r/docs/x", "docs/x", "/r"] {
		targets([target], "/r/docs/x").allowed
	}
	every target in ["/", ".", "docs/", "./docs", "docs//", "docs/.", "/r/docs/", "//r/docs", "docs\\x", "/r/./docs"] {
		not targets([target], "/r/docs/x").allowed
	}
	every target in ["", " ", "..", "../r", "docs/..", "/r/../r", "/docs", "docs/*", "doc", "Docs", "/r/doc", "docs/x/y"] {
		not targets([target], "/r/docs/x").allowed
	}
	not targets([], "/r/docs/x").allowed
	not targets(["/etc"], "/etc/passwd").allowed
}

test_undeclared_is_sorted_and_unique if {
	files := [{"path": path, "resolved": null} | some path in ["b", "a", "b", "B"]]
	blocks(
		changed("/changed_files", array.concat(files, good.changed_files)),
		"CONTAINMENT", "undeclared_changes", ["B", "a", "b"],
	)
}

test_extension if {
	answer := close.decision with input as good with data.portcullis.ext.close.deny as {{"gate": "FREEZE", "reason": "frozen"}}
	answer == object.union(reconciled, {
		"allowed": false,
		"gate": "FREEZE",
		"reason": "frozen",
		"reply": "I",
		"code": "CT-GATE-I-004",
		"commit_blocked": true,
	})
}

test_demand_of_authors_that_is_not_met if {
	demanding := {"gates": {"close": {"G": "not_so"}}}
	answer := close.decision with input as good with data.portcullis.policy as demanding
	answer.allowed == false
	answer.gate == "G"
	answer.reason == "not_so"
}

package portcullis.exec_test

import data.portcullis.exec

policy := {"exec": {
	"modes": {"dev": true, "mode-init": true, "1": true},
	"inline_modes": {"mode-init": true, "unknown": true},
	"staging_root": "/srv/queue",
	"script_extensions": [".py", ".sh"],
}}

good := {
	"mode": "dev",
	"kind": "script",
	"session": {"valid": true},
	"script": {"path": "/srv/queue/c-1/run.py", "sha256": "ab"},
	"contract": {
		"contract_id": "c-1",
		"status": "open",
		"signature_valid": true,
		"expired": false,
		"mode": "dev",
		"declared_targets": ["a", "b"],
		"declared_operations": ["WRITE"],
	},
	"hat": {
		"script_sha256": "ab",
		"contract_id": "c-1",
		"declared_targets": ["b", "a"],
		"mode": "dev",
		"timestamp": "2026-01-01T00:00:00Z",
		"signature_valid": true,
	},
}

# Every type, and strings that look like the right value.
wrong := [null, false, 0, 1, 1.5, "", " ", "true", "DEV", [], [true], ["dev"], {}, {"dev": true}]

decide(request) := answer if {
	answer := exec.decision with input as request with data.portcullis.policy as policy
}

changed(path, value) := json.patch(good, [{"op": "replace", "path": path, "value": value}])

without(path) := json.patch(good, [{"op": "remove", "path": path}])

denies(request, gate, reason) if {
	decide(request) == {"allowed": false, "gate": gate, "reason": reason, "reply": "D", "code": "EN-EXEC-D-001"}
}

# The value at the path may be nothing of `values`, and has to be there.
denies_all(path, values, gate, reason) if {
	every value in values {
		denies(changed(path, value), gate, reason)
	}
	denies(without(path), gate, reason)
}

allows(request, reason) if {
	decide(request) == {"allowed": true, "gate": "ALLOW", "reason": reason, "reply": "S", "code": "EN-EXEC-S-001"}
}

test_allow if allows(good, "hat_verified_script")

test_unknown_fields_are_ignored if allows(object.union(good, {"allowed": false, "hat": {"x": "|"}}), "hat_verified_script")

test_mode if {
	denies_all("/mode", array.concat(wrong, [true, "unknown"]), "MODE", "unknown_mode")
	every value in array.concat(wrong, [true]) {
		denies(value, "MODE", "unknown_mode")
	}
}

test_no_input if {
	answer := exec.decision with data.portcullis.policy as policy
	answer.gate == "MODE"
}

test_inline if {
	denies(changed("/kind", "inline"), "INLINE", "inline_execution_forbidden")
	allows({"mode": "mode-init", "kind": "inline"}, "inline_permitted_mode")
	denies({"mode": "unknown", "kind": "inline"}, "MODE", "unknown_mode")
}

test_kind if denies_all("/kind", array.concat(wrong, [true, "Inline"]), "KIND", "unknown_execution_kind")

test_session if {
	denies_all("/session/valid", wrong, "SESSION", "session_invalid")
	denies_all("/session", array.concat(wrong, [true]), "SESSION", "session_invalid")
}

denies_contract(request, detail) if {
	decide(request) == {
		"allowed": false,
		"gate": "CONTRACT",
		"reason": "no_active_contract",
		"reply": "D",
		"code": "EN-EXEC-D-001",
		"detail": detail,
	}
}

test_contract if {
	every value in [null, true, 0, "", "c-1", [], ["c-1"]] {
		denies_contract(changed("/contract", value), "no_contract")
	}
	denies_contract(without("/contract"), "no_contract")
	every value in [null, true, 0, "", ".", "..", "a|b", "a/b", "a b", " c-1", "c-1\n", "é", [], ["c-1"], {}] {
		denies_contract(changed("/contract/contract_id", value), "malformed_contract_id")
	}
	denies_contract(without("/contract/contract_id"), "malformed_contract_id")
	every value in wrong {
		denies_contract(changed("/contract/signature_valid", value), "contract_signature_invalid")
	}
	denies_contract(without("/contract/signature_valid"), "contract_signature_invalid")
	every value in array.concat(wrong, [true, "OPEN", "closed"]) {
		denies_contract(changed("/contract/status", value), "contract_not_open")
	}
	denies_contract(without("/contract/status"), "contract_not_open")
	every value in [null, true, 0, "", "false", [], {}] {
		denies_contract(changed("/contract/expired", value), "contract_expired")
	}
	denies_contract(without("/contract/expired"), "contract_expired")
}

test_contract_mode if denies_all("/contract/mode", array.concat(wrong, [true]), "CONTRACT_MODE", "contract_mode_mismatch")

test_staging if {
	denies_all("/script", array.concat(wrong, [true]), "STAGING", "script_outside_staging")
	outside := array.concat(wrong, [
		"/srv/queue", "/srv/queue/c-1", "/srv/queue/c-1/", "/srv/queue/c-1/x/run.py", "/srv/queue/c-1/run.rb",
		"/srv/queue/c-1/run.py.hat.json", "/srv/queue/c-1/./run.py", "/srv/queue//c-1/run.py", "/srv/queue/c-1//run.py",
		"/srv/queue/../queue/c-1/run.py", "/srv/queue/c-1/../c-1/run.py", "srv/queue/c-1/run.py", "//srv/queue/c-1/run.py",
		"/srv/queue2/c-1/run.py", "/SRV/queue/c-1/run.py", "/srv/queue/c-1/.py", "/srv/queue/c-1/run.PY", "/srv/queue/run.py",
		"/srv/queue/c-1/run\\me.py", "/srv/queue/c-1/\\.py",
		"/srv/queue/../run.py", "/srv/queue/./run.py", "/srv/queue/c-1/run.py/", "/other/queue/c-1/run.py",
	])
	denies_all("/script/path", outside, "STAGING", "script_outside_staging")
	every folder in ["c-2", "c-1 ", "C-1", "...", "c-1.py"] {
		path := concat("", ["/srv/queue/", folder, "/run.py"])
		denies(changed("/script/path", path), "STAGING", "script_staged_for_other_contract")
	}
	allows(changed("/script/path", "/srv/queue/c-1/run it.sh"), "hat_verified_script")
}

test_staging_roots if {
	every root, allowed in {"/srv/queue/": true, "/srv//queue": true, "srv/queue": false, "/srv/x/../queue": false, "": false} {
		moved := object.union(policy, {"exec": {"staging_root": root}})
		answer := exec.decision with input as good with data.portcullis.policy as moved
		answer.allowed == allowed
	}
}

test_hat_present if {
	denies(changed("/hat", null), "HAT_PRESENT", "missing_hat_signature")
	denies(without("/hat"), "HAT_PRESENT", "missing_hat_signature")
	every value in [true, false, 0, "", "x", [], {}] {
		denies(changed("/hat", value), "HAT_PRESENT", "malformed_hat_packet")
	}
	every field in ["script_sha256", "contract_id", "mode", "timestamp"] {
		denies_all(concat("/", ["/hat", field]), [null, true, 0, [], ["x"], {}, "a|b"], "HAT_PRESENT", "malformed_hat_packet")
	}
	denies_all("/hat/declared_targets", [null, true, 0, "a", {}, [1], ["a", null]], "HAT_PRESENT", "malformed_hat_packet")
}

test_hat_signature if denies_all("/hat/signature_valid", wrong, "HAT_SIGNATURE", "hat_signature_invalid")

test_hat_lifetime if {
	limited := object.union(policy, {"exec": {"hat_lifetime_seconds": 60}})
	ages := [[0, true], [60, true], [59.5, true], [61, false], [-1, false], [null, false], [false, false], ["1", false], [[], false], [{}, false]]
	every row in ages {
		request := object.union(good, {"hat": {"age_seconds": row[0]}})
		answer := exec.decision with input as request with data.portcullis.policy as limited
		answer.allowed == row[1]
		allows(request, "hat_verified_script")
	}
	unaged := exec.decision with input as good with data.portcullis.policy as limited
	unaged == {
		"allowed": false,
		"gate": "HAT_SIGNATURE",
		"reason": "hat_signature_invalid",
		"reply": "D",
		"code": "EN-EXEC-D-001",
		"detail": "hat_expired",
	}
	unlimited := object.union(policy, {"exec": {"hat_lifetime_seconds": null}})
	answer := exec.decision with input as good with data.portcullis.policy as unlimited
	answer.allowed
}

test_hash if {
	denies_all("/script/sha256", array.concat(wrong, [true, "AB", "ab "]), "HASH", "script_hash_mismatch")
	empty := json.patch(good, [
		{"op": "replace", "path": "/script/sha256", "value": ""},
		{"op": "replace", "path": "/hat/script_sha256", "value": ""},
	])
	denies(empty, "HASH", "script_hash_mismatch")
}

test_hat_contract if denies(changed("/hat/contract_id", "c-2"), "HAT_CONTRACT", "contract_mismatch")

test_targets if {
	denies_all(
		"/contract/declared_targets",
		array.concat(wrong, [true, "ab", ["a"], ["a", "b", "c"], ["a", "b", "b"], ["a", "B"], {"a": "b"}]),
		"TARGETS", "target_manifest_mismatch",
	)
	denies(changed("/hat/declared_targets", []), "TARGETS", "target_manifest_mismatch")
}

both(targets) := object.union(good, {"contract": {"declared_targets": targets}, "hat": {"declared_targets": targets}})

test_targets_are_sets if {
	allows(changed("/hat/declared_targets", ["a", "b", "b", "a"]), "hat_verified_script")
	allows(both([]), "hat_verified_script")
	denies(changed("/contract/declared_targets", ["a", "b", "a"]), "TARGETS", "target_manifest_mismatch")
}

test_targets_are_canonical if {
	every target in ["a", "a/b", "/a/b", "..a", "a.", "a b"] {
		allows(both([target]), "hat_verified_script")
	}
	every target in ["", " ", "/", ".", "..", "./a", "a/", "/a/", "a//b", "//a", "a/./b", "a/../b", "a\\b", "\\"] {
		denies(both([target]), "TARGETS", "target_manifest_mismatch")
		denies(both(["a", target]), "TARGETS", "target_manifest_mismatch")
	}
}

test_operations if {
	bound := object.union(good, {
		"contract": {"declared_operations": ["WRITE", "CREATE"]},
		"hat": {"version": 2, "declared_operations": ["CREATE", "WRITE"]},
	})
	every operations in [["WRITE", "CREATE"], ["CREATE", "WRITE", "CREATE"]] {
		allows(object.union(bound, {"contract": {"declared_operations": operations}}), "hat_verified_script")
	}
	every operations in array.concat(wrong, [["WRITE"], ["WRITE", "CREATE", "MODE"], ["WRITE", "create"], ["WRITE", "CREATE", 1]]) {
		request := object.union(bound, {"contract": {"declared_operations": operations}})
		denies(request, "OPERATIONS", "operation_manifest_mismatch")
		other := object.union(bound, {"hat": {"declared_operations": operations}})
		denies(other, "OPERATIONS", "operation_manifest_mismatch")
	}
}

test_operations_of_the_first_version if {
	allows(object.union(good, {"hat": {"version": 1}}), "hat_verified_script")
	every fields in [{"version": 2}, {"version": "1"}, {"version": null}, {"declared_operations": []}, {"declared_operations": null}] {
		denies(object.union(good, {"hat": fields}), "OPERATIONS", "operation_manifest_mismatch")
	}
	allows(object.union(good, {"hat": {"declared_operations": ["WRITE"]}}), "hat_verified_script")
}

test_hat_mode if denies(changed("/hat/mode", "mode-init"), "HAT_MODE", "hat_mode_mismatch")

test_no_policy if {
	answer := exec.decision with input as good with data.portcullis.policy as {}
	answer.gate == "MODE"
}

test_the_banned_word_is_nowhere if {
	every request in [good, changed("/contract", null), without("/mode"), changed("/hat", null)] {
		not contains(json.marshal(decide(request)), "REQUIRE_CONTRACT")
	}
}

test_extension if {
	answer := exec.decision with input as good
		with data.portcullis.policy as policy
		with data.portcullis.ext.exec.deny as {{"gate": "FREEZE", "reason": "frozen"}}
	answer == {"allowed": false, "gate": "FREEZE", "reason": "frozen", "reply": "D", "code": "EN-EXEC-D-001"}
}

test_demand_of_authors_that_is_not_met if {
	demanding := object.union(policy, {"gates": {"exec": {"G": "not_so"}}})
	answer := exec.decision with input as good with data.portcullis.policy as demanding
	answer.allowed == false
	answer.gate == "G"
	answer.reason == "not_so"
}

package portcullis.handoff_outcome_test

import data.portcullis.handoff_test.accepted
import data.portcullis.handoff_test.changed
import data.portcullis.handoff_test.decide
import data.portcullis.handoff_test.found
import data.portcullis.handoff_test.others
import data.portcullis.handoff_test.record
import data.portcullis.handoff_test.violates
import data.portcullis.handoff_test.without

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

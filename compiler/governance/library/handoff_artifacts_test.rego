package portcullis.handoff_artifacts_test

import data.portcullis.handoff
import data.portcullis.handoff_test.changed
import data.portcullis.handoff_test.decide
import data.portcullis.handoff_test.found
import data.portcullis.handoff_test.others
import data.portcullis.handoff_test.there
import data.portcullis.handoff_test.violates

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

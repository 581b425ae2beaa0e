package portcullis.handoff_mutations_test

import data.portcullis.handoff
import data.portcullis.handoff_mutations
import data.portcullis.handoff_test.accepted
import data.portcullis.handoff_test.changed
import data.portcullis.handoff_test.decide
import data.portcullis.handoff_test.evidence
import data.portcullis.handoff_test.found
import data.portcullis.handoff_test.violates

test_mutations if {
	values := [null, true, false, 0, "", "gates", {}, {"0": "x"}, [1], ["x", null], [["x"]]]
	violates("/attempted_mutations", values, "MUTATIONS", "attempted_mutations_invalid", "/attempted_mutations")
	decide(changed("/attempted_mutations", [])) == accepted
	every name in ["gate", "gates2", "x.gates", "x/gates", "~gates", "gates#", "", " ", "gates "] {
		decide(changed("/attempted_mutations", ["x", name])).allowed == name != "gates "
	}
}

test_forbidden_mutations if {
	forbidden := array.concat([name | some name in handoff_mutations.forbidden_floor], [" Gates", "/gates", "/GATES/x", "gates.x", "gates[0]", "gates/", "gates.", "\ufeffgates", "//gates", "./gates", "..\\Gates\\x", "#/gates", "$.gates", "$", "/", " . ", "trigger_regression_contract.a/b[c]"])
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

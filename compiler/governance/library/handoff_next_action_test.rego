package portcullis.handoff_next_action_test

import data.portcullis.handoff
import data.portcullis.handoff_test.accepted
import data.portcullis.handoff_test.changed
import data.portcullis.handoff_test.decide
import data.portcullis.handoff_test.evidence
import data.portcullis.handoff_test.others
import data.portcullis.handoff_test.violates

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

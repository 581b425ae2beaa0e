package portcullis.extension_test

import data.portcullis.extension
import data.portcullis.lane

unreadable := {"allowed": false, "gate": "EXTENSION", "reason": "invalid_extension_answer"}

# The lane decision that the library allows, with the extension's `deny`.
decide(deny) := answer if {
	answer := lane.decision with input as {"role": "R", "lane": "L"}
		with data.portcullis.policy as {"roles": {"R": {}}, "lanes": {"L": {"roles": {"R": true}}}}
		with data.portcullis.ext.lane.deny as deny
}

test_an_empty_set_denies_nothing if decide(set()).allowed

test_a_denial_is_the_decision if {
	decide({{"gate": "G", "reason": "r"}}) == {"allowed": false, "gate": "G", "reason": "r"}
}

test_more_fields_are_ignored if {
	decide({{"gate": "G", "reason": "r", "allowed": true}}) == {"allowed": false, "gate": "G", "reason": "r"}
}

test_the_least_gate_and_reason_win if {
	answers := {
		{"gate": "B", "reason": "a"},
		{"gate": "A", "reason": "z", "a": 1},
		{"gate": "A", "reason": "y", "z": 1},
		"unreadable",
	}
	decide(answers) == {"allowed": false, "gate": "A", "reason": "y"}
}

test_unreadable_answers_deny if {
	every answer in [
		null, true, false, 0, "", "no", [], ["G", "r"], {}, {"gate": "G"}, {"reason": "r"}, {"gate": 1, "reason": "r"},
		{"gate": "G", "reason": null}, {"gate": "", "reason": "r"}, {"gate": "G", "reason": " "},
		{"gate": "ALLOW", "reason": "r"}, {{"gate": "G", "reason": "r"}},
	] {
		decide({answer}) == unreadable
	}
}

test_a_deny_of_another_type_denies if {
	every deny in [null, true, false, 0, "", "no", [], [{"gate": "G", "reason": "r"}], {}, {"gate": "G", "reason": "r"}] {
		decide(deny) == unreadable
	}
}

test_extensions_are_not_asked_about_denials if {
	answer := lane.decision with input as {}
		with data.portcullis.policy as {}
		with data.portcullis.ext.lane.deny as {{"gate": "G", "reason": "r"}}
	answer.gate == "ROLE"
}

test_all_denials_in_order if {
	extension.denials({{"gate": "B", "reason": "b"}, 1, 2, {"gate": "A", "reason": "a"}}) == [
		{"gate": "A", "reason": "a"},
		{"gate": "B", "reason": "b"},
		{"gate": "EXTENSION", "reason": "invalid_extension_answer"},
	]
}

# The lane decision that the library allows, with what authors demand of it, what is met, and what they deny.
demanded(gates, met, deny) := answer if {
	answer := lane.decision with input as {"role": "R", "lane": "L"}
		with data.portcullis.policy as {
			"roles": {"R": {}},
			"lanes": {"L": {"roles": {"R": true}}},
			"gates": {"lane": gates},
		}
		with data.portcullis.ext.lane.must as met
		with data.portcullis.ext.lane.deny as deny
}

test_what_is_met_denies_nothing if {
	demanded({"B": "b", "A": "a"}, {"A", "B", "C"}, set()).allowed
	demanded({}, set(), set()).allowed
}

test_the_first_that_is_not_met_is_the_decision if {
	demanded({"B": "b", "A": "a"}, {"B"}, set()) == {"allowed": false, "gate": "A", "reason": "a"}
	demanded({"B": "b", "A": "a"}, set(), set()) == {"allowed": false, "gate": "A", "reason": "a"}
	demanded({"B": "b", "A": "a"}, {"A"}, set()) == {"allowed": false, "gate": "B", "reason": "b"}
	demanded({"B_": "b", "B": "c", "B0": "d"}, set(), set()).gate == "B"
	demanded({"B_": "b", "B0": "d"}, set(), set()).gate == "B0"
}

test_what_is_demanded_comes_before_what_is_denied if {
	denial := {"gate": "A", "reason": "denied"}
	demanded({"B": "b"}, set(), {denial}) == {"allowed": false, "gate": "B", "reason": "b"}
	demanded({"B": "b"}, {"B"}, {denial}) == {"allowed": false, "gate": "A", "reason": "denied"}
}

test_no_rule_at_all_meets_nothing if {
	answer := lane.decision with input as {"role": "R", "lane": "L"}
		with data.portcullis.policy as {
			"roles": {"R": {}},
			"lanes": {"L": {"roles": {"R": true}}},
			"gates": {"lane": {"B": "b"}},
		}
	answer == {"allowed": false, "gate": "B", "reason": "b"}
}

test_requirements_are_not_asked_about_denials if {
	answer := lane.decision with input as {}
		with data.portcullis.policy as {"gates": {"lane": {"B": "b"}}}
		with data.portcullis.ext.lane.must as set()
	answer.gate == "ROLE"
}

test_requirements_of_another_decision_are_not_asked if {
	answer := lane.decision with input as {"role": "R", "lane": "L"}
		with data.portcullis.policy as {
			"roles": {"R": {}},
			"lanes": {"L": {"roles": {"R": true}}},
			"gates": {"tool": {"B": "b"}},
		}
	answer.allowed
}

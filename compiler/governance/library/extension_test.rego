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

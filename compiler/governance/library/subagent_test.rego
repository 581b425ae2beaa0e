package portcullis.subagent_test

import data.portcullis.subagent

policy := {"agents": {
	"P": {"type": 1, "allowlist": ["A-B", "C"], "delegated": ["C"]},
	"P_Q": {"type": 1, "allowlist": ["C"], "delegated": []},
	"EMPTY": {"type": 1, "allowlist": [], "delegated": []},
	"C": {"type": 2, "allowlist": ["P"], "delegated": ["P"]},
	"X": {"type": null, "allowlist": ["C"], "delegated": ["C"]},
	"1": {"type": 1, "allowlist": ["C"], "delegated": ["C"]},
	"true": {"type": 1, "allowlist": ["C"], "delegated": ["C"]},
}}

good := {
	"persona": "P",
	"env": {"CHIRALITY_ENABLE_SUBAGENTS": "true"},
	"governance": {
		"contextSealed": true,
		"pipelineRunApproved": true,
		"approvalRef": "GATE-1",
		"approvedBy": "someone",
	},
}

allowed := {
	"allowed": true,
	"gate": "ALLOW",
	"reason": "All delegation governance gates passed.",
	"allowlistedSubagents": ["A-B", "C"],
	"delegatedSubagents": ["C"],
	"approvalRef": "GATE-1",
	"approvedBy": "someone",
}

# Every type, and strings that look like the right value.
wrong := [null, false, 0, 1, 1.5, "", " ", "TRUE", "true ", [], [true], {}, {"true": true}]

decide(request) := answer if {
	answer := subagent.decision with input as request with data.portcullis.policy as policy
}

# The good request with one value replaced, and with it left out.
changed(path, value) := json.patch(good, [{"op": "replace", "path": path, "value": value}])

without(path) := json.patch(good, [{"op": "remove", "path": path}])

denies(request, gate, reason) if {
	decide(request) == {
		"allowed": false,
		"gate": gate,
		"reason": reason,
		"allowlistedSubagents": ["A-B", "C"],
		"delegatedSubagents": [],
	}
}

denies_unknown(request, reason) if {
	decide(request) == {
		"allowed": false,
		"gate": "INTERNAL_ERROR",
		"reason": reason,
		"allowlistedSubagents": [],
		"delegatedSubagents": [],
	}
}

test_allow if decide(good) == allowed

test_unknown_fields_are_ignored if decide(object.union(good, {"subagents": ["Z"]})) == allowed

test_input_of_every_type if {
	every value in array.concat(wrong, [true]) {
		denies_unknown(value, "invalid input")
	}
}

test_no_input if {
	answer := subagent.decision with data.portcullis.policy as policy
	answer.reason == "invalid input"
}

test_persona_of_other_types if {
	every value in [null, true, false, 0, 1, [], ["P"], {}, {"P": true}] {
		denies_unknown(changed("/persona", value), "invalid input")
	}
	denies_unknown(without("/persona"), "invalid input")
}

test_persona_unknown if {
	every name in ["", "p", " P", "P ", "../P", "AGENT_P.md", "__proto__", "_P", "P'"] {
		denies_unknown(changed("/persona", name), concat("", ["Persona '", name, "' was not found"]))
	}
}

test_persona_in_either_spelling if {
	every name in ["P-Q", "P_Q"] {
		answer := decide(changed("/persona", name))
		answer.allowed
		answer.delegatedSubagents == []
	}
}

test_environment if {
	every value in array.concat(wrong, [true]) {
		denies(
			changed("/env/CHIRALITY_ENABLE_SUBAGENTS", value),
			"ENVIRONMENT",
			"CHIRALITY_ENABLE_SUBAGENTS is not set to \"true\".",
		)
	}
	every value in array.concat(wrong, [true, "true"]) {
		denies(changed("/env", value), "ENVIRONMENT", "CHIRALITY_ENABLE_SUBAGENTS is not set to \"true\".")
	}
	denies(without("/env"), "ENVIRONMENT", "CHIRALITY_ENABLE_SUBAGENTS is not set to \"true\".")
}

test_persona_allowlist if {
	every name in ["EMPTY", "C", "X"] {
		answer := decide(changed("/persona", name))
		answer.gate == "PERSONA_ALLOWLIST"
		answer.reason == "Active persona is not allowlisted for subagents."
		answer.allowlistedSubagents == policy.agents[name].allowlist
		answer.delegatedSubagents == []
		answer.allowed == false
	}
}

test_metadata_presence if {
	every value in [null, true, false, 0, 1, "", "true", [], [true]] {
		denies(changed("/governance", value), "METADATA_PRESENCE", "opts.subagentGovernance is missing or invalid.")
	}
	denies(without("/governance"), "METADATA_PRESENCE", "opts.subagentGovernance is missing or invalid.")
}

test_context_sealed if {
	every value in array.concat(wrong, ["true"]) {
		denies(changed("/governance/contextSealed", value), "CONTEXT_SEALED", "contextSealed must be strictly true.")
	}
	denies(without("/governance/contextSealed"), "CONTEXT_SEALED", "contextSealed must be strictly true.")
	denies(changed("/governance", {}), "CONTEXT_SEALED", "contextSealed must be strictly true.")
}

test_pipeline_run_approved if {
	every value in array.concat(wrong, ["true"]) {
		denies(
			changed("/governance/pipelineRunApproved", value),
			"PIPELINE_RUN_APPROVED",
			"pipelineRunApproved must be strictly true.",
		)
	}
	denies(
		without("/governance/pipelineRunApproved"),
		"PIPELINE_RUN_APPROVED",
		"pipelineRunApproved must be strictly true.",
	)
}

test_approval_ref if {
	every value in [null, true, false, 0, 1, "", " ", "\t\n\u0085\u00a0\u1680\u2003\u2028\u205f\u3000\ufeff", [], ["x"], {}] {
		denies(changed("/governance/approvalRef", value), "APPROVAL_REF", "approvalRef must be a non-empty string.")
	}
	denies(without("/governance/approvalRef"), "APPROVAL_REF", "approvalRef must be a non-empty string.")
}

# U+200B and U+180E are not white space, whatever some trims think; nor are control characters.
test_approval_ref_trimmed if {
	every row in [[" G 1\n", "G 1"], ["\ufeffG", "G"], ["\u200b", "\u200b"], ["\u180e", "\u180e"], ["\u0000", "\u0000"]] {
		answer := decide(changed("/governance/approvalRef", row[0]))
		answer.allowed
		answer.approvalRef == row[1]
	}
}

test_approved_by_is_dropped_when_blank if {
	every value in [null, true, 0, "", " \ufeff", [], {}] {
		decide(changed("/governance/approvedBy", value)) == object.remove(allowed, ["approvedBy"])
	}
	decide(without("/governance/approvedBy")) == object.remove(allowed, ["approvedBy"])
}

test_approved_by_trimmed if {
	answer := decide(changed("/governance/approvedBy", "\ufeff me "))
	answer.approvedBy == "me"
}

test_approved_by_an_agent if {
	people := object.union(policy, {
		"settings": {"subagents": {"approvers": "human"}},
		"roles": {"WRITER": {}},
		"manifests": {"desk": {"can_spawn": {}, "max_spawn_depth": 0}},
		"names": {"folds": object.union({c: upper(c) | some c in split("abcdefghjkmnpqrstuvwxyz", "")}, {"i": "IlL1|", "o": "O0"}), "others": "[^a-z0-9]+", "apart": `[\x{17f}]`, "second": {}},
	})
	every name in ["P_Q", "P-Q", " C ", "WRITER", "desk", "De.sk", "desk\u200b", "\u2800"] {
		request := object.union(good, {"governance": {"approvedBy": name}})
		decide(request).allowed
		denied := subagent.decision with input as request with data.portcullis.policy as people
		not denied.allowed
	}

	# Who may be delegated to is no agent by that alone.
	subagent.decision.allowed with input as object.union(good, {"governance": {"approvedBy": "A-B"}})
		with data.portcullis.policy as people
	denied := subagent.decision with input as object.union(good, {"governance": {"approvedBy": "desk"}})
		with data.portcullis.policy as people
	denied.gate == "APPROVED_BY"
	denied.reason == "approvedBy must not name an agent."
	denied.delegatedSubagents == []
}

test_extension_takes_the_delegates_back if {
	answer := subagent.decision with input as good
		with data.portcullis.policy as policy
		with data.portcullis.ext.subagent.deny as {{"gate": "FREEZE", "reason": "frozen"}}
	answer == {
		"allowed": false,
		"gate": "FREEZE",
		"reason": "frozen",
		"allowlistedSubagents": ["A-B", "C"],
		"delegatedSubagents": [],
	}
}

test_demand_of_authors_that_is_not_met if {
	demanding := object.union(policy, {"gates": {"subagent": {"G": "not_so"}}})
	answer := subagent.decision with input as good with data.portcullis.policy as demanding
	answer.allowed == false
	answer.gate == "G"
	answer.reason == "not_so"
}

# METADATA
# title: Handoff decision
# description: |
#   Is this record of a handoff between agents a valid delivery? Every violation is collected, so that one run tells all.
#   A policy may add to the contract; the floor below always holds.
# schemas:
#   - input: schema.handoff
package portcullis.handoff

import data.portcullis.extension
import data.portcullis.policy
import data.portcullis.text

# METADATA
# title: portcullis/handoff/decision
# description: |
#   Validation of a handoff record, `{record, artifacts}` to `{allowed, gate, reason, violations}`, where `violations` are
#   `{gate, reason, path}` in the order of the contract and `path` is a JSON pointer into the record.
# entrypoint: true
# schemas:
#   - input: schema.handoff
default decision := {"allowed": false, "gate": "INTERNAL_ERROR", "reason": "no_decision", "violations": []}

decision := denied([object.union(denial, {"path": ""}) |
	some denial in extension.denials(data.portcullis.ext.handoff.deny)
]) if {
	verdict.allowed
} else := verdict

verdict := denied([violation("RECORD", "invalid_record", "")]) if {
	not record_present
} else := denied(missing_fields) if {
	missing_fields != []
} else := denied([entry[1] | some entry in sort(violations)]) if {
	violations != set()
} else := {"allowed": true, "gate": "ALLOW", "reason": "handoff_accepted", "violations": []}

denied(found) := {
	"allowed": false,
	"gate": found[0].gate,
	"reason": found[0].reason,
	"violations": found,
}

violation(gate, reason, path) := {"gate": gate, "reason": reason, "path": path}

record := input.record

record_present if is_object(record)

# The floor, in contract order, then what the policy adds, in its order.
missing_fields := [violation("REQUIRED_FIELDS", "missing_required_field", pointer(field)) |
	some i, field in required_fields
	not field in object.keys(record)
	not field in array.slice(required_fields, 0, i)
]

required_fields := array.concat(required_floor, added_fields)

required_floor := [
	"handoff_id",
	"task_id",
	"from_agent",
	"to_agent",
	"input_scope",
	"actions_taken",
	"artifacts",
	"result",
	"next_action",
	"rulebook_update",
]

default added_fields := []

added_fields := policy.handoff.required_fields

pointer(field) := concat("", ["/", replace(replace(field, "~", "~0"), "/", "~1")])

# Violations sort by their first part, [gate, item, reason] in contract order. A condition that must not hold is a rule of
# its own: `not text.written(record.x)` would be undefined, and no violation, without `record.x`.
violations contains [[1, i, 0], violation("IDENTITY_FIELDS", "field_not_nonempty_string", pointer(field))] if {
	some i, field in ["handoff_id", "task_id", "from_agent", "to_agent"]
	not written_at(record, field)
}

violations contains [[1, 4, 0], violation("IDENTITY_FIELDS", "field_not_nonempty_string", "/input_scope")] if {
	not scoped
}

scoped if described(record.input_scope)

violations contains [[2, 0, 0], violation("RESULT", "result_invalid", "/result")] if {
	not result_valid
}

result_valid if record.result in {"PASS", "FAIL", "BLOCKED"}

violations contains [[3, 0, 0], violation("ACTIONS", "actions_taken_empty", "/actions_taken")] if {
	not listed(record, "actions_taken")
}

violations contains [[3, i, 1], violation("ACTIONS", "actions_taken_item_blank", item("/actions_taken/", i, ""))] if {
	is_array(record.actions_taken)
	some i, action in record.actions_taken
	not described(action)
}

violations contains [[4, 0, 0], violation("ARTIFACTS", "artifacts_empty", "/artifacts")] if {
	not listed(record, "artifacts")
}

violations contains [[4, i, 1], violation("ARTIFACTS", "artifact_not_object", item("/artifacts/", i, ""))] if {
	some i, artifact in delivered
	not is_object(artifact)
}

violations contains [[4, i, 2], violation("ARTIFACTS", "artifact_path_missing", item("/artifacts/", i, "/path"))] if {
	some i, artifact in artifacts
	not written_at(artifact, "path")
}

violations contains [[4, i, 3], violation("ARTIFACTS", "artifact_kind_missing", item("/artifacts/", i, "/kind"))] if {
	some i, artifact in artifacts
	not written_at(artifact, "kind")
}

violations contains [[4, i, 4], violation("ARTIFACTS", evidence_fault(artifact.path), item("/artifacts/", i, "/path"))] if {
	some i, artifact in artifacts
	written_at(artifact, "path")
}

violations contains [[5, 0, 0], violation("NEXT_ACTION", "next_action_not_object", "/next_action")] if {
	not next_action
}

violations contains [[5, i, 1], violation("NEXT_ACTION", "next_action_missing", pointer_to_next(field))] if {
	next_action
	some i, field in ["owner", "action", "input"]
	not next_action_tells(field)
}

violations contains [[5, i, 2], violation("NEXT_ACTION", "next_action_placeholder", pointer_to_next(field))] if {
	some i, field in ["owner", "action", "input"]
	placeholder(next_action[field])
}

violations contains [[6, 0, 0], violation("MUTATIONS", "attempted_mutations_invalid", "/attempted_mutations")] if {
	"attempted_mutations" in object.keys(record)
	not mutations_well_formed
}

violations contains [[6, i, 1], violation("MUTATIONS", "forbidden_mutation", item("/attempted_mutations/", i, ""))] if {
	mutations_well_formed
	some i, name in record.attempted_mutations
	contract_of(name) in forbidden_mutations
}

violations contains [[7, 0, 0], violation("RULEBOOK", "rulebook_not_object", "/rulebook_update")] if {
	not rulebook_update
}

violations contains [[7, 0, 1], violation("RULEBOOK", "rulebook_applied_not_boolean", "/rulebook_update/applied")] if {
	rulebook_update
	not rulebook_applied_told
}

violations contains [[7, 0, 2], violation("RULEBOOK", "rulebook_evidence_missing", "/rulebook_update/evidence_run_id")] if {
	rulebook_update.applied == true
	not written_at(rulebook_update, "evidence_run_id")
}

violations contains [[8, 0, 0], violation("EVIDENCE", "result_contradicts_evidence", "/result")] if {
	contradicted
}

item(list, i, field) := concat("", [list, format_int(i, 10), field])

pointer_to_next(field) := concat("", ["/next_action", pointer(field)])

written_at(thing, field) if text.written(thing[field])

# A text that says something, or an object with something in it.
described(value) if text.written(value)

described(value) if {
	is_object(value)
	count(value) > 0
}

listed(thing, field) if {
	is_array(thing[field])
	count(thing[field]) > 0
}

delivered := record.artifacts if is_array(record.artifacts)

artifacts[i] := artifact if {
	some i, artifact in delivered
	is_object(artifact)
}

# What is wrong with the evidence at a path; undefined when nothing is. Evidence that the host did not give does not exist.
evidence_fault(path) := "artifact_path_escapes" if {
	escapes(path)
} else := "artifact_path_not_found" if {
	not evidenced(path, "exists")
} else := "artifact_path_not_a_file" if {
	not evidenced(path, "file")
}

# By its own text, with either slash, or by what the host found.
escapes(path) if startswith(slashed(path), "/")

escapes(path) if ".." in split(slashed(path), "/")

escapes(path) if {
	is_object(input.artifacts[path])
	not evidenced(path, "contained")
}

slashed(path) := replace(path, "\\", "/")

evidenced(path, fact) if input.artifacts[path][fact] == true

next_action := record.next_action if is_object(record.next_action)

next_action_tells(field) if text.written(next_action[field])

next_action_tells("input") if described(next_action.input)

next_action_tells("input") if listed(next_action, "input")

# The first word of the text, which must be the text's beginning, is one of the words that stand for nothing. Most texts do
# not begin so, and need no pattern.
placeholder(value) if {
	trimmed := trim(value, text.white_space)
	some word in placeholders
	startswith(lower(trimmed), word)
	lower(regex.find_n(`^[\p{L}\p{Nd}/]+`, trimmed, 1)[0]) == word
}

placeholders := {"todo", "tbd", "n/a", "na", "none", "pending", "later"} | added_placeholders

added_placeholders contains lower(word) if some word, _ in policy.handoff.placeholders

mutations_well_formed if {
	is_array(record.attempted_mutations)
	every name in record.attempted_mutations {
		is_string(name)
	}
}

# The top-level contract that a name lies in: `/Gates/x`, `gates.x` and `gates[0]` are all `gates`.
contract_of(name) := split(split(split(bare, ".")[0], "/")[0], "[")[0] if {
	bare := trim_prefix(lower(trim(name, text.blank)), "/")
}

forbidden_mutations := forbidden_floor | added_forbidden

forbidden_floor := {
	"gates",
	"protocol_review_contract",
	"identity_update_lifecycle_contract",
	"trigger_regression_contract",
	"agent_handoff_contract",
}

added_forbidden contains contract_of(name) if some name, _ in policy.handoff.forbidden_mutations

rulebook_update := record.rulebook_update if is_object(record.rulebook_update)

rulebook_applied_told if is_boolean(rulebook_update.applied)

contradicted if {
	record.result == "PASS"
	some artifact in artifacts
	upper(artifact.status) in {"FAIL", "BLOCKED"}
}

contradicted if {
	record.result in {"FAIL", "BLOCKED"}
	rulebook_update.applied == true
	listed(record, "artifacts")
	every artifact in record.artifacts {
		upper(artifact.status) == "PASS"
	}
}

# METADATA
# title: Handoff decision
# description: |
#   Is this record of a handoff between agents a valid delivery? Every violation is collected, so that one run tells all.
#   A policy may add to the contract; the floor below always holds.
# schemas:
#   - input: schema.handoff
package portcullis.handoff

import data.portcullis.extension
import data.portcullis.handoff_roles
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
} else := denied([found | some found in violations]) if {
	violations != {}
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

# The floor, in contract order, then what the policy adds, in its order; each field once.
missing_fields := [violation("REQUIRED_FIELDS", "missing_required_field", pointer(field)) |
	some field in required_fields
	not delivers(field)
]

# Whatever its value is, `null` and `false` included.
delivers(field) if _ = record[field]

required_fields := [field |
	some i, field in listed_fields
	not field in array.slice(listed_fields, 0, i)
]

listed_fields := array.concat(required_floor, added_fields)

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

# By [gate, item, reason] in contract order, which is the order in which they are told. A condition that must not hold is a
# rule of its own: `not text.written(record.x)` would be undefined, and no violation, without `record.x`.
violations[[1, i, 0]] := violation("IDENTITY_FIELDS", "field_not_nonempty_string", pointer(field)) if {
	some i, field in ["handoff_id", "task_id", "from_agent", "to_agent"]
	not identified(field)
}

identified(field) if text.written(record[field])

violations[[1, 4, 0]] := violation("IDENTITY_FIELDS", "field_not_nonempty_string", "/input_scope") if {
	not scoped
}

scoped if text.described(record.input_scope)

violations[[2, i, 0]] := violation("AGENTS", "unknown_agent", pointer(field)) if {
	some i, field in handoff_roles.unknown
}

violations[[2, 2, 0]] := violation("AGENTS", "role_boundary", "/to_agent") if {
	handoff_roles.among_equals
}

violations[[3, 0, 0]] := violation("RESULT", "result_invalid", "/result") if {
	not result_valid
}

result_valid if record.result in {"PASS", "FAIL", "BLOCKED"}

violations[[4, 0, 0]] := violation("ACTIONS", "actions_taken_empty", "/actions_taken") if {
	not acted
}

acted if listed(record.actions_taken)

violations[[4, i, 1]] := violation("ACTIONS", "actions_taken_item_blank", item("/actions_taken/", i, "")) if {
	is_array(record.actions_taken)
	some i, action in record.actions_taken
	not text.described(action)
}

violations[[5, 0, 0]] := violation("ARTIFACTS", "artifacts_empty", "/artifacts") if {
	not delivered
}

delivered if listed(record.artifacts)

violations[[5, i, 1]] := violation("ARTIFACTS", "artifact_not_object", item("/artifacts/", i, "")) if {
	some i, artifact in artifacts
	not is_object(artifact)
}

violations[[5, i, 2]] := violation("ARTIFACTS", "artifact_path_missing", item("/artifacts/", i, "/path")) if {
	some i, artifact in artifacts
	is_object(artifact)
	not has_path(artifact)
}

has_path(artifact) if text.written(artifact.path)

violations[[5, i, 3]] := violation("ARTIFACTS", "artifact_kind_missing", item("/artifacts/", i, "/kind")) if {
	some i, artifact in artifacts
	is_object(artifact)
	not has_kind(artifact)
}

has_kind(artifact) if text.written(artifact.kind)

violations[[5, i, 4]] := violation("ARTIFACTS", fault, item("/artifacts/", i, "/path")) if {
	some i, artifact in artifacts
	has_path(artifact)
	fault := evidence_fault(artifact.path, evidence_of(artifact.path))
}

violations[[5, i, 5]] := violation("ARTIFACTS", "artifact_digest_mismatch", item("/artifacts/", i, "/sha256")) if {
	some i, artifact in artifacts
	has_path(artifact)
	not evidence_fault(artifact.path, evidence_of(artifact.path))

	# A record that names what an artifact's bytes are means these bytes. Any value names them, `null` too.
	digest := artifact.sha256
	not digest_matches(digest, evidence_of(artifact.path))
}

digest_matches(digest, evidence) if {
	is_string(digest)
	digest == evidence.sha256
}

violations[[6, 0, 0]] := violation("NEXT_ACTION", "next_action_not_object", "/next_action") if {
	not next_action
}

violations[[6, i, 1]] := violation("NEXT_ACTION", "next_action_missing", pointer_to_next(field)) if {
	next_action
	some i, field in ["owner", "action"]
	not next_tells(field)
}

next_tells(field) if text.written(next_action[field])

violations[[6, 2, 1]] := violation("NEXT_ACTION", "next_action_missing", "/next_action/input") if {
	next_action
	not next_input
}

violations[[6, i, 2]] := violation("NEXT_ACTION", "next_action_placeholder", pointer_to_next(field)) if {
	some i, field in ["owner", "action", "input"]
	placeholder(next_action[field])
}

violations[[7, 0, 0]] := violation("MUTATIONS", "attempted_mutations_invalid", "/attempted_mutations") if {
	delivers("attempted_mutations")
	not mutations_well_formed
}

violations[[7, i, 1]] := violation("MUTATIONS", "forbidden_mutation", item("/attempted_mutations/", i, "")) if {
	mutations_well_formed
	some i, name in record.attempted_mutations
	forbidden_attempt(name)
}

forbidden_attempt(name) if contract_of(name) in forbidden_mutations

# What holds them all: `/`, `.`, `$`.
forbidden_attempt(name) if {
	text.written(name)
	contract_of(name) == ""
}

forbidden_attempt(name) if {
	handoff_roles.by_sub
	handoff_roles.forbidden_attempt(name)
}

violations[[8, i, 0]] := violation("MUTATIONS", "forbidden_mutation", item("/artifacts/", i, "/path")) if {
	handoff_roles.by_sub
	some i, artifact in artifacts
	has_path(artifact)
	handoff_roles.forbidden_artifact(artifact.path, evidence_of(artifact.path))
}

violations[[9, 0, 0]] := violation("RULEBOOK", "rulebook_not_object", "/rulebook_update") if {
	not rulebook_update
}

violations[[9, 0, 1]] := violation("RULEBOOK", "rulebook_applied_not_boolean", "/rulebook_update/applied") if {
	rulebook_update
	not rulebook_applied_told
}

violations[[9, 0, 2]] := violation("RULEBOOK", "rulebook_evidence_missing", "/rulebook_update/evidence_run_id") if {
	rulebook_update.applied == true
	not rulebook_evidenced
}

rulebook_evidenced if text.written(rulebook_update.evidence_run_id)

violations[[10, 0, 0]] := violation("EVIDENCE", "result_contradicts_evidence", "/result") if {
	contradicted
}

violations[[11, i, 0]] := violation("FAILURE", "failure_not_attributed", concat("", ["/failure", part])) if {
	some i, part in handoff_roles.unattributed
}

item(list, i, field) := concat("", [list, format_int(i, 10), field])

pointer_to_next(field) := concat("", ["/next_action", pointer(field)])

listed(value) if {
	is_array(value)
	count(value) > 0
}

artifacts := record.artifacts if is_array(record.artifacts)

# Evidence that the host did not give does not exist.
evidence_of(path) := evidence if {
	evidence := input.artifacts[path]
} else := null

# What is wrong with the evidence at a path; undefined when nothing is.
evidence_fault(path, evidence) := "artifact_path_escapes" if {
	escapes(path)
} else := "artifact_path_escapes" if {
	is_object(evidence)
	not tells(evidence, "contained")
} else := "artifact_path_not_found" if {
	not tells(evidence, "exists")
} else := "artifact_path_not_a_file" if {
	not tells(evidence, "file")
}

tells(evidence, fact) if evidence[fact] == true

# By its own text, with either slash. Few paths have two dots, and need to be taken apart.
escapes(path) if startswith(path, "/")

escapes(path) if startswith(path, "\\")

escapes(path) if {
	contains(path, "..")
	".." in split(replace(path, "\\", "/"), "/")
}

next_action := record.next_action if is_object(record.next_action)

next_input if text.described(next_action.input)

next_input if listed(next_action.input)

# The first word of the text, which must be the text's beginning, is one of the words that stand for nothing. Most texts do
# not begin so, and need no pattern.
placeholder(value) if {
	trimmed := trim(value, text.white_space)
	strings.any_prefix_match(lower(trimmed), placeholders)
	lower(regex.find_n(`^[\p{L}\p{Nd}/]+`, trimmed, 1)[0]) in placeholders
}

placeholders := {"todo", "tbd", "n/a", "na", "none", "pending", "later"} | added_placeholders

added_placeholders contains lower(word) if some word, _ in policy.handoff.placeholders

mutations_well_formed if {
	is_array(record.attempted_mutations)
	every name in record.attempted_mutations {
		is_string(name)
	}
}

# The top-level contract that a name lies in: `/Gates/x`, `gates.x` and `gates[0]` are all `gates`, and so are `./gates`,
# `gates\x`, `#/gates` and `$.gates`.
contract_of(name) := split(split(split(bare, ".")[0], "/")[0], "[")[0] if {
	bare := trim_left(replace(lower(trim(name, text.blank)), "\\", "/"), "./#$")
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
	delivered
	every artifact in artifacts {
		upper(artifact.status) == "PASS"
	}
}

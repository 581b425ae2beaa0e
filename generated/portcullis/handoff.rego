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

decision := denied(array.concat(
	[object.union(denial, {"path": ""}) | some denial in unmet],
	[object.union(denial, {"path": ""}) | some denial in extension.denials(data.portcullis.ext.handoff.deny)],
)) if {
	verdict.allowed
} else := verdict

# What authors say must hold, and does not, in the order of its names.
unmet := [{"gate": gate, "reason": policy.gates.handoff[gate]} |
	some gate in sort(object.keys(policy.gates.handoff))
	not data.portcullis.ext.handoff.must[gate]
]

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

# METADATA
# custom:
#   gate: RECORD
#   rule: what is delivered is a record
#   depends: request
#   says:
#     invalid_record: what is delivered is no record
record_present if is_object(record)

# The floor, in contract order, then what the policy adds, in its order; each field once.
# METADATA
# custom:
#   gate: REQUIRED_FIELDS
#   rule: it has its ten fields, and those that the policy adds; without one the delivery is invalid
#   depends: request
#   says:
#     missing_required_field: the record lacks a required field
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
# METADATA
# custom:
#   gate: IDENTITY_FIELDS
#   rule: fields that identify the delivery are written
#   depends: request
#   says:
#     field_not_nonempty_string: a field that identifies the delivery is blank
violations[[1, i, 0]] := violation("IDENTITY_FIELDS", "field_not_nonempty_string", pointer(field)) if {
	some i, field in ["handoff_id", "task_id", "from_agent", "to_agent"]
	not identified(field)
}

identified(field) if text.written(record[field])

violations[[1, 4, 0]] := violation("IDENTITY_FIELDS", "field_not_nonempty_string", "/input_scope") if {
	not scoped
}

scoped if text.described(record.input_scope)

# METADATA
# custom:
#   gate: AGENTS
#   rule: a handoff goes between a master and a sub that the policy knows, where `agents` names them
#   depends: request
#   says:
#     unknown_agent: an agent of the handoff is not one of the policy's
violations[[2, i, 0]] := violation("AGENTS", "unknown_agent", pointer(field)) if {
	some i, field in handoff_roles.unknown
}

# METADATA
# custom:
#   gate: AGENTS
#   depends: request
#   says:
#     role_boundary: the handoff goes from a master to a master, or from a sub to a sub
violations[[2, 2, 0]] := violation("AGENTS", "role_boundary", "/to_agent") if {
	handoff_roles.among_equals
}

# METADATA
# custom:
#   gate: RESULT
#   rule: "`result` is `PASS`, `FAIL` or `BLOCKED`"
#   depends: request
#   says:
#     result_invalid: the result is neither PASS nor FAIL nor BLOCKED
violations[[3, 0, 0]] := violation("RESULT", "result_invalid", "/result") if {
	not result_valid
}

result_valid if record.result in {"PASS", "FAIL", "BLOCKED"}

# METADATA
# custom:
#   gate: ACTIONS
#   rule: it says what was done
#   depends: request
#   says:
#     actions_taken_empty: the record lists no action
violations[[4, 0, 0]] := violation("ACTIONS", "actions_taken_empty", "/actions_taken") if {
	not acted
}

acted if listed(record.actions_taken)

# METADATA
# custom:
#   gate: ACTIONS
#   depends: request
#   says:
#     actions_taken_item_blank: an action says nothing
violations[[4, i, 1]] := violation("ACTIONS", "actions_taken_item_blank", item("/actions_taken/", i, "")) if {
	is_array(record.actions_taken)
	some i, action in record.actions_taken
	not text.described(action)
}

# METADATA
# custom:
#   gate: ARTIFACTS
#   rule: "completion is claimed with evidence: artifacts with `path` and `kind`, which can be read from the repository"
#   depends: facts
#   says:
#     artifacts_empty: the record lists no artifact
violations[[5, 0, 0]] := violation("ARTIFACTS", "artifacts_empty", "/artifacts") if {
	not delivered
}

delivered if listed(record.artifacts)

# METADATA
# custom:
#   gate: ARTIFACTS
#   depends: facts
#   says:
#     artifact_not_object: an artifact is no object
violations[[5, i, 1]] := violation("ARTIFACTS", "artifact_not_object", item("/artifacts/", i, "")) if {
	some i, artifact in artifacts
	not is_object(artifact)
}

# METADATA
# custom:
#   gate: ARTIFACTS
#   depends: facts
#   says:
#     artifact_path_missing: an artifact has no path
violations[[5, i, 2]] := violation("ARTIFACTS", "artifact_path_missing", item("/artifacts/", i, "/path")) if {
	some i, artifact in artifacts
	is_object(artifact)
	not has_path(artifact)
}

has_path(artifact) if text.written(artifact.path)

# METADATA
# custom:
#   gate: ARTIFACTS
#   depends: facts
#   says:
#     artifact_kind_missing: an artifact has no kind
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

# METADATA
# custom:
#   gate: ARTIFACTS
#   depends: facts
#   says:
#     artifact_digest_mismatch: an artifact has other bytes than the record says
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

# METADATA
# custom:
#   gate: NEXT_ACTION
#   rule: "the next action can be carried out: `owner`, `action`, `input`, no placeholder"
#   depends: request
#   says:
#     next_action_not_object: the next action is no object
violations[[6, 0, 0]] := violation("NEXT_ACTION", "next_action_not_object", "/next_action") if {
	not next_action
}

# METADATA
# custom:
#   gate: NEXT_ACTION
#   depends: request
#   says:
#     next_action_missing: the next action lacks its owner, its action or its input
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

# METADATA
# custom:
#   gate: NEXT_ACTION
#   depends: request
#   says:
#     next_action_placeholder: the next action begins with a placeholder
violations[[6, i, 2]] := violation("NEXT_ACTION", "next_action_placeholder", pointer_to_next(field)) if {
	some i, field in ["owner", "action", "input"]
	placeholder(next_action[field])
}

# METADATA
# custom:
#   gate: MUTATIONS
#   rule: "a sub does not change top-level contracts: by what the record says was attempted, and by where its artifacts lie"
#   depends: facts
#   says:
#     attempted_mutations_invalid: the attempted mutations are no list of texts
violations[[7, 0, 0]] := violation("MUTATIONS", "attempted_mutations_invalid", "/attempted_mutations") if {
	delivers("attempted_mutations")
	not mutations_well_formed
}

# METADATA
# custom:
#   gate: MUTATIONS
#   depends: facts
#   says:
#     forbidden_mutation: what must not be changed was changed, or attempted
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

# METADATA
# custom:
#   gate: RULEBOOK
#   rule: an applied rulebook update names its evidence
#   depends: request
#   says:
#     rulebook_not_object: the rulebook update is no object
violations[[9, 0, 0]] := violation("RULEBOOK", "rulebook_not_object", "/rulebook_update") if {
	not rulebook_update
}

# METADATA
# custom:
#   gate: RULEBOOK
#   depends: request
#   says:
#     rulebook_applied_not_boolean: the rulebook update does not say whether it was applied
violations[[9, 0, 1]] := violation("RULEBOOK", "rulebook_applied_not_boolean", "/rulebook_update/applied") if {
	rulebook_update
	not rulebook_applied_told
}

# METADATA
# custom:
#   gate: RULEBOOK
#   depends: request
#   says:
#     rulebook_evidence_missing: an applied rulebook update names no run
violations[[9, 0, 2]] := violation("RULEBOOK", "rulebook_evidence_missing", "/rulebook_update/evidence_run_id") if {
	rulebook_update.applied == true
	not rulebook_evidenced
}

rulebook_evidenced if text.written(rulebook_update.evidence_run_id)

# METADATA
# custom:
#   gate: EVIDENCE
#   rule: the result does not contradict the evidence
#   depends: request
#   says:
#     result_contradicts_evidence: the result contradicts the evidence
violations[[10, 0, 0]] := violation("EVIDENCE", "result_contradicts_evidence", "/result") if {
	contradicted
}

# METADATA
# custom:
#   gate: FAILURE
#   rule: a failure belongs to one layer, and has a hypothesis, a patch and a result, where `agents` names who hands over
#   depends: request
#   says:
#     failure_not_attributed: a failed result is not attributed to one layer
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
# METADATA
# custom:
#   gate: ARTIFACTS
#   depends: facts
#   says:
#     artifact_path_escapes: an artifact lies outside of the repository
#     artifact_path_not_found: an artifact is not there
#     artifact_path_not_a_file: an artifact is no file
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

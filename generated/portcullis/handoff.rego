# METADATA
# title: Handoff decision
# description: |
#   Is this record of a handoff between agents a valid delivery? Every violation is collected, so that one run tells all.
#   A policy may add to the contract; the floor below always holds.
# schemas:
#   - input: schema.handoff
package portcullis.handoff

import data.portcullis.extension
import data.portcullis.handoff_artifacts
import data.portcullis.handoff_mutations
import data.portcullis.handoff_next_action
import data.portcullis.handoff_outcome
import data.portcullis.handoff_report as report
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

verdict := denied([report.violation("RECORD", "invalid_record", "")]) if {
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
missing_fields := [report.violation("REQUIRED_FIELDS", "missing_required_field", report.pointer(field)) |
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

# By [gate, item, reason] in contract order, which is the order in which they are told. A condition that must not hold is a
# rule of its own: `not text.written(record.x)` would be undefined, and no violation, without `record.x`.
# METADATA
# custom:
#   gate: IDENTITY_FIELDS
#   rule: fields that identify the delivery are written
#   depends: request
#   says:
#     field_not_nonempty_string: a field that identifies the delivery is blank
violations[[1, i, 0]] := report.violation("IDENTITY_FIELDS", "field_not_nonempty_string", report.pointer(field)) if {
	some i, field in ["handoff_id", "task_id", "from_agent", "to_agent"]
	not identified(field)
}

identified(field) if text.written(record[field])

violations[[1, 4, 0]] := report.violation("IDENTITY_FIELDS", "field_not_nonempty_string", "/input_scope") if {
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
violations[[2, i, 0]] := report.violation("AGENTS", "unknown_agent", report.pointer(field)) if {
	some i, field in handoff_roles.unknown
}

# METADATA
# custom:
#   gate: AGENTS
#   depends: request
#   says:
#     role_boundary: the handoff goes from a master to a master, or from a sub to a sub
violations[[2, 2, 0]] := report.violation("AGENTS", "role_boundary", "/to_agent") if {
	handoff_roles.among_equals
}

# METADATA
# custom:
#   gate: RESULT
#   rule: "`result` is `PASS`, `FAIL` or `BLOCKED`"
#   depends: request
#   says:
#     result_invalid: the result is neither PASS nor FAIL nor BLOCKED
violations[[3, 0, 0]] := report.violation("RESULT", "result_invalid", "/result") if {
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
violations[[4, 0, 0]] := report.violation("ACTIONS", "actions_taken_empty", "/actions_taken") if {
	not acted
}

acted if text.listed(record.actions_taken)

# METADATA
# custom:
#   gate: ACTIONS
#   depends: request
#   says:
#     actions_taken_item_blank: an action says nothing
violations[[4, i, 1]] := report.violation("ACTIONS", "actions_taken_item_blank", report.item("/actions_taken/", i, "")) if {
	is_array(record.actions_taken)
	some i, action in record.actions_taken
	not text.described(action)
}

# What the rest of the contract has, each gate at its number.
violations[place] := found if some place, found in handoff_artifacts.violations

violations[place] := found if some place, found in handoff_next_action.violations

violations[place] := found if some place, found in handoff_mutations.violations

violations[place] := found if some place, found in handoff_outcome.violations

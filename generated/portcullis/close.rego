# METADATA
# title: Close decision
# description: |
#   Does what changed lie inside what was declared? The reconciliation at a contract's close, and the only one. It blocks
#   the commit; it never refuses that the contract is closed, so it never answers `D`.
# schemas:
#   - input: schema.close
package portcullis.close

import data.portcullis.extension
import data.portcullis.path
import data.portcullis.policy
import data.portcullis.text

# METADATA
# title: portcullis/close/decision
# description: |
#   Reconciliation of a diff, `{baseline_sha, contract, contract_root, declared_targets, declared_operations, changed_files}`
#   to `{allowed, gate, reason, reply, code, commit_blocked, undeclared, operations?}`.
# entrypoint: true
# schemas:
#   - input: schema.close
default decision := {
	"allowed": false,
	"gate": "INTERNAL_ERROR",
	"reason": "no_decision",
	"reply": "I",
	"code": "CT-GATE-I-004",
	"commit_blocked": true,
	"undeclared": [],
}

decision := blocked(unmet[0].gate, unmet[0].reason, []) if {
	verdict.allowed
} else := blocked(denial.gate, denial.reason, []) if {
	verdict.allowed
	denial := extension.denial(data.portcullis.ext.close.deny)
} else := verdict

# What authors say must hold, and does not, in the order of its names.
unmet := [{"gate": gate, "reason": policy.gates.close[gate]} |
	some gate in sort(object.keys(policy.gates.close))
	not data.portcullis.ext.close.must[gate]
]

verdict := blocked("BASELINE", "no_baseline", []) if {
	not baseline_known
} else := blocked("CONTRACT", "contract_signature_invalid", []) if {
	not unsigned
	not contract_signature_valid
} else := blocked("CONTRACT", "contract_expired", []) if {
	not unsigned
	not contract_unexpired
} else := blocked("DIFF", "diff_unavailable", []) if {
	not diff_available
} else := blocked("INTERNAL_ERROR", "invalid input", []) if {
	not scope_declared
} else := blocked("CONTAINMENT", "undeclared_changes", sort(undeclared)) if {
	undeclared != set()
} else := {
	"allowed": false,
	"gate": "OPERATIONS",
	"reason": "undeclared_operation",
	"reply": "I",
	"code": "CT-GATE-I-004",
	"commit_blocked": true,
	"undeclared": [],
	"operations": operations,
} if {
	operations != []
} else := {
	"allowed": true,
	"gate": "ALLOW",
	"reason": "reconciled",
	"reply": "S",
	"code": "CT-GATE-S-004",
	"commit_blocked": false,
	"undeclared": [],
}

blocked(gate, reason, paths) := {
	"allowed": false,
	"gate": gate,
	"reason": reason,
	"reply": "I",
	"code": "CT-GATE-I-004",
	"commit_blocked": true,
	"undeclared": paths,
}

# METADATA
# custom:
#   gate: BASELINE
#   rule: the work is compared with a baseline
#   depends: facts
#   says:
#     no_baseline: there is no baseline to compare with
baseline_known if text.written(input.baseline_sha)

# The host was told not to ask for a signature.
unsigned if input.contract == "unsigned"

# METADATA
# custom:
#   gate: CONTRACT
#   rule: the contract is signed, and was not expired at the last commit
#   depends: facts
#   says:
#     contract_signature_invalid: the signature of the contract does not hold
contract_signature_valid if input.contract.signature_valid == true

# At the last commit. The host says `true` as well for a contract without expiry.
# METADATA
# custom:
#   gate: CONTRACT
#   depends: facts
#   says:
#     contract_expired: the contract had expired at the last commit
contract_unexpired if input.contract.expired == false

# A list whose every file has a name. Whether a file could be resolved is the next gate's question.
# METADATA
# custom:
#   gate: DIFF
#   rule: "everything that changed is seen: commits, index, work tree, untracked files"
#   depends: facts
#   says:
#     diff_unavailable: what changed cannot be told
diff_available if {
	is_array(input.changed_files)
	every file in input.changed_files {
		is_string(file.path)
	}
}

# METADATA
# custom:
#   gate: INTERNAL_ERROR
#   rule: the contract says its root and its targets
#   depends: request
#   judges: contract
#   says:
#     invalid input: the contract does not say its root and its targets
scope_declared if {
	is_string(input.contract_root)
	is_array(input.declared_targets)
	every target in input.declared_targets {
		is_string(target)
	}
}

# METADATA
# custom:
#   gate: CONTAINMENT
#   rule: a change lies in the contract's root and in a declared target, by whole segments, and can be resolved
#   depends: facts
#   judges: contract
#   says:
#     undeclared_changes: "what changed lies outside of what was declared: {undeclared}"
undeclared contains file.path if {
	some file in input.changed_files
	not contained(file)
}

contained(file) if {
	path.canonical(file.resolved)
	path.lies_in(file.resolved, root)
	some target in targets
	path.lies_in(file.resolved, target)
}

root := path.folder(input.contract_root)

# Where the targets lie. One that is not canonical holds nothing.
targets := [place_of(target) | some target in input.declared_targets; path.target(target)]

# The place of an absolute target.
place_of(target) := path.place(target) if path.absolute(target)

# A relative target starts at the contract root.
place_of(target) := concat("", [root, target, "/"]) if not path.absolute(target)

# What was done to a file and was not declared, by path.
# METADATA
# custom:
#   gate: OPERATIONS
#   rule: what was done to a file was declared
#   depends: facts
#   judges: contract
#   says:
#     undeclared_operation: what was done to a file was not declared
operations := [{"path": done[0], "operation": done[1]} | some done in sort(undeclared_operations)]

undeclared_operations contains [file.path, operation_of(file)] if {
	some file in input.changed_files
	not declared_operation(file)
}

declared_operation(file) if file.operation in declared_operations

# An operation without a name is shown as `null`.
operation_of(file) := file.operation if {
	is_string(file.operation)
} else := null

# A value other than a list of strings declares nothing, and neither does the name of no operation.
declared_operations contains operation if {
	is_array(input.declared_operations)
	every operation in input.declared_operations {
		is_string(operation)
	}
	some operation in input.declared_operations
	operation in {"CREATE", "WRITE", "DELETE", "RENAME", "MODE"}
}

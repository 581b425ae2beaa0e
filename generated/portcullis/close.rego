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
import data.portcullis.text

# METADATA
# title: portcullis/close/decision
# description: |
#   Reconciliation of a diff, `{baseline_sha, contract_root, declared_targets, changed_files}` to
#   `{allowed, gate, reason, reply, code, commit_blocked, undeclared}`.
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

decision := blocked(denial.gate, denial.reason, []) if {
	verdict.allowed
	denial := extension.denial(data.portcullis.ext.close.deny)
} else := verdict

verdict := blocked("BASELINE", "no_baseline", []) if {
	not baseline_known
} else := blocked("DIFF", "diff_unavailable", []) if {
	not diff_available
} else := blocked("INTERNAL_ERROR", "invalid input", []) if {
	not scope_declared
} else := blocked("CONTAINMENT", "undeclared_changes", sort(undeclared)) if {
	undeclared != set()
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

baseline_known if text.written(input.baseline_sha)

# A list whose every file has a name. Whether a file could be resolved is the next gate's question.
diff_available if {
	is_array(input.changed_files)
	every file in input.changed_files {
		is_string(file.path)
	}
}

scope_declared if {
	is_string(input.contract_root)
	is_array(input.declared_targets)
	every target in input.declared_targets {
		is_string(target)
	}
}

undeclared contains file.path if {
	some file in input.changed_files
	not contained(file)
}

contained(file) if {
	place := path.canonical(file.resolved)
	path.inside(place, root)
	some target in targets
	path.inside(place, target)
}

root := path.folder(input.contract_root)

# Where the targets lie. One that shows nothing is none.
targets := [place_of(target) | some target in input.declared_targets]

# Of an absolute one.
place_of(target) := path.folder(target)

# A relative target starts at the contract root.
place_of(target) := path.folder(concat("/", [input.contract_root, target])) if {
	text.written(target)
	not path.absolute(target)
}

# METADATA
# title: Extensions
# description: |
#   Authors add gates of their own to a decision in the package `portcullis.ext.<decision>`. They are asked after every gate
#   of the library has passed, and can only deny.
#
#   `must` says what has to be true. A gate holds where the body of some rule of its name is true, and denies where none is,
#   so that whatever is absent, malformed or fails falls shut:
#
#       package portcullis.ext.tool
#
#       # METADATA
#       # custom: { reason: payout_above_limit }
#       must contains "PAYOUT_LIMIT" if input.tool != "payout.release"
#       must contains "PAYOUT_LIMIT" if input.scope.signed_by in data.desk.directors
#
#   The compiler writes the names and their reasons to `data.portcullis.policy.gates.<decision>`; each is asked for, in the
#   order of the names.
#
#   `deny` is asked next, and says what is recognised as bad:
#
#       deny contains {"gate": "CHANGE_FREEZE", "reason": "frozen_until_monday"} if input.tool == "ledger.write"
#
#   An answer that is not a set of objects with a text `gate` and a text `reason` denies as well: a rule that went wrong
#   must not open the gate.
package portcullis.extension

import data.portcullis.text

# METADATA
# description: |
#   All denials of an extension, in the order of their gates and reasons, whatever the order of the rules. Answers that
#   cannot be read come last, as one denial.
denials(deny) := array.concat(readable(deny), unreadable(deny))

# METADATA
# description: The denial that becomes the decision; undefined without a denial.
denial(deny) := denied(denials(deny))

# METADATA
# description: The first of a list of denials as a decision; undefined for an empty list.
denied(found) := object.union({"allowed": false}, found[0])

readable(deny) := [{"gate": answer[0], "reason": answer[1]} |
	some answer in sort({[answer.gate, answer.reason] | some answer in members(deny); well_formed(answer)})
]

unreadable(deny) := [] if {
	every answer in members(deny) {
		well_formed(answer)
	}
} else := [{"gate": "EXTENSION", "reason": "invalid_extension_answer"}]

# A `deny` that is not a set is itself the answer, and not a well-formed one.
members(deny) := deny if is_set(deny)

else := {null}

# The gate ALLOW is the library's word for "no gate failed".
well_formed(answer) if {
	text.written(answer.gate)
	text.written(answer.reason)
	answer.gate != "ALLOW"
}

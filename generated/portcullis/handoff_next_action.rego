# METADATA
# title: Next action of a handoff
# description: |
#   It can be carried out: somebody has it, it says what to do and with what, and no word of it stands for nothing.
# schemas:
#   - input: schema.handoff
package portcullis.handoff_next_action

import data.portcullis.handoff_report as report
import data.portcullis.policy
import data.portcullis.text

record := input.record

# METADATA
# custom:
#   gate: NEXT_ACTION
#   rule: "the next action can be carried out: `owner`, `action`, `input`, no placeholder"
#   depends: request
#   says:
#     next_action_not_object: the next action is no object
violations[[6, 0, 0]] := report.violation("NEXT_ACTION", "next_action_not_object", "/next_action") if {
	not next_action
}

# METADATA
# custom:
#   gate: NEXT_ACTION
#   depends: request
#   says:
#     next_action_missing: the next action lacks its owner, its action or its input
violations[[6, i, 1]] := report.violation("NEXT_ACTION", "next_action_missing", pointer_to_next(field)) if {
	next_action
	some i, field in ["owner", "action"]
	not next_tells(field)
}

next_tells(field) if text.written(next_action[field])

violations[[6, 2, 1]] := report.violation("NEXT_ACTION", "next_action_missing", "/next_action/input") if {
	next_action
	not next_input
}

# METADATA
# custom:
#   gate: NEXT_ACTION
#   depends: request
#   says:
#     next_action_placeholder: the next action begins with a placeholder
violations[[6, i, 2]] := report.violation("NEXT_ACTION", "next_action_placeholder", pointer_to_next(field)) if {
	some i, field in ["owner", "action", "input"]
	placeholder(next_action[field])
}

pointer_to_next(field) := concat("", ["/next_action", report.pointer(field)])

next_action := record.next_action if is_object(record.next_action)

next_input if text.described(next_action.input)

next_input if text.listed(next_action.input)

# The first word of the text, which must be the text's beginning, is one of the words that stand for nothing. Most texts do
# not begin so, and need no pattern.
placeholder(value) if {
	trimmed := trim(value, text.white_space)
	strings.any_prefix_match(lower(trimmed), placeholders)
	lower(regex.find_n(`^[\p{L}\p{Nd}/]+`, trimmed, 1)[0]) in placeholders
}

placeholders := {"todo", "tbd", "n/a", "na", "none", "pending", "later"} | added_placeholders

added_placeholders contains lower(word) if some word, _ in policy.handoff.placeholders

# METADATA
# title: Approval
# description: |
#   Has a person approved this call, where the tool or one of its arguments asks for it? An approval that is `required` names a
#   person. One that is `bound` is a signed file of a known approver, for one call under one policy, once: the host verifies it and
#   says so in `facts`. What the host does not say, or says in another form, is a denial.
package portcullis.approval

import data.portcullis.agents
import data.portcullis.arguments
import data.portcullis.policy
import data.portcullis.text

# METADATA
# description: The denial of the call's approval; undefined where the call needs none, or has the one that it needs.
denial := {
	"allowed": false,
	"gate": "APPROVAL",
	"reason": "approval_required",
	"approval": need,
	"call_sha256": digest,
} if {
	not given
} else := {"allowed": false, "gate": "APPROVAL", "reason": "approval_required", "approval": need} if {
	not given
} else := {"allowed": false, "gate": "APPROVAL", "reason": "approval_malformed"} if {
	need
	not well_formed
} else := {"allowed": false, "gate": "APPROVAL", "reason": "approval_not_human"} if {
	need
	not approver_is_person
} else := {"allowed": false, "gate": "APPROVAL", "reason": "approver_unknown"} if {
	need == "bound"
	not approver
} else := {"allowed": false, "gate": "APPROVAL", "reason": "approver_expired"} if {
	need == "bound"
	approver_expired
} else := {"allowed": false, "gate": "APPROVAL", "reason": "approver_not_for_tool"} if {
	need == "bound"
	not approver_for_tool
} else := {"allowed": false, "gate": "APPROVAL", "reason": "approval_signature_invalid"} if {
	need == "bound"
	not signed
} else := {"allowed": false, "gate": "APPROVAL", "reason": "approval_not_for_this_call"} if {
	need == "bound"
	not for_this_call
} else := {"allowed": false, "gate": "APPROVAL", "reason": "approval_for_other_policy"} if {
	need == "bound"
	not for_this_policy
} else := {"allowed": false, "gate": "APPROVAL", "reason": "approval_expired"} if {
	need == "bound"
	not in_time
} else := {"allowed": false, "gate": "APPROVAL", "reason": "approval_refused"} if {
	need == "bound"
	not approved
} else := {"allowed": false, "gate": "APPROVAL", "reason": "approval_used"} if {
	need == "bound"
	not unused
}

# Undefined where the call needs none: then no denial has a value, and its approval is not read. One that is bound holds where one is required.
need := "bound" if {
	binds
} else := "required" if {
	not unneeded
}

binds if policy.tools[input.tool].approval == "bound"

binds if arguments.bound_person_needed

unneeded if {
	policy.tools[input.tool].approval == "none"
	not arguments.person_needed
}

digest := input.facts.call_sha256 if is_string(input.facts.call_sha256)

# METADATA
# custom:
#   gate: APPROVAL
#   rule: a person has approved, where the tool or one of its arguments asks for it; this very call, where the approval is bound
#   depends: facts
#   judges: approval
#   says:
#     approval_required: this call of tool {tool} needs the approval of a person
given if input.approval != null

# METADATA
# custom:
#   gate: APPROVAL
#   depends: facts
#   says:
#     approval_malformed: the approval does not say all that it must, its reference and who gave it before all
well_formed if {
	need == "required"
	names_person
}

well_formed if {
	names_person
	input.approval.type == "portcullis-approval/1"
	input.approval.decision in {"approve", "refuse"}
	text.written(input.approval.call_sha256)
	text.written(input.approval.policy_revision)
	whole(input.approval.expires_at)
	text.written(input.approval.nonce)
	text.written(input.approval.signature)
}

names_person if {
	text.written(input.approval.ref)
	approver_named
}

# The name of a person is one. Whether it is that is asked once.
approver_named if {
	approver_is_person
} else if {
	agents.named(input.approval.by)
}

# A time in milliseconds, as a double holds it exactly. Undefined for anything but a number.
whole(number) if {
	abs(number) <= 9007199254740991
	floor(number) == number
}

# People approve.
# METADATA
# custom:
#   gate: APPROVAL
#   depends: facts
#   says:
#     approval_not_human: the approval is given in the name of an agent
approver_is_person if agents.person(input.approval.by)

# By the name as the policy writes it: a name that only reads like it is not that of the key's owner.
# METADATA
# custom:
#   gate: APPROVAL
#   depends: facts
#   says:
#     approver_unknown: the policy has no approver of the name in the approval
approver := policy.approvers[input.approval.by]

# Where the host says no time, `approval_expired` denies.
# METADATA
# custom:
#   gate: APPROVAL
#   depends: facts
#   says:
#     approver_expired: the last day of the approver has passed
approver_expired if {
	whole(input.facts.now)
	input.facts.now >= approver.until_ms
}

# METADATA
# custom:
#   gate: APPROVAL
#   depends: facts
#   says:
#     approver_not_for_tool: the approver may not approve calls of tool {tool}
approver_for_tool if not approver.tools

approver_for_tool if approver.tools[input.tool]

# METADATA
# custom:
#   gate: APPROVAL
#   depends: facts
#   says:
#     approval_signature_invalid: the approval is not signed with the key of its approver
signed if {
	input.facts.approval.signature_valid == true
	input.facts.approval.key_of == input.approval.by
}

# METADATA
# custom:
#   gate: APPROVAL
#   depends: facts
#   says:
#     approval_not_for_this_call: the approval is for another call
for_this_call if digest == input.approval.call_sha256

# METADATA
# custom:
#   gate: APPROVAL
#   depends: facts
#   says:
#     approval_for_other_policy: the approval was given under another policy than the one that decides
for_this_policy if input.approval.policy_revision == policy.approval_revision

# A day at most: an approval is for a call that somebody waits for.
# METADATA
# custom:
#   gate: APPROVAL
#   depends: facts
#   says:
#     approval_expired: the approval is no longer valid, or for more than a day
in_time if {
	whole(input.facts.now)
	input.facts.now < input.approval.expires_at
	input.approval.expires_at - input.facts.now <= ((24 * 60) * 60) * 1000
}

# METADATA
# custom:
#   gate: APPROVAL
#   depends: facts
#   says:
#     approval_refused: an approver has refused this call, or it is not known whether one has
approved if {
	input.approval.decision == "approve"
	input.facts.approval.refused == false
}

# METADATA
# custom:
#   gate: APPROVAL
#   depends: facts
#   says:
#     approval_used: the approval was used before, or nothing is kept that could tell
unused if input.facts.approval.used == false

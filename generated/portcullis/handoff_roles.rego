# METADATA
# title: Roles of a handoff
# description: |
#   Where the policy names masters and subs, a handoff goes between the two, a sub keeps out of what it must not change, and
#   a failure is attributed to one layer. Where it names none, nothing of this applies.
# schemas:
#   - input: schema.handoff
package portcullis.handoff_roles

import data.portcullis.path
import data.portcullis.policy
import data.portcullis.text

record := input.record

# By agent: `master` or `sub`. Undefined where the policy names none.
roles := policy.handoff.agents

# METADATA
# description: The members that name an agent, but none of the policy's, by their place in the contract.
unknown[i] := field if {
	roles
	some i, field in ["from_agent", "to_agent"]
	text.written(record[field])
	not roles[record[field]]
}

# METADATA
# description: From a master to a master, or from a sub to a sub.
among_equals if roles[record.from_agent] == roles[record.to_agent]

# METADATA
# description: Whether what is delivered, and was attempted, is a sub's.
by_sub if roles[record.from_agent] == "sub"

# METADATA
# description: |
#   The artifact lies in a place that a sub must not change: by the path that the record says, or by the one that the host
#   found behind it.
forbidden_artifact(at, _) if lies_in_forbidden(at)

forbidden_artifact(_, evidence) if lies_in_forbidden(evidence.resolved)

lies_in_forbidden(at) if {
	some place in forbidden_places
	not lies_outside(at, place)
}

lies_outside(at, place) if {
	named := place_of(at)
	not path.inside(named, place)
}

# METADATA
# description: What was attempted lies in such a place, or holds one.
forbidden_attempt(at) if {
	some place in forbidden_places
	not stands_apart(trim(at, text.blank), place)
}

stands_apart(at, place) if {
	named := place_of(at)
	not path.inside(named, place)
	not path.inside(place, named)
}

forbidden_places contains place_of(named) if some named, _ in policy.handoff.forbidden_paths

# However it is written: with either slash, with empty segments and `.`, in either case, as some file systems read it.
# Undefined for a value that is not a text, or has a `..`, which may lie anywhere.
place_of(at) := place if {
	place := path.folder(concat("", ["/", replace(lower(at), "\\", "/")]))
	not contains(place, "/../")
}

# METADATA
# description: What of a failed record attributes the failure to no layer, as pointers into `failure`, by their place.
unattributed[0] := "" if {
	failed
	not failure
}

unattributed[1] := "/layer" if {
	failed
	failure
	not layer_known
}

unattributed[i] := concat("", ["/", part]) if {
	failed
	failure
	some i, part in {2: "hypothesis", 3: "patch", 4: "result"}
	not told(part)
}

failure := record.failure if is_object(record.failure)

failed if {
	roles
	record.result == "FAIL"
}

# One layer: direction, process, or capability.
layer_known if failure.layer in {"identity", "skill", "mcp", "tool", "mcp/tool"}

told(part) if text.described(failure[part])

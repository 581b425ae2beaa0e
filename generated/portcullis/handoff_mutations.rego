# METADATA
# title: Mutations of a handoff
# description: |
#   What must not be changed was neither changed nor attempted, by what the record says and by where its artifacts lie.
# schemas:
#   - input: schema.handoff
package portcullis.handoff_mutations

import data.portcullis.handoff_artifacts
import data.portcullis.handoff_report as report
import data.portcullis.handoff_roles
import data.portcullis.policy
import data.portcullis.text

record := input.record

# METADATA
# custom:
#   gate: MUTATIONS
#   rule: "a sub does not change top-level contracts: by what the record says was attempted, and by where its artifacts lie"
#   depends: facts
#   says:
#     attempted_mutations_invalid: the attempted mutations are no list of texts
violations[[7, 0, 0]] := report.violation("MUTATIONS", "attempted_mutations_invalid", "/attempted_mutations") if {
	mutations_told
	not mutations_well_formed
}

# METADATA
# custom:
#   gate: MUTATIONS
#   depends: facts
#   says:
#     forbidden_mutation: what must not be changed was changed, or attempted
violations[[7, i, 1]] := report.violation("MUTATIONS", "forbidden_mutation", report.item("/attempted_mutations/", i, "")) if {
	mutations_well_formed
	some i, name in record.attempted_mutations
	forbidden_attempt(name)
}

forbidden_attempt(name) if forbidden_contract(name, contract_of(name))

forbidden_attempt(name) if {
	handoff_roles.by_sub
	handoff_roles.forbidden_attempt(name)
}

violations[[8, i, 0]] := report.violation("MUTATIONS", "forbidden_mutation", report.item("/artifacts/", i, "/path")) if {
	handoff_roles.by_sub
	some i, artifact in handoff_artifacts.artifacts
	handoff_artifacts.has_path(artifact)
	handoff_roles.forbidden_artifact(artifact.path, handoff_artifacts.evidence_of(artifact.path))
}

mutations_told if _ = record.attempted_mutations

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

forbidden_contract(_, contract) if contract in forbidden_mutations

# What holds them all: `/`, `.`, `$`.
forbidden_contract(name, "") if text.written(name)

forbidden_mutations := forbidden_floor | added_forbidden

forbidden_floor := {
	"gates",
	"protocol_review_contract",
	"identity_update_lifecycle_contract",
	"trigger_regression_contract",
	"agent_handoff_contract",
}

added_forbidden contains contract_of(name) if some name, _ in policy.handoff.forbidden_mutations

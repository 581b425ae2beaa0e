# METADATA
# title: Outcome of a handoff
# description: |
#   An applied rulebook update names its run, the result does not contradict the evidence, and a failure is attributed.
# schemas:
#   - input: schema.handoff
package portcullis.handoff_outcome

import data.portcullis.handoff_artifacts
import data.portcullis.handoff_report as report
import data.portcullis.handoff_roles
import data.portcullis.text

record := input.record

# METADATA
# custom:
#   gate: RULEBOOK
#   rule: an applied rulebook update names its evidence
#   depends: request
#   says:
#     rulebook_not_object: the rulebook update is no object
violations[[9, 0, 0]] := report.violation("RULEBOOK", "rulebook_not_object", "/rulebook_update") if {
	not rulebook_update
}

# METADATA
# custom:
#   gate: RULEBOOK
#   depends: request
#   says:
#     rulebook_applied_not_boolean: the rulebook update does not say whether it was applied
violations[[9, 0, 1]] := report.violation("RULEBOOK", "rulebook_applied_not_boolean", "/rulebook_update/applied") if {
	rulebook_update
	not rulebook_applied_told
}

# METADATA
# custom:
#   gate: RULEBOOK
#   depends: request
#   says:
#     rulebook_evidence_missing: an applied rulebook update names no run
violations[[9, 0, 2]] := report.violation("RULEBOOK", "rulebook_evidence_missing", "/rulebook_update/evidence_run_id") if {
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
violations[[10, 0, 0]] := report.violation("EVIDENCE", "result_contradicts_evidence", "/result") if {
	contradicted
}

# METADATA
# custom:
#   gate: FAILURE
#   rule: a failure belongs to one layer, and has a hypothesis, a patch and a result, where `agents` names who hands over
#   depends: request
#   says:
#     failure_not_attributed: a failed result is not attributed to one layer
violations[[11, i, 0]] := report.violation("FAILURE", "failure_not_attributed", concat("", ["/failure", part])) if {
	some i, part in handoff_roles.unattributed
}

rulebook_update := record.rulebook_update if is_object(record.rulebook_update)

rulebook_applied_told if is_boolean(rulebook_update.applied)

contradicted if {
	record.result == "PASS"
	some artifact in handoff_artifacts.artifacts
	upper(artifact.status) in {"FAIL", "BLOCKED"}
}

contradicted if {
	record.result in {"FAIL", "BLOCKED"}
	rulebook_update.applied == true
	handoff_artifacts.delivered
	every artifact in handoff_artifacts.artifacts {
		upper(artifact.status) == "PASS"
	}
}

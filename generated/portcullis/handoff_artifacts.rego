# METADATA
# title: Artifacts of a handoff
# description: |
#   Completion is claimed with evidence. The host says what lies at a path of the repository: evidence that it did not give
#   does not exist.
# schemas:
#   - input: schema.handoff
package portcullis.handoff_artifacts

import data.portcullis.handoff_report as report
import data.portcullis.text

record := input.record

# METADATA
# custom:
#   gate: ARTIFACTS
#   rule: "completion is claimed with evidence: artifacts with `path` and `kind`, which can be read from the repository"
#   depends: facts
#   says:
#     artifacts_empty: the record lists no artifact
violations[[5, 0, 0]] := report.violation("ARTIFACTS", "artifacts_empty", "/artifacts") if {
	not delivered
}

delivered if text.listed(record.artifacts)

# METADATA
# custom:
#   gate: ARTIFACTS
#   depends: facts
#   says:
#     artifact_not_object: an artifact is no object
violations[[5, i, 1]] := report.violation("ARTIFACTS", "artifact_not_object", report.item("/artifacts/", i, "")) if {
	some i, artifact in artifacts
	not is_object(artifact)
}

# METADATA
# custom:
#   gate: ARTIFACTS
#   depends: facts
#   says:
#     artifact_path_missing: an artifact has no path
violations[[5, i, 2]] := report.violation("ARTIFACTS", "artifact_path_missing", report.item("/artifacts/", i, "/path")) if {
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
violations[[5, i, 3]] := report.violation("ARTIFACTS", "artifact_kind_missing", report.item("/artifacts/", i, "/kind")) if {
	some i, artifact in artifacts
	is_object(artifact)
	not has_kind(artifact)
}

has_kind(artifact) if text.written(artifact.kind)

violations[[5, i, 4]] := report.violation("ARTIFACTS", fault, report.item("/artifacts/", i, "/path")) if {
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
violations[[5, i, 5]] := report.violation("ARTIFACTS", "artifact_digest_mismatch", report.item("/artifacts/", i, "/sha256")) if {
	some i, artifact in artifacts

	# A record that names what an artifact's bytes are means these bytes. Any value names them, `null` too.
	digest := artifact.sha256
	has_path(artifact)
	not evidence_fault(artifact.path, evidence_of(artifact.path))
	not digest_matches(digest, evidence_of(artifact.path))
}

digest_matches(digest, evidence) if {
	is_string(digest)
	digest == evidence.sha256
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

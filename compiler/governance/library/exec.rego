# METADATA
# title: Exec decision
# description: |
#   May this code run? The enforcement layer's decision of the contract-scoped execution lane. It validates what was
#   declared and signed; a contract grants nothing by itself. This is containment, not a sandbox: nothing here limits what
#   an allowed script does, and what it changed is reconciled when the contract is closed.
# schemas:
#   - input: schema.exec
package portcullis.exec

import data.portcullis.extension
import data.portcullis.path
import data.portcullis.policy

# METADATA
# title: portcullis/exec/decision
# description: |
#   Execution of inline code or a staged script, `{mode, kind, session, script, contract, hat}` to
#   `{allowed, gate, reason, reply, code, detail?}`.
# entrypoint: true
# schemas:
#   - input: schema.exec
default decision := {
	"allowed": false,
	"gate": "INTERNAL_ERROR",
	"reason": "no_decision",
	"reply": "D",
	"code": "EN-EXEC-D-001",
}

decision := denied(unmet[0].gate, unmet[0].reason) if {
	verdict.allowed
} else := denied(denial.gate, denial.reason) if {
	verdict.allowed
	denial := extension.denial(data.portcullis.ext.exec.deny)
} else := verdict

# What authors say must hold, and does not, in the order of its names.
unmet := [{"gate": gate, "reason": policy.gates.exec[gate]} |
	some gate in sort(object.keys(policy.gates.exec))
	not data.portcullis.ext.exec.must[gate]
]

verdict := denied("MODE", "unknown_mode") if {
	not mode_known
} else := denied("INLINE", "inline_execution_forbidden") if {
	inline
	not inline_permitted
} else := allowed("inline_permitted_mode") if {
	inline
} else := denied("KIND", "unknown_execution_kind") if {
	not script
} else := denied("SESSION", "session_invalid") if {
	not session_valid
} else := denied_for("CONTRACT", "no_active_contract", contract_fault) if {
	contract_fault
} else := denied("CONTRACT_MODE", "contract_mode_mismatch") if {
	not contract_of_mode
} else := denied("STAGING", "script_outside_staging") if {
	not staged_for
} else := denied("STAGING", "script_staged_for_other_contract") if {
	not staged_for_contract
} else := denied("HAT_PRESENT", "missing_hat_signature") if {
	not hat_present
} else := denied("HAT_PRESENT", "malformed_hat_packet") if {
	not hat_well_formed
} else := denied("HAT_SIGNATURE", "hat_signature_invalid") if {
	not hat_signature_valid
} else := denied_for("HAT_SIGNATURE", "hat_signature_invalid", "hat_expired") if {
	hat_lifetime_limited
	not hat_fresh
} else := denied("HASH", "script_hash_mismatch") if {
	not hash_matches
} else := denied("HAT_CONTRACT", "contract_mismatch") if {
	not hat_of_contract
} else := denied("TARGETS", "target_manifest_mismatch") if {
	not targets_match
} else := denied("HAT_MODE", "hat_mode_mismatch") if {
	not hat_of_mode
} else := denied("OPERATIONS", "operation_manifest_mismatch") if {
	hat_names_operations
	not operations_match
} else := allowed("hat_verified_script")

denied(gate, reason) := {
	"allowed": false,
	"gate": gate,
	"reason": reason,
	"reply": "D",
	"code": "EN-EXEC-D-001",
}

denied_for(gate, reason, detail) := {
	"allowed": false,
	"gate": gate,
	"reason": reason,
	"reply": "D",
	"code": "EN-EXEC-D-001",
	"detail": detail,
}

allowed(reason) := {
	"allowed": true,
	"gate": "ALLOW",
	"reason": reason,
	"reply": "S",
	"code": "EN-EXEC-S-001",
}

# A number would find the key that is written like it, so a mode is held to be a string first.
# METADATA
# custom:
#   gate: MODE
#   rule: the mode is one of the policy
#   depends: data
#   judges: contract
#   says:
#     unknown_mode: "`{mode}` is no mode of the policy"
mode_known if {
	is_string(input.mode)
	policy.exec.modes[input.mode]
}

inline if input.kind == "inline"

# METADATA
# custom:
#   gate: INLINE
#   rule: inline code runs in few modes alone
#   depends: request
#   says:
#     inline_execution_forbidden: inline code may not run in mode {mode}
inline_permitted if policy.exec.inline_modes[input.mode]

# METADATA
# custom:
#   gate: KIND
#   rule: all else is a file
#   depends: request
#   says:
#     unknown_execution_kind: what is to run is neither inline code nor a script
script if input.kind == "script"

# METADATA
# custom:
#   gate: SESSION
#   rule: the session is the one that gave out the secret
#   depends: facts
#   says:
#     session_invalid: the session is not the one that signed
session_valid if input.session.valid == true

# Why the contract does not count, as `detail` of the denial.
# METADATA
# custom:
#   gate: CONTRACT
#   rule: the contract is there, signed by this session, open, and not expired
#   depends: facts
#   judges: contract
#   says:
#     no_active_contract: "no contract is in force: {detail}"
contract_fault := "no_contract" if {
	not contract_present
} else := "malformed_contract_id" if {
	not contract_id_well_formed
} else := "contract_signature_invalid" if {
	not contract_signature_valid
} else := "contract_not_open" if {
	not contract_open
} else := "contract_expired" if {
	not contract_unexpired
}

contract_present if is_object(input.contract)

contract_id_well_formed if {
	id := input.contract.contract_id
	not id in {".", ".."}
	regex.match(`^[A-Za-z0-9._-]+$`, id)
}

contract_signature_valid if input.contract.signature_valid == true

contract_open if input.contract.status == "open"

# The host says `true` as well for a contract without expiry.
contract_unexpired if input.contract.expired == false

# METADATA
# custom:
#   gate: CONTRACT_MODE
#   rule: contract and agent are in one mode
#   depends: request
#   says:
#     contract_mode_mismatch: the contract is for another mode than {mode}
contract_of_mode if input.contract.mode == input.mode

# The contract in whose folder the script lies: `<staging_root>/<contract_id>/<name><ext>`, canonical, and nothing else.
# METADATA
# custom:
#   gate: STAGING
#   rule: the file lies in the staging folder of its contract, by its canonical path
#   depends: facts
#   says:
#     script_outside_staging: the script does not lie in a staging folder
staged_for := folder if {
	path.canonical(input.script.path)
	startswith(input.script.path, staging)
	[folder, file] = split(trim_prefix(input.script.path, staging), "/")
	some extension_of_scripts in policy.exec.script_extensions
	name := trim_suffix(file, extension_of_scripts)
	name != file
	name != ""

	# It parts folders on some systems only.
	not contains(name, "\\")
}

staging := path.folder(policy.exec.staging_root)

# METADATA
# custom:
#   gate: STAGING
#   depends: facts
#   says:
#     script_staged_for_other_contract: the script lies in the staging folder of another contract
staged_for_contract if staged_for == input.contract.contract_id

# METADATA
# custom:
#   gate: HAT_PRESENT
#   rule: there is a packet with the script's hash, contract, targets, mode and time
#   depends: request
#   says:
#     missing_hat_signature: no person has signed a packet for the script
hat_present if input.hat != null

# METADATA
# custom:
#   gate: HAT_PRESENT
#   depends: request
#   says:
#     malformed_hat_packet: the packet lacks what a packet signs
hat_well_formed if {
	signable(input.hat.script_sha256)
	signable(input.hat.contract_id)
	signable(input.hat.mode)
	signable(input.hat.timestamp)
	names(input.hat.declared_targets)
}

# What a packet signs are its fields with `|` between them, so that none may hold one.
signable(field) if {
	is_string(field)
	not contains(field, "|")
}

# METADATA
# custom:
#   gate: HAT_SIGNATURE
#   rule: a person of this session has signed the packet, not too long ago
#   depends: facts
#   says:
#     hat_signature_invalid: the signature of the packet does not hold, or has lapsed
hat_signature_valid if input.hat.signature_valid == true

# A policy may let signatures lapse. The host reads the clock and says how old the packet is; one from the future is no
# better than an old one.
hat_lifetime_limited if policy.exec.hat_lifetime_seconds != null

hat_fresh if {
	input.hat.age_seconds >= 0
	input.hat.age_seconds <= policy.exec.hat_lifetime_seconds
}

# METADATA
# custom:
#   gate: HASH
#   rule: the script is the one that was signed, to the byte
#   depends: facts
#   says:
#     script_hash_mismatch: the script is not the one that was signed
hash_matches if {
	input.script.sha256 == input.hat.script_sha256
	input.script.sha256 != ""
}

# METADATA
# custom:
#   gate: HAT_CONTRACT
#   rule: the packet is for this contract
#   depends: request
#   says:
#     contract_mismatch: the packet is for another contract
hat_of_contract if input.hat.contract_id == input.contract.contract_id

# The same set. A contract that names a target twice, or one that is not canonical, has no set that could be signed.
# METADATA
# custom:
#   gate: TARGETS
#   rule: its targets are the contract's
#   depends: request
#   says:
#     target_manifest_mismatch: the packet has other targets than the contract
targets_match if {
	{target | some target in input.hat.declared_targets} == contract_targets
	count(contract_targets) == count(input.contract.declared_targets)
}

contract_targets := {target | some target in input.contract.declared_targets} if {
	is_array(input.contract.declared_targets)
	every target in input.contract.declared_targets {
		path.target(target)
	}
}

# METADATA
# custom:
#   gate: HAT_MODE
#   rule: packet and agent are in one mode
#   depends: request
#   says:
#     hat_mode_mismatch: the packet is for another mode than {mode}
hat_of_mode if input.hat.mode == input.mode

# A packet of the second version does; one of the first has neither field.
hat_names_operations if there(input.hat.declared_operations)

hat_names_operations if input.hat.version != 1

there(_) := true

# METADATA
# custom:
#   gate: OPERATIONS
#   rule: its operations are the contract's
#   depends: request
#   says:
#     operation_manifest_mismatch: the packet has other operations than the contract
operations_match if {
	names(input.hat.declared_operations)
	names(input.contract.declared_operations)
	{name | some name in input.hat.declared_operations} == {name | some name in input.contract.declared_operations}
}

names(list) if {
	is_array(list)
	every name in list {
		is_string(name)
	}
}

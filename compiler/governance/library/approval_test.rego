package portcullis.approval_test

import data.portcullis.approval

policy := {
	"roles": {"EDITOR": {}},
	"manifests": {},
	"agents": {},
	"handoff": {},
	"names": {"folds": {}, "others": "[^A-Za-z0-9]", "apart": "[\u017f]", "second": {}},
	"arguments": true,
	"approval_revision": "rev-1",
	"approvers": {
		"m.ortiz": {"tools": {"pay": true, "push": true}, "until": "1970-01-01", "until_ms": 86400000},
		"k.lee": {},
	},
	"tools": {
		"pay": {"approval": "bound"},
		"read": {"approval": "none"},
		"name": {"approval": "required"},
		"other": {"approval": "bound"},
		"push": {
			"approval": "none",
			"bound_arguments": true,
			"arguments": {
				"command": {"type": "string", "required": false, "alone": {}, "asks": {"one_of": ["git push"]}, "bound": true},
				"each": {
					"type": "list",
					"required": false,
					"alone": {},
					"each": {"type": "string", "alone": {}, "asks": {"one_of": ["b"]}, "bound": true},
				},
				"signed": {"type": "string", "required": false, "alone": {}, "asks": {"one_of": ["c"]}},
			},
		},
	},
}

given := {
	"type": "portcullis-approval/1",
	"decision": "approve",
	"ref": "AP-1",
	"by": "m.ortiz",
	"call_sha256": "c1",
	"policy_revision": "rev-1",
	"expires_at": 80000000,
	"nonce": "n-1",
	"signature": "s-1",
}

found := {"signature_valid": true, "key_of": "m.ortiz", "used": false, "refused": false}

known := {"approval": found, "call_sha256": "c1", "now": 79999999}

call := {"role": "EDITOR", "tool": "pay", "approval": given, "facts": known}

denial_of(request, data_of) := answer if {
	answer := approval.denial with input as request with data.portcullis.policy as data_of
} else := null

asked(changes) := denial_of(object.union(call, changes), policy)

given_as(changes) := denial_of(object.union(call, {"approval": changes}), policy)

knowing(changes) := denial_of(object.union(call, {"facts": changes}), policy)

without(path) := denial_of(json.remove(call, [path]), policy)

denied(answer, reason) if answer == {"allowed": false, "gate": "APPROVAL", "reason": reason}

required(need) := {"allowed": false, "gate": "APPROVAL", "reason": "approval_required", "approval": need}

test_a_right_one if asked({}) == null

test_what_needs_none if {
	denial_of({"role": "EDITOR", "tool": "read"}, policy) == null
	denial_of({"role": "EDITOR", "tool": "read", "approval": 7}, policy) == null
}

test_required if {
	denial_of({"role": "EDITOR", "tool": "name"}, policy) == required("required")
	denial_of({"role": "EDITOR", "tool": "name", "approval": null}, policy) == required("required")
	denial_of({"tool": "name", "approval": {"ref": "AP-1", "by": "m.ortiz"}}, policy) == null
	denied(denial_of({"tool": "name", "approval": {"ref": " ", "by": "m.ortiz"}}, policy), "approval_malformed")
	denied(denial_of({"tool": "name", "approval": {"ref": "AP-1", "by": "."}}, policy), "approval_malformed")
	denied(denial_of({"tool": "name", "approval": {"ref": "AP-1", "by": "editor"}}, policy), "approval_not_human")
}

test_bound_is_required if {
	denial_of({"tool": "pay"}, policy) == required("bound")
	denial_of({"tool": "pay", "approval": null, "facts": {"call_sha256": 7}}, policy) == required("bound")
	denial_of({"tool": "pay", "facts": known}, policy) == object.union(required("bound"), {"call_sha256": "c1"})
}

test_malformed if {
	every member in ["type", "decision", "ref", "by", "call_sha256", "policy_revision", "expires_at", "nonce", "signature"] {
		denied(without(concat("/", ["approval", member])), "approval_malformed")
		denied(given_as({member: null}), "approval_malformed")
		denied(given_as({member: true}), "approval_malformed")
		denied(given_as({member: " "}), "approval_malformed")
	}
	denied(given_as({"type": "portcullis-approval/2"}), "approval_malformed")
	denied(given_as({"decision": "Approve"}), "approval_malformed")
	denied(given_as({"expires_at": "80000000"}), "approval_malformed")
	denied(given_as({"expires_at": 80000000.5}), "approval_malformed")
	denied(given_as({"expires_at": 9007199254740992}), "approval_malformed")
	denied(given_as({"expires_at": 9007199254740991}), "approval_expired")
	denied(knowing({"now": -9007199254740992}), "approval_expired")
	denied(asked({"approval": "AP-1"}), "approval_malformed")
	denied(asked({"approval": [given]}), "approval_malformed")
	denied(asked({"approval": false}), "approval_malformed")
}

test_not_human if denied(given_as({"by": "Editor"}), "approval_not_human")

test_approver_unknown if {
	denied(given_as({"by": "n.b."}), "approver_unknown")
	denied(given_as({"by": "M.Ortiz"}), "approver_unknown")
	denied(denial_of(call, json.remove(policy, ["approvers"])), "approver_unknown")
}

test_approver_expired if {
	late := {"expires_at": 90000000}
	denied(denial_of(object.union(call, {"approval": late, "facts": {"now": 86400000}}), policy), "approver_expired")
	denial_of(object.union(call, {"approval": late, "facts": {"now": 86399999}}), policy) == null
}

test_approver_not_for_tool if {
	denied(asked({"tool": "other"}), "approver_not_for_tool")
	denial_of(object.union(call, {"tool": "other", "approval": {"by": "k.lee"}, "facts": {"approval": {"key_of": "k.lee"}}}), policy) == null
}

test_signature_invalid if {
	every value in [false, null, 1, "true", {}] {
		denied(knowing({"approval": {"signature_valid": value}}), "approval_signature_invalid")
	}
	denied(knowing({"approval": {"key_of": "k.lee"}}), "approval_signature_invalid")
	denied(knowing({"approval": true}), "approval_signature_invalid")
	denied(without("facts/approval"), "approval_signature_invalid")
	denied(without("facts/approval/signature_valid"), "approval_signature_invalid")
	denied(without("facts/approval/key_of"), "approval_signature_invalid")
	denied(without("facts"), "approval_signature_invalid")
}

test_not_for_this_call if {
	denied(knowing({"call_sha256": "c2"}), "approval_not_for_this_call")
	denied(knowing({"call_sha256": null}), "approval_not_for_this_call")
	denied(without("facts/call_sha256"), "approval_not_for_this_call")
	denied(given_as({"call_sha256": "c2"}), "approval_not_for_this_call")
}

test_for_other_policy if {
	denied(given_as({"policy_revision": "rev-2"}), "approval_for_other_policy")
	denied(denial_of(call, json.remove(policy, ["approval_revision"])), "approval_for_other_policy")
}

test_expired if {
	denied(knowing({"now": 80000000}), "approval_expired")
	denied(knowing({"now": 80000001}), "approval_expired")
	denied(knowing({"now": -6400001}), "approval_expired")
	knowing({"now": -6400000}) == null
	denied(knowing({"now": 79999998.5}), "approval_expired")
	denied(knowing({"now": "79999999"}), "approval_expired")
	denied(knowing({"now": null}), "approval_expired")
	denied(without("facts/now"), "approval_expired")
}

test_refused if {
	denied(given_as({"decision": "refuse"}), "approval_refused")
	every value in [true, null, 0, "false"] {
		denied(knowing({"approval": {"refused": value}}), "approval_refused")
	}
	denied(without("facts/approval/refused"), "approval_refused")
}

test_used if {
	every value in [true, null, 0, "false"] {
		denied(knowing({"approval": {"used": value}}), "approval_used")
	}
	denied(without("facts/approval/used"), "approval_used")
}

test_arguments_that_bind if {
	pushing := {"tool": "push", "args": {"command": "git push"}}
	denial_of(pushing, policy) == required("bound")
	denial_of({"tool": "push", "args": {"command": "git status"}}, policy) == null
	denial_of({"tool": "push", "args": {}}, policy) == null
	denial_of({"tool": "push", "args": {"each": ["a", "b"]}}, policy) == required("bound")
	denial_of({"tool": "push", "args": {"each": ["a"]}}, policy) == null
	denial_of({"tool": "push", "args": {"signed": "c"}}, policy) == required("required")
	asked(pushing) == null
	person := {"ref": "AP-1", "by": "m.ortiz"}
	denied(denial_of(object.union(pushing, {"approval": person}), policy), "approval_malformed")
	denial_of({"tool": "push", "args": {"signed": "c"}, "approval": person}, policy) == null
}

package portcullis.call_test

import data.portcullis.call

lanes := {"DESK": {
	"roles": {"EDITOR": true},
	"tools": {"publish": true, "read": true, "strange": true},
	"writes": {"articles": {"append": true}, "notes": {"append": true}},
	"requires": {"story_id": true},
	"prohibits": {"export": true},
}}

tools := {
	"publish": {
		"enabled": true,
		"implementation_status": "implemented",
		"lanes": {"DESK": true},
		"scope_keys": {"case_id": true},
		"prohibited_flags": {"bulk": true},
		"write_targets": {"articles": true},
		"approval": "required",
	},
	"read": {
		"enabled": true,
		"implementation_status": "implemented",
		"scope_keys": {},
		"prohibited_flags": {},
		"approval": "none",
	},
	"strange": {
		"enabled": true,
		"implementation_status": "implemented",
		"lanes": {},
		"scope_keys": {},
		"prohibited_flags": {},
		"approval": "none",
	},
}

manifests := {
	"chief": {"can_spawn": {"desk": true}, "max_spawn_depth": 1},
	"desk": {"can_spawn": {}, "max_spawn_depth": 0, "tools": {"read": true, "publish": true, "strange": true}},
	"reader": {"can_spawn": {}, "max_spawn_depth": 0, "tools": {"read": true}},
}

policy := {
	"settings": {"lineage": {"depth": "positional", "max_chain": 64, "require": false}, "call": {"lineage": "required", "unknown_agents": "deny"}},
	"roles": {"EDITOR": {}},
	"lanes": lanes,
	"tools": tools,
	"agents": {"NEWS_DESK": {"type": 1, "allowlist": [], "delegated": []}},
	"manifests": manifests,
	"names": {"folds": object.union({c: upper(c) | some c in split("abcdefghjkmnpqrstuvwxyz", "")}, {"i": "IlL1|", "o": "O0"}), "others": "[^a-z0-9]+", "apart": `[\x{17f}]`, "second": {}},
}

right := {
	"role": "EDITOR",
	"lane": "DESK",
	"tool": "publish",
	"scope": {"story_id": "s-1", "case_id": 7},
	"flags": ["dry_run"],
	"writes": [{"table": "articles", "mode": "append"}],
	"lineage": [{"agent_type": "chief", "spawn_depth": 0}, {"agent_type": "desk", "spawn_depth": 1}],
	"approval": {"ref": "AP-1", "by": "m.ortiz"},
}

asked(change) := answer if {
	answer := call.decision with input as object.union(right, change) with data.portcullis.policy as policy
}

denied(change, gate, reason) if {
	answer := asked(change)
	answer.allowed == false
	answer.gate == gate
	answer.reason == reason
}

test_a_right_call_is_allowed if asked({}) == {"allowed": true, "gate": "ALLOW", "reason": "call_allowed"}

test_the_chain_comes_first if {
	denied({"lineage": null}, "LINEAGE", "lineage_missing")
	denied({"lineage": []}, "LINEAGE", "lineage_missing")
	denied({"lineage": "chief"}, "LINEAGE", "lineage_not_permitted")
	asked({"lineage": [{"agent_type": "reader", "spawn_depth": 0}, {"agent_type": "desk", "spawn_depth": 1}]}) == {
		"allowed": false,
		"gate": "LINEAGE",
		"reason": "lineage_not_permitted",
		"lineage_reason": "spawn_depth_exceeded",
		"pair": [0, 1],
		"parent": "reader",
		"child": "desk",
		"depth": 1,
		"max": 0,
	}
}

test_a_lineage_may_be_optional if {
	optional := object.union(policy, {"settings": {"call": {"lineage": "optional"}}})
	answer := call.decision with input as object.remove(right, ["lineage"]) with data.portcullis.policy as optional
	answer.allowed
}

test_every_agent_of_the_chain_could_be_given_the_tool if {
	denied({"lineage": [{"agent_type": "reader", "spawn_depth": 0}]}, "CAPABILITY", "tool_not_delegable")
	asked({"tool": 7, "lineage": [{"agent_type": "desk", "spawn_depth": 0}]}).gate == "CAPABILITY"
}

test_an_agent_without_a_manifest_is_unknown if {
	stranger := {"lineage": [{"agent_type": "stranger", "spawn_depth": 0}]}
	asked(stranger) == {"allowed": false, "gate": "CAPABILITY", "reason": "agent_unknown", "index": 0}
	open := object.union(policy, {"settings": {"call": {"unknown_agents": "allow"}}})
	answer := call.decision with input as object.union(right, stranger) with data.portcullis.policy as open
	answer.allowed

	# What a manifest says holds all the same.
	reader := object.union(right, {"lineage": [{"agent_type": "reader", "spawn_depth": 0}]})
	beyond := call.decision with input as reader with data.portcullis.policy as open
	beyond.reason == "tool_not_delegable"
}

test_the_tool_decision_holds if {
	denied({"role": "INTERN"}, "LANE_AUTHORIZATION", "lane_not_authorized")
	denied({"tool": "shred", "lineage": [{"agent_type": "chief", "spawn_depth": 0}]}, "TOOL", "tool_not_registered")
}

test_a_tool_has_its_lanes if denied({"tool": "strange"}, "TOOL_LANE", "lane_not_allowed_for_tool")

test_scope_has_what_lane_and_tool_require if {
	denied({"scope": "s-1"}, "SCOPE", "scope_malformed")
	denied({"scope": false}, "SCOPE", "scope_malformed")
	answer := call.decision with input as object.union(object.remove(right, ["scope"]), {"scope": {"case_id": " "}})
		with data.portcullis.policy as policy
	answer.missing == ["case_id", "story_id"]
}

# Tables that another compiler wrote may lack a member. What the other table demands is asked all the same.
test_lane_and_tool_demand_each_for_itself if {
	silent := {"op": "remove", "path": "lanes/DESK/requires"}
	mute := {"op": "remove", "path": "tools/publish/prohibited_flags"}
	unscoped := object.union(object.remove(right, ["scope"]), {"scope": {}})
	first := call.decision with input as unscoped with data.portcullis.policy as json.patch(policy, [silent])
	first.missing == ["case_id"]
	flagged := object.union(right, {"flags": ["export"]})
	second := call.decision with input as flagged with data.portcullis.policy as json.patch(policy, [mute])
	second.flags == ["export"]
}

test_flags if {
	denied({"flags": "bulk"}, "FLAGS", "flags_malformed")
	denied({"flags": [1]}, "FLAGS", "flags_malformed")
	asked({"flags": ["export", "bulk", "export"]}).flags == ["bulk", "export"]
	asked({"scope": {"export": "no"}}).flags == ["export"]
	asked({"scope": {"export": false, "bulk": null}}).allowed
	asked({"args": {"bulk": 0, "export": true}}).flags == ["bulk", "export"]
	asked({"args": {"export": false, "bulk": null}}).allowed
	asked({"args": ["bulk"]}).allowed
}

test_writes if {
	denied({"writes": {"table": "articles"}}, "WRITES", "writes_malformed")
	denied({"writes": [{"table": "articles"}]}, "WRITES", "writes_malformed")
	denied({"writes": [{"table": "articles", "mode": "upsert"}]}, "WRITES", "write_not_allowed")
	asked({"writes": [right.writes[0], {"table": "notes", "mode": "append"}]}).index == 1
	denied({"writes": [{"table": "notes", "mode": "append"}]}, "WRITES", "write_not_of_tool")
	asked({"writes": []}).allowed
}

test_arguments if {
	commands := {"git": [{"words": ["git"], "rest": "words"}]}
	members := {"type": "string", "required": true, "alone": {}, "asks": {"commands": commands}}
	strict := object.union(policy, {"arguments": true, "tools": {"read": {"arguments": {"command": members}}}})
	reading := object.union(object.remove(right, ["approval", "writes"]), {"tool": "read"})
	unknown := call.decision with input as object.union(reading, {"args": {"commands": "x"}}) with data.portcullis.policy as strict
	unknown == {"allowed": false, "gate": "ARGUMENTS", "reason": "argument_missing", "argument": "command"}
	free := call.decision with input as object.union(reading, {"args": {"command": "x"}}) with data.portcullis.policy as strict
	free.allowed
	asking := call.decision with input as object.union(reading, {"args": {"command": "git x"}}) with data.portcullis.policy as strict
	asking == {"allowed": false, "gate": "APPROVAL", "reason": "approval_required", "approval": "required"}
}

test_approval if {
	denied({"approval": null}, "APPROVAL", "approval_required")
	denied({"approval": {"ref": " "}}, "APPROVAL", "approval_malformed")
	denied({"approval": {"by": 7}}, "APPROVAL", "approval_malformed")
	denied({"approval": {"by": "\u200b"}}, "APPROVAL", "approval_malformed")
	denied({"approval": {"by": "."}}, "APPROVAL", "approval_malformed")
	denied({"approval": {"by": " EDITOR "}}, "APPROVAL", "approval_not_human")
	denied({"approval": {"by": "ED\u200bITOR."}}, "APPROVAL", "approval_not_human")
	denied({"approval": {"by": "NEWS-DESK"}}, "APPROVAL", "approval_not_human")
	denied({"approval": {"by": "reader"}}, "APPROVAL", "approval_not_human")
	asked({"tool": "read", "approval": null, "writes": null}).allowed
}

test_an_extension_denies if {
	answer := call.decision with input as right
		with data.portcullis.policy as policy
		with data.portcullis.ext.call.deny as {{"gate": "FREEZE", "reason": "frozen"}}
	answer == {"allowed": false, "gate": "FREEZE", "reason": "frozen"}
}

test_what_is_optional_may_be_absent if {
	bare := object.remove(right, ["scope", "flags", "writes", "approval"])
	answer := call.decision with input as object.union(bare, {"tool": "read", "scope": {"story_id": "s-1"}})
		with data.portcullis.policy as policy
	answer.allowed

	free := object.union(object.remove(policy, ["lanes"]), {"lanes": {"DESK": object.union(
		object.remove(lanes.DESK, ["requires"]),
		{"requires": {}},
	)}})
	unscoped := call.decision with input as object.union(bare, {"tool": "read"}) with data.portcullis.policy as free
	unscoped.allowed
}

test_limits_come_last if {
	limited := object.union(policy, {
		"tools": object.union(tools, {"publish": object.union(tools.publish, {"limits": ["ONCE"]})}),
		"limits": {"ONCE": {"calls": {"tools": {"publish": true}}, "per": [], "max_calls": 1}},
	})
	answer := call.decision with input as right with data.portcullis.policy as limited
	answer == {"allowed": false, "gate": "LIMITS", "reason": "history_missing", "limit": "ONCE"}
	facts := {"now": 1, "history": {"ONCE": {"calls": 0}}}
	kept := call.decision with input as object.union(right, {"facts": facts}) with data.portcullis.policy as limited
	kept.allowed
}

test_demand_of_authors_that_is_not_met if {
	demanding := object.union(policy, {"gates": {"call": {"G": "not_so"}}})
	answer := call.decision with input as right with data.portcullis.policy as demanding
	answer.allowed == false
	answer.gate == "G"
	answer.reason == "not_so"
}

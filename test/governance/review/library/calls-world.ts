/** What calls may say (call.md, from the tool decision on): place, scope, flags, writes, and that a person is named. */

import type { World } from "./world.ts";

const TOOL = "enabled: true, implementation_status: implemented";

export const CALLS: World = {
  files: {
    "manifests/desk.yaml": "max_spawn_depth: 1\n",
    "roles.yaml": "roles: [{ role_id: CLERK }, { role_id: CHIEF }]\n",
    "lanes.yaml": `lanes:
  - lane_id: DESK
    allowed_callers: { roles: [CLERK, CHIEF] }
    allowed_actions:
      tools: [read, write, sign]
      writes: [{ table: notes, mode: append }, { table: ledger, mode: append }]
    scope: { requires: [story], prohibits: [bulk] }
  - { lane_id: NIGHT, allowed_callers: { roles: [CHIEF] }, allowed_actions: { tools: [read, write] } }
`,
    "tool_registry.yaml": `tools:
  - { tool_name: read, ${TOOL} }
  - tool_name: write
    enabled: true
    implementation_status: implemented
    allowed_lanes: [DESK]
    write_targets: [notes]
    required_scope_keys: [payee]
    prohibited_flags: [rush]
  - { tool_name: sign, ${TOOL}, approval: required }
`,
    "ext/call.rego": `package portcullis.ext.call

must contains "GIVEN" if count(data.spec.list("lineage")) > 0

must contains "PLACE" if {
	input.lane == "DESK"
	input.role in {"CLERK", "CHIEF"}
	input.tool in {"read", "write", "sign"}
}

must contains "PLACE" if {
	input.lane == "NIGHT"
	input.role == "CHIEF"
	input.tool == "read"
}

must contains "SAID" if {
	data.spec.object_or_absent("scope")
	every key in data.spec.needed {
		data.spec.said(input.scope[key])
	}
}

must contains "UNFLAGGED" if {
	data.spec.list_or_absent("flags")
	every flag in data.spec.list("flags") {
		is_string(flag)
	}
	every flag in data.spec.prohibited {
		not data.spec.raised(flag)
	}
}

must contains "WRITTEN" if {
	data.spec.list_or_absent("writes")
	every write in data.spec.list("writes") {
		input.lane == "DESK"
		write.mode == "append"
		write.table in data.spec.tables
	}
}

must contains "APPROVED" if input.tool != "sign"

must contains "APPROVED" if data.portcullis.text.written(input.approval.ref)
`,
    "ext/spec.rego": `package spec

absent(member) if object.get(input, member, null) == null

object_or_absent(member) if absent(member)

object_or_absent(member) if is_object(input[member])

list_or_absent(member) if absent(member)

list_or_absent(member) if is_array(input[member])

list(member) := input[member] if {
	is_array(input[member])
} else := []

needed contains "story" if input.lane == "DESK"

needed contains "payee" if input.tool == "write"

said(value) if is_number(value)

said(value) if data.portcullis.text.written(value)

prohibited contains "bulk" if input.lane == "DESK"

prohibited contains "rush" if input.tool == "write"

raised(flag) if flag in input.flags

raised(flag) if not input.scope[flag] in {false, null}

raised(flag) if not input.args[flag] in {false, null}

tables := {"notes"} if {
	input.tool == "write"
} else := {"notes", "ledger"}
`,
  },
  gates: ["GIVEN", "PLACE", "SAID", "UNFLAGGED", "WRITTEN", "APPROVED"],
};

/** A policy set with roles, lanes, tools, agents, manifests and settings; and ways to change each of them by one text. */

type Mutation = readonly [file: string, from: string, to: string];

export const MODEL: Readonly<Record<string, string>> = {
  "portcullis.yaml": `lineage: { require: false, depth: positional, max_chain: 8 }
subagents: { approvers: human }
call: { lineage: required, unknown_agents: deny }
`,
  "roles.yaml":
    "roles: [{ role_id: CLERK, class: agent }, { role_id: CHIEF, class: human }, { role_id: GUEST, class: agent }]\n",
  "lanes.yaml": `lanes:
  - lane_id: DESK
    allowed_callers: { roles: [CLERK, CHIEF] }
    allowed_actions: { tools: [read, write, pay], writes: [{ table: notes, mode: append }] }
    scope: { requires: [story], prohibits: [bulk] }
  - lane_id: NIGHT
    allowed_callers: { roles: [CHIEF] }
    allowed_actions: { tools: [read, pay] }
    scope: { requires: [story, reason] }
`,
  "tool_registry.yaml": `tools:
  - { tool_name: read, enabled: true, implementation_status: implemented }
  - { tool_name: write, enabled: true, implementation_status: implemented, allowed_lanes: [DESK], write_targets: [notes] }
  - { tool_name: pay, enabled: true, implementation_status: implemented, required_scope_keys: [payee], prohibited_flags: [rush] }
  - { tool_name: drop, enabled: false, implementation_status: implemented }
`,
  "manifests/desk.yaml": "can_spawn: [reader]\nmax_spawn_depth: 2\nallowed_tools: [read, write, pay]\n",
  "manifests/reader.yaml": "can_spawn: [leaf]\nmax_spawn_depth: 2\nallowed_tools: [read]\n",
  "manifests/leaf.yaml": "can_spawn: []\nmax_spawn_depth: 0\nallowed_tools: [read]\n",
  "agents/AGENT_DESK.md":
    "---\nsubagents: [READER]\n---\n\nAGENT_TYPE: 1\n\n| Property | Value |\n|---|---|\n| **AGENT_TYPE** | TYPE 1 |\n| **AGENT_CLASS** | PERSONA |\n",
  "agents/AGENT_READER.md": "AGENT_TYPE: 2\n\n| Property | Value |\n|---|---|\n| **AGENT_TYPE** | TYPE 2 |\n",
  "agents/AGENT_WRITER.md": "AGENT_TYPE: 2\n\n| Property | Value |\n|---|---|\n| **AGENT_TYPE** | TYPE 2 |\n",
  "house/tool.rego": `package portcullis.ext.tool

deny contains {"gate": "HOUSE", "reason": "closed"} if input.scope.closed == true

must contains "SMALL" if input.tool != "pay"

must contains "SMALL" if {
	is_number(input.scope.cents)
	input.scope.cents <= 100
}
`,
  "house/lane.rego": `package portcullis.ext.lane

deny contains {"gate": "SHUT", "reason": "shut"} if {
	input.lane == "NIGHT"
	input.role == "CLERK"
}
`,
};

export const MODEL_MUTATIONS: readonly Mutation[] = [
  ["lanes.yaml", "roles: [CLERK, CHIEF]", "roles: [CLERK, CHIEF, GUEST]"],
  ["lanes.yaml", "roles: [CLERK, CHIEF]", "roles: [CHIEF]"],
  ["lanes.yaml", "roles: [CHIEF]", "roles: [CHIEF, CLERK]"],
  ["lanes.yaml", "tools: [read, pay]", "tools: [read, pay, write]"],
  ["lanes.yaml", "tools: [read, pay]", "tools: [read]"],
  ["lanes.yaml", "[read, write, pay]", "[read, write, pay, drop]"],
  ["lanes.yaml", "requires: [story, reason]", "requires: [story]"],
  ["lanes.yaml", "requires: [story, reason]", "requires: [story, reason, ticket]"],
  ["lanes.yaml", ", prohibits: [bulk]", ""],
  ["lanes.yaml", "prohibits: [bulk]", "prohibits: [bulk, rush]"],
  ["lanes.yaml", "mode: append }]", "mode: append }, { table: payouts, mode: append }]"],
  ["lanes.yaml", "mode: append", "mode: upsert"],
  [
    "lanes.yaml",
    "lanes:\n",
    "lanes:\n  - { lane_id: NEW, allowed_callers: { roles: [GUEST] }, allowed_actions: { tools: [read] } }\n",
  ],
  ["roles.yaml", ", { role_id: GUEST, class: agent }", ""],
  ["roles.yaml", "roles: [", "roles: [{ role_id: NEW, class: agent }, "],
  ["tool_registry.yaml", "enabled: false", "enabled: true"],
  ["tool_registry.yaml", "tool_name: read, enabled: true", "tool_name: read, enabled: false"],
  [
    "tool_registry.yaml",
    "tool_name: read, enabled: true, implementation_status: implemented",
    "tool_name: read, enabled: true, implementation_status: partial",
  ],
  ["tool_registry.yaml", "allowed_lanes: [DESK]", "allowed_lanes: [DESK, NIGHT]"],
  ["tool_registry.yaml", ", write_targets: [notes]", ""],
  ["tool_registry.yaml", "required_scope_keys: [payee], ", ""],
  ["tool_registry.yaml", "required_scope_keys: [payee]", "required_scope_keys: [payee, ticket]"],
  ["tool_registry.yaml", ", prohibited_flags: [rush]", ""],
  ["tool_registry.yaml", "prohibited_flags: [rush]", "prohibited_flags: [rush, bulk], approval: required"],
  ["manifests/desk.yaml", "allowed_tools: [read, write, pay]", "allowed_tools: [read, write, pay, drop]"],
  ["manifests/desk.yaml", "allowed_tools: [read, write, pay]\n", ""],
  ["manifests/reader.yaml", "allowed_tools: [read]", "allowed_tools: [read, pay]"],
  ["manifests/reader.yaml", "can_spawn: [leaf]", "can_spawn: []"],
  ["manifests/leaf.yaml", "can_spawn: []\nmax_spawn_depth: 0", "can_spawn: [reader]\nmax_spawn_depth: 3"],
  ["manifests/desk.yaml", "can_spawn: [reader]", "can_spawn: [reader, leaf]"],
  ["manifests/desk.yaml", "max_spawn_depth: 2", "max_spawn_depth: 1"],
  ["manifests/reader.yaml", "max_spawn_depth: 2", "max_spawn_depth: 1"],
  ["portcullis.yaml", "lineage: required", "lineage: optional"],
  ["portcullis.yaml", "unknown_agents: deny", "unknown_agents: allow"],
  ["portcullis.yaml", "require: false", "require: true"],
  ["portcullis.yaml", "depth: positional", "depth: reported"],
  ["portcullis.yaml", "max_chain: 8", "max_chain: 2"],
  ["portcullis.yaml", "approvers: human", "approvers: any"],
  ["agents/AGENT_DESK.md", "subagents: [READER]", "subagents: [READER, WRITER]"],
  ["agents/AGENT_DESK.md", "subagents: [READER]", "subagents: []"],
  [
    "house/tool.rego",
    '"reason": "closed"} if input.scope.closed == true',
    '"reason": "closed"} if input.scope.closed == "yes"',
  ],
  ["house/tool.rego", "input.scope.cents <= 100", "input.scope.cents <= 200"],
  ["house/tool.rego", 'must contains "SMALL" if input.tool != "pay"', 'must contains "SMALL"'],
  [
    "house/lane.rego",
    'input.lane == "NIGHT"\n\tinput.role == "CLERK"',
    'input.lane == "NIGHT"\n\tinput.role == "GUEST"',
  ],
];

/** Who may call what, where, and by which chain: roles, lanes, tools, manifests, personas, settings, and gates of the house. */

import { by, type Documents, each, flip, gone, less, more, type Place, swap, to } from "./edits.ts";
import type { World } from "./requests.ts";

const DOCUMENTS: Documents = {
  "portcullis.yaml": {
    lineage: { require: false, depth: "positional", max_chain: 3 },
    subagents: { approvers: "human", unresolved: "drop" },
    call: { lineage: "required", unknown_agents: "deny" },
  },
  "roles.yaml": {
    roles: [
      { role_id: "CLERK", class: "agent" },
      { role_id: "CHIEF", class: "human" },
      { role_id: "GUEST", class: "agent" },
    ],
  },
  "lanes.yaml": {
    lanes: [
      {
        lane_id: "DESK",
        allowed_callers: { roles: ["CLERK", "CHIEF"] },
        allowed_actions: { tools: ["read", "write", "pay"], writes: [{ table: "notes", mode: "append" }] },
        scope: { requires: ["story"], prohibits: ["bulk"] },
      },
      {
        lane_id: "NIGHT",
        allowed_callers: { roles: ["CHIEF"] },
        allowed_actions: { tools: ["read", "pay"] },
        scope: { requires: ["story", "reason"] },
      },
    ],
  },
  "tool_registry.yaml": {
    tools: [
      { tool_name: "read", enabled: true, implementation_status: "implemented", approval: "none" },
      {
        ...{ tool_name: "write", enabled: true, implementation_status: "implemented", allowed_lanes: ["DESK"] },
        write_targets: ["notes"],
      },
      {
        ...{ tool_name: "pay", enabled: true, implementation_status: "implemented", approval: "required" },
        ...{ required_scope_keys: ["payee"], prohibited_flags: ["rush"] },
      },
      { tool_name: "drop", enabled: false, implementation_status: "implemented" },
    ],
  },
  "manifests/desk.yaml": { can_spawn: ["reader"], max_spawn_depth: 2, allowed_tools: ["read", "write", "pay"] },
  "manifests/reader.yaml": { can_spawn: ["leaf"], max_spawn_depth: 2, allowed_tools: ["read", "pay"] },
  "manifests/leaf.yaml": { can_spawn: [], max_spawn_depth: 0, allowed_tools: ["read"] },
  "agents/AGENT_DESK.md": "---\nsubagents: [READER]\n---\n\nAGENT_TYPE: 1\n",
  "agents/AGENT_READER.md": "AGENT_TYPE: 2\n",
  "agents/AGENT_WRITER.md": "AGENT_TYPE: 2\n",
  "house/data.yaml": { small: 100, closed: ["write"] },
  "house/tool.rego": `package portcullis.ext.tool

deny contains {"gate": "HOUSE", "reason": "closed"} if {
	input.scope.closed == true
	input.tool in data.house.closed
}

must contains "SMALL" if input.tool != "pay"

must contains "SMALL" if {
	is_number(input.scope.cents)
	input.scope.cents <= data.house.small
}
`,
  "house/lane.rego": `package portcullis.ext.lane

deny contains {"gate": "SHUT", "reason": "shut"} if {
	input.lane == "NIGHT"
	input.role != "CHIEF"
}
`,
  "house/lineage.rego": `package portcullis.ext.lineage

deny contains {"gate": "PAIR", "reason": "no_pair"} if {
	some agent in input.lineage
	agent.agent_type == "leaf"
	count(input.lineage) == 2
}
`,
  "house/subagent.rego": `package portcullis.ext.subagent

deny contains {"gate": "QUIET", "reason": "quiet"} if input.governance.approvedBy == "mallory"
`,
};

const LANE = { lane_id: "NEW", allowed_callers: { roles: ["GUEST"] }, allowed_actions: { tools: ["read"] } };
const TOOL = { tool_name: "new", enabled: true, implementation_status: "implemented" };
const TOOLS = ["read", "write", "pay", "drop"];
const TYPES = ["desk", "reader", "leaf"];

const PLACES: readonly Place[] = [
  ["role", "roles.yaml", "roles", more({ role_id: "NEW", class: "agent" })],
  ["role", "roles.yaml", "roles/2", gone],
  ["role", "roles.yaml", "roles/*/class", to("agent", "human", "system")],
  ["lane", "lanes.yaml", "lanes", more(LANE)],
  ["lane", "lanes.yaml", "lanes/*/allowed_callers/roles", each(more("CLERK", "CHIEF", "GUEST"), less)],
  ["lane", "lanes.yaml", "lanes/*/allowed_actions/tools", each(more(...TOOLS), less)],
  [
    "lane",
    "lanes.yaml",
    "lanes/*/allowed_actions/writes",
    each(more({ table: "notes", mode: "upsert" }, { table: "payouts", mode: "append" }), less, gone),
  ],
  ["lane", "lanes.yaml", "lanes/*/scope/requires", each(more("ticket"), less, gone)],
  ["lane", "lanes.yaml", "lanes/*/scope/prohibits", each(more("rush"), less, gone)],
  ["lane", "lanes.yaml", "lanes/*/scope", gone],
  ["tool", "tool_registry.yaml", "tools", more(TOOL)],
  ["tool", "tool_registry.yaml", "tools/3", gone],
  ["tool", "tool_registry.yaml", "tools/*/enabled", each(flip, gone)],
  ["tool", "tool_registry.yaml", "tools/*/implementation_status", to("partial", "not_implemented", "implemented")],
  ["tool", "tool_registry.yaml", "tools/*/allowed_lanes", each(more("DESK", "NIGHT"), less, gone)],
  ["tool", "tool_registry.yaml", "tools/*/required_scope_keys", each(more("ticket"), less, gone)],
  ["tool", "tool_registry.yaml", "tools/*/prohibited_flags", each(more("bulk"), less, gone)],
  ["tool", "tool_registry.yaml", "tools/*/write_targets", each(more("payouts", "notes"), less, gone)],
  ["approval", "tool_registry.yaml", "tools/*/approval", each(to("none", "required"), gone)],
  ["agent", "manifests/*", "can_spawn", each(more(...TYPES), less)],
  ["agent", "manifests/*", "max_spawn_depth", by(1)],
  ["agent", "manifests/desk.yaml", "max_spawn_depth", by(-1, -2)],
  ["agent", "manifests/reader.yaml", "max_spawn_depth", by(-1, -2)],
  ["agent", "manifests/*", "allowed_tools", each(more(...TOOLS), less, gone)],
  ["agent", "manifests/desk.yaml", "", gone],
  ["agent", "manifests/new.yaml", "", to({ can_spawn: ["leaf"], max_spawn_depth: 1, allowed_tools: ["pay"] })],
  ["lineage", "portcullis.yaml", "lineage/require", flip],
  ["lineage", "portcullis.yaml", "lineage/depth", to("reported")],
  ["lineage", "portcullis.yaml", "lineage/max_chain", each(by(1, -1, -2), gone)],
  ["lineage", "portcullis.yaml", "call/lineage", to("optional")],
  ["lineage", "portcullis.yaml", "call/unknown_agents", to("allow")],
  ["persona", "portcullis.yaml", "subagents/approvers", to("any")],
  ["persona", "agents/AGENT_DESK.md", "", swap("[READER]", "[READER, WRITER]")],
  ["persona", "agents/AGENT_DESK.md", "", swap("[READER]", "[WRITER]")],
  ["persona", "agents/AGENT_DESK.md", "", swap("[READER]", "[]")],
  ["persona", "agents/AGENT_DESK.md", "", swap("AGENT_TYPE: 1", "AGENT_TYPE: 2")],
  ["persona", "agents/AGENT_READER.md", "", swap("AGENT_TYPE: 2", "AGENT_TYPE: 1")],
  ["persona", "agents/AGENT_READER.md", "", gone],
  ["persona", "agents/AGENT_WRITER.md", "", to("---\nsubagents: [READER]\n---\n\nAGENT_TYPE: 1\n")],
  ["rego", "house/*.rego", "", gone],
  ["rego", "house/tool.rego", "", swap("input.scope.closed == true", "input.scope.closed == false")],
  ["rego", "house/tool.rego", "", swap("input.scope.closed == true", "not input.scope.closed == true")],
  ["rego", "house/tool.rego", "", swap("\tinput.tool in data.house.closed\n", "")],
  ["rego", "house/tool.rego", "", swap('input.tool != "pay"', 'input.tool != "write"')],
  ["rego", "house/tool.rego", "", swap('input.tool != "pay"', 'input.tool == "pay"')],
  ["rego", "house/tool.rego", "", swap('must contains "SMALL" if input.tool != "pay"\n', "")],
  ["rego", "house/tool.rego", "", swap("\tinput.scope.cents <= data.house.small\n", "")],
  ["rego", "house/tool.rego", "", swap("<=", "<")],
  ["rego", "house/tool.rego", "", swap("<=", ">=")],
  ["rego", "house/tool.rego", "", swap('"reason": "closed"', '"reason": "shut"')],
  ["rego", "house/tool.rego", "", swap("\n\ndeny", '\n\nmust contains "TOLD" if input.scope.told == true\n\ndeny')],
  ["rego", "house/lane.rego", "", swap('input.role != "CHIEF"', 'input.role != "CLERK"')],
  ["rego", "house/lane.rego", "", swap('"NIGHT"', '"DESK"')],
  ["rego", "house/lane.rego", "", swap("\tinput.role", "\tinput.scope.shut == true\n\tinput.role")],
  ["rego", "house/lane.rego", "", swap("\ndeny", '\nmust contains "DAY" if input.role == "CHIEF"\n\ndeny')],
  ["rego", "house/lineage.rego", "", swap("== 2", "== 3")],
  ["rego", "house/lineage.rego", "", swap("== 2", "> 1")],
  ["rego", "house/lineage.rego", "", swap('"leaf"', '"reader"')],
  ["rego", "house/subagent.rego", "", swap('"mallory"', '"eve"')],
  [
    "rego",
    "house/call.rego",
    "",
    to('package portcullis.ext.call\n\nmust contains "EVEN" if input.scope.story == "x"\n'),
  ],
  [
    "rego",
    "house/call.rego",
    "",
    to('package portcullis.ext.call\n\ndeny contains {"gate": "NO", "reason": "no"} if input.tool == "pay"\n'),
  ],
  ["data", "house/data.yaml", "small", by(1, -1)],
  ["data", "house/data.yaml", "closed", each(more("read", "pay"), less)],
]
  .map(([kind, file, path, edit]) => ({ kind, file, path, edit }) as Place)
  .flatMap(spread);

/** Files of a folder that end alike: an extension is a text, and data is not. */
function spread(place: Place): Place[] {
  if (!place.file.includes("*.")) return [place];
  const [folder = "", end = ""] = place.file.split("*");
  const files = Object.keys(DOCUMENTS).filter((file) => file.startsWith(folder) && file.endsWith(end));
  return files.map((file) => ({ ...place, file }));
}

const person = { ref: "A-1", by: "ann" };
const chain = (...types: string[]) => types.map((agent_type, spawn_depth) => ({ agent_type, spawn_depth }));

export const ACCESS: World = {
  pairs: true,
  documents: DOCUMENTS,
  places: PLACES,
  roles: ["CLERK", "CHIEF", "GUEST", "NEW"],
  lanes: ["DESK", "NIGHT", "NEW"],
  tools: [...TOOLS, "new"],
  call: {
    scope: { story: "x", reason: "x", payee: "x", ticket: "x", told: true, cents: 100 },
    approval: person,
    lineage: chain("desk"),
  },
  others: {
    scope: ["story", "reason", "payee", "ticket", "cents"].map((key) => ({ without: key })),
    "scope.cents": [99, 101, "100"],
    "scope.closed": [true, false],
    "scope.shut": [true],
    "scope.story": ["y", " "],
    flags: [["bulk"], ["rush"]],
    writes: ["notes", "payouts"].flatMap((table) => ["append", "upsert"].map((mode) => [{ table, mode }])),
    approval: [null, { ref: "A-1", by: "GUEST" }],
    lineage: [
      ...[null, []],
      ...["reader", "leaf", "new", "stranger"].map((type) => chain(type)),
      ...[chain("desk", "reader"), chain("desk", "leaf"), chain("reader", "leaf"), chain("desk", "reader", "leaf")],
    ],
  },
  byTool: {},
  types: [...TYPES, "new", "stranger"],
  chains: 4,
  personas: ["DESK", "READER", "WRITER"],
  more: [],
};

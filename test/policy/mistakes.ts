/** Mistakes that authors make, each in a hospital's policy set that is right otherwise; and what is said of it: once, there. */

export interface Mistake {
  readonly name: string;
  /** Files that take the place of the set's own, or are new. `null`: the file is not there. */
  readonly files: Readonly<Record<string, string | null>>;
  /** `code file:line:column marked`. */
  readonly found: string;
  readonly help?: string;
}

export const ROLES = `roles:
  - role_id: PHYSICIAN
    class: human
    privileges: { lanes: [WARD, PHARMACY] }
  - role_id: NURSE
    class: agent
    privileges: { lanes: [WARD] }
`;

export const LANES = `lanes:
  - lane_id: WARD
    allowed_callers: { roles: [PHYSICIAN, NURSE] }
    allowed_actions: { tools: [chart.read, dose.request] }
  - lane_id: PHARMACY
    allowed_callers: { roles: [PHYSICIAN] }
    allowed_actions:
      tools: [dose.release]
      writes:
        - { table: doses, mode: append }
`;

export const TOOLS = `tools:
  - tool_name: chart.read
    enabled: true
    implementation_status: implemented
  - tool_name: dose.request
    enabled: true
    implementation_status: implemented
    allowed_lanes: [WARD]
  - tool_name: dose.release
    enabled: true
    implementation_status: implemented
    approval: required
    write_targets: [doses]
`;

export const WARD_DESK = `---
subagents: [CHARTER]
---
# Ward desk

AGENT_TYPE: 1
`;

export const CHARTER = `# Charter

AGENT_TYPE: 2
AGENT_CLASS: TASK
`;

export const EXEC = `modes: [round, audit]
inline_modes: [audit]
staging_root: /srv/queue
`;

const HANDOFF = "required_fields: [severity]\n";
const SETTINGS = "lineage: { roots: [desk], require: true }\n";
const DESK = "agent_type: desk\ncan_spawn: [clerk]\nmax_spawn_depth: 1\nallowed_tools: [chart.read]\n";
const CLERK = 'agent_type = "clerk"\nallowed_tools = ["chart.read"]\n';
const DENY = `package portcullis.ext.tool

deny contains {"gate": "DOSE", "reason": "dose_needs_physician"} if {
	input.tool == "dose.release"
	not input.role == "PHYSICIAN"
	input.scope.amount > data.hospital.limit
}
`;
const TESTS =
  "decision: lane\ncases:\n  - name: a nurse\n    input: { role: NURSE, lane: WARD }\n    expect: { allowed: true }\n";

/** A set without a finding. */
export const RIGHT: Readonly<Record<string, string>> = {
  "portcullis.yaml": SETTINGS,
  "roles.yaml": ROLES,
  "lanes.yaml": LANES,
  "tool_registry.yaml": TOOLS,
  "AGENT_WARD_DESK.md": WARD_DESK,
  "AGENT_CHARTER.md": CHARTER,
  "exec.yaml": EXEC,
  "handoff.yaml": HANDOFF,
  "manifests/desk.yaml": DESK,
  "manifests/clerk.toml": CLERK,
  "hospital/data.yaml": "limit: 10\n",
  "dose.rego": DENY,
  "tests/lane.yaml": TESTS,
};

const roles = (from: string, to: string): Record<string, string> => ({ "roles.yaml": swap(ROLES, from, to) });
const lanes = (from: string, to: string): Record<string, string> => ({ "lanes.yaml": swap(LANES, from, to) });
const tools = (from: string, to: string): Record<string, string> => ({ "tool_registry.yaml": swap(TOOLS, from, to) });
const deny = (from: string, to: string): Record<string, string> => ({ "dose.rego": swap(DENY, from, to) });
const exec = (from: string, to: string): Record<string, string> => ({ "exec.yaml": swap(EXEC, from, to) });

function swap(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`no ${from} in the text`);
  return text.replace(from, to);
}

export const MISTAKES: readonly Mistake[] = [
  // YAML as a text
  {
    name: "a bracket is left open",
    files: roles("[WARD, PHARMACY]", "[WARD, PHARMACY"),
    found: "sources/invalid-yaml roles.yaml",
  },
  {
    name: "a tab indents",
    files: roles("    class: human", "\tclass: human"),
    found: "sources/tab-indentation roles.yaml:3:1",
  },
  {
    name: "a merge was not finished",
    files: roles("    class: human\n", "<<<<<<< HEAD\n    class: human\n=======\n    class: agent\n>>>>>>> other\n"),
    found: "sources/merge-conflict roles.yaml:3:1",
  },
  {
    name: "a merge was not finished in Rego",
    files: deny(
      '	not input.role == "PHYSICIAN"\n',
      '<<<<<<< HEAD\n	not input.role == "PHYSICIAN"\n=======\n>>>>>>> other\n',
    ),
    found: "sources/merge-conflict dose.rego:5:1",
  },
  {
    name: "a merge was not finished in an instruction file",
    files: {
      "AGENT_CHARTER.md": swap(
        CHARTER,
        "AGENT_TYPE: 2",
        "<<<<<<< HEAD\nAGENT_TYPE: 2\n=======\nAGENT_TYPE: 1\n>>>>>>> x",
      ),
    },
    found: "sources/merge-conflict AGENT_CHARTER.md:3:1",
  },
  {
    name: "a merge was not finished in TOML",
    files: { "manifests/clerk.toml": `<<<<<<< HEAD\n${CLERK}=======\n>>>>>>> x\n` },
    found: "sources/merge-conflict manifests/clerk.toml:1:1",
  },
  {
    name: "a key twice",
    files: roles("    class: human\n", "    class: human\n    class: agent\n"),
    found: "sources/duplicate-key roles.yaml:4:5 class",
  },
  {
    name: "two documents",
    files: { "roles.yaml": `${ROLES}---\n${ROLES}` },
    found: "sources/several-documents roles.yaml",
  },
  {
    name: "a tag",
    files: roles("class: human", "class: !!str human"),
    found: "sources/yaml-tag roles.yaml:3:18 human",
  },
  {
    name: "an alias without an anchor",
    files: roles("class: human", "class: *kind"),
    found: "sources/unknown-alias roles.yaml:3:12",
  },
  {
    name: "another version of YAML",
    files: { "roles.yaml": `%YAML 1.1\n---\n${ROLES}` },
    found: "sources/yaml-version roles.yaml:1:1",
  },
  {
    name: "quotes from a word processor",
    files: deny('"dose.release"', "“dose.release”"),
    found: "sources/confusable-character dose.rego:4:16 “",
  },
  // Shape
  {
    name: "a misspelt key",
    files: lanes("allowed_callers", "alowed_callers"),
    found: "sources/unknown-key lanes.yaml:3:5 alowed_callers",
    help: "did you mean `allowed_callers`?",
  },
  {
    name: "a key of nothing",
    files: lanes("lane_id: PHARMACY", "lane_id: PHARMACY\n    colour: red"),
    found: "sources/unknown-key lanes.yaml:6:5 colour",
  },
  {
    name: "yes for true",
    files: tools("enabled: true", "enabled: yes"),
    found: "sources/wrong-type tool_registry.yaml:3:14 yes",
    help: "write `true`, without quotes",
  },
  {
    name: "text for a list",
    files: lanes("roles: [PHYSICIAN] }", "roles: PHYSICIAN }"),
    found: "sources/wrong-type lanes.yaml:6:31 PHYSICIAN",
    help: "write `[PHYSICIAN]`",
  },
  {
    name: "a number for text",
    files: roles("role_id: NURSE", "role_id: 7"),
    found: "sources/wrong-type roles.yaml:5:14 7",
    help: "quote the value to make it text",
  },
  {
    name: "an id is missing",
    files: roles("  - role_id: NURSE\n    class: agent", "  - class: agent"),
    found: "sources/missing-key roles.yaml:5:5 class",
  },
  {
    name: "a value that is none of the few",
    files: tools("approval: required", "approval: requierd"),
    found: "sources/bad-value tool_registry.yaml:12:15 requierd",
    help: "did you mean `required`?",
  },
  {
    name: "a setting out of range",
    files: { "portcullis.yaml": "lineage: { roots: [desk], max_chain: 0 }\n" },
    found: "sources/out-of-range portcullis.yaml:1:38 0",
  },
  {
    name: "a misspelt setting",
    files: { "portcullis.yaml": "linage: { roots: [desk] }\n" },
    found: "sources/unknown-key portcullis.yaml:1:1 linage",
    help: "did you mean `lineage`?",
  },
  {
    name: "the list is called otherwise",
    files: { "roles.yaml": swap(ROLES, "roles:", "role:") },
    found: "sources/unknown-key roles.yaml:1:1 role",
    help: "did you mean `roles`?",
  },
  // Files
  {
    name: "role.yaml",
    files: { "roles.yaml": null, "role.yaml": ROLES },
    found: "sources/misnamed-file role.yaml:1:1",
    help: "did you mean `roles.yaml`?",
  },
  {
    name: "Lanes.yaml",
    files: { "lanes.yaml": null, "Lanes.yaml": LANES },
    found: "sources/misnamed-file Lanes.yaml:1:1",
    help: "did you mean `lanes.yaml`?",
  },
  {
    name: "tools.yaml",
    files: { "tool_registry.yaml": null, "tools.yaml": TOOLS },
    found: "sources/misnamed-file tools.yaml:1:1",
    help: "did you mean `tool_registry.yaml`?",
  },
  {
    name: "tool-registry.yml",
    files: { "tool_registry.yaml": null, "tool-registry.yml": TOOLS },
    found: "sources/misnamed-file tool-registry.yml:1:1",
  },
  {
    name: "lanes.json",
    files: { "lanes.yaml": null, "lanes.json": "{}" },
    found: "sources/misnamed-file lanes.json:1:1",
  },
  {
    name: "agent_charter.md",
    files: { "AGENT_CHARTER.md": null, "agent_CHARTER.md": CHARTER },
    found: "sources/misnamed-file agent_CHARTER.md:1:1",
    help: "did you mean `AGENT_CHARTER.md`?",
  },
  {
    name: "handoffs.yaml",
    files: { "handoff.yaml": null, "handoffs.yaml": HANDOFF },
    found: "sources/misnamed-file handoffs.yaml:1:1",
    help: "did you mean `handoff.yaml`?",
  },
  {
    name: "a copy of the set inside the set",
    files: { "old/roles.yaml": ROLES, "old/lanes.yaml": LANES, "old/tool_registry.yaml": TOOLS },
    found: "sources/set-inside-set old/lanes.yaml:1:1",
  },
  // Ids
  {
    name: "a role twice",
    files: roles("  - role_id: NURSE", "  - role_id: PHYSICIAN\n  - role_id: NURSE"),
    found: "model/duplicate-id roles.yaml:5:14 PHYSICIAN",
  },
  {
    name: "a tool twice",
    files: tools("  - tool_name: dose.request", "  - tool_name: chart.read\n  - tool_name: dose.request"),
    found: "model/duplicate-id tool_registry.yaml:5:16 chart.read",
  },
  {
    name: "an id with a letter of another alphabet",
    files: roles("role_id: NURSE", "role_id: NUR\u0405E"),
    found: "model/confusable-id roles.yaml:5:14 NUR\u0405E",
    help: "did you mean `NURSE`?",
  },
  {
    name: "a reference with a letter of another alphabet",
    files: lanes("PHYSICIAN, NURSE", "PHYSICIAN, \u039dURSE"),
    found: "model/confusable-id lanes.yaml:3:43 \u039dURSE",
    help: "did you mean `NURSE`?",
  },
  {
    name: "an id with an invisible character",
    files: roles("role_id: NURSE", "role_id: NUR\u200bSE"),
    found: "model/invalid-id roles.yaml:5:14 NUR\u200bSE",
  },
  {
    name: "an empty id",
    files: roles("  - role_id: NURSE", '  - role_id: ""\n  - role_id: NURSE'),
    found: 'model/invalid-id roles.yaml:5:14 ""',
  },
  // References
  {
    name: "a lane admits a role that is not there",
    files: lanes("PHYSICIAN, NURSE", "PHYSICIAN, NURS"),
    found: "model/undefined-role lanes.yaml:3:43 NURS",
    help: "did you mean `NURSE`?",
  },
  {
    name: "a lane lists a tool that is not there",
    files: lanes("chart.read, dose.request", "chart.raed, dose.request"),
    found: "model/undefined-tool lanes.yaml:4:32 chart.raed",
    help: "did you mean `chart.read`?",
  },
  {
    name: "a tool allows a lane that is not there",
    files: tools("[WARD]", "[WARDS]"),
    found: "model/undefined-allowed-lane tool_registry.yaml:8:21 WARDS",
    help: "did you mean `WARD`?",
  },
  {
    name: "a tool excludes the lane that lists it",
    files: tools("[WARD]", "[PHARMACY]"),
    found: "model/lane-excluded-by-tool lanes.yaml:4:44 dose.request",
  },
  {
    name: "a role claims a lane that is not there",
    files: roles("[WARD, PHARMACY]", "[WARD, PHARMACY, LAB]"),
    found: "model/undefined-claimed-lane roles.yaml:4:43 LAB",
  },
  {
    name: "a role claims a lane that does not admit it",
    files: roles("{ lanes: [WARD] }", "{ lanes: [WARD, PHARMACY] }"),
    found: "model/claim-not-admitted roles.yaml:7:33 PHARMACY",
  },
  {
    name: "a lane admits a role that does not claim it",
    files: roles("[WARD, PHARMACY]", "[PHARMACY]"),
    found: "model/admitted-without-claim lanes.yaml:3:32 PHYSICIAN",
  },
  {
    name: "a lane without callers",
    files: lanes("    allowed_callers: { roles: [PHYSICIAN] }\n", ""),
    found: "sources/missing-key lanes.yaml:5:5 lane_id",
  },
  {
    name: "a lane admits nobody",
    files: lanes("roles: [PHYSICIAN] }", "roles: [] }"),
    found: "model/lane-without-roles lanes.yaml:5:14 PHARMACY",
  },
  {
    name: "a lane without actions",
    files: {
      "lanes.yaml": `${LANES}  - lane_id: YARD\n    allowed_callers: { roles: [NURSE] }\n    allowed_actions: { tools: [] }\n`,
      "roles.yaml": swap(ROLES, "[WARD] }", "[WARD, YARD] }"),
    },
    found: "model/lane-without-actions lanes.yaml:11:14 YARD",
  },
  {
    name: "a role that nobody admits",
    files: roles("  - role_id: NURSE\n", "  - { role_id: COOK, class: human }\n  - role_id: NURSE\n"),
    found: "model/role-without-lane roles.yaml:5:16 COOK",
  },
  {
    name: "a tool in no lane",
    files: tools(
      "tools:\n",
      "tools:\n  - { tool_name: xray.take, enabled: true, implementation_status: implemented }\n",
    ),
    found: "model/tool-without-lane tool_registry.yaml:2:18 xray.take",
  },
  {
    name: "a tool that does not say enabled",
    files: tools("    enabled: true\n", ""),
    found: "model/tool-without-enabled tool_registry.yaml:2:16 chart.read",
  },
  {
    name: "a tool that does not say whether it is there",
    files: tools("    implementation_status: implemented\n", ""),
    found: "model/tool-without-status tool_registry.yaml:2:16 chart.read",
  },
  {
    name: "a tool writes where no lane may",
    files: tools("[doses]", "[doses, dosis]"),
    found: "model/write-target-of-no-lane tool_registry.yaml:13:28 dosis",
  },
  {
    name: "a lane lists a tool twice",
    files: lanes("[chart.read, dose.request]", "[chart.read, dose.request, chart.read]"),
    found: "model/repeated-entry lanes.yaml:4:58 chart.read",
  },
  // Agents
  {
    name: "a subagent without a file",
    files: { "AGENT_WARD_DESK.md": swap(WARD_DESK, "CHARTER", "CHARTERER"), "AGENT_CHARTER.md": CHARTER },
    found: "model/subagent-undefined AGENT_WARD_DESK.md:2:13 CHARTERER",
    help: "did you mean `CHARTER`?",
  },
  {
    name: "a subagent that is no task agent",
    files: { "AGENT_CHARTER.md": swap(CHARTER, "AGENT_TYPE: 2", "AGENT_TYPE: 0") },
    found: "model/subagent-not-type-2 AGENT_WARD_DESK.md:2:13 CHARTER",
  },
  {
    name: "front matter without an end",
    files: { "AGENT_WARD_DESK.md": swap(WARD_DESK, "]\n---\n", "]\n") },
    found: "sources/unclosed-front-matter AGENT_WARD_DESK.md:1:1",
  },
  {
    name: "a misspelt key of front matter",
    files: { "AGENT_WARD_DESK.md": swap(WARD_DESK, "subagents", "subagent") },
    found: "model/misspelt-front-matter-key AGENT_WARD_DESK.md:2:1 subagent",
  },
  {
    name: "a type that does not exist",
    files: { "AGENT_CHARTER.md": swap(CHARTER, "AGENT_TYPE: 2", "AGENT_TYPE: 3") },
    found: "model/unreadable-agent-type AGENT_CHARTER.md:3:1",
  },
  {
    name: "a header and a table that differ",
    files: { "AGENT_CHARTER.md": `${CHARTER}\n| **AGENT_TYPE** | TYPE 1 |\n` },
    found: "model/agent-type-contradiction AGENT_CHARTER.md",
  },
  {
    name: "a subagent that is a number",
    files: { "AGENT_WARD_DESK.md": swap(WARD_DESK, "[CHARTER]", "7") },
    found: "model/invalid-subagents AGENT_WARD_DESK.md:2:12 7",
  },
  // Manifests, TOML
  {
    name: "TOML without quotes",
    files: { "manifests/clerk.toml": swap(CLERK, '"clerk"', "clerk") },
    found: "sources/invalid-toml manifests/clerk.toml:1",
  },
  {
    name: "a misspelt key in TOML",
    files: { "manifests/clerk.toml": swap(CLERK, "allowed_tools", "alowed_tools") },
    found: "sources/unknown-key manifests/clerk.toml:2:1 alowed_tools",
    help: "did you mean `allowed_tools`?",
  },
  {
    name: "a type spawns one that is not there",
    files: { "manifests/desk.yaml": swap(DESK, "[clerk]", "[clark]") },
    found: "model/spawn-target-undefined manifests/desk.yaml:2:13 clark",
    help: "did you mean `clerk`?",
  },
  {
    name: "a root that is not there",
    files: { "portcullis.yaml": "lineage: { roots: [desk, dusk], require: true }\n" },
    found: "model/root-undefined portcullis.yaml:1:26 dusk",
    help: "did you mean `desk`?",
  },
  {
    name: "a spawn that can never be",
    files: { "manifests/desk.yaml": swap(DESK, "max_spawn_depth: 1", "max_spawn_depth: 0") },
    found: "model/spawn-depth-impossible manifests/desk.yaml:3",
  },
  {
    name: "a child may do more than its parent",
    files: { "manifests/clerk.toml": swap(CLERK, '["chart.read"]', '["chart.read", "dose.release"]') },
    found: "model/child-tools-exceed-parent manifests/",
  },
  {
    name: "types that spawn each other for ever",
    files: { "manifests/clerk.toml": `${CLERK}can_spawn = ["desk"]\nmax_spawn_depth = 2\n` },
    found: "model/spawn-cycle manifests/",
  },
  {
    name: "a tool of a manifest that is not there",
    files: { "manifests/clerk.toml": swap(CLERK, '["chart.read"]', '["chart.raed"]') },
    found: "model/undefined-delegable-tool manifests/clerk.toml:2:18",
    help: "did you mean `chart.read`?",
  },
  // Execution and handoff
  {
    name: "an inline mode that is no mode",
    files: exec("inline_modes: [audit]", "inline_modes: [adit]"),
    found: "model/undefined-inline-mode exec.yaml:2:16 adit",
    help: "did you mean `audit`?",
  },
  {
    name: "a staging root that is relative",
    files: exec("/srv/queue", "srv/queue"),
    found: "model/invalid-staging-root exec.yaml:3:15 srv/queue",
  },
  {
    name: "a placeholder that never matches",
    files: { "handoff.yaml": `${HANDOFF}placeholders: ["to-do"]\n` },
    found: 'model/invalid-placeholder handoff.yaml:2:16 "to-do"',
  },
  // Rego
  {
    name: "a member that no request has",
    files: deny("input.tool ==", "input.tol =="),
    found: "pipeline/unknown-input dose.rego:4:8 tol",
    help: "did you mean `tool`?",
  },
  {
    name: "a tool that is not there",
    files: deny('"dose.release"', '"dose.relaese"'),
    found: 'pipeline/impossible-comparison dose.rego:4:16 "dose.relaese"',
    help: "did you mean `dose.release`?",
  },
  {
    name: "a role that is not there",
    files: deny('"PHYSICIAN"', '"PHYSICAN"'),
    found: 'pipeline/impossible-comparison dose.rego:5:20 "PHYSICAN"',
    help: "did you mean `PHYSICIAN`?",
  },
  {
    name: "data that are not there",
    files: deny("data.hospital.limit", "data.hospital.limits"),
    found: "pipeline/undefined-data dose.rego:6:37 limits",
    help: "did you mean `limit`?",
  },
  {
    name: "a denial without a gate",
    files: deny('{"gate": "DOSE", "reason"', '{"gat": "DOSE", "reason"'),
    found: "pipeline/denial-without-gate dose.rego:3:1",
  },
  {
    name: "a package of no decision",
    files: deny("portcullis.ext.tool", "portcullis.ext.tools"),
    found: "pipeline/unknown-extension dose.rego:3:1",
    help: "did you mean `portcullis.ext.tool`?",
  },
  {
    name: "an extension that allows",
    files: deny("deny contains", "allow contains"),
    found: "pipeline/extension-not-deny dose.rego:3:1",
  },
  { name: "a brace is left open", files: deny("limit\n}\n", "limit\n"), found: "rego/" },
  {
    name: "an unsafe variable",
    files: deny("input.scope.amount > data", "amount > data"),
    found: "analyze/unsafe-var dose.rego:6:2 amount",
  },
  {
    name: "a misspelt builtin",
    files: deny("input.scope.amount > data.hospital.limit", "cuont(input.scope.items) > 3"),
    found: "analyze/undefined-function dose.rego:6:2",
    help: "did you mean `count`?",
  },
  {
    name: "an import without its module",
    files: {
      "dose.rego": swap(
        swap(DENY, "tool\n", "tool\n\nimport data.hopsital\n"),
        "data.hospital.limit",
        "hopsital.limit",
      ),
    },
    found: "pipeline/undefined-data dose.rego",
  },
  // Tests and data
  {
    name: "a test of no decision",
    files: { "tests/lane.yaml": swap(TESTS, "decision: lane\n", "") },
    found: "model/test-without-decision tests/lane.yaml:2",
  },
  {
    name: "a test of a decision that is not there",
    files: { "tests/lane.yaml": swap(TESTS, "decision: lane", "decision: lan") },
    found: "sources/bad-value tests/lane.yaml:1:11 lan",
    help: "did you mean `lane`?",
  },
  {
    name: "data that is a list",
    files: { "hospital/data.yaml": "- 1\n" },
    found: "lower/data-not-object hospital/data.yaml:1:1",
  },
];

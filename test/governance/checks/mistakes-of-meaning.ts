/** Mistakes in references, agents, manifests, execution, Rego, tests and data; and the one finding on each. */

import {
  CHARTER,
  CLERK,
  DENY,
  DESK,
  deny,
  exec,
  HANDOFF,
  LANES,
  lanes,
  type Mistake,
  ROLES,
  roles,
  swap,
  TESTS,
  tools,
  WARD_DESK,
} from "./hospital.ts";

export const MISTAKES_OF_MEANING: readonly Mistake[] = [
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
    name: "a lane admits no role",
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
    name: "a role that no lane admits",
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
    name: "a subagent that is not a task agent",
    files: { "AGENT_CHARTER.md": swap(CHARTER, "AGENT_TYPE: 2", "AGENT_TYPE: 0") },
    found: "model/subagent-not-type-2 AGENT_WARD_DESK.md:2:13 CHARTER",
  },
  {
    name: "front matter without an end",
    files: { "AGENT_WARD_DESK.md": swap(WARD_DESK, "]\n---\n", "]\n") },
    found: "sources/unclosed-front-matter AGENT_WARD_DESK.md:1:1",
  },
  {
    name: "front matter below a blank line",
    files: { "AGENT_WARD_DESK.md": `\n${WARD_DESK}` },
    found: "sources/late-front-matter AGENT_WARD_DESK.md:2:1 ---",
  },
  {
    name: "a subagent that does not say its type",
    files: { "AGENT_CHARTER.md": swap(CHARTER, "AGENT_TYPE: 2\n", "") },
    found: "model/subagent-not-type-2 AGENT_WARD_DESK.md:2:13 CHARTER",
  },
  {
    name: "a persona that does not say its type",
    files: { "AGENT_WARD_DESK.md": swap(WARD_DESK, "AGENT_TYPE: 1\n", "") },
    found: "model/agent-without-type AGENT_WARD_DESK.md:",
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
    name: "an inline mode that is not a mode",
    files: exec("inline_modes: [mode-init]", "inline_modes: [mode-int]"),
    found: "model/undefined-inline-mode exec.yaml:2:16 mode-int",
    help: "did you mean `mode-init`?",
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
  { name: "a brace is left open", files: deny("amount)\n}\n", "amount)\n"), found: "rego/" },
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
    files: { "data.yaml": "- 1\n" },
    found: "lower/data-not-object data.yaml:1:1",
  },
];

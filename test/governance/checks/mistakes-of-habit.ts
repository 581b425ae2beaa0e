/** Mistakes of people who come from other formats and languages; and the one finding on each. */

import {
  CLERK,
  DENY,
  DESK,
  deny,
  LANES,
  lanes,
  type Mistake,
  ROLES,
  roles,
  SETTINGS,
  swap,
  TESTS,
} from "./hospital.ts";

const clerk = (text: string): Record<string, string> => ({ "manifests/clerk.toml": text });
const desk = (depth: string): Record<string, string> => ({
  "manifests/desk.yaml": swap(DESK, "max_spawn_depth: 1", `max_spawn_depth: ${depth}`),
});
const rule = (head: string): Record<string, string> => ({
  "dose.rego": `package portcullis.ext.tool\n\n${head} {\n\tinput.tool == "dose.release"\n}\n`,
});
const waiver = (fields: string): Record<string, string> => ({
  "portcullis.yaml": `${SETTINGS}waive:\n  - { code: model/tool-without-lane, at: tool_registry.yaml, ${fields} }\n`,
});
const NO_DENIAL = 'write `deny contains {"gate": "MY_GATE", "reason": "my_reason"} if …`';
const NO_DENY = 'write `deny contains {"gate": "…", "reason": "…"} if …` in `portcullis.ext.<decision>`';

export const MISTAKES_OF_HABIT: readonly Mistake[] = [
  // YAML
  {
    name: "a role that is merged from another keeps its id",
    files: roles("  - role_id: NURSE\n", "  - &nurse\n    role_id: NURSE\n  - <<: *nurse\n"),
    found: "model/duplicate-id roles.yaml:6:14 NURSE",
  },
  {
    name: "an alias stands before its anchor",
    files: { "roles.yaml": swap(swap(ROLES, "[WARD] }", "&ward [WARD] }"), "[WARD, PHARMACY]", "*ward") },
    found: "sources/unknown-alias roles.yaml:4:26 *ward",
  },
  {
    name: "a key is one column too far left",
    files: roles("    class: human", "   class: human"),
    found: "sources/invalid-yaml roles.yaml:3:1",
  },
  {
    name: "no space behind a colon",
    files: roles("class: human", "class:human"),
    found: "sources/invalid-yaml roles.yaml:3:5 class:human",
  },
  {
    name: "no space behind a dash",
    files: roles("  - role_id: NURSE", "  -role_id: NURSE"),
    found: "sources/invalid-yaml roles.yaml:5:1",
  },
  {
    name: "an id that YAML takes for a number",
    files: roles("role_id: NURSE", "role_id: 0123"),
    found: "sources/wrong-type roles.yaml:5:14 0123",
    help: "quote the value to make it text",
  },
  {
    name: "an id that is nothing",
    files: roles("role_id: NURSE", "role_id: ~"),
    found: "sources/wrong-type roles.yaml:5:14 ~",
  },
  {
    name: "a file of comments alone",
    files: { "tool_registry.yaml": "# soon\n" },
    found: "sources/missing-key tool_registry.yaml:1:1",
  },
  { name: "half a step of depth", files: desk("1.5"), found: "sources/wrong-type manifests/desk.yaml:3:18 1.5" },
  { name: "depth as a text", files: desk('"1"'), found: 'sources/wrong-type manifests/desk.yaml:3:18 "1"' },
  {
    name: "ids as keys of a mapping",
    files: { "roles.yaml": "roles:\n  PHYSICIAN: { class: human }\n  NURSE: { class: agent }\n" },
    found: "sources/wrong-type roles.yaml:2:3 PHYSICIAN",
  },
  {
    name: "braces of a set for a list",
    files: lanes("roles: [PHYSICIAN, NURSE]", "roles: {PHYSICIAN, NURSE}"),
    found: "sources/wrong-type lanes.yaml:3:32 PHYSICIAN",
  },
  {
    name: "a list in a list",
    files: { "lanes.yaml": swap(LANES, "roles: [PHYSICIAN, NURSE]", "roles: [[PHYSICIAN, NURSE]]") },
    found: "sources/wrong-type lanes.yaml:3:32 [PHYSICIAN, NURSE]",
  },
  // TOML
  {
    name: "a colon for an equals sign in TOML",
    files: clerk('agent_type: "clerk"\n'),
    found: "sources/invalid-toml manifests/clerk.toml:1:11 :",
    help: "TOML writes `key = value`",
  },
  {
    name: "a header over the keys of a manifest",
    files: clerk(`[agent]\n${CLERK}`),
    found: "sources/unknown-key manifests/clerk.toml:1:2 agent",
  },
  {
    name: "a header between the keys of a manifest",
    files: clerk('agent_type = "clerk"\n[limits]\nallowed_tools = ["chart.read"]\n'),
    found: "sources/unknown-key manifests/clerk.toml:2:2 limits",
  },
  {
    name: "a key twice in TOML",
    files: clerk(`${CLERK}agent_type = "clerk"\n`),
    found: "sources/invalid-toml manifests/clerk.toml:3:1",
  },
  {
    name: "a number with a zero before it",
    files: clerk(`${CLERK}max_spawn_depth = 01\n`),
    found: "sources/invalid-toml manifests/clerk.toml:3:19",
  },
  {
    name: "a comma behind the last member of JSON",
    files: { "hospital/data.yaml": null, "hospital/data.json": '{"limit": 10,}' },
    found: "sources/invalid-json hospital/data.json:1:14 }",
  },
  {
    name: "data in two formats",
    files: { "hospital/data.json": '{"limit": 9}' },
    found: "lower/data-conflict hospital/data",
  },
  // Rego
  {
    name: "a denial as Rego v0 writes it",
    files: rule('deny[{"gate": "DOSE", "reason": "r"}]'),
    found: "rego/missing-if dose.rego:3:1",
    help: "the module seems to be Rego v0: `portcullis fmt --write --v0-v1` rewrites it",
  },
  { name: "a denial without if", files: deny(" if {", " {"), found: "rego/missing-if dose.rego:3:1" },
  {
    name: "a denial without contains",
    files: rule('deny[{"gate": "DOSE", "reason": "r"}] if'),
    found: "pipeline/extension-not-deny dose.rego:3:1",
    help: NO_DENY,
  },
  {
    name: "a denial that is assigned",
    files: rule('deny := {"gate": "DOSE", "reason": "r"} if'),
    found: "pipeline/extension-not-deny dose.rego:3:1",
    help: NO_DENY,
  },
  {
    name: "a denial that is a text",
    files: rule('deny contains "no" if'),
    found: "pipeline/denial-without-gate dose.rego:3:1",
    help: NO_DENIAL,
  },
  {
    name: "a denial without a reason",
    files: rule('deny contains {"gate": "DOSE"} if'),
    found: "pipeline/denial-without-gate dose.rego:3:1",
    help: NO_DENIAL,
  },
  {
    name: "violation for deny",
    files: deny("deny contains", "violation contains"),
    found: "pipeline/extension-not-deny dose.rego:3:1",
    help: NO_DENY,
  },
  {
    name: "a gate in a file of tests",
    files: { "dose.rego": null, "dose_test.rego": DENY },
    found: "pipeline/deny-among-tests dose_test.rego:3:1",
    help: "give the file a name that does not end with `_test.rego`",
  },
  {
    name: "the first word of the package is left out",
    files: deny("portcullis.ext.tool", "ext.tool"),
    found: "pipeline/unasked-deny dose.rego:3:1",
    help: "did you mean `package portcullis.ext.tool`?",
  },
  {
    name: "the library's package",
    files: deny("portcullis.ext.tool", "portcullis.tool"),
    found: "pipeline/reserved-package dose.rego:3:1",
  },
  {
    name: "no package",
    files: deny("package portcullis.ext.tool\n", ""),
    found: "rego/package-expected dose.rego:2:1 deny",
  },
  {
    name: "single quotes",
    files: deny('"dose.release"', "'dose.release'"),
    found: "rego/illegal-character dose.rego:4:16 '",
    help: 'a text stands in double quotes: `"text"`',
  },
  {
    name: "an ampersand for and",
    files: deny("\tnot input.role", '\tinput.lane != "WARD" && not input.role'),
    found: "rego/unexpected-token dose.rego:5:24 &",
    help: "write each condition on a line of its own: all of them must hold",
  },
  {
    name: "bars for or",
    files: deny("\tnot input.role", '\tinput.lane != "WARD" || not input.role'),
    found: "rego/unexpected-token dose.rego:5:24 |",
    help: "write a second rule with the other condition: one of the rules must hold; of values, `x in {1, 2}`",
  },
  {
    name: "an exclamation mark for not",
    files: deny("\tnot input.role", "\t!input.role"),
    found: "rego/illegal-character dose.rego:5:2 !",
    help: "write `not` before the condition",
  },
  {
    name: "three signs for equal",
    files: deny("input.tool ==", "input.tool ==="),
    found: "rego/unexpected-token dose.rego:4:15 =",
    help: "write `==`",
  },
  {
    name: "a word for and",
    files: deny("\tnot input.role", '\tinput.lane != "WARD" and not input.role'),
    found: "rego/unexpected-token dose.rego:5:23 and",
    help: "write each condition on a line of its own: all of them must hold; `import rego.v2` makes `and` an operator",
  },
  {
    name: "not in",
    files: deny('not input.role == "PHYSICIAN"', 'input.role not in {"PHYSICIAN"}'),
    found: "rego/unexpected-token dose.rego:5:13 not",
    help: "write `not` before the whole condition: `not x in xs`",
  },
  {
    name: "a comment with slashes",
    files: deny("\tnot input.role", "\t// who may\n\tnot input.role"),
    found: "rego/unexpected-token dose.rego:5:3 /",
    help: "a comment begins with `#`",
  },
  {
    name: "a value that is returned",
    files: deny("\tnot input.role", "\treturn true\n\tnot input.role"),
    found: "rego/unexpected-token dose.rego:5:9 true",
    help: "a rule's value stands in its head: `name := value if { … }`",
  },
  {
    name: "the length of a list by another name",
    files: deny("\tnot input.role", "\tlen(input.scope) > 1\n\tnot input.role"),
    found: "analyze/undefined-function dose.rego:5:2 len",
    help: "did you mean `count`?",
  },
  {
    name: "an assignment to a member of the request",
    files: deny("input.tool ==", "input.tool :="),
    found: "analyze/cannot-assign dose.rego:4:2 input.tool",
  },
  {
    name: "a comparison that was to assign",
    files: deny("\tinput.scope", "\tlimit == 3\n\tinput.scope"),
    found: "analyze/unsafe-var dose.rego:6:2 limit",
    help: "`limit := …` gives it a value",
  },
  {
    name: "a negation of what nothing binds",
    files: deny('== "PHYSICIAN"', "== someone"),
    found: "analyze/unsafe-var dose.rego:5:",
  },
  {
    name: "an id in another case",
    files: deny('"PHYSICIAN"', '"physician"'),
    found: 'pipeline/impossible-comparison dose.rego:5:20 "physician"',
    help: "did you mean `PHYSICIAN`?",
  },
  {
    name: "a list for one id",
    files: deny('== "dose.release"', '== ["dose.release"]'),
    found: 'pipeline/impossible-comparison dose.rego:4:16 ["dose.release"]',
    help: "write `in` to ask whether it is one of several",
  },
  {
    name: "a text for the list of in",
    files: deny('== "dose.release"', 'in "dose.release"'),
    found: 'pipeline/impossible-comparison dose.rego:4:16 "dose.release"',
    help: "`in` looks into a set or a list: `{…}`, `[…]`",
  },
  {
    name: "a fact beside the scope",
    files: { "dose.rego": swap(DENY, "input.scope.amount", "input.amount") },
    found: "pipeline/unknown-input dose.rego:6:8 amount",
  },
  // Waivers and tests
  { name: "a waiver of nothing", files: waiver("reason: later"), found: "pipeline/unused-waiver portcullis.yaml:3:42" },
  {
    name: "a waiver until a day in another order",
    files: waiver("reason: later, until: 31.12.2026"),
    found: "pipeline/waiver-date portcullis.yaml:3:84 31.12.2026",
    help: "write it as `2027-04-30`",
  },
  {
    name: "a test that expects nothing",
    files: { "tests/lane.yaml": swap(TESTS, "    expect: { allowed: true }\n", "") },
    found: "sources/missing-key tests/lane.yaml:3:5",
  },
];

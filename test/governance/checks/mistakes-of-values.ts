/** Mistakes in values: texts for numbers, words for booleans, broken patterns, tests that ask or expect nothing. */

import { deny, LANES, lanes, type Mistake, SETTINGS, swap, TESTS, tools, WARD_DESK } from "./hospital.ts";

/** Another condition where the role is asked for. */
const condition = (text: string): Mistake["files"] => deny('not input.role == "PHYSICIAN"', text);
const data = (text: string): Mistake["files"] => ({ "hospital/data.yaml": text });
const tests = (from: string, to: string): Mistake["files"] => ({ "tests/lane.yaml": swap(TESTS, from, to) });
const matrix = (axis: string): Mistake["files"] => ({
  "tests/lane.yaml": `decision: lane\nmatrices:\n  - name: all\n    axes: { ${axis}: [NURSE], lane: [WARD] }\n    allow: [{ ${axis}: NURSE, lane: WARD }]\n`,
});

export const MISTAKES_OF_VALUES: readonly Mistake[] = [
  {
    name: "a limit in quotes",
    files: data('limit: "10"\n'),
    found: 'pipeline/order-of-text hospital/data.yaml:1:8 "10"',
    help: "write the number: `10`",
  },
  {
    name: "a limit with a low line in it",
    files: data("limit: 1_000\n"),
    found: "sources/text-to-others hospital/data.yaml:1:8 1_000",
    help: "write the number: `1000`, or quote the text",
  },
  {
    name: "a limit with a comma in it",
    files: data("limit: 10,000\n"),
    found: "pipeline/order-of-text hospital/data.yaml:1:8 10,000",
    help: "write the number: `10000`",
  },
  {
    name: "a number in quotes in Rego",
    files: deny("data.hospital.limit", '"10"'),
    found: 'pipeline/order-of-text dose.rego:6:23 "10"',
    help: "write the number: `10`",
  },
  {
    name: "a count that is held against a text",
    files: condition('count(input.tool) > "3"'),
    found: 'pipeline/order-of-text dose.rego:5:22 "3"',
  },
  {
    name: "no for false in data",
    files: { ...data("limit: 10\nfrozen: no\n"), ...condition("data.hospital.frozen") },
    found: "lower/word-for-boolean hospital/data.yaml:2:9 no",
    help: "write `false`, or quote the word",
  },
  {
    name: "on for true in a list of data",
    files: data("limit: 10\nshifts: [day, On]\n"),
    found: "lower/word-for-boolean hospital/data.yaml:2:15 On",
    help: "write `true`, or quote the word",
  },
  {
    name: "a broken pattern",
    files: condition('regex.match("[", input.tool)'),
    found: 'pipeline/impossible-condition dose.rego:5:14 "["',
  },
  {
    name: "a pattern that is one of JavaScript's alone",
    files: condition("regex.match(`[a-\\d]`, input.tool)"),
    found: "pipeline/impossible-condition dose.rego:5:14 `[a-\\d]`",
  },
  {
    name: "a pattern that no tool meets",
    files: condition('regex.match("^dsoe", input.tool)'),
    found: 'pipeline/impossible-condition dose.rego:5:2 regex.match("^dsoe", input.tool)',
  },
  {
    name: "two constants that differ",
    files: condition('"NURSE" == "PHYSICIAN"'),
    found: 'pipeline/impossible-condition dose.rego:5:2 "NURSE" == "PHYSICIAN"',
  },
  {
    name: "a gate with a blank at its end",
    files: deny('"DOSE", "reason": "dose_needs', '"DOSE ", "reason": "dose_needs'),
    found: "pipeline/denial-without-gate dose.rego:3:1",
  },
  {
    name: "a hint in a denial",
    files: deny('"dose_needs_physician"}', '"dose_needs_physician", "hint": "ask"}'),
    found: 'pipeline/unheard-member dose.rego:3:66 "hint"',
  },
  {
    name: "roles of a lane one level too high",
    files: lanes("allowed_callers: { roles: [PHYSICIAN] }", "roles: [PHYSICIAN]"),
    found: "sources/unknown-key lanes.yaml:6:5 roles",
    help: "`roles` belongs into `allowed_callers`",
  },
  {
    name: "no comma between tools",
    files: { "lanes.yaml": swap(LANES, "[chart.read, dose.request]", "[chart.read dose.request]") },
    found: "model/undefined-tool lanes.yaml:4:32 chart.read dose.request",
    help: "write commas between the names: `chart.read, dose.request`",
  },
  {
    name: "no comma between roles",
    files: lanes("[PHYSICIAN, NURSE]", "[PHYSICIAN NURSE]"),
    found: "model/undefined-role lanes.yaml:3:32 PHYSICIAN NURSE",
    help: "write commas between the names: `PHYSICIAN, NURSE`",
  },
  {
    name: "a subagent twice",
    files: { "AGENT_WARD_DESK.md": swap(WARD_DESK, "[CHARTER]", "[CHARTER, CHARTER]") },
    found: "model/repeated-entry AGENT_WARD_DESK.md:2:22 CHARTER",
  },
  {
    name: "yes where a test expects true",
    files: tests("allowed: true", "allowed: yes"),
    found: "sources/wrong-type tests/lane.yaml:5:24 yes",
    help: "write `true`, without quotes",
  },
  {
    name: "a test that expects nothing at all",
    files: tests("{ allowed: true }", "{}"),
    found: "model/test-of-nothing tests/lane.yaml:5:13 {}",
  },
  {
    name: "a misspelt member of what a test asks",
    files: tests(
      "{ role: NURSE, lane: WARD }\n    expect: { allowed: true }",
      "{ rol: NURSE }\n    expect: { allowed: false }",
    ),
    found: "pipeline/misspelt-input tests/lane.yaml:4:14 rol",
    help: "did you mean `role`?",
  },
  ...(
    [
      ["what the host found out", "call", "facts: { histroy: {} }", 23, "histroy", "history"],
      ["a contract", "exec", "contract: { declared_target: [a] }", 26, "declared_target", "declared_targets"],
      ["an element of a list", "close", "changed_files: [{ path: a, resolvd: a }]", 41, "resolvd", "resolved"],
    ] as const
  ).map(([place, decision, input, column, key, meant]) => ({
    name: `a misspelt member of ${place} in what a test asks`,
    files: {
      "tests/lane.yaml": `decision: ${decision}\ncases:\n  - name: a\n    input: { ${input} }\n    expect: { allowed: false }\n`,
    },
    found: `pipeline/misspelt-input tests/lane.yaml:4:${column} ${key}`,
    help: `did you mean \`${meant}\`?`,
  })),
  {
    name: "a misspelt axis of a matrix",
    files: matrix("rol"),
    found: "pipeline/misspelt-input tests/lane.yaml:4:13 rol",
    help: "did you mean `role`?",
  },
  {
    name: "a setting with a word of YAML 1.1",
    files: { "portcullis.yaml": swap(SETTINGS, "require: true", "require: no") },
    found: "sources/wrong-type portcullis.yaml:1:36 no",
    help: "write `false`, without quotes",
  },
  {
    name: "an approval that is true",
    files: tools("approval: required", "approval: true"),
    found: "sources/bad-value tool_registry.yaml:12:15 true",
  },
  {
    name: "a waiver for a finding that no code has",
    files: {
      "portcullis.yaml": `${SETTINGS}waive:\n  - { code: model/tool-without-lan, at: tool_registry.yaml, reason: later }\n`,
    },
    found: "pipeline/unknown-waiver portcullis.yaml:3:13 model/tool-without-lan",
    help: "did you mean `model/tool-without-lane`?",
  },
  {
    name: "a staging root that climbs",
    files: { "exec.yaml": "modes: [round, mode-init]\ninline_modes: [mode-init]\nstaging_root: /srv/../queue\n" },
    found: "model/invalid-staging-root exec.yaml:3:15 /srv/../queue",
  },
];

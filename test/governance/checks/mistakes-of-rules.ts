/** Mistakes in authors' gates, and in what decision tests expect of them; and the one finding on each. */

import { DENY, DESK, deny, type Mistake, swap, TESTS } from "./hospital.ts";

/** A second rule below the denials. */
const besides = (head: string): Mistake["files"] => ({
  "dose.rego": `${DENY}\n${head} {\n\tinput.tool == "dose.release"\n}\n`,
});
/** A gate of the lineage decision. */
const lineage = (condition: string, kind = "lineage"): Mistake["files"] => ({
  "line.rego": `package portcullis.ext.${kind}\n\ndeny contains {"gate": "LINE", "reason": "no"} if {\n\t${condition}\n}\n`,
});
const expecting = (answer: string): Mistake["files"] => ({
  "tests/lane.yaml": swap(TESTS, "{ allowed: true }", `{ ${answer} }`),
});
const seniors = (data: string): Mistake["files"] => ({
  ...deny('== "PHYSICIAN"', "in data.hospital.seniors"),
  "hospital/data.yaml": `limit: 10\n${data}`,
});
/** A denial below the others, with what follows its answer. */
const everything = (condition: string): Mistake["files"] => ({
  "dose.rego": `${DENY}\ndeny contains {"gate": "X", "reason": "x"}${condition}\n`,
});
const text = (call: string): Mistake["files"] => ({
  "dose.rego": `${DENY}\ndeny contains {"gate": "X", "reason": sprintf(${call})} if input.scope.frozen\n`,
});
const NO_DENY = 'write `deny contains {"gate": "…", "reason": "…"} if …` in `portcullis.ext.<decision>`';

export const MISTAKES_OF_RULES: readonly Mistake[] = [
  {
    name: "a denial without contains beside others",
    files: besides("deny if"),
    found: "pipeline/extension-not-deny dose.rego:14:1 deny",
    help: NO_DENY,
  },
  {
    name: "a denial that is assigned beside others",
    files: besides('deny := {"gate": "X", "reason": "x"} if'),
    found: 'pipeline/extension-not-deny dose.rego:14:1 deny := {"gate": "X", "reason": "x"}',
    help: NO_DENY,
  },
  {
    name: "a denial that is assigned before others",
    files: { "dose.rego": swap(DENY, "\ndeny", '\ndeny := {"gate": "X", "reason": "x"} if input.role\n\ndeny') },
    found: 'pipeline/extension-not-deny dose.rego:3:1 deny := {"gate": "X", "reason": "x"}',
    help: NO_DENY,
  },
  {
    name: "a default for the denials",
    files: { "dose.rego": `${DENY}\ndefault deny := false\n` },
    found: "pipeline/extension-not-deny dose.rego:14:9 deny := false",
    help: NO_DENY,
  },
  {
    name: "a denial under a name",
    files: { "dose.rego": `${DENY}\ndeny["a"] := 3\n` },
    found: 'pipeline/extension-not-deny dose.rego:14:1 deny["a"] := 3',
    help: NO_DENY,
  },
  {
    name: "a misspelt key of an agent in the chain",
    files: lineage('input.lineage[0].agent_typ == "desk"'),
    found: "pipeline/unknown-input line.rego:4:19 agent_typ",
    help: "did you mean `agent_type`?",
  },
  {
    name: "a misspelt key of some agent in the chain",
    files: lineage("some agent in input.lineage\n\tagent.spawn_dept > 1"),
    found: "pipeline/unknown-input line.rego:5:8 spawn_dept",
    help: "did you mean `spawn_depth`?",
  },
  {
    name: "a misspelt key of every agent in the chain",
    files: lineage('is_array(input.lineage)\n\tevery agent in input.lineage { agent.agent_typ == "desk" }'),
    found: "pipeline/unknown-input line.rego:5:39 agent_typ",
    help: "did you mean `agent_type`?",
  },
  {
    name: "a misspelt key of a call's write",
    files: lineage('input.writes[_].tabel == "doses"', "call"),
    found: "pipeline/unknown-input line.rego:4:18 tabel",
    help: "did you mean `table`?",
  },
  {
    name: "a misspelt key of a call's approval",
    files: lineage('input.approval.bye == "eve"', "call"),
    found: "pipeline/unknown-input line.rego:4:17 bye",
    help: "did you mean `by`?",
  },
  {
    name: "a member of the chain without its place",
    files: lineage('input.lineage.agent_type == "desk"'),
    found: "pipeline/unknown-input line.rego:4:16 agent_type",
  },
  {
    name: "a misspelt agent type",
    files: lineage('input.lineage[_].agent_type == "dsk"'),
    found: 'pipeline/impossible-comparison line.rego:4:33 "dsk"',
    help: "did you mean `desk`?",
  },
  {
    name: "a misspelt agent type that is looked for among those of the chain",
    files: lineage('"dsk" in {agent.agent_type | some agent in input.lineage}'),
    found: 'pipeline/impossible-comparison line.rego:4:2 "dsk"',
    help: "did you mean `desk`?",
  },
  {
    name: "an agent type without a manifest",
    files: lineage('input.lineage[1].agent_type == "porter"'),
    found: 'pipeline/unnamed-agent-type line.rego:4:33 "porter"',
  },
  {
    name: "a gate that the decision has",
    files: deny('"DOSE", "reason": "dose_needs_physician"', '"TOOL_ENABLED", "reason": "dose_needs_physician"'),
    found: 'pipeline/gate-of-the-library dose.rego:3:24 "TOOL_ENABLED"',
  },
  {
    name: "a gate that the decision has to which the answer is handed on",
    files: deny('"DOSE", "reason": "dose_needs_physician"', '"APPROVAL", "reason": "dose_needs_physician"'),
    found: 'pipeline/gate-of-the-library dose.rego:3:24 "APPROVAL"',
  },
  {
    name: "a stale role in a list of data",
    files: seniors("seniors:\n  - PHYSICIAN\n  - SURGEON\n"),
    found: "pipeline/impossible-comparison hospital/data.yaml:4:5 SURGEON",
  },
  {
    name: "a misspelt role in a list of data",
    files: seniors("seniors: [PHYSICIAN, NURS]\n"),
    found: "pipeline/impossible-comparison hospital/data.yaml:2:22 NURS",
    help: "did you mean `NURSE`?",
  },
  {
    name: "a misspelt role that is a key of data",
    files: {
      ...deny("data.hospital.limit", "data.hospital.limits[input.role]"),
      "hospital/data.yaml": "limits:\n  PHYSICIAN: 3\n  NURS: 4\n",
    },
    found: "pipeline/impossible-comparison hospital/data.yaml:3:3 NURS",
    help: "did you mean `NURSE`?",
  },
  {
    name: "an unsafe variable within a call",
    files: deny("\tinput.scope.amount >", '\tx := concat("", [input.tool, suffix])\n\tx != ""\n\tinput.scope.amount >'),
    found: "analyze/unsafe-var dose.rego:6:31 suffix",
  },
  {
    name: "an unsafe variable within a negation",
    files: deny('== "PHYSICIAN"', "== data.hospital[ward].head"),
    found: "analyze/unsafe-var dose.rego:5:34 ward",
  },
  {
    name: "several rules as Rego v0 writes them",
    files: {
      "dose.rego": `package portcullis.ext.tool\n\ndeny[x] {\n\tx := {"gate": "DOSE", "reason": "r"}\n}\n\nlate {\n\ttrue\n}\n`,
    },
    found: "rego/missing-if dose.rego:3:1 deny[x]",
    help: "the module seems to be Rego v0: `portcullis fmt --write --v0-v1` rewrites it",
  },
  // Denials of everything
  {
    name: "a denial without a condition",
    files: everything(""),
    found: 'pipeline/certain-denial dose.rego:14:1 deny contains {"gate": "X", "reason": "x"}',
    help: "write the condition under which the request is denied behind `if`",
  },
  {
    name: "a denial if true",
    files: everything(" if true"),
    found: "pipeline/certain-denial dose.rego:14:47 true",
    help: "`true` always holds: write the condition under which the request is denied",
  },
  {
    name: "a denial of every request that has a tool",
    files: everything(" if input.tool"),
    found: "pipeline/certain-denial dose.rego:14:47 input.tool",
  },
  {
    name: "a member that is compared with itself",
    files: everything(" if input.lane == input.lane"),
    found: "pipeline/certain-denial dose.rego:14:47 input.lane == input.lane",
  },
  {
    name: "a denial that only names things",
    files: {
      "dose.rego": `${DENY}\ndeny contains x if {\n\ttool := input.tool\n\tx := {"gate": "X", "reason": tool}\n}\n`,
    },
    found: "pipeline/certain-denial dose.rego:15:2 tool := input.tool",
  },
  {
    name: "a condition in a rule of another package that always holds",
    files: { ...everything(" if data.ward.closed"), "ward.rego": "package ward\n\nclosed := true\n" },
    found: "pipeline/certain-denial dose.rego:14:47 data.ward.closed",
  },
  // Texts
  {
    name: "a text with too few arguments",
    files: text('"%s of %s", [input.tool]'),
    found: 'bugs/sprintf-arguments-mismatch dose.rego:14:47 "%s of %s"',
  },
  {
    name: "a text with an argument too many",
    files: text('"no_%s", [input.tool, input.role]'),
    found: 'bugs/sprintf-arguments-mismatch dose.rego:14:47 "no_%s"',
  },
  {
    name: "a text whose width is an argument",
    files: text('"%*d", [input.scope.frozen]'),
    found: 'bugs/sprintf-arguments-mismatch dose.rego:14:47 "%*d"',
  },
  {
    name: "a percent sign in a text",
    files: text('"100% of %s", [input.tool]'),
    found: 'bugs/sprintf-arguments-mismatch dose.rego:14:47 "100% of %s"',
    help: "a percent sign is written `%%`",
  },
  {
    name: "a percent sign at the end of a text",
    files: text('"%d%", [input.scope.frozen]'),
    found: 'bugs/sprintf-unknown-verb dose.rego:14:47 "%d%"',
    help: "a percent sign is written `%%`",
  },
  {
    name: "a boolean as Go prints it",
    files: text('"frozen: %t", [input.scope.frozen]'),
    found: 'bugs/sprintf-unknown-verb dose.rego:14:47 "frozen: %t"',
    help: "`%v` prints any value, `%s` a text, `%d` a whole number",
  },
  // Numbers
  {
    name: "a setting with zeros before it",
    files: { "portcullis.yaml": "lineage: { roots: [desk], require: true, max_chain: 007 }\n" },
    found: "sources/leading-zero portcullis.yaml:1:53 007",
  },
  {
    name: "a depth with a zero before it",
    files: { "manifests/desk.yaml": swap(DESK, "max_spawn_depth: 1", "max_spawn_depth: 01") },
    found: "sources/leading-zero manifests/desk.yaml:3:18 01",
  },
  {
    name: "an amount of data with zeros before it",
    files: { "hospital/data.yaml": "limit: 007000\n" },
    found: "sources/leading-zero hospital/data.yaml:1:8 007000",
  },
  // Tests
  {
    name: "a misspelt member of what a test expects",
    files: expecting("alowed: true"),
    found: "pipeline/unknown-answer tests/lane.yaml:5:15 alowed",
    help: "did you mean `allowed`?",
  },
  {
    name: "a misspelt gate of what a test expects",
    files: expecting("allowed: false, gate: LANE_ROL"),
    found: "pipeline/unknown-gate tests/lane.yaml:5:37 LANE_ROL",
    help: "did you mean `LANE_ROLE`?",
  },
  {
    name: "a misspelt reason of what a test expects",
    files: expecting("allowed: false, reason: lane_not_defind"),
    found: "pipeline/unknown-reason tests/lane.yaml:5:39 lane_not_defind",
    help: "did you mean `lane_not_defined`?",
  },
];

const ward = (rule: string): Mistake["files"] => ({
  ...everything(" if data.ward.x"),
  "ward.rego": `package ward\n\n${rule}\n`,
});

/** Denials whose conditions some requests fail. */
export const RIGHT_RULES: readonly Mistake["files"][] = [
  everything(' if input == {"role": "NURSE", "lane": "WARD", "tool": "chart.read"}'),
  everything(" if input.scope"),
  everything(' if {\n\trequest := input\n\trequest == {"role": "NURSE", "lane": "WARD", "tool": "chart.read"}\n}'),
  everything(" if not input.scope.approved == true"),
  ward("x := input.scope.frozen"),
  ward('x := input.role == "NURSE"'),
  ward('x := {"NURSE": true}[input.role]'),
  ward("x := data.hospital.limit > 20"),
  ward("default x := true\n\nx := false if input.scope.open"),
];

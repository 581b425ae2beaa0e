/** Mistakes in what authors demand with `must`; and the one finding on each. */

import { DENY, type Mistake } from "./hospital.ts";

const must = (rules: string): Mistake["files"] => ({ "ward.rego": `package portcullis.ext.tool\n\n${rules}\n` });
const named = (name: string): Mistake["files"] => must(`must contains ${name} if input.role == "NURSE"`);
const reasons = (...all: string[]): Mistake["files"] =>
  must(
    all
      .map(
        (r, i) =>
          `# METADATA\n# custom: { reason: ${r} }\nmust contains "WARD" if input.role == "${["NURSE", "PHYSICIAN"][i]}"`,
      )
      .join("\n\n"),
  );
const MUST = 'write `must contains "…" if …` in `portcullis.ext.<decision>`';
const NAME = 'write `must contains "MY_GATE" if …`';

export const MISTAKES_OF_REQUIREMENTS: readonly Mistake[] = [
  // Names
  {
    name: "a requirement whose name is a variable",
    files: must('must contains name if {\n\tname := "WARD"\n\tinput.role == "NURSE"\n}'),
    found: "pipeline/must-name ward.rego:3:15 name",
    help: NAME,
  },
  {
    name: "a requirement whose name is made",
    files: named('concat("_", ["WARD", input.role])'),
    found: 'pipeline/must-name ward.rego:3:15 concat("_", ["WARD", input.role])',
  },
  {
    name: "a requirement whose name is a rule",
    files: { ...named("data.ward.name"), "names.rego": 'package ward\n\nname := "WARD"\n' },
    found: "pipeline/must-name ward.rego:3:15 data.ward.name",
  },
  {
    name: "a requirement that is written like a denial",
    files: named('{"gate": "WARD", "reason": "r"}'),
    found: 'pipeline/must-name ward.rego:3:15 {"gate": "WARD", "reason": "r"}',
    help: NAME,
  },
  ...["ward", "Ward", "WARD-DOOR", "1WARD", "_WARD", "", " WARD", "WÄRD", "WARD DOOR"].map((name) => ({
    name: `a requirement with the name ${JSON.stringify(name)}`,
    files: named(JSON.stringify(name)),
    found: `pipeline/must-name ward.rego:3:15 "${name}"`,
  })),
  {
    name: "a requirement with a number for its name",
    files: named("1"),
    found: "pipeline/must-name ward.rego:3:15 1",
  },
  ...["TOOL_ENABLED", "LANE_AUTHORIZATION", "LANE_TOOL", "ALLOW", "EXTENSION", "INTERNAL_ERROR"].map((name) => ({
    name: `a requirement with the name ${name}, which the decision has`,
    files: named(JSON.stringify(name)),
    found: `pipeline/must-of-the-library ward.rego:3:15 "${name}"`,
  })),
  {
    name: "a requirement of a call with a name of the tool decision",
    files: {
      "ward.rego": 'package portcullis.ext.call\n\nmust contains "TOOL_ENABLED" if input.role == "NURSE"\n',
    },
    found: 'pipeline/must-of-the-library ward.rego:3:15 "TOOL_ENABLED"',
  },
  // Reasons
  {
    name: "two reasons of one requirement",
    files: reasons("too_late", "too_early"),
    found: "pipeline/must-reason ward.rego:7:1 # METADATA",
  },
  {
    name: "two reasons of one requirement in two files",
    files: {
      ...reasons("too_late"),
      "ward_b.rego": (reasons("too_early") as Record<string, string>)["ward.rego"] as string,
    },
    found: "pipeline/must-reason ward_b.rego:3:1 # METADATA",
  },
  { name: "a reason that is a number", files: reasons("7"), found: "pipeline/must-reason ward.rego:3:1 # METADATA" },
  { name: "a blank reason", files: reasons('" "'), found: "pipeline/must-reason ward.rego:3:1 # METADATA" },
  { name: "a padded reason", files: reasons('" late"'), found: "pipeline/must-reason ward.rego:3:1 # METADATA" },
  // Form
  {
    name: "a requirement without a name",
    files: must('must if input.role == "NURSE"'),
    found: "pipeline/extension-not-deny ward.rego:3:1 must",
    help: MUST,
  },
  {
    name: "a requirement that is a function",
    files: must('must(role) if role == "NURSE"'),
    found: "pipeline/extension-not-deny ward.rego:3:1 must(role)",
    help: MUST,
  },
  {
    name: "requirements as one set",
    files: must('must := {"WARD"}'),
    found: 'pipeline/extension-not-deny ward.rego:3:1 must := {"WARD"}',
    help: MUST,
  },
  {
    name: "a requirement as a member of an object",
    files: must('must["WARD"] := true if input.role == "NURSE"'),
    found: 'pipeline/extension-not-deny ward.rego:3:1 must["WARD"] := true',
  },
  {
    name: "a requirement as a set beside a rule of its name",
    files: must('must contains "WARD" if input.role == "NURSE"\n\nmust if input.role == "PHYSICIAN"'),
    found: "pipeline/extension-not-deny ward.rego:5:1 must",
    help: MUST,
  },
  {
    name: "a requirement with a default",
    files: must("default must := set()"),
    found: "pipeline/extension-not-deny ward.rego:3:9 must := set()",
  },
  // Places
  {
    name: "a requirement in a package that is named almost like an extension",
    files: { "ward.rego": 'package ext.tool\n\nmust contains "WARD" if input.role == "NURSE"\n' },
    found: 'pipeline/unasked-deny ward.rego:3:1 must contains "WARD"',
    help: "did you mean `package portcullis.ext.tool`?",
  },
  ...["tool", "exttool", "portcullis_ext.tool", "Portcullis.ext.tool", "portculis.ext.tool", "ext.tools"].map(
    (name) => ({
      name: `a requirement in package ${name}`,
      files: { "ward.rego": `package ${name}\n\nmust contains "WARD" if input.role == "NURSE"\n` },
      found: 'pipeline/unasked-deny ward.rego:3:1 must contains "WARD"',
      help: "did you mean `package portcullis.ext.tool`?",
    }),
  ),
  {
    name: "a denial in a package of a decision's name",
    files: { "ward.rego": 'package tool\n\ndeny contains {"gate": "WARD", "reason": "r"} if input.role == "NURSE"\n' },
    found: "pipeline/unasked-deny ward.rego:3:1",
    help: "did you mean `package portcullis.ext.tool`?",
  },
  {
    name: "a requirement in a package of the author's own",
    files: { "ward.rego": 'package ward\n\nmust contains "WARD" if input.role == "NURSE"\n' },
    found: 'pipeline/unasked-deny ward.rego:3:1 must contains "WARD"',
    help: "requirements are asked in `package portcullis.ext.<decision>`",
  },
  {
    name: "a requirement of a decision that there is not",
    files: { "ward.rego": 'package portcullis.ext.tools\n\nmust contains "WARD" if input.role == "NURSE"\n' },
    found: 'pipeline/unknown-extension ward.rego:3:1 must contains "WARD"',
  },
  {
    name: "a requirement in a file of tests",
    files: { "ward_test.rego": 'package portcullis.ext.tool\n\nmust contains "WARD" if input.role == "NURSE"\n' },
    found: 'pipeline/deny-among-tests ward_test.rego:3:1 must contains "WARD"',
  },
  {
    name: "a requirement in a file of tests, by the head of its rule",
    files: { "ward_test.rego": 'package portcullis.ext\n\ntool.must contains "WARD" if input.role == "NURSE"\n' },
    found: 'pipeline/deny-among-tests ward_test.rego:3:1 tool.must contains "WARD"',
  },
  // What they ask
  {
    name: "a requirement of a member that no request has",
    files: must('must contains "WARD" if input.rol == "NURSE"'),
    found: "pipeline/unknown-input ward.rego:3:31 rol",
    help: "did you mean `role`?",
  },
  {
    name: "a requirement of a role that there is not",
    files: must('must contains "WARD" if input.role == "NURS"'),
    found: 'pipeline/impossible-comparison ward.rego:3:39 "NURS"',
    help: "did you mean `NURSE`?",
  },
  {
    name: "a requirement of data that there is not",
    files: must('must contains "WARD" if input.role in data.hospital.nurses'),
    found: "pipeline/undefined-data ward.rego:3:53 nurses",
  },
  {
    name: "a test of a requirement whose name is misspelt",
    files: {
      ...named('"WARD"'),
      "tests/tool.yaml":
        "decision: tool\ncases:\n  - name: a ward\n    input: { role: NURSE, lane: WARD, tool: chart.read }\n    expect: { allowed: false, gate: WARDD }\n",
    },
    found: "pipeline/unknown-gate tests/tool.yaml:5:37 WARDD",
    help: "did you mean `WARD`?",
  },
];

/** Requirements that are written as they should be. */
export const RIGHT_REQUIREMENTS: readonly Mistake["files"][] = [
  named('"WARD"'),
  named('"W"'),
  named('"WARD_2_DOOR_"'),
  reasons("too_late"),
  reasons("too_late", "too_late"),
  must(
    '# METADATA\n# custom: { reason: too_late }\nmust contains "WARD" if input.scope.a\n\nmust contains "WARD" if input.scope.b',
  ),
  must('must contains "WARD" if {\n\tinput.role == "NURSE"\n} {\n\tinput.role == "PHYSICIAN"\n}'),
  { "ward.rego": 'package portcullis.ext\n\ntool.must contains "WARD" if input.role == "NURSE"\n' },
  // Members of a request that look like no other, and one beside the member that it looks like.
  {
    ...named('"WARD"'),
    "tests/exec.yaml":
      "decision: exec\ncases:\n  - name: a\n    input: { contract: { note: a, declared_targets: [b], declared_target: b }, hat: null }\n    expect: { allowed: false }\n",
  },
  // Rules of the author's own that others ask, that are entrypoints, or that other tools ask.
  {
    "ward.rego":
      'package portcullis.ext.tool\n\ndeny contains d if some d in data.tool.deny\n\nmust contains "WARD" if "WARD" in data.house.must\n',
    "tool.rego": 'package tool\n\ndeny contains {"gate": "DOOR", "reason": "r"} if input.role == "NURSE"\n',
    "house.rego": 'package house\n\nmust contains "WARD" if input.role == "NURSE"\n',
  },
  {
    "ward.rego":
      '# METADATA\n# entrypoint: true\npackage tool\n\ndeny contains "r" if input.role == "NURSE"\n\nmust contains "r" if input.role == "NURSE"\n',
  },
  { "ward.rego": 'package main\n\ndeny contains "r" if input.role == "NURSE"\n\nmust if input.role == "NURSE"\n' },
  { "ward.rego": 'package tool\n\ndeny(role) := role == "NURSE"\n\nx if deny(input.role)\n' },
  { "dose.rego": `${DENY}\nmust contains "DOSE" if input.role == "PHYSICIAN"\n` },
  // A gate of another decision.
  named('"SCRIPT"'),
  {
    ...named('"WARD"'),
    "tests/tool.yaml":
      "decision: tool\ncases:\n  - name: a ward\n    input: { role: NURSE, lane: WARD, tool: chart.read }\n    expect: { allowed: false, gate: WARD, reason: requirement_not_met }\n",
  },
];

/** Mistakes in what rules ask of arguments and data, and requirements that keep nothing out. */

import { type Mistake, swap, TOOLS } from "./hospital.ts";

const CLOSED = swap(
  TOOLS,
  "approval: required",
  "approval: required\n    arguments: { mg: { type: integer }, rx: {} }",
);
const call = (rules: string, tools = CLOSED): Mistake["files"] => ({
  "tool_registry.yaml": tools,
  "ward.rego": `package portcullis.ext.call\n\n${rules}\n`,
});
const denied = (condition: string, data = ""): Mistake["files"] => ({
  ...call(`deny contains {"gate": "WARD", "reason": "r"} if {\n\t${condition}\n}`),
  ...(data === "" ? {} : { "hospital/data.yaml": `limit: 10\n${data}\n` }),
});
const RELEASE = 'input.tool == "dose.release"\n\t';

export const MISTAKES_OF_ARGUMENTS: readonly Mistake[] = [
  {
    name: "an argument that the tool does not take",
    files: denied(`${RELEASE}input.args.mgs == 5`),
    found: "pipeline/unknown-input ward.rego:5:2 input.args.mgs",
    help: "did you mean `mg`?",
  },
  {
    name: "an argument of no tool, in a requirement",
    files: call(
      'must contains "WARD" if input.tool != "dose.release"\n\nmust contains "WARD" if {\n\tinput.tool == "dose.release"\n\tinput.args.patient <= 5\n}',
    ),
    found: "pipeline/unknown-input ward.rego:7:2 input.args.patient",
    help: "the tool takes `mg`, `rx`, and `other_arguments` are denied",
  },
  {
    name: "an argument that none of two tools takes, by a local",
    files: {
      ...denied('input.tool in {"dose.release", "dose.request"}\n\targs := input.args\n\targs.mgs == 5'),
      "tool_registry.yaml": swap(CLOSED, "allowed_lanes: [WARD]", "allowed_lanes: [WARD]\n    arguments: {}"),
    },
    found: "pipeline/unknown-input ward.rego:6:2 args.mgs",
  },
  {
    name: "tools that stand one mapping deeper in data",
    files: denied("input.tool in data.hospital.risky", "risky: { tools: [dose.release] }"),
    found: "pipeline/differing-types ward.rego:4:2 input.tool in data.hospital.risky",
  },
  {
    name: "a table of amounts, whose values are asked for a role",
    files: denied("input.role in data.hospital.most", "most: { NURSE: 1 }"),
    found: "pipeline/differing-types ward.rego:4:2 input.role in data.hospital.most",
  },
  {
    name: "a tool that is held against a list of data",
    files: denied("input.tool == data.hospital.risky", "risky: [dose.release]"),
    found: "pipeline/differing-types ward.rego:4:2 input.tool == data.hospital.risky",
  },
  {
    name: "an agent type that is looked for among agents",
    files: denied('"desk" in input.lineage'),
    found: 'pipeline/differing-types ward.rego:4:2 "desk" in input.lineage',
  },
  {
    name: "a requirement without a condition",
    files: call('must contains "WARD"'),
    found: 'pipeline/certain-requirement ward.rego:3:1 must contains "WARD"',
    help: "write what has to be true behind `if`",
  },
  {
    name: "a requirement that has a rule without a condition",
    files: call('must contains "WARD" if input.scope.ward\n\nmust contains "WARD"'),
    found: 'pipeline/certain-requirement ward.rego:5:1 must contains "WARD"',
  },
  {
    name: "a requirement that asks for what every request has",
    files: call('must contains "WARD" if input.role'),
    found: "pipeline/certain-requirement ward.rego:3:25 input.role",
    help: "`input.role` always holds: write what has to be true",
  },
  {
    name: "a requirement whose condition is an object",
    files: call('must contains "WARD" if {"ward": input.role}'),
    found: 'pipeline/certain-requirement ward.rego:3:25 {"ward": input.role}',
  },
  {
    name: "a gate for two tools, each of which the rule of the other lets pass",
    files: call(
      'must contains "WARD" if input.tool != "dose.release"\n\nmust contains "WARD" if input.tool != "dose.request"\n\nmust contains "WARD" if input.scope.ward',
    ),
    found: 'pipeline/certain-requirement ward.rego:5:1 must contains "WARD"',
    help: 'a request for which `input.tool != "dose.request"` does not hold meets `input.tool != "dose.release"`: write `not input.tool in {"dose.release", "dose.request"}`',
  },
  {
    name: "the same with sets",
    files: call(
      'must contains "WARD" if not input.tool in {"dose.release"}\n\nmust contains "WARD" if not input.tool == "dose.request"',
    ),
    found: 'pipeline/certain-requirement ward.rego:5:1 must contains "WARD"',
  },
  {
    name: "a registry that cannot be read, which proves no type",
    files: call(
      'must contains "WARD" if input.tool != "dose.release"\n\nmust contains "WARD" if {\n\tinput.tool == "dose.release"\n\tinput.args.mg <= 5\n}',
      swap(CLOSED, "approval: required", "approvals: required"),
    ),
    found: "sources/unknown-key tool_registry.yaml:12:5 approvals",
  },
  {
    name: "settings that cannot be read, which say no key of the host's",
    files: {
      "portcullis.yaml":
        "call: { host_scope: [ward], lineages: required }\nlineage: { require: true, roots: [desk] }\n",
      "limits.yaml": "limits: [{ limit_id: A, calls: { tools: [chart.read] }, per: [scope.ward], max_calls: 1 }]\n",
    },
    found: "sources/unknown-key portcullis.yaml:1:29 lineages",
  },
];

export const RIGHT_ARGUMENTS: readonly Mistake["files"][] = [
  denied(`${RELEASE}input.args.mg == 5`),
  // One of the tools takes anything.
  denied('input.tool in {"dose.release", "dose.request"}\n\tinput.args.mgs == 5'),
  denied("input.args.mgs == 5"),
  {
    ...denied(`${RELEASE}input.args.mgs == 5`),
    "tool_registry.yaml": swap(CLOSED, "arguments:", "other_arguments: allow\n    arguments:"),
  },
  // The tool decision looks at no argument.
  {
    "tool_registry.yaml": CLOSED,
    "ward.rego": `package portcullis.ext.tool\n\ndeny contains {"gate": "WARD", "reason": "r"} if {\n\t${RELEASE}input.scope.mgs == 5\n}\n`,
  },
  denied("input.tool in data.hospital.risky", "risky: [dose.release]"),
  denied("input.tool in data.hospital.risky.tools", "risky: { tools: [dose.release] }"),
  denied("input.scope.ward in data.hospital.wards", "wards: { a: 1 }"),
  denied("input.tool in data.hospital.none", "none: []"),
  denied("some agent in input.lineage\n\tagent.agent_type in data.hospital.types", "types: [desk]"),
  call('must contains "WARD" if input.tool != "dose.release"\n\nmust contains "WARD" if input.scope.ward'),
  call('must contains "WARD" if input.tool != "dose.release"\n\nmust contains "DOOR" if input.tool != "dose.request"'),
  call('must contains "WARD" if input.tool != "dose.release"\n\nmust contains "WARD" if input.role != "NURSE"'),
  call(
    'must contains "WARD" if not input.tool in {"dose.release", "dose.request"}\n\nmust contains "WARD" if input.tool != "dose.release"',
  ),
  // Each asks for an argument besides, which a call may lack.
  call(
    'must contains "WARD" if {\n\tinput.tool != "chart.read"\n\tmg := input.args.mg\n}\n\nmust contains "WARD" if {\n\tinput.tool != "dose.request"\n\trx := input.args.rx\n}',
  ),
  // One local for two members is a comparison of them.
  call(
    'must contains "WARD" if {\n\tinput.tool != "chart.read"\n\tx = input.role\n\tx = input.lane\n}\n\nmust contains "WARD" if input.tool != "dose.request"',
  ),
  // Where the scope has no ward, neither holds.
  call('must contains "WARD" if input.scope.ward != "a"\n\nmust contains "WARD" if input.scope.ward != "b"'),
];

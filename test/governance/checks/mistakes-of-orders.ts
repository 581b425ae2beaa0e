/** Orders, and choices by order, of values that no gate has found to be of one type; and the one finding on each. */

import type { Mistake } from "./hospital.ts";

const TOOLS = `tools:
  - tool_name: chart.read
    enabled: true
    implementation_status: implemented
    arguments: { ward: { required: false }, pages: { type: list, each: { type: integer } } }
  - tool_name: dose.request
    enabled: true
    implementation_status: implemented
    allowed_lanes: [WARD]
    other_arguments: allow
    arguments: { amount: { type: integer }, ward: {}, extra: { type: number, required: false }, any: { type: any } }
  - tool_name: dose.release
    enabled: true
    implementation_status: implemented
    approval: required
    write_targets: [doses]
`;

const of = (decision: string, body: string): Mistake["files"] => ({
  "call.rego": `package portcullis.ext.${decision}\n\nmust contains "CALL" if {\n\t${body}\n}\n`,
  "tool_registry.yaml": TOOLS,
});
const must = (body: string): Mistake["files"] => of("call", body);
const request = (body: string): Mistake["files"] => must(`input.tool == "dose.request"\n\t${body}`);
const found = (line: number, column: number, text: string, file = "call.rego"): string =>
  `pipeline/unproven-order ${file}:${line}:${column} ${text}`;

export const MISTAKES_OF_ORDERS: readonly Mistake[] = [
  // Choices by order
  {
    name: "the greatest of a number and what may be a text",
    files: must("amount := max([input.args.amount, 5])\n\tis_number(amount)\n\tamount < 10"),
    found: found(4, 12, "max([input.args.amount, 5])"),
    help: "write `is_number(input.args.amount)` beside it, in the same rule",
  },
  {
    name: "the least of a set",
    files: must("min({input.args.amount, 5}) == 5"),
    found: found(4, 2, "min({input.args.amount, 5})"),
  },
  {
    name: "the first of a list that is put in order",
    files: must("sort([input.args.amount, 5])[0] == 5"),
    found: found(4, 2, "sort([input.args.amount, 5])"),
  },
  {
    name: "the greatest of a list of the request",
    files: must("max(input.args.amounts) == 5"),
    found: found(4, 2, "max(input.args.amounts)"),
    help: "test each element with `is_number` or the like, in the same rule",
  },
  {
    name: "the greatest of texts and numbers that are written out",
    files: must('max(["10", 5]) == input.args.amount'),
    found: found(4, 2, 'max(["10", 5])'),
    help: "compare values of one type",
  },
  {
    name: "the greatest of lists",
    files: must("is_number(input.args.amount)\n\tmax([[input.args.amount], [5]]) == [5]"),
    found: found(5, 2, "max([[input.args.amount], [5]])"),
  },
  {
    name: "the greatest in a rule that the requirement asks",
    files: {
      ...must("data.ward.most == 5"),
      "ward.rego": "package ward\n\nmost := max([input.args.amount, 5])\n",
    },
    found: found(3, 9, "max([input.args.amount, 5])", "ward.rego"),
  },
  // Types that no gate has established
  {
    name: "an approval's reference, which is read only where the tool needs one",
    files: must('input.approval.ref < "B"'),
    found: found(4, 2, 'input.approval.ref < "B"'),
    help: "write `is_string(input.approval.ref)` beside it, in the same rule",
  },
  {
    name: "a packet's age, which is not read of inline code",
    files: of("exec", "input.hat.age_seconds < 60"),
    found: found(4, 2, "input.hat.age_seconds < 60"),
  },
  {
    name: "a file's size, which no gate reads",
    files: of("handoff", "every evidence in input.artifacts {\n\t\tevidence.size < 1000\n\t}"),
    found: found(5, 3, "evidence.size < 1000"),
  },
  {
    name: "a member of the call in a requirement of the tool decision, which is asked before",
    files: { ...of("tool", "input.args.amount < 5") },
    found: found(4, 2, "input.args.amount < 5"),
  },
  // Arguments
  {
    name: "an argument of a tool that the body does not name",
    files: must("input.args.amount < 5"),
    found: found(4, 2, "input.args.amount < 5"),
  },
  {
    name: "an argument of a tool that is not to be it",
    files: must('input.tool != "dose.request"\n\tinput.args.amount < 5'),
    found: found(5, 2, "input.args.amount < 5"),
  },
  {
    name: "an argument of a tool that another rule names",
    files: {
      ...must("data.ward.requested\n\tinput.args.amount < 5"),
      "ward.rego": 'package ward\n\nrequested if input.tool == "dose.request"\n',
    },
    found: found(5, 2, "input.args.amount < 5"),
  },
  {
    name: "an argument of one of two tools, of which one says nothing",
    files: must('input.tool in {"dose.request", "dose.release"}\n\tinput.args.amount < 5'),
    found: found(5, 2, "input.args.amount < 5"),
  },
  {
    name: "an argument that may be null",
    files: request("input.args.extra < 5"),
    found: found(5, 2, "input.args.extra < 5"),
  },
  {
    name: "an argument of any type",
    files: request("input.args.any < 5"),
    found: found(5, 2, "input.args.any < 5"),
  },
  {
    name: "an argument that the tool does not name, and lets pass",
    files: request("input.args.other < 5"),
    found: found(5, 2, "input.args.other < 5"),
  },
  {
    name: "an argument that is a text",
    files: request("input.args.ward < 5"),
    found: found(5, 2, "input.args.ward < 5"),
    help: "compare values of one type",
  },
  {
    name: "an argument of the same name in a requirement of the tool decision",
    files: of("tool", 'input.tool == "dose.request"\n\tinput.args.amount < 5'),
    found: found(5, 2, "input.args.amount < 5"),
  },
  {
    name: "an argument that is never a text, compared with one",
    files: request('input.args.amount == "5"'),
    found: 'pipeline/differing-types call.rego:5:2 input.args.amount == "5"',
  },
];

/** Orders of values that are of one type. */
export const RIGHT_ORDERS: readonly Mistake["files"][] = [
  must("is_number(input.args.amount)\n\tmax([input.args.amount, 5]) < 10"),
  must("max([x | some x in input.args.amounts; is_number(x)]) < 10"),
  must('sort([flag | some flag in input.flags])[0] == "a"'),
  must('min({write.table | some write in input.writes}) == "doses"'),
  {
    ...must("max(data.ward.depths) < 3"),
    "ward.rego": "package ward\n\ndepths contains agent.spawn_depth if some agent in input.lineage\n",
  },
  must('is_string(input.approval.ref)\n\tinput.approval.ref < "B"'),
  must('input.role < "P"'),
  of("lineage", "every agent in input.lineage {\n\t\tagent.spawn_depth < 2\n\t}"),
  of("close", 'input.contract_root < "f"'),
  request("input.args.amount < 5"),
  request('input.args.ward < "B"'),
  request("amount := input.args.amount\n\tamount < 5"),
  request("is_number(input.args.extra)\n\tinput.args.extra < 5"),
  must('tool := input.tool\n\ttool == "dose.request"\n\tinput.args.amount < 5'),
  must('input.tool in {"dose.request"}\n\tmax([input.args.amount, 5]) < 10'),
  must('input.tool == "chart.read"\n\tevery page in input.args.pages {\n\t\tpage < 100\n\t}'),
  must('input.tool == "chart.read"\n\tinput.args.pages[0] < 100'),
];

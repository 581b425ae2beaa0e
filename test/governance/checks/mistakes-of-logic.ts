/** Mistakes of logic in Rego: conditions that no request meets, that every request meets, or that hold for what was not thought of. */

import { deny, type Mistake } from "./hospital.ts";

const WHERE = 'not input.role == "PHYSICIAN"';
/** Another condition where the role is asked for. */
const condition = (text: string): Mistake["files"] => deny(WHERE, text);

export const MISTAKES_OF_LOGIC: readonly Mistake[] = [
  {
    name: "two roles at once, which was to be one of two",
    files: condition('input.role == "NURSE"\n\tinput.role == "PHYSICIAN"'),
    found: 'pipeline/impossible-condition dose.rego:6:2 input.role == "PHYSICIAN"',
    help: 'all conditions of a body must hold: for one of several write `input.role in {"NURSE", "PHYSICIAN"}`',
  },
  {
    name: "the arguments of startswith in the wrong order",
    files: condition('startswith("dose.", input.tool)'),
    found: 'pipeline/impossible-condition dose.rego:5:2 startswith("dose.", input.tool)',
    help: "the text comes first, then the part that is looked for in it",
  },
  {
    name: "a beginning that no tool has",
    files: condition('startswith(input.tool, "doses.")'),
    found: 'pipeline/impossible-condition dose.rego:5:2 startswith(input.tool, "doses.")',
  },
  {
    name: "a part that no lane has, and its negation",
    files: condition('not contains(input.lane, "PHARMCY")'),
    found: 'pipeline/impossible-condition dose.rego:5:6 contains(input.lane, "PHARMCY")',
  },
  {
    name: "capitals of a text in small letters",
    files: condition('lower(input.role) == "NURSE"'),
    found: 'pipeline/impossible-condition dose.rego:5:2 lower(input.role) == "NURSE"',
    help: '`lower` gives "nurse"',
  },
  {
    name: "small letters of a role that is not there",
    files: condition('lower(input.role) == "nurs"'),
    found: 'pipeline/impossible-condition dose.rego:5:2 lower(input.role) == "nurs"',
  },
  {
    name: "unequal to some, which was to be unequal to all",
    files: condition('some role in ["NURSE", "PHYSICIAN"]\n\tinput.role != role'),
    found: "bugs/not-equals-in-loop dose.rego:6:2 input.role != role",
    help: "write `not input.role in …`",
  },
  {
    name: "an order that null is in too",
    files: condition("input.scope.weight <= 4"),
    found: "pipeline/unproven-order dose.rego:5:2 input.scope.weight <= 4",
    help: "write `is_number(input.scope.weight)` beside it, in the same rule",
  },
  {
    name: "an order of lists whose elements null is in too",
    files: condition("[input.scope.weight, 1] <= [4, 0]"),
    found: "pipeline/unproven-order dose.rego:5:2 [input.scope.weight, 1] <= [4, 0]",
    help: "test each element with `is_number` or the like, in the same rule",
  },
  {
    name: "an order of objects, one in a local",
    files: condition('dose := {"weight": input.scope.weight}\n\tdose < {"weight": 4}'),
    found: 'pipeline/unproven-order dose.rego:6:2 dose < {"weight": 4}',
  },
  {
    name: "an order of lists in lists",
    files: condition("[[input.scope.weight]] <= [[4]]"),
    found: "pipeline/unproven-order dose.rego:5:2 [[input.scope.weight]] <= [[4]]",
  },
  {
    name: "an order of lists, one of texts",
    files: condition('is_number(input.scope.weight)\n\t[input.scope.weight] <= ["4"]'),
    found: 'pipeline/unproven-order dose.rego:6:2 [input.scope.weight] <= ["4"]',
  },
  {
    name: "an order of a version's parts that are not known to be numbers",
    files: condition("[part | some part in input.scope.version] >= [1, 2]"),
    found: "pipeline/unproven-order dose.rego:5:2 [part | some part in input.scope.version] >= [1, 2]",
  },
  {
    name: "bounds that leave no number",
    files: condition("input.scope.amount > 10\n\tinput.scope.amount < 5"),
    found: "pipeline/impossible-condition dose.rego:6:2 input.scope.amount < 5",
  },
  {
    name: "bounds that leave no number, the second the other way round",
    files: condition("input.scope.amount >= 10\n\t10 > input.scope.amount"),
    found: "pipeline/impossible-condition dose.rego:6:2 10 > input.scope.amount",
  },
  {
    name: "a role that is to be one and not to be it",
    files: condition('input.role == "NURSE"\n\tinput.role != "NURSE"'),
    found: 'pipeline/impossible-condition dose.rego:6:2 input.role != "NURSE"',
  },
  {
    name: "a role that is not to be one and to be it",
    files: condition('not input.role == "NURSE"\n\tinput.role == "NURSE"'),
    found: 'pipeline/impossible-condition dose.rego:6:2 input.role == "NURSE"',
  },
];

/** Rules that look alike and say what they mean. */
export const RIGHT_LOGIC: readonly Mistake["files"][] = [
  condition('input.role in {"NURSE", "PHYSICIAN"}'),
  condition('startswith(input.tool, "dose.")'),
  condition('lower(input.role) == "nurse"'),
  condition('some role in ["NURSE", "PHYSICIAN"]\n\tinput.role != role\n\tinput.scope[role]'),
  condition('every role in ["NURSE", "PHYSICIAN"] { input.role != role }'),
  condition('input.scope.a == "x"\n\tnot input.scope.a == "y"'),
  condition("input.scope.weight == 4\n\tinput.scope.weight == 4.0"),
  condition("input.scope.amount > 5\n\tinput.scope.amount < 10\n\tis_number(input.scope.amount)"),
  condition("input.scope.amount >= 5\n\tinput.scope.amount <= 5\n\tis_number(input.scope.amount)"),
  condition("input.scope.amount > 10\n\tnot input.scope.amount < 5\n\tis_number(input.scope.amount)"),
  condition('input.role != "NURSE"\n\tinput.role == "PHYSICIAN"'),
  condition('startswith(input.scope.note, "dose.")'),
  condition('regex.match("^dose[.]", input.tool)'),
  condition('regex.match("(?i)^DOSE", input.tool)'),
  // RE2 reads these otherwise than JavaScript does.
  condition("regex.match(`^[]d]ose`, input.tool)"),
  condition("regex.match(`^[^]x]ose`, input.tool)"),
  condition("regex.match(`\\x{64}ose`, input.tool)"),
  condition("regex.match(`^*dose`, input.tool)"),
  condition("regex.match(`d\\Qose\\E`, input.tool)"),
  condition('input.scope.day > "2026-01-01"\n\tis_string(input.scope.day)'),
  condition("is_number(input.scope.weight)\n\tinput.scope.weight <= 4"),
  condition("is_number(input.scope.weight)\n\t[input.scope.weight, 1] <= [4, 0]"),
  condition('[to_number(part) | some part in split(input.scope.version, ".")] >= [1, 2]'),
  condition("[part | some part in input.scope.version; is_number(part)] >= [1, 2]"),
  condition("is_number(input.scope.at)\n\ttime.date(input.scope.at) >= [2026, 1, 1]"),
  condition("{part | some part in input.scope.version; is_string(part)} > set()"),
];

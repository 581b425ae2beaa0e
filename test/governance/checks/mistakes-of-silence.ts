/** Denials that are silent for a request which they were meant for, and look-ups that find nothing; and the one finding on each. */

import { deny, HANDOFF, LANES, type Mistake, swap } from "./hospital.ts";

/** Another condition where the role is asked for. */
const condition = (text: string): Mistake["files"] => deny('not input.role == "PHYSICIAN"', text);
const call = (condition: string): Mistake["files"] => ({
  "call.rego": `package portcullis.ext.call\n\ndeny contains {"gate": "CALL", "reason": "no"} if {\n\t${condition}\n}\n`,
});
const answer = (reason: string, condition: string): Mistake["files"] => ({
  "call.rego": `package portcullis.ext.call\n\ndeny contains {"gate": "CALL", ${reason}} if {\n\t${condition}\n}\n`,
});
const must = (body: string): Mistake["files"] => ({
  "call.rego": `package portcullis.ext.call\n\nmust contains "CALL" if {\n\t${body}\n}\n`,
});
const data = (text: string, more: Mistake["files"]): Mistake["files"] => ({
  ...more,
  "hospital/data.yaml": `limit: 10\n${text}`,
});
const handoff = (condition: string): Mistake["files"] => ({
  "handoff.yaml": `${HANDOFF}agents: { master: [desk], sub: [clerk] }\n`,
  "handoff.rego": `package portcullis.ext.handoff\n\ndeny contains {"gate": "H", "reason": "no"} if {\n\t${condition}\n}\n`,
});
const writing = (condition: string): Mistake["files"] => ({
  ...call(condition),
  "lanes.yaml": swap(
    LANES,
    "tools: [chart.read, dose.request]",
    "tools: [chart.read, dose.request], writes: [{ table: charts, mode: append }]",
  ),
});
const SCOPE = "scope: { requires: [patient_id] }";
const scoped = (condition: string): Mistake["files"] => ({
  ...deny('not input.role == "PHYSICIAN"', condition),
  "lanes.yaml": swap(LANES, "allowed_actions:", `${SCOPE}\n    allowed_actions:`),
});

export const MISTAKES_OF_SILENCE: readonly Mistake[] = [
  // Absent members
  {
    name: "a beginning that an absent text has not",
    files: condition('not startswith(input.args.ward, "A")'),
    found: 'pipeline/silent-denial dose.rego:5:2 not startswith(input.args.ward, "A")',
  },
  {
    name: "one of several that an absent member is not",
    files: condition('not input.args.ward in {"A", "B"}'),
    found: 'pipeline/silent-denial dose.rego:5:2 not input.args.ward in {"A", "B"}',
  },
  {
    name: "a member that is not to be another value",
    files: condition('input.args.ward != "A"'),
    found: 'pipeline/silent-denial dose.rego:5:2 input.args.ward != "A"',
  },
  {
    name: "a type that an absent member has not",
    files: condition("not is_number(input.args.ward)"),
    found: "pipeline/silent-denial dose.rego:5:2 not is_number(input.args.ward)",
  },
  {
    name: "a part of a text in small letters that is absent",
    files: condition('not contains(lower(input.args.ward), "a")'),
    found: 'pipeline/silent-denial dose.rego:5:2 not contains(lower(input.args.ward), "a")',
  },
  {
    name: "a beginning that an absent text is not to have",
    files: condition('startswith(input.args.ward, "A") == false'),
    found: 'pipeline/silent-denial dose.rego:5:2 startswith(input.args.ward, "A") == false',
  },
  ...["count(input.flags) == 0", "0 == count(input.flags)", "count(input.flags) < 1", "0 >= count(input.flags)"].map(
    (text) => ({
      name: `a list that is absent, and has no length: ${text}`,
      files: call(text),
      found: `pipeline/silent-denial call.rego:4:2 ${text}`,
    }),
  ),
  {
    name: "a list of values of which one is absent",
    files: condition('[input.lane, input.args.ward] != ["A", "B"]'),
    found: 'pipeline/silent-denial dose.rego:5:2 [input.lane, input.args.ward] != ["A", "B"]',
  },
  {
    name: "a set that lacks what is absent",
    files: condition('not {input.args.ward} == {"A"}'),
    found: 'pipeline/silent-denial dose.rego:5:2 not {input.args.ward} == {"A"}',
  },
  {
    name: "an object of which a member is absent",
    files: condition('{"at": input.args.ward} != {"at": "A"}'),
    found: 'pipeline/silent-denial dose.rego:5:2 {"at": input.args.ward} != {"at": "A"}',
  },
  {
    name: "a text that is made of what is absent",
    files: condition('sprintf("%v", [input.args.ward]) != "A"'),
    found: 'pipeline/silent-denial dose.rego:5:2 sprintf("%v", [input.args.ward]) != "A"',
  },
  {
    name: "what a builtin gives for an absent member, and is not to be",
    files: condition('not type_name(input.args.ward) == "string"'),
    found: 'pipeline/silent-denial dose.rego:5:2 not type_name(input.args.ward) == "string"',
  },
  {
    name: "an absent member in a variable that is not to have a value",
    files: condition('ward := input.args.ward\n\tnot ward == "A"'),
    found: 'pipeline/silent-denial dose.rego:6:2 not ward == "A"',
  },
  {
    name: "elements of an absent list that all differ",
    files: call('every flag in input.flags {\n\t\tflag != "checked"\n\t}'),
    found: "pipeline/silent-denial call.rego:4:2 every flag in input.flags {",
  },
  {
    name: "a function of the author's that gets what is absent",
    files: {
      ...condition("not data.ward.open(input.args.ward)"),
      "ward.rego": 'package ward\n\nopen(w) if w == "A"\n',
    },
    found: "pipeline/silent-denial dose.rego:5:2 not data.ward.open(input.args.ward)",
  },
  {
    name: "an absent member by way of a variable",
    files: condition('ward := input.args.ward\n\tward != "A"'),
    found: 'pipeline/silent-denial dose.rego:6:2 ward != "A"',
  },
  {
    name: "an approver who is to be somebody else than an absent one",
    files: call("input.approval.by != input.role"),
    found: "pipeline/silent-denial call.rego:4:2 input.approval.by != input.role",
  },
  // Absent members that only the answer reads
  {
    name: "an answer with a text of the request that may be absent",
    files: answer('"reason": input.args.why', 'input.tool == "dose.request"'),
    found: "pipeline/silent-denial call.rego:3:42 input.args.why",
    help: "leave it out of the answer, or read it by `object.get`, with a value for where it is absent",
  },
  {
    name: "an answer made of a member that may be absent",
    files: answer('"reason": sprintf("%v mg", [input.args.mg])', 'input.tool == "dose.request"\n\tnot input.args.ward'),
    found: "pipeline/silent-denial call.rego:3:60 input.args.mg",
  },
  // Values without a result
  {
    name: "a number that is read from a text",
    files: condition("to_number(input.args.weight) > 100"),
    found: "policy/deny-silent dose.rego:5:2 to_number(input.args.weight) > 100",
  },
  {
    name: "a product of what may be no number",
    files: condition("input.args.weight * 2 > 100"),
    found: "policy/deny-silent dose.rego:5:2 input.args.weight * 2 > 100",
  },
  {
    name: "a number of elements of what may be a number itself",
    files: condition("count(input.args.wards) > 3"),
    found: "policy/deny-silent dose.rego:5:2 count(input.args.wards) > 3",
  },
  {
    name: "small letters of what may be no text",
    files: condition('lower(input.args.ward) == "a"'),
    found: 'policy/deny-silent dose.rego:5:2 lower(input.args.ward) == "a"',
  },
  {
    name: "a time that may not be readable",
    files: condition("time.parse_rfc3339_ns(input.args.at) > 0"),
    found: "policy/deny-silent dose.rego:5:2 time.parse_rfc3339_ns(input.args.at) > 0",
  },
  {
    name: "a quotient by what may be nought",
    files: condition("100 / input.args.days > 5"),
    found: "policy/deny-silent dose.rego:5:2 100 / input.args.days > 5",
  },
  {
    name: "a time in a form that is written out",
    files: condition('time.parse_ns("2006-01-02", input.args.at) > 0'),
    found: 'policy/deny-silent dose.rego:5:2 time.parse_ns("2006-01-02", input.args.at) > 0',
  },
  {
    name: "a text from a place that may be before its beginning",
    files: condition('substring(input.tool, input.args.from, -1) == "read"'),
    found: 'policy/deny-silent dose.rego:5:2 substring(input.tool, input.args.from, -1) == "read"',
  },
  {
    name: "an escaped text that may not be one",
    files: condition('urlquery.decode(input.tool) == "a b"'),
    found: 'policy/deny-silent dose.rego:5:2 urlquery.decode(input.tool) == "a b"',
  },
  {
    name: "a sum of what may be no numbers",
    files: condition("is_array(input.args.doses)\n\tsum(input.args.doses) > 100"),
    found: "policy/deny-silent dose.rego:6:2 sum(input.args.doses) > 100",
  },
  {
    name: "texts of which one may be none",
    files: condition('is_array(input.args.words)\n\tconcat(" ", input.args.words) == "a b"'),
    found: 'policy/deny-silent dose.rego:6:2 concat(" ", input.args.words) == "a b"',
  },
  // Orders
  {
    name: "a text in one row of a table of limits",
    files: data(
      "limits: { PHYSICIAN: 5, NURSE: 25_000 }\n",
      deny("data.hospital.limit", "data.hospital.limits[input.role]"),
    ),
    found: "sources/text-to-others hospital/data.yaml:2:32 25_000",
    help: "write the number: `25000`, or quote the text",
  },
  {
    name: "a text in a table that two rules read",
    files: data("limits: { PHYSICIAN: 5, NURSE: 25_000 }\n", {
      ...deny("data.hospital.limit", "data.hospital.limits[input.role]"),
      ...call("is_number(input.args.a)\n\tinput.args.a > data.hospital.limits[input.role]"),
    }),
    found: "sources/text-to-others hospital/data.yaml:2:32 25_000",
  },
  {
    name: "a type that another rule asks",
    files: {
      ...condition("data.ward.heavy"),
      "ward.rego": "package ward\n\nheavy if input.args.weight > 4\n\nnumber if is_number(input.args.weight)\n",
    },
    found: "pipeline/unproven-order ward.rego:3:10 input.args.weight > 4",
    help: "write `is_number(input.args.weight)` beside it, in the same rule",
  },
  {
    name: "an order of a requirement that null meets",
    files: must("input.args.weight <= 4"),
    found: "pipeline/unproven-order call.rego:4:2 input.args.weight <= 4",
  },
  {
    name: "an order within a loop",
    files: must("every weight in input.args.weights {\n\t\tweight <= 4\n\t}"),
    found: "pipeline/unproven-order call.rego:5:3 weight <= 4",
  },
  {
    name: "an order that is negated",
    files: must("not input.args.weight > 4"),
    found: "pipeline/unproven-order call.rego:4:6 input.args.weight > 4",
  },
  {
    name: "an order of two members",
    files: must("input.args.from < input.args.to"),
    found: "pipeline/unproven-order call.rego:4:2 input.args.from < input.args.to",
    help: "write `is_number(input.args.from)` and `is_number(input.args.to)` beside it, in the same rule",
  },
  {
    name: "a number against a text by order",
    files: must("is_string(input.args.day)\n\tinput.args.day < 5"),
    found: "pipeline/unproven-order call.rego:5:2 input.args.day < 5",
    help: "compare values of one type",
  },
  // Look-ups
  {
    name: "in over a number",
    files: condition("input.args.ward in data.hospital.limit"),
    found: "pipeline/in-no-collection dose.rego:5:2 input.args.ward in data.hospital.limit",
  },
  {
    name: "in over a text of data",
    files: data("open: chart.read\n", condition("input.tool in data.hospital.open")),
    found: "pipeline/in-no-collection dose.rego:5:2 input.tool in data.hospital.open",
  },
  {
    name: "a key in a list",
    files: data("limits: [5, 6]\n", deny("data.hospital.limit", "data.hospital.limits[input.role]")),
    found: "pipeline/key-in-list dose.rego:6:23 data.hospital.limits[input.role]",
  },
  {
    name: "a written key in a list",
    files: data("limits: [5, 6]\n", condition("data.hospital.limits.NURSE == 5")),
    found: "pipeline/key-in-list dose.rego:5:2 data.hospital.limits.NURSE",
  },
  {
    name: "the last element by -1",
    files: call('input.lineage[-1].agent_type == "desk"'),
    found: "pipeline/negative-index call.rego:4:16 -1",
    help: "write `[count(input.lineage) - 1]` for the last element",
  },
  {
    name: "object.get of a member that no request has",
    files: condition('object.get(input, "rol", "") == "NURSE"'),
    found: 'pipeline/unknown-input dose.rego:5:20 "rol"',
    help: "did you mean `role`?",
  },
  {
    name: "object.get of data that there is not",
    files: condition('object.get(data.hospital, "limt", 0) == 3'),
    found: 'pipeline/undefined-data dose.rego:5:28 "limt"',
    help: "did you mean `limit`?",
  },
  // Ids
  {
    name: "an agent as the approver",
    files: call('input.approval.by == "NURSE"'),
    found: 'pipeline/approver-is-agent call.rego:4:23 "NURSE"',
  },
  {
    name: "a depth as a text",
    files: call('input.lineage[_].spawn_depth == "1"'),
    found: 'pipeline/differing-types call.rego:4:2 input.lineage[_].spawn_depth == "1"',
  },
  {
    name: "a table that no lane writes",
    files: writing('input.writes[_].table == "chrats"'),
    found: 'pipeline/impossible-comparison call.rego:4:27 "chrats"',
    help: "did you mean `charts`?",
  },
  {
    name: "the beginning of a table that no lane writes",
    files: writing('startswith(input.writes[_].table, "chrat")'),
    found: 'pipeline/impossible-condition call.rego:4:2 startswith(input.writes[_].table, "chrat")',
  },
  {
    name: "an agent that hands over, misspelt",
    files: handoff('input.record.from_agent == "clrek"'),
    found: 'pipeline/impossible-comparison handoff.rego:4:29 "clrek"',
    help: "did you mean `clerk`?",
  },
  {
    name: "a misspelt key of the scope that lanes require",
    files: scoped('input.scope.patiend_id == "p-1"'),
    found: "pipeline/misspelt-scope-key dose.rego:5:14 patiend_id",
    help: "did you mean `patient_id`?",
  },
  {
    name: "object.get of a misspelt key of the scope",
    files: scoped('is_object(input.scope)\n\tobject.get(input.scope, "patiend_id", "") == "p-1"'),
    found: 'pipeline/misspelt-scope-key dose.rego:6:26 "patiend_id"',
    help: "did you mean `patient_id`?",
  },
  {
    name: "object.get of a misspelt key by its path",
    files: scoped('object.get(input, ["scope", "patiend_id"], "") == "p-1"'),
    found: 'pipeline/misspelt-scope-key dose.rego:5:30 "patiend_id"',
    help: "did you mean `patient_id`?",
  },
  {
    name: "a misspelt key of the scope by way of a variable",
    files: scoped('key := "patiend_id"\n\tinput.scope[key] == "p-1"'),
    found: 'pipeline/misspelt-scope-key dose.rego:5:9 "patiend_id"',
    help: "did you mean `patient_id`?",
  },
];

/** Denials that say what they mean of every request. */
export const RIGHT_SILENCE: readonly Mistake["files"][] = [
  condition('not startswith(input.tool, "chart.")'),
  condition('input.role != "PHYSICIAN"'),
  condition('is_string(input.args.ward)\n\tnot startswith(input.args.ward, "A")'),
  condition('input.args.ward\n\tinput.args.ward != "A"'),
  condition("not input.args.ward"),
  condition('not input.args.ward == "A"'),
  condition('is_string(input.args.ward)\n\tnot lower(input.args.ward) == "a"\n\t[input.args.ward] != ["B"]'),
  condition("input.args.checked == false"),
  condition('ward := object.get(input, ["args", "ward"], "")\n\tnot ward == "A"'),
  condition('{ward | ward := input.args.ward} != {"A"}'),
  call('is_array(input.flags)\n\tevery flag in input.flags {\n\t\tflag != "checked"\n\t}'),
  condition('startswith(input.args.ward, "A")'),
  condition('is_string(input.args.ward)\n\tlower(input.args.ward) == "a"'),
  condition("is_array(input.args.wards)\n\tcount(input.args.wards) > 3"),
  call("count(input.lineage) > 3"),
  call("is_array(input.flags)\n\tcount(input.flags) == 0"),
  call("not input.flags\n\tcount(input.tool) == 0"),
  writing('some write in input.writes\n\tnot startswith(write.table, "charts")'),
  writing('input.writes[_].table == "charts"'),
  call("input.lineage[_].spawn_depth > 3"),
  call('input.lineage[count(input.lineage) - 1].agent_type == "desk"'),
  call('input.approval.by == "ada"'),
  answer('"reason": sprintf("%s mg", [input.args.mg])', "input.args.mg == 4"),
  answer('"reason": sprintf("%s mg", [input.args.mg])', "mg := input.args.mg\n\tmg.much == 4"),
  answer('"reason": sprintf("%s in %s", [input.tool, input.lane])', 'input.role == "NURSE"'),
  answer('"reason": sprintf("%v", [object.get(input, ["args", "mg"], 0)])', 'input.tool == "dose.request"'),
  must("is_number(input.args.weight)\n\tinput.args.weight <= 4"),
  must('is_string(input.args.day)\n\tinput.args.day < "2026-01-01"'),
  must("every weight in input.args.weights {\n\t\tis_number(weight)\n\t\tweight <= 4\n\t}"),
  must("weight := input.args.weight\n\tis_number(weight)\n\tinput.args.weight <= 4"),
  must("to_number(input.args.weight) <= 4"),
  must("count(input.args.wards) <= 4"),
  must('input.args.ward != "A"'),
  must("[hour, _, _] := time.clock(time.parse_rfc3339_ns(input.args.at))\n\thour < data.hospital.limit"),
  must("weights := {3, 4}\n\tinput.args.weight in weights\n\tinput.args.weight <= 4"),
  must('type_name(input.args.weight) == "number"\n\tinput.args.weight <= 4'),
  data(
    "limits: { PHYSICIAN: 5, NURSE: 6 }\n",
    must("is_number(input.args.a)\n\tinput.args.a <= data.hospital.limits[input.role]"),
  ),
  data("open: [chart.read]\n", condition("input.tool in data.hospital.open")),
  handoff('input.record.from_agent == "clerk"'),
  scoped('input.scope.patient_id == "p-1"'),
  scoped('object.get(input, ["scope", "patient_id"], "") == "p-1"'),
  scoped('input.scope.ward == "A"'),
];

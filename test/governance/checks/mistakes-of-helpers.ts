/**
 * Denials that are silent because a rule that they ask is, requirements that are met because of one, and denials of what is empty or few
 * that say nothing of what is absent.
 */

import type { Mistake } from "./hospital.ts";

const call = (condition: string): Mistake["files"] => ({
  "call.rego": `package portcullis.ext.call\n\ndeny contains {"gate": "CALL", "reason": "no"} if {\n\t${condition}\n}\n`,
});
const must = (condition: string): Mistake["files"] => ({
  "call.rego": `package portcullis.ext.call\n\nmust contains "CALL" if {\n\t${condition}\n}\n`,
});
const helped = (files: Mistake["files"], helper: string): Mistake["files"] => ({
  ...files,
  "house.rego": `package house\n\n${helper}\n`,
});
const ITEMS = 'bads contains i if {\n\tsome i in input.args.items\n\ti.kind != "ok"\n}';
const NOT_A = 'input.args.x != "A"';
const bad = (condition: string): string => `bad if ${condition}`;

const HELPERS: readonly (readonly [name: string, asking: Mistake["files"], helper: string, found: string])[] = [
  ["a rule that is silent", call("data.house.bad"), bad(NOT_A), `3:8 ${NOT_A}`],
  ["a rule of a rule", call("data.house.bad"), `${bad("worse")}\n\nworse if ${NOT_A}`, `5:10 ${NOT_A}`],
  ["a rule that two negations ask", call("not data.house.ok"), `ok if not bad\n\n${bad(NOT_A)}`, `5:8 ${NOT_A}`],
  ["a requirement unless a rule holds", must("not data.house.bad"), bad(NOT_A), `3:8 ${NOT_A}`],
  ["a requirement without findings", must("count(data.house.bads) == 0"), ITEMS, '5:2 i.kind != "ok"'],
  ["one of the findings", call("some b in data.house.bads"), ITEMS, '5:2 i.kind != "ok"'],
  ["a number of findings", call("count(data.house.bads) > 0"), ITEMS, '5:2 i.kind != "ok"'],
  ["a function of what is absent", call("data.house.bad(input.args.x)"), 'bad(x) if x != "A"', '3:11 x != "A"'],
  [
    "a function of an element",
    call("some i in input.args.items\n\tdata.house.bad(i)"),
    'bad(x) if x.kind != "A"',
    '3:11 x.kind != "A"',
  ],
  [
    "a rule that is false",
    call("data.house.safe == false"),
    `default safe := true\n\nsafe := false if ${NOT_A}`,
    `5:18 ${NOT_A}`,
  ],
  ["an else", call("data.house.bad"), `bad := false if input.args.free else if ${NOT_A}`, `3:41 ${NOT_A}`],
];

const OWN: readonly (readonly [name: string, files: Mistake["files"], found: string])[] = [
  [
    "a value of a rule that has none",
    helped(call('data.house.x != "a"'), "x := lower(input.args.x)"),
    '4:2 data.house.x != "a"',
  ],
  ["few of what a rule counts", helped(call("data.house.n < 2"), "n := count(input.args.x)"), "4:2 data.house.n < 2"],
  [
    "a condition within a comprehension",
    call('count([1 | some i in input.args.items; i.kind != "ok"]) > 0'),
    '4:41 i.kind != "ok"',
  ],
  [
    "a condition of every element",
    call('is_array(input.args.items)\n\tevery i in input.args.items {\n\t\ti.kind != "a"\n\t}'),
    '6:3 i.kind != "a"',
  ],
  ...[
    'input.lineage[0].agent_type != "desk"',
    'not startswith(input.writes[0].table, "do")',
    'input.flags[0] != "x"',
    'input.lineage[count(input.lineage) - 1].agent_type != "desk"',
  ].map((text) => [`an element that need not be there: ${text}`, call(text), `4:2 ${text}`] as const),
  [
    "an element of a local",
    call('n := count(input.lineage) - 1\n\tlast := input.lineage[n]\n\tlast.agent_type != "desk"'),
    '6:2 last.agent_type != "desk"',
  ],
  ...[
    "count(input.args.x) < 2",
    "2 > count(input.args.x)",
    "count(input.args.x) <= data.hospital.limit",
    "count(input.args.x) - 1 < 2",
    "input.args.x == []",
    "input.args.x == {}",
    'input.args.x == ""',
    'trim_space(input.args.x) == ""',
    'input.args.x in {"", "none"}',
    "regex.match(`^ *$`, input.args.x)",
  ].map((text) => [`little of what is absent: ${text}`, call(text), `4:2 ${text}`] as const),
];

/** Functions that each ask the next of three parts: as many places as 3 to the number of functions, which no check has time for. */
function ofParts(functions: number): string {
  const each = Array.from({ length: functions }, (_, i) =>
    ["a", "b", "c"].map((part) => `bad_${i}(x) if bad_${i + 1}(x.${part})`).join("\n\n"),
  );
  return [...each, `bad_${functions}(x) if x != "A"`].join("\n\n");
}

export const MISTAKES_OF_HELPERS: readonly Mistake[] = [
  {
    name: "silent, perhaps: more rules than a check looks at",
    files: helped(call("data.house.bad_0(input.args)"), ofParts(200)),
    found: "policy/silence-unknown call.rego:3:1 deny",
  },
  ...HELPERS.map(([name, asking, helper, found]) => ({
    name: `silent: ${name}`,
    files: helped(asking, helper),
    found: `pipeline/silent-denial house.rego:${found}`,
  })),
  ...OWN.map(([name, files, found]) => ({
    name: `silent: ${name}`,
    files,
    found: `pipeline/silent-denial call.rego:${found}`,
  })),
];

/** What says what it means of every request. */
export const RIGHT_HELPERS: readonly Mistake["files"][] = [
  helped(call("not data.house.ok"), 'ok if startswith(input.args.x, "A")'),
  helped(call("not data.house.ok"), `ok if ${NOT_A}`),
  helped(call("not data.house.x"), "x := input.args.x"),
  helped(call("data.house.bad"), 'bad if input.args.x == "A"'),
  helped(call("data.house.bad"), `bad if not input.args.x\n\n${bad(NOT_A)}`),
  helped(call("data.house.bad"), 'default bad := true\n\nbad := false if input.args.x == "A"'),
  helped(call('data.house.level == "high"'), `default level := "high"\n\nlevel := "low" if ${NOT_A}`),
  helped(call("count(data.house.bads) < 2"), ITEMS),
  helped(call("is_string(input.args.x)\n\tdata.house.bad(input.args.x)"), 'bad(x) if x != "A"'),
  helped(call("some i in input.args.items\n\tis_string(i.kind)\n\tdata.house.bad(i)"), 'bad(x) if x.kind != "A"'),
  helped(must("data.house.ok"), `ok if ${NOT_A}`),
  helped(must("not data.house.bad"), 'bad if input.args.x == "A"'),
  must('every i in input.args.items {\n\t\ti.kind != "a"\n\t}'),
  call("is_array(input.args.x)\n\tcount(input.args.x) < 2"),
  call('is_string(input.args.x)\n\tinput.args.x == ""'),
  call('count(object.get(input, ["args", "x"], [])) < 2'),
  call("is_array(input.args.x)\n\tcount(input.args.x) > 2"),
  call('some agent in input.lineage\n\tagent.agent_type == "desk"\n\tcount(input.lineage) < 3'),
  call("is_number(input.args.x)\n\tinput.args.x < 5"),
  call('input.args.x in {"a", "b"}'),
  call("input.args.x == input.args.y"),
  call('input.lineage[_].agent_type != "desk"'),
  call('some i\n\tinput.writes[i].table != "doses"'),
  call('some write in input.writes\n\tnot startswith(write.table, "do")'),
  call('count(input.lineage) == 1\n\tinput.lineage[0].agent_type != "desk"'),
  call('count(input.lineage) > 0\n\tinput.lineage[0].agent_type != "desk"'),
  call('is_string(input.lineage[0].agent_type)\n\tinput.lineage[0].agent_type != "desk"'),
  call('startswith("abc", input.args.x)'),
  call('regex.match("^b", input.args.x)'),
];

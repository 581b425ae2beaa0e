/** Partial objects that are asked by key: what is evaluated for it, and which contradictions are met. */

import { load } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import type { Policy } from "../../../compiler/rego/plan/ir.ts";
import { type JsonObject, valueOfJson } from "../../../compiler/rego/value/index.ts";

import { interpret } from "../../interpreter/interpreter.ts";
import { parseJson } from "../../interpreter/term.ts";
import { type Obj, print, toJson } from "../../interpreter/value.ts";
import { compile } from "./compile.ts";

interface Asked {
  /** Compiled in. */
  readonly own?: JsonObject;
  readonly input?: unknown;
  readonly data?: object;
  readonly steps?: number;
}

/** The value of `p`, or the fault. */
async function answer(rules: string, { input, own = {}, data, steps = 50_000 }: Asked): Promise<unknown> {
  const modules = [new SourceFile("t.rego", `package t\n\n${rules}\n`)];
  const { compiled, diagnostics } = await compileModules({ modules, data: valueOfJson(own), entrypoints: ["t/p"] });
  if (compiled === undefined) throw new Error(diagnostics.map((d) => d.message).join("\n"));
  const policy = await load(compiled.wasm, { limits: { steps } });
  if (data !== undefined) policy.setData(data);
  const value = policy.evaluate("t/p", input);
  return policy.lastFault === undefined ? value : policy.lastFault.message;
}

/** The same where whole objects are evaluated, by the reference interpreter. */
function ofWhole(rules: string, input: unknown): unknown {
  const { policy } = compile([`package t\n\n${rules}\n`], { entrypoints: ["t/p"] });
  const documents = { input: parseJson(JSON.stringify(input)), data: parseJson("{}") };
  const [row] = interpret(policy as Policy, "t/p", documents).items();
  const value = (row as Obj | undefined)?.get("result");
  return value === undefined ? undefined : JSON.parse(print(toJson(value)));
}

const ROWS = [
  ["ann", 3],
  ["eve", 1],
  ["eve", 2],
  ["bob", 4],
];
const LIMIT = "limit[u] := l if some [u, l] in input.rows\n";

describe("data that is compiled in", () => {
  const own = { limits: { ann: 3, eve: 1 } };
  const rules = "limit[u] := l if some u, l in data.limits\n";

  it.each([
    ["p := l if l := limit.ann with data.limits as {}", undefined],
    ['p := l if l := limit[input.user] with data.limits as {"ann": 7}', 7],
    ["p := [u | some u in [input.user]; limit[u] with data.limits as {}]", []],
    ["p if not limit[input.user] with data.limits as {}", true],
    ["p := l if l := q with data.limits as {}\nq := [l | some u in [input.user]; l := limit[u]]", []],
    ["p := limit[input.user]", 3],
  ])("is what a `with` says: %s", async (asked, want) => {
    expect(await answer(rules + asked, { own, input: { user: "ann" } })).toEqual(want);
  });
});

describe("one contradictory row", () => {
  it("is met by those who ask for it", async () => {
    const rules = `${LIMIT}p := limit[input.user]`;
    expect(await answer(rules, { input: { user: "ann", rows: ROWS } })).toBe(3);
    expect(await answer(rules, { input: { user: "tom", rows: ROWS } })).toBeUndefined();
    expect(await answer(rules, { input: { user: "eve", rows: ROWS } })).toContain("object insert conflict");
  });

  it("is met in a loop by those who ask for it", async () => {
    const rules = `${LIMIT}p := [limit[u] | some u in input.users]`;
    expect(await answer(rules, { input: { users: ["bob", "tom", "ann"], rows: ROWS } })).toEqual([4, 3]);
    expect(await answer(rules, { input: { users: ["bob", "eve"], rows: ROWS } })).toContain("object insert conflict");
  });

  it("is met in a function that a loop calls by those who ask for it", async () => {
    const rules = `${LIMIT}f(u) := limit[u] + 1 if u != "tom"\np := [f(u) | some u in input.users]`;
    expect(await answer(rules, { input: { users: ["bob", "tom", "ann"], rows: ROWS } })).toEqual([5, 4]);
    expect(await answer(rules, { input: { users: ["eve"], rows: ROWS } })).toContain("object insert conflict");
  });

  it("is met by a question for all", async () => {
    expect(await answer(`${LIMIT}p := count(limit)`, { input: { rows: ROWS } })).toContain("object insert conflict");
    expect(await answer(`${LIMIT}p := [l | some l in limit]`, { input: { rows: ROWS } })).toContain("conflict");
  });

  it("may be one of rules and not of rows", async () => {
    const rules = `role[u] := "reader" if some u in input.readers
role[u] := "writer" if some u in input.writers
p := role[input.user]`;
    const input = { readers: ["ann", "eve"], writers: ["bob", "eve"] };
    expect(await answer(rules, { input: { ...input, user: "bob" } })).toBe("writer");
    expect(await answer(rules, { input: { ...input, user: "eve" } })).toContain("object insert conflict");
  });

  it("may be one of a function that the object's rules call", async () => {
    const rules = `g(u) := 1
g(u) := 2 if u == "eve"
score[u] := g(u) if some u in input.users
p := score[input.user]`;
    expect(await answer(rules, { input: { users: ["ann", "eve"], user: "ann" } })).toBe(1);
    expect(await answer(rules, { input: { users: ["ann", "eve"], user: "eve" } })).toContain("conflict");
  });

  it("may lie in the host's data, and in another's input", async () => {
    const rules = `limit[u] := l if some [u, l] in data.rows
p := [limit[input.user], other] if other := limit[input.user] with data.rows as [["ann", 9], ["bob", 1], ["bob", 2]]`;
    expect(await answer(rules, { input: { user: "ann" }, data: { rows: ROWS } })).toEqual([3, 9]);
    expect(await answer(rules, { input: { user: "bob" }, data: { rows: ROWS } })).toContain("conflict");
  });
});

describe("one contradictory row under two keys", () => {
  const rows = [
    ["ann", "mon", 3],
    ["ann", "tue", 1],
    ["ann", "tue", 2],
    ["bob", "mon", 5],
  ];
  const input = { rows, user: "ann", day: "mon" };
  const heads: readonly (readonly [string, string, string])[] = [
    ["two keys", "v[u][d] := l", "v[input.user][input.day]"],
    ["a word between", "v[u].days[d] := l", "v[input.user].days[input.day]"],
    ["a word behind", "v[u][d].limit := l", "v[input.user][input.day].limit"],
    ["a word before", "v.of[u][d] := l", "v.of[input.user][input.day]"],
    ["a path behind it", 'v[u][d] := {"limit": l}', "v[input.user][input.day].limit"],
  ];

  it.each(heads)("is met by those who ask for it: %s", async (_, head, asked) => {
    const rules = `${head} if some [u, d, l] in input.rows\np := ${asked}`;
    expect(await answer(rules, { input })).toBe(3);
    expect(await answer(rules, { input: { ...input, user: "bob" } })).toBe(5);
    expect(await answer(rules, { input: { ...input, day: "sun" } })).toBeUndefined();
    expect(await answer(rules, { input: { ...input, day: "tue" } })).toContain("object insert conflict");
  });

  it.each(heads)("is met by those who ask for it, where the first key is a word: %s", async (_, head, asked) => {
    const rules = `${head} if some [u, d, l] in input.rows\np := ${asked.replace("input.user", '"ann"')}`;
    expect(await answer(rules, { input })).toBe(3);
    expect(await answer(rules, { input: { ...input, day: "tue" } })).toContain("object insert conflict");
  });

  it("is met by those who ask for all of the first key", async () => {
    const rules = "v[u][d] := l if some [u, d, l] in input.rows\np := count(v[input.user])";
    expect(await answer(rules, { input: { ...input, user: "bob" } })).toBe(1);
    expect(await answer(rules, { input })).toContain("object insert conflict");
  });

  it("is met in a loop by those who ask for it", async () => {
    const rules = "v[u][d] := l if some [u, d, l] in input.rows\np := [v[u][input.day] | some u in input.users]";
    const users = ["ann", "tom", "bob"];
    expect(await answer(rules, { input: { ...input, users } })).toEqual([3, 5]);
    expect(await answer(rules, { input: { ...input, users, day: "tue" } })).toContain("object insert conflict");
  });

  it("is met beside rules of other depths by those who ask for it", async () => {
    const rules = `v[u] := {"sun": 7} if u := input.guest
v[u][d] := l if some [u, d, l] in input.rows
p := v[input.user][input.day]`;
    expect(await answer(rules, { input: { ...input, guest: "tom" } })).toBe(3);
    expect(await answer(rules, { input: { ...input, guest: "tom", user: "tom", day: "sun" } })).toBe(7);
    expect(await answer(rules, { input: { ...input, guest: "tom", day: "tue" } })).toContain("object insert conflict");
    expect(await answer(rules, { input: { ...input, guest: "ann" } })).toContain("object insert conflict");
  });
});

describe("the value of a key", () => {
  const people = Array.from({ length: 3000 }, (_, i) => ({ name: `u${i}`, team: `t${i % 1000}`, cost: i }));

  it("costs what is evaluated for it", async () => {
    const rules = `total[u] := sum([c | some q in input.people; q.name != u; c := q.cost]) if u := input.people[_].name
p := total[input.user]`;
    const all = (2999 * 3000) / 2;
    expect(await answer(rules, { input: { people, user: "u7" } })).toBe(all - 7);
  });

  it("is found by several rules for the price of one", async () => {
    const asked = Array.from({ length: 20 }, (_, i) => `a${i} if total[input.user] > ${i}`).join("\n");
    const sum = Array.from({ length: 20 }, (_, i) => `count([1 | a${i}])`).join(" + ");
    const rules = `total[u] := sum([q.cost | some q in input.people]) if u := input.people[_].name
${asked}
p := ${sum}`;
    expect(await answer(rules, { input: { people, user: "u7" } })).toBe(20);
  });

  it("costs a look-up in a loop", async () => {
    const rules = `team[u] := q.team if {
	some q in input.people
	u := q.name
}
p := count([1 | some q in input.people; team[q.name] == q.team])`;
    expect(await answer(rules, { input: { people } })).toBe(3000);
  });

  it("costs a look-up in a loop, by two keys", async () => {
    const rules = `cost[q.team][q.name] := q.cost if some q in input.people
p := count([1 | some q in input.people; cost[q.team][q.name] == q.cost])`;
    expect(await answer(rules, { input: { people } })).toBe(3000);
  });

  it("is any value, under any key", async () => {
    const rules = `v[k] := x if some k, x in {1: "one", "1": false, null: null, [1, {"a": 2}]: {3}, {4}: {}}
w[[a, b]] := c if some [a, b, c] in input.triples
p := [[v[k], x] |
	some k in [1, "1", null, [1, {"a": 2}], {4}, 2, [1]]
	x := object.get(v, [k], "whole")
] if w[[1, 2]] == 3`;
    const expected = ofWhole(rules, {
      triples: [
        [1, 2, 3],
        [2, 1, 4],
      ],
    });
    expect(expected).toHaveLength(5);
    expect(
      await answer(rules, {
        input: {
          triples: [
            [1, 2, 3],
            [2, 1, 4],
          ],
        },
      }),
    ).toEqual(expected);
  });
});

/** Every shape of head, asked for a key that is known when it is asked. */
const SHAPES: readonly (readonly [string, string])[] = [
  ["sets", `roles[u] contains r if some [u, r] in input.rows\np := roles[input.user]`],
  ["sets, for a member", `roles[u] contains r if some [u, r] in input.rows\np := roles[input.user][3]`],
  ["two keys, asked", `v[u].n[r] := [u, r] if some [u, r] in input.rows\np := v[input.user].n[3]`],
  ["two keys", `v[u].n[r] := [u, r] if some [u, r] in input.rows\np := v[input.user].n`],
  [
    "known keys beside others",
    `v.ann := 3\nv[u] := r if some [u, r] in input.rows\nv.tom := 9 if input.x\np := [v[input.user], v.tom]`,
  ],
  [
    "several depths",
    `v[u].a := 1 if some [u, _] in input.rows\nv[u].b[r] := u if some [u, r] in input.rows\nv.ann.c contains 1\np := v[input.user]`,
  ],
  [
    "a default beside",
    `default v[0].ann := 1\nv[1][u] := r if {\n\tsome [u, r] in input.rows\n\tinput.on\n}\np := [v[1][input.user], v[0].ann]`,
  ],
  [
    "a key that is computed",
    `v[concat("", [u, "!"])] := r if some [u, r] in input.rows\np := v[concat("", [input.user, "!"])]`,
  ],
  ["a path behind it", `v[u] := {"a": [r, {"b": u}]} if some [u, r] in input.rows\np := v[input.user].a[_].b`],
];

it.each(SHAPES)("is the same of %s", async (_, rules) => {
  const rows = [
    ["ann", 3],
    ["bob", 4],
  ];
  for (const user of ["ann", "bob", "tom", null, 3])
    for (const on of [true, undefined]) {
      const asked = { input: { user, rows, x: on, on } };
      expect(await answer(rules, asked), `${user}`).toEqual(ofWhole(rules, asked.input));
    }
});

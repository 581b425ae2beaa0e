/** Comprehension indexes: grouping costs about as many steps as there are things to group, and answers do not depend on them. */

import { load } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";

interface Asked {
  readonly input?: unknown;
  readonly data?: object;
  readonly steps?: number;
  readonly indexed?: boolean;
}

/** The value of `p`, or the fault. */
async function answer(rules: string, { input, data, steps = 50_000, indexed = true }: Asked): Promise<unknown> {
  const modules = [new SourceFile("t.rego", `package t\n\n${rules}\n`)];
  const { compiled, diagnostics } = await compileModules({
    modules,
    entrypoints: ["t/p"],
    ...(indexed ? {} : { indexFrom: Number.POSITIVE_INFINITY }),
  });
  if (compiled === undefined) throw new Error(diagnostics.map((d) => d.message).join("\n"));
  const policy = await load(compiled.wasm, { limits: { steps } });
  if (data !== undefined) policy.setData(data);
  const value = policy.evaluate("t/p", input);
  return policy.lastFault === undefined ? value : policy.lastFault.message;
}

const hosts = (count: number): { hosts: object[] } => ({
  hosts: Array.from({ length: count }, (_, i) => ({ name: `h${i}`, zone: i % 500, rack: `r${i % 7}` })),
});

const GROUPINGS: readonly (readonly [string, string])[] = [
  [
    "a list, by a variable of the loop",
    `by[z] := ns if {
	z := input.hosts[_].zone
	ns := [n | some h in input.hosts; h.zone == z; n := h.name]
}
p := by`,
  ],
  [
    "a set, by a path with an index",
    `by[z] := ns if {
	some i
	z := input.hosts[i].zone
	ns := {input.hosts[j].name | some j; z == input.hosts[j].zone}
}
p := by`,
  ],
  [
    "by two variables at once",
    `p := {[h.zone, h.rack]: count(ns) |
	some h in input.hosts
	z := h.zone
	r := h.rack
	ns := {o.name | some o in input.hosts; o.rack == r; o.zone == z}
}`,
  ],
  [
    "an object, by a variable of the loop",
    `by[z] := racks if {
	z := input.hosts[_].zone
	racks := {h.name: h.rack | some h in input.hosts; h.zone == z}
}
p := by`,
  ],
  [
    "objects of nothing and of what is undefined, where no thing has the key",
    `p := {z: racks |
	some z in numbers.range(490, 510)
	racks := {h.name: [h.rack, r] | some h in input.hosts; h.zone == z; r := h.rack; h.name != "h495"}
}`,
  ],
  [
    "into nothing, where no thing has the key",
    `p := {z: ns |
	some z in numbers.range(490, 510)
	ns := [h.name | some h in input.hosts; h.zone == z]
}`,
  ],
  [
    "by a key that some things lack, and others have in another type",
    `p := {z: ns |
	some z in [1, "1", null, {"a": 1}, [2.0], 3]
	ns := [h.name | some h in input.odd; h.zone == z]
}`,
  ],
];

describe("grouping", () => {
  const input = (count: number) => ({
    ...hosts(count),
    odd: [
      { name: "a" },
      { name: "b", zone: 1 },
      { name: "c", zone: "1" },
      { name: "d", zone: null },
      { name: "e", zone: { a: 1 } },
      { name: "f", zone: [2] },
      { name: "g", zone: 3.0 },
      "text",
    ],
  });

  it.each(GROUPINGS)("%s", async (_, rules) => {
    expect(await answer(rules, { input: input(2000) })).toBeTypeOf("object");
    const few = { input: input(200), steps: 2_000_000 };
    expect(await answer(rules, few)).toEqual(await answer(rules, { ...few, indexed: false }));
  });

  it("takes what stands behind the test, and ends where that fails", async () => {
    const rules = `p := {z: ns |
	some z in [0, 1, 2]
	ns := [m | some h in input.hosts; h.zone == z; h.rack != "r2"; m := upper(h.name)]
}`;
    const asked = { input: hosts(1003) };
    expect(await answer(rules, asked)).toEqual({
      0: ["H0", "H500", "H1000"],
      1: ["H1", "H501", "H1001"],
      2: ["H502", "H1002"],
    });
  });

  it("is of the input that a `with` gives", async () => {
    const rules = `by[z] := ns if {
	some h in input.hosts
	z := h.zone
	ns := {o.name | some o in input.hosts; o.zone == z}
}
p := [by, other, by] if other := by with input.hosts as [{"zone": 7, "name": "x"}]`;
    const own = { 0: ["h0"], 1: ["h1"] };
    expect(await answer(rules, { input: hosts(2) })).toEqual([own, { 7: ["x"] }, own]);
  });

  it("of objects contradicts itself for a key only where this key is asked for", async () => {
    const asking = (zones: string): string => `p := {z: count(racks) |
	some z in ${zones}
	racks := {h.rack: h.name | some h in input.hosts; h.zone == z}
}`;
    // Two hosts of zone 0 are in rack 0, and no two of another.
    const input = {
      hosts: [...hosts(500).hosts, { name: "h500", zone: 0, rack: "r0" }, { name: "h1", zone: 1, rack: "r1" }],
    };
    for (const indexed of [true, false]) {
      expect(await answer(asking("[1, 2, 3]"), { input, indexed })).toEqual({ 1: 1, 2: 1, 3: 1 });
      expect(await answer(asking("[1, 0, 3]"), { input, indexed })).toMatch(/conflict/);
    }
  });

  it("reads the host's data", async () => {
    const rules = `p := {t: ns |
	some t in input.teams
	ns := {u | some u, of in data.people; of.team == t}
}`;
    const people = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`u${i}`, { team: `t${i % 1000}` }]));
    const teams = Array.from({ length: 1000 }, (_, i) => `t${i}`);
    const found = (await answer(rules, { input: { teams }, data: { people } })) as Record<string, string[]>;
    expect(found.t17).toEqual(["u1017", "u17", "u2017"]);
    expect(Object.keys(found)).toHaveLength(1000);
  });
});

describe("there is no index", () => {
  it("where what it would evaluate may end the evaluation", async () => {
    // Nothing asks for zone 2, for which `f` has two values.
    const rules = `f(x) := 1
f(x) := 2 if x == "h2"
p := {z: ns |
	some z in [0, 1]
	ns := [f(h.name) | some h in input.hosts; h.zone == z]
}`;
    expect(await answer(rules, { input: hosts(3) })).toEqual({ 0: [1], 1: [1] });
    const ruled = `limit := 1
limit := 2 if input.bad
p := {z: ns |
	some z in [7]
	ns := [limit | some h in input.hosts; h.zone == z]
}`;
    expect(await answer(ruled, { input: { ...hosts(3), bad: true } })).toEqual({ 7: [] });
  });

  it("where the results use the variable", async () => {
    const rules = `p := [ns |
	some z in [0, 1]
	ns := [sprintf("%v in %v", [h.name, z]) | some h in input.hosts; h.zone == z]
]`;
    expect(await answer(rules, { input: hosts(2) })).toEqual([["h0 in 0"], ["h1 in 1"]]);
  });

  it("where another variable of the loop is used", async () => {
    const rules = `p := {s: ns |
	some s in input.sites
	z := s.zone
	ns := {h.name | some h in s.hosts; h.zone == z}
}`;
    const input = {
      sites: [
        { zone: 1, ...hosts(3) },
        { zone: 0, ...hosts(1) },
      ],
    };
    expect(Object.values((await answer(rules, { input })) as object)).toEqual([["h1"], ["h0"]]);
  });

  it("where the test is not one of equality, or holds where the other does not", async () => {
    const rules = `p := [ns |
	some z in [0, 1, 2]
	ns := [h.name | some h in input.hosts; not h.zone == z]
]`;
    expect(await answer(rules, { input: hosts(2) })).toEqual([["h1"], ["h0"], ["h0", "h1"]]);
  });
});

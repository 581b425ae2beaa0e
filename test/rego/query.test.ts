/** The verb `query`: values, bindings, what is undefined, errors and faults, what is printed, and profiles. */

import { describe, expect, it } from "vitest";
import { query } from "../../compiler/rego/index.ts";

const authz = `package authz

inc(x) := x + 1

high contains x if {
	some x in [3, 1, 2]
	x > 1
}

allow if input.user == data.owner

both := 1 if input.n == 1

both := 2 if input.n == 1
`;
const asked = (text: string, more = {}) =>
  query({ query: text, modules: { "authz.rego": authz }, data: { owner: "ann" }, ...more });
/** Values of expressions and of variables. */
const answers = async (text: string, more = {}): Promise<unknown> =>
  (await asked(text, more)).result?.map(({ bindings, expressions }) => [expressions.map((e) => e.value), bindings]);

describe("query", () => {
  it.each([
    ["data.authz.allow", [[[true], undefined]]],
    ["data.authz.missing", []],
    ["1 == 2", [[[false], undefined]]],
    ["true; false", []],
    ["not false", [[[true], undefined]]],
    [
      "x := [1, 1][_]",
      [
        [[true], { x: 1 }],
        [[true], { x: 1 }],
      ],
    ],
    ["some x in [1, 2]; x > 1", [[[true, true], { x: 2 }]]],
    [
      "data.authz.high[x]",
      [
        [[2], { x: 2 }],
        [[3], { x: 3 }],
      ],
    ],
    ["[1, 2, 3][i] > 2", [[[true], { i: 2 }]]],
    ["some i; [false, 1][i]", [[[1], { i: 1 }]]],
    ["x = 1; y = x + 1", [[[true, true], { x: 1, y: 2 }]]],
    ["count([1, 2], n)", [[[true], { n: 2 }]]],
    ["data.authz.inc(1, n)", [[[true], { n: 2 }]]],
    ["data.authz.inc(1)", [[[2], undefined]]],
    ["{x | x := 1}", [[[[1]], undefined]]],
    ["every x in [1] { x > 0 }", [[[true], undefined]]],
    ['{1: "a"}', [[[{ 1: "a" }], undefined]]],
    ['data.authz.allow with input.user as "eve"', []],
    ["1 / 0", []],
    ["input", [[[{ user: "ann" }], undefined]]],
  ])("answers %s", async (text, expected) => {
    expect(await answers(text, { input: { user: "ann" } })).toEqual(expected);
  });

  it("says what each expression is and where it stands", async () => {
    const { result } = await asked("x := 1;\n  x > 0");
    expect(result?.[0]?.expressions).toEqual([
      { text: "x := 1", location: { row: 1, col: 1 }, value: true },
      { text: "x > 0", location: { row: 2, col: 3 }, value: true },
    ]);
  });

  it("has no input where none is given, and needs no module", async () => {
    expect((await query({ query: "input" })).result).toEqual([]);
    expect((await query({ query: "1 + 1" })).result?.[0]?.expressions[0]?.value).toBe(2);
  });

  it.each([
    ["x", "rego_unsafe_var_error"],
    ["count(1)", "rego_type_error"],
    ["nothing(1)", "rego_type_error"],
    ["x :=", "rego_parse_error"],
    ["", "rego_parse_error"],
    ["input = x; x = input.y; y", "rego_unsafe_var_error"],
  ])("finds the fault of %j", async (text, opa) => {
    const { result, diagnostics, fault } = await asked(text);
    expect([result, fault]).toEqual([undefined, undefined]);
    expect(diagnostics.map((d) => d.opa)).toContain(opa);
    expect(diagnostics[0]?.span?.file.name).toBe("query");
  });

  it.each([
    ["a value at its path", { owner: "ann", authz: { allow: 1 } }, "allow"],
    ["a text above its path", { owner: "ann", authz: "none" }, "allow"],
    ["a list above its path", { owner: "ann", authz: [1] }, "allow"],
  ])("refuses a rule with %s in data", async (_what, data, rule) => {
    const { result, diagnostics } = await asked("data.authz.allow", { data });
    expect(result).toBeUndefined();
    expect(diagnostics.map((d) => d.message)).toContain(`conflicting rule for data path authz/${rule} found`);
  });

  it("takes data beside a rule", async () => {
    expect((await asked("data.authz.high", { data: { owner: 1, authz: { low: 1 } } })).diagnostics).toEqual([]);
  });

  it("tells an evaluation that failed from one that is undefined", async () => {
    const { result, fault } = await asked("data.authz.both", { input: { n: 1 } });
    expect(result).toBeUndefined();
    expect(fault).toMatchObject({ code: "conflict" });
  });

  it("hears what is printed", async () => {
    expect((await asked('print("n is", 1)')).printed).toEqual(["n is 1"]);
  });

  it("hears what is printed inside of what is printed", async () => {
    const { printed } = await asked("print([x | x := 1; print(x); every y in [2] { print(y) }])");
    expect(printed).toEqual(["1", "2", "[1]"]);
  });

  it.each(["not print(1)", "print(1) with input as data.none"])("prints, and holds: %s", async (text) => {
    const { result, printed } = await asked(text);
    expect(printed).toEqual(["1"]);
    expect(result).toHaveLength(1);
  });

  it("counts how often each expression was evaluated, and answers the same", async () => {
    const text = "data.authz.high[x]; n := data.authz.inc(x)";
    const plain = await asked(text);
    const { result, profile } = await asked(text, { profile: true });
    expect(plain.profile).toBeUndefined();
    expect(result).toEqual(plain.result);
    const counts = Object.fromEntries((profile ?? []).map((p) => [p.text, p.num_eval]));
    expect(counts).toEqual({
      "data.authz.high[x]": 1,
      "n := data.authz.inc(x)": 2,
      "some x in [3, 1, 2]": 1,
      "x > 1": 3,
    });
    expect(profile?.find((p) => p.text === "x > 1")?.location).toEqual({ file: "authz.rego", row: 7, col: 2 });
    for (const { total_time_ns } of profile ?? []) expect(total_time_ns).toBeGreaterThanOrEqual(0);
  });

  it("refuses options that there are not", async () => {
    await expect(query({ query: "1", profil: true } as never)).rejects.toThrow(TypeError);
    await expect(query({} as never)).rejects.toThrow(TypeError);
  });
});

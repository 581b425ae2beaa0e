/** Why tests fail: the expression that OPA names too, and the values that it read. */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type FailureCause, type TestReport, test } from "../../../compiler/rego/index.ts";
import { opa } from "../syntax/oracle.ts";

const folder = fileURLToPath(new URL(".", import.meta.url));
const NAMES = ["failing.rego", "failing_test.rego"];

function failing(): Promise<TestReport> {
  return test({ modules: Object.fromEntries(NAMES.map((name) => [name, readFileSync(folder + name, "utf8")])) });
}

function causesIn({ results }: TestReport): Map<string, FailureCause | undefined> {
  return new Map(
    results.flatMap(({ name, cause, cases }) => {
      const short = name.split(".").at(-1) as string;
      const inner = (cases ?? []).filter((c) => c.outcome === "fail");
      return [[short, cause ?? inner[0]?.cause] as const];
    }),
  );
}

describe("the cause of a failure", () => {
  it("is there for every test that fails, with what it read", async () => {
    const report = await failing();
    expect(report.diagnostics).toEqual([]);
    const told = [...causesIn(report)].map(([name, cause]) => {
      const values = (cause?.values ?? []).map((v) => `${v.name}: ${v.value}`);
      return [name, `${cause?.location.split(":")[1]} ${cause?.expression}`, ...values];
    });
    expect(told).toEqual([
      ["test_let", "10 y == 7", "y: 6"],
      ["test_not", "15 not failing.allow with input.n as x", "x: 3"],
      ["test_not_value", "18 not failing.p"],
      ["test_every", "24 z < 4", "z: 6"],
      ["test_every_key", "31 v < 5", "v: 7"],
      ["test_some", "37 x > i + 3", "i + 3: 5", "i: 2", "x: 3"],
      ["test_some_none", "41 some x in []"],
      [
        "test_comparison",
        "45 count(xs) == count([y | y := xs[_]; y > 1]) + 2",
        ...["xs: [1, 2, 3]", "count(xs): 3", "[y | y := xs[_]; y > 1]: [2, 3]"],
        ...["count([y | y := xs[_]; y > 1]): 2", "count([y | y := xs[_]; y > 1]) + 2: 4"],
      ],
      ["test_call", "47 failing.inc(3) == failing.inc(4)", "failing.inc(3): 4", "failing.inc(4): 5"],
      ["test_bool_call", '49 startswith("abc", "b")', 'startswith("abc", "b"): false'],
      ["test_own_function", "51 failing.is_small(12)", "failing.is_small(12): undefined"],
      ["test_undefined", "55 failing.missing[a] == 2", "a: 1", "failing.missing[a]: undefined"],
      ["test_false", '58 failing.allow with input as {"n": 1}', "failing.allow: undefined"],
      ["test_else", "64 x == 8", "x: 7"],
      ["test_in", "67 5 in xs", "xs: [1, 2, 3]"],
      ["test_in_object", '69 "v", 1 in {"v": 2}'],
      ["test_ref", '71 input.a.b == 1 with input as {"a": {"b": 2}}', "input.a.b: 2"],
      ["test_unequal", "73 xs[0] != 1", "xs[0]: 1"],
      ["test_case", "77 n < 2", "n: 2"],
      ["test_two_refs", "80 failing.p == failing.q", "failing.p: 1", "failing.q: 2"],
      ["test_several", "85 x == 2", "x: 3"],
      ["test_object", '89 {"a": failing.p} == {"a": 2}', "failing.p: 1"],
      ["test_var_false", "93 x", "x: false"],
      ["test_unify", "98 a == b", "a: 1", "b: 2"],
      ["test_set", "101 {1, 2} == {x | some x in xs}", "{x | some x in xs}: {1, 2, 3}"],
      [
        "test_nested_call",
        '103 upper(concat("-", ["a", "b"])) == "A_B"',
        'concat("-", ["a", "b"]): "a-b"',
        'upper(concat("-", ["a", "b"])): "A-B"',
      ],
      ["test_iteration", "107 i == 0", "i: 2"],
      ["test_with_function", "110 failing.calls == 3 with failing.inc as 2", "failing.calls: 2"],
      ["test_partial", '114 "zoe" in found', 'found: {"ann", "bob"}'],
      ["test_is", "117 is_string(failing.p)", "failing.p: 1", "is_string(failing.p): false"],
      [
        "test_arithmetic",
        "119 failing.p + failing.q == failing.p * failing.q",
        ...["failing.p: 1", "failing.q: 2", "failing.p + failing.q: 3", "failing.p * failing.q: 2"],
      ],
    ]);
  });

  it.skipIf(opa === undefined)("is the expression that OPA names", async () => {
    const { stdout } = spawnSync(opa as string, ["test", "--var-values", ...NAMES], { cwd: folder, encoding: "utf8" });
    const named = new Map<string, string>();
    for (const part of stdout
      .split("FAILURES\n")
      .at(-1)
      ?.split(/^data\.failing_test\./m) ?? []) {
      const [, name] = /^(test_\w+): FAIL/.exec(part) ?? [];
      const [, row] = /failing_test\.rego:(\d+):/.exec(part) ?? [];
      if (name !== undefined && row !== undefined) named.set(name, row);
    }
    expect(named.size).toBeGreaterThan(20);
    const causes = causesIn(await failing());
    for (const [name, row] of named) expect([name, causes.get(name)?.location.split(":")[1]]).toEqual([name, row]);
  });

  it("is not sought where nothing fails, nor for errors", async () => {
    const modules = {
      "a_test.rego": "package a_test\n\ntest_a if true\n\nx := 1 if true\n\nx := 2 if true\n\ntest_b if x == 1\n",
    };
    const { results } = await test({ modules });
    expect(results.map(({ outcome, cause }) => [outcome, cause])).toEqual([
      ["pass", undefined],
      ["error", undefined],
    ]);
  });
});

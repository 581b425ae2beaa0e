/** Tests below any name, a number among them, and below keys that other rules compute: those that OPA finds, with its verdicts. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type TestCase, type TestResult, test } from "../../../compiler/rego/index.ts";
import { opa, runOpa } from "../syntax/oracle.ts";

const POLICY = `package a

b.c := {"test_b": true}

d[x] := y if some x, y in {"test_d": false}

e.test_one[y] if {
	some y in ["u", "v"]
	y == "u"
}

e.test_two[y] if some y in ["w"]

e[y].test_three if some y in ["u", "test_one"]

f[1.5].test_f if true

f[true].test_f if true

f[null].test_f if true

f.test_f if true

f["a b"].test_f if false

f[1].test_f if true

f[1].test_f if false

f[1].todo_test_f if false

f[1].test_text if "no"

g[1].test_g.x if false

g[2].test_g[x] if {
	some x in ["u", "v"]
	x == "u"
}

g[3].test_set contains 3 if true

g[x].test_computed if some x in [4]

h[[1, 2]].test_h if false

key := "k"

h[key].test_h if false

# What rules say of other keys is no matter of the test.
i[x] := y if some [x, y] in [["other", 1], ["other", 2], ["test_i", true]]

i.test_i if true

asked[x] := y if some [x, y] in [["other", 1], ["other", 2], ["one", 3]]

test_asked if asked.one == 3
`;

type Verdict = readonly [string, string, ...unknown[]];

/** Cases as OPA lists them: a name and a verdict, with the cases of the case. */
const cases = (list: readonly TestCase[]): unknown[] =>
  list.map((c) => [c.name, c.outcome, ...(c.cases === undefined ? [] : [cases(c.cases)])]);

const verdict = ({ name, outcome, cases: list }: TestResult): Verdict => [
  name,
  outcome,
  ...(list === undefined ? [] : [cases(list)]),
];

interface OpaResult {
  readonly package: string;
  readonly name: string;
  readonly fail?: boolean;
  readonly error?: unknown;
  readonly skip?: boolean;
  readonly sub_results?: Readonly<Record<string, OpaResult>>;
}

const outcomeOf = (r: OpaResult): string =>
  r.error !== undefined ? "error" : r.skip ? "skip" : r.fail ? "fail" : "pass";

const opaCases = (list: NonNullable<OpaResult["sub_results"]>): unknown[] =>
  Object.entries(list)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, r]) => [name, outcomeOf(r), ...(r.sub_results === undefined ? [] : [opaCases(r.sub_results)])]);

const EXPECTED: readonly Verdict[] = [
  [
    "data.a.e.test_one",
    "fail",
    [
      ["test_three", "pass"],
      ["u", "pass"],
      ["v", "fail"],
    ],
  ],
  ["data.a.e.test_two", "pass", [["w", "pass"]]],
  ["data.a.f[1.5].test_f", "pass"],
  ["data.a.f[true].test_f", "pass"],
  ["data.a.f[null].test_f", "pass"],
  ["data.a.f.test_f", "pass"],
  ['data.a.f["a b"].test_f', "fail"],
  ["data.a.f[1].test_f", "pass"],
  ['data.a.f[1]["test_f#01"]', "fail"],
  ["data.a.f[1].todo_test_f", "skip"],
  ["data.a.f[1].test_text", "pass"],
  ["data.a.g[1].test_g", "fail"],
  [
    "data.a.g[2].test_g",
    "fail",
    [
      ["u", "pass"],
      ["v", "fail"],
    ],
  ],
  ["data.a.g[3].test_set", "fail"],
  ["data.a.i.test_i", "pass"],
  ["data.a.test_asked", "pass"],
];

describe("tests by their names", () => {
  it("are found and run, each by itself", async () => {
    const { results, diagnostics } = await test({ modules: { "a.rego": POLICY } });
    expect(diagnostics).toEqual([]);
    expect(results.map(verdict)).toEqual(EXPECTED);
    expect(results.find(({ name }) => name === 'data.a.f["a b"].test_f')?.cause?.expression).toBe("false");
    expect(results.find(({ name }) => name === "data.a.g[2].test_g")?.cases?.[1]?.cause?.expression).toBe('x == "u"');
  });

  it.skipIf(opa === undefined)("are those of OPA", () => {
    const folder = mkdtempSync(join(tmpdir(), "names-"));
    writeFileSync(join(folder, "a.rego"), POLICY);
    const { stdout } = runOpa(["test", "--format", "json", folder]);
    rmSync(folder, { recursive: true });
    const found = (JSON.parse(stdout) as OpaResult[]).map((r) => [
      `${r.package}.${r.name}`,
      outcomeOf(r),
      ...(r.sub_results === undefined ? [] : [opaCases(r.sub_results)]),
    ]);
    const sorted = (list: readonly (readonly unknown[])[]): unknown[] =>
      [...list].sort((a, b) => (String(a) < String(b) ? -1 : 1));
    expect(sorted(found)).toEqual(sorted(EXPECTED));
  });
});

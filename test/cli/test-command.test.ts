/** `portcullis test`: results and coverage in each format, and the exit codes. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { portcullis, type Ran, removeFolder, temporaryFolder, write } from "./terminal.ts";

let folder = "";
beforeAll(() => {
  folder = temporaryFolder();
  write(`${folder}/rules/app.rego`, "package app\n\nallow if input.x\n\nallow if {\n\tinput.y\n}\n\nlimit := 3\n");
  write(
    `${folder}/rules/app_test.rego`,
    'package app_test\n\nimport data.app\n\ntest_x if app.allow with input as {"x": true}\n\ntest_limit if app.limit == 3\n',
  );
  write(`${folder}/failing/app_test.rego`, "package app_test\n\ntest_never if 1 > 2\n");
  write(`${folder}/governed/roles.yaml`, "roles: [{ role_id: R }]\n");
  write(
    `${folder}/governed/lanes.yaml`,
    "lanes: [{ lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { writes: [{ table: t, mode: append }] } }]\n",
  );
  write(
    `${folder}/governed/tests/lane.yaml`,
    "decision: lane\ncases:\n  - { name: admitted, input: { role: R, lane: L }, expect: { allowed: true } }\n",
  );
});
afterAll(() => removeFolder(folder));

const test = (...args: string[]): Promise<Ran> => portcullis("test", ...args);

describe("portcullis test", () => {
  it("says what passed, and nothing of coverage unless asked", async () => {
    expect(await test(`${folder}/rules`)).toMatchObject({ code: 0, out: "2 passed, 0 failed\n", err: "" });
  });

  it("says on standard error what `check` warns of, whatever the format, and passes", async () => {
    const set = `${folder}/open`;
    write(`${set}/portcullis.yaml`, "call: { lineage: required, unknown_agents: allow }\n");
    write(`${set}/manifests/a.yaml`, "agent_type: a\n");
    write(
      `${set}/tests/lane.yaml`,
      "decision: lane\ncases:\n  - { name: none, input: {}, expect: { allowed: false } }\n",
    );
    const { err: warned } = await portcullis("check", set);
    expect(warned).toContain("warning[model/unknown-agents-allowed]");
    for (const format of ["human", "json", "junit", "tap"]) {
      const { code, out, err } = await test(set, "--format", format);
      expect([format, code, err]).toEqual([format, 0, warned]);
      expect(out).not.toContain("unknown-agents-allowed");
    }
  });

  it("lists the rules that no test covers", async () => {
    const { code, out } = await test(`${folder}/rules`, "--coverage");
    expect(code).toBe(0);
    expect(out).toMatch(
      /^2 passed, 0 failed\nnot covered: \S*app\.rego:5-6\ncoverage: 66\.66 % of rules \(2 of 3\), 66\.66 % of your own, 50 % of its lines \(2 of 4\)\n$/,
    );
  });

  it("counts only what the chosen tests reach", async () => {
    const { out } = await test(`${folder}/rules`, "-c", "--run", "limit");
    expect(out).toContain("coverage: 33.33 % of rules (1 of 3)");
  });

  it("fails under a threshold, and not on it", async () => {
    const under = await test(`${folder}/rules`, "--threshold", "66.67");
    expect(under).toMatchObject({ code: 1, err: "error: coverage is under 66.67 %\n" });
    expect(await test(`${folder}/rules`, "--threshold", "66.66")).toMatchObject({ code: 0, err: "" });
  });

  it("gives coverage as JSON, with rows by file", async () => {
    const { out } = await test(`${folder}/rules`, "--coverage", "--format", "json");
    const { coverage, results } = JSON.parse(out);
    expect(results).toHaveLength(2);
    expect(coverage).toEqual({
      files: {
        [Object.keys(coverage.files)[0] as string]: {
          covered: [3, 9],
          not_covered: [5],
          coverage: 66.66,
          lines: { 3: 1, 5: 0, 6: 0, 9: 1 },
          own: true,
        },
      },
      covered_rules: 2,
      not_covered_rules: 1,
      coverage: 66.66,
      own_coverage: 66.66,
      covered_lines: 2,
      not_covered_lines: 2,
      line_coverage: 50,
    });
  });

  it("keeps the JUnit report as it is, and says the coverage beside it", async () => {
    const { out, err } = await test(`${folder}/rules`, "--coverage", "--format", "junit");
    const plain = await test(`${folder}/rules`, "--format", "junit");
    const timeless = (text: string): string => text.replace(/time="[^"]*"/g, "");
    expect(timeless(out)).toBe(timeless(plain.out));
    expect(out).toContain('<testsuite name="data.app_test" tests="2" failures="0" errors="0" skipped="0">');
    expect(err).toBe("coverage: 66.66 % of rules (2 of 3), 66.66 % of your own, 50 % of its lines (2 of 4)\n");
  });

  it("gives lines to other tools, and results beside them", async () => {
    const { code, out, err } = await test(`${folder}/rules`, "--format", "lcov");
    expect(code).toBe(0);
    expect(out.replaceAll(folder, "")).toBe(
      "TN:\nSF:/rules/app.rego\nDA:3,1\nDA:5,0\nDA:6,0\nDA:9,1\nLF:4\nLH:2\nend_of_record\n",
    );
    expect(err).toBe("2 passed, 0 failed\n");
  });

  it("shows the expression that failed, and its values where they are asked for", async () => {
    write(
      `${folder}/why/why_test.rego`,
      'package why_test\n\ntest_sum if {\n\tx := 1 + 1\n\tx == 3\n}\n\ntest_case[name] if {\n\tsome name, n in {"a": 1, "b": 2}\n\tn > 1\n}\n',
    );
    const plain = await test(`${folder}/why`);
    expect(plain.out.replaceAll(`${folder}/why/`, "")).toBe(`FAIL data.why_test.test_sum (why_test.rego:3)
     the rule is undefined, not true
     why_test.rego:5: x == 3
FAIL data.why_test.test_case (why_test.rego:8)
     1 of 2 cases failed
     a: FAIL
       why_test.rego:10: n > 1
1 passed, 2 failed
`);
    const told = await test(`${folder}/why`, "--var-values");
    expect(told.out).toContain("why_test.rego:5: x == 3\n       x: 2\n");
    expect(told.out).toContain("why_test.rego:10: n > 1\n         n: 1\n");
    const values = async (...args: string[]): Promise<unknown> =>
      JSON.parse((await test(`${folder}/why`, "--format", "json", ...args)).out).results[0].cause.values;
    expect(await values()).toEqual([]);
    expect(await values("--var-values")).toEqual([{ name: "x", value: "2" }]);
    expect((await test(`${folder}/why`, "--format", "junit")).out).toContain("why_test.rego:5: x == 3");
    expect((await test(`${folder}/why`, "--format", "tap")).out).toContain("why_test.rego:5: x == 3");
  });

  it("runs tests several times, times them, and says which took too long", async () => {
    expect((await test(`${folder}/rules`, "--count", "3")).out).toBe("6 passed, 0 failed\n");
    const { out } = await test(`${folder}/rules`, "--bench", "--run", "limit");
    expect(out).toMatch(/^data\.app_test\.test_limit {2}\d[\d.]* (ns|µs|ms) {2}[\d,]+ runs\n1 passed, 0 failed\n$/);
    const { benchmarks } = JSON.parse((await test(`${folder}/rules`, "--bench", "--format", "json")).out);
    expect(benchmarks.map((b: { name: string }) => b.name)).toEqual([
      "data.app_test.test_x",
      "data.app_test.test_limit",
    ]);
    const late = await test(`${folder}/rules`, "--timeout", "0.000001ms");
    expect(late.code).toBe(1);
    expect(late.out).toMatch(/ERROR data\.app_test\.test_x .*\n {5}it took .*, longer than 1 ns\n/);
    // As for `opa test`, 0 is no limit.
    expect((await test(`${folder}/rules`, "--timeout", "0")).code).toBe(0);
    expect((await test(`${folder}/rules`, "--timeout", "10m")).code).toBe(0);
  });

  it("counts the decision library, and tells it from the author's rules", async () => {
    const { out } = await test(`${folder}/governed`, "--coverage", "--format", "json");
    const { coverage, gates } = JSON.parse(out);
    expect(gates).toEqual({ lane: ["ALLOW"] });
    expect(coverage.own_coverage).toBe(100);
    expect(coverage.files["portcullis/lane.rego"]).toMatchObject({ own: false });
    expect(coverage.files["portcullis/lane.rego"].covered.length).toBeGreaterThan(3);
    expect(coverage.files["portcullis/exec.rego"].covered).toEqual([]);
  });

  it("says how many rules of the decision library no test covers, and lists them for --threshold-all", async () => {
    write(`${folder}/governed/own.rego`, "package own\n\nx if input.x\n");
    const summary = await test(`${folder}/governed`, "--coverage");
    expect(summary.out).toMatch(
      /\n1 passed, 0 failed\nnot covered: \S*own\.rego:3\nnot covered: \d{2,} rules of the decision library \(--threshold-all lists them\)\ncoverage: .*\n$/,
    );
    const { out } = await test(`${folder}/governed`, "--coverage", "--threshold-all");
    const listed = out.match(/^not covered: portcullis\/\w+\.rego:\d+$/gm) ?? [];
    expect(listed).toHaveLength(Number(/(\d+) rules of/.exec(summary.out)?.[1]));
    expect(out).toContain("own.rego:3\n");
    expect(out).not.toContain("rules of the decision library");
    removeFolder(`${folder}/governed/own.rego`);
  });

  it("exits 1 for a failure, and where there is no test", async () => {
    const failing = await test(`${folder}/failing`);
    expect(failing).toMatchObject({ code: 1 });
    expect(failing.out).toContain("FAIL data.app_test.test_never");
    write(`${folder}/untested/rules.rego`, "package untested\n\nx := 1\n");
    const none = await test(`${folder}/untested`);
    expect(none.code).toBe(1);
    expect(none.out).toContain("no tests found: write tests/*.yaml");
    const unmatched = await test(`${folder}/rules`, "--run", "^nothing$");
    expect(unmatched.code).toBe(1);
    expect(unmatched.out).toMatch(/^no test's name matches `--run`: there (?:is one|are \d+), such as `\S.*`$/m);
    expect(unmatched.out).not.toContain("no tests found");
  });

  it("finds tests in every file, numbers twins, and tells what they print, note and skip", async () => {
    write(
      `${folder}/all/rules.rego`,
      'package all\n\ntest_x if print("one", {2})\n\ntest_x if {\n\ttrace("noted")\n\tfalse\n}\n\ntodo_test_y if true\n',
    );
    const { code, out } = await test(`${folder}/all`, "--verbose");
    expect(code).toBe(1);
    expect(out.replace(/\d+(\.\d+)? (ms|µs)/g, "TIME").replaceAll(folder, "")).toBe(`pass data.all.test_x TIME
     print: one {2}
FAIL data.all.test_x#01 (/all/rules.rego:5) TIME
     the rule is undefined, not true
     /all/rules.rego:7: false
     note: noted
skip data.all.todo_test_y (/all/rules.rego:10)
1 passed, 1 failed, 1 skipped
`);
    const tap = await test(`${folder}/all`, "--format", "tap");
    expect(tap.out.replaceAll(folder, "")).toBe(`TAP version 13
1..3
ok 1 - data.all.test_x
# one {2}
not ok 2 - data.all.test_x\\#01
  ---
  message: "the rule is undefined, not true"
  severity: "fail"
  at: "/all/rules.rego:5"
  cause: "/all/rules.rego:7: false"
  ...
ok 3 - data.all.todo_test_y # SKIP
`);
    const { results } = JSON.parse((await test(`${folder}/all`, "--format", "json")).out);
    expect(results.map((r: { outcome: string }) => r.outcome)).toEqual(["pass", "fail", "skip"]);
    expect((await test(`${folder}/all`, "--run", "X$", "-z")).code).toBe(1);
    expect((await test(`${folder}/all`, "--run", "(?i)X$|todo", "-z")).code).toBe(0);
    expect((await test(`${folder}/all`, "--run", "X$|todo")).code).toBe(1);
    expect(await test(`${folder}/all`, "--ignore", "rul?s.[q-s]*")).toMatchObject({ code: 1, out: "" });
  });

  it("has a clock and chance, and no network", async () => {
    write(
      `${folder}/host/rules.rego`,
      'package host\n\nr := http.send({"method": "get", "url": "http://localhost"})\n\n' +
        'test_time if time.now_ns() > 0\n\ntest_chance if rand.intn("x", 5) < 5\n\ntest_send if r\n\n' +
        'test_mock if r.x == 1 with http.send as {"x": 1}\n\ntest_runtime if opa.runtime().env\n',
    );
    const { out } = await test(`${folder}/host`);
    expect(out).toContain("note: http.send: there is no network here; a test puts `with http.send as …` in its place");
    expect(out).toContain("4 passed, 1 failed");
  });

  const EXPECTATIONS: readonly (readonly [name: string, expected: string, difference: string | undefined])[] = [
    ["members in another order", "violations: [{ path: '', reason: invalid_record, gate: RECORD }]", undefined],
    ["fewer members", "violations: [{ gate: RECORD }]", undefined],
    ["another value", "violations: [{ gate: RESULT }]", '`violations.0.gate` is "RECORD", expected "RESULT"'],
    ["more items", "violations: [{}, {}]", "`violations` has 1 items, expected 2"],
    ["fewer items", "violations: []", "`violations` has 1 items, expected 0"],
    ["an object", "violations: {}", "`violations` is no object"],
    ["a list", "gate: [RECORD]", "`gate` is no list"],
    ["what every object has", "constructor: {}", "`constructor` is no object"],
    ["null", "detail: null", "`detail` is absent, expected null"],
  ];

  it("compares decisions with what their cases expect", async () => {
    const set = `${folder}/governed/tests/handoff.yaml`;
    const cases = EXPECTATIONS.map(
      ([name, expected]) => `  - { name: ${JSON.stringify(name)}, input: {}, expect: { ${expected} } }\n`,
    );
    write(set, `decision: handoff\ncases:\n${cases.join("")}`);
    const { code, out } = await test(`${folder}/governed`, "--run", "handoff", "--format", "json");
    write(set, "cases: []\n");
    expect(code).toBe(1);
    const told = (JSON.parse(out).results as { name: string; outcome: string; failure?: string }[]).map(
      ({ name, outcome, failure }) => [name, outcome, failure?.split(";")[0]],
    );
    const expected = EXPECTATIONS.map(([name, , difference]) => [
      expect.stringContaining(name),
      difference === undefined ? "pass" : "fail",
      difference,
    ]);
    expect(told).toEqual(expected);
  });

  it.each([
    ["--run", "("],
    ["--threshold", "101"],
    ["--threshold", "-1"],
    ["--threshold", "many"],
    ["--threshold", ""],
    ["--format", "xml"],
    ["--timeout", "soon"],
    ["--count", "0"],
  ])("refuses %s %s", async (option, value) => {
    const { code, err } = await test(`${folder}/rules`, option, value);
    expect(code).toBe(2);
    expect(err).toContain(option);
    expect(err).not.toContain("internal error");
  });
});

/**
 * A runaway policy ends: used-up steps or memory, or an answer, in bounded time. What a rule would say after the runaway
 * expression is a denial then, never an allow, and the next question is answered as ever.
 */

import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../compiler/rego/pipeline/compile-modules.ts";
import { builtins } from "../../runtime/builtins/index.ts";
import { load, type Policy } from "../../runtime/index.ts";
import { sampled } from "../campaign.ts";

/** `budget`, `memory`: which limit ends it; `internal`: one of a builtin does; `refused`: the builtin is undefined; a value: what it says. */
type Outcome = "budget" | "memory" | "internal" | "refused" | { readonly says: unknown };
type Row = readonly [name: string, expression: string, input: Readonly<Record<string, unknown>>, outcome: Outcome];

const count = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
const x = (n: number): string => "x".repeat(n);
const LOOP = count(20_000);

const ALL: readonly Row[] = [
  [
    "a product of loops",
    "count([1 | some a in input.xs; some b in input.xs; some c in input.xs; a == b; b == c; c < 0])",
    { xs: count(1_000) },
    "budget",
  ],
  [
    "a list of a product",
    "count([1 | some a in input.xs; some b in input.xs; some c in input.xs])",
    { xs: count(1_000) },
    "memory",
  ],
  ["a set of a product", "count({[a, b] | some a in input.xs; some b in input.xs})", { xs: count(3_000) }, "memory"],
  [
    "walks inside a walk",
    "count([1 | walk(input.xs, [k, _]); walk(input.xs, [k, _]); walk(input.xs, [k, 1])])",
    { xs: count(20_000) },
    "budget",
  ],
  [
    "a walk over what is deep",
    "count([1 | walk(input.xs, _)])",
    { xs: JSON.parse(`${"[".repeat(900)}${"]".repeat(900)}`) },
    { says: 900 },
  ],
  ["concat", "count(concat(input.s, input.xs))", { s: x(100_000), xs: LOOP.map(String) }, "memory"],
  ["replace", `count(replace(input.s, "x", input.s))`, { s: x(100_000) }, "memory"],
  ["replace of nothing", `count(replace(input.s, "", input.s))`, { s: x(100_000) }, "memory"],
  ["strings.replace_n", `count(strings.replace_n({"x": input.s}, input.s))`, { s: x(100_000) }, "memory"],
  ["split", `count(split(input.s, ""))`, { s: x(5_000_000) }, "memory"],
  ["sprintf of many", "count(sprintf(input.f, [input.s]))", { f: "%[1]v".repeat(100_000), s: x(100_000) }, "memory"],
  ["sprintf with a width", `sprintf("%1000000000d", [1])`, {}, { says: "%!(NOVERB)%!(EXTRA int64=1)" }],
  ["numbers.range", "count(numbers.range(0, 1000000000))", {}, "memory"],
  ["numbers.range of a large number", "count(numbers.range(0, input.n))", { n: 1e300 }, "memory"],
  ["numbers.range_step", "count(numbers.range_step(0, input.n, 1))", { n: Number.MAX_SAFE_INTEGER }, "memory"],
  ["net.cidr_expand", `count(net.cidr_expand("10.0.0.0/4"))`, {}, "memory"],
  ["net.cidr_expand of IPv6", `count(net.cidr_expand("::/16"))`, {}, "memory"],
  [
    "a regular expression that backtracks elsewhere",
    `regex.match("^(a+)+$", input.s)`,
    { s: `${"a".repeat(1_000_000)}b` },
    { says: false },
  ],
  ["one that would repeat for ever", `regex.match("((a{1,100}){1,100}){1,100}", "a")`, {}, "refused"],
  [
    "all matches, each up to the end",
    `count(regex.find_n("a*b|a", input.s, -1))`,
    { s: "a".repeat(200_000) },
    "budget",
  ],
  ["a million matches", `count(regex.find_n("a*", input.s, -1))`, { s: "ab".repeat(2_000_000) }, "memory"],
  ["regex.replace", `count(regex.replace(input.s, "a", input.s))`, { s: "a".repeat(100_000) }, "memory"],
  [
    "a pattern of the input",
    "regex.match(input.r, input.s)",
    { r: "(".repeat(100_000) + ")".repeat(100_000), s: "a" },
    "refused",
  ],
  [
    "a glob of many stars",
    "glob.match(input.g, [], input.s)",
    { g: "*a".repeat(2_000), s: `${"a".repeat(100_000)}b` },
    "budget",
  ],
  [
    "globs that do not meet",
    "regex.globs_match(input.a, input.b)",
    { a: "a*".repeat(5_000), b: `${"a*".repeat(5_000)}b` },
    { says: false },
  ],
  [
    "json.unmarshal of what is deep",
    "json.unmarshal(input.s)",
    { s: `${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}` },
    "internal",
  ],
  [
    "yaml.unmarshal of what is deep",
    "yaml.unmarshal(input.s)",
    { s: `${"[".repeat(100_000)}${"]".repeat(100_000)}` },
    "internal",
  ],
  [
    "yaml of aliases of aliases",
    "yaml.unmarshal(input.s)",
    {
      s: `a0: &a0 [x, x]\n${count(40)
        .map((i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`)
        .join("\n")}`,
    },
    "refused",
  ],
  [
    "graphql of what is deep",
    "graphql.parse_query(input.s)",
    { s: `${"{a".repeat(100_000)}${"}".repeat(100_000)}` },
    "internal",
  ],
  [
    "a schema that refers to itself",
    "json.match_schema({}, input.s)",
    { s: { $ref: "#/a", a: { $ref: "#/b" }, b: { $ref: "#/a" } } },
    "internal",
  ],
  [
    "a schema's pattern",
    "json.match_schema(input.d, input.s)[0]",
    { d: { [`${"a".repeat(50_000)}b`]: 1 }, s: { patternProperties: { "^(a+)+$": { type: "string" } } } },
    { says: true },
  ],
  [
    "a template's loops",
    `strings.render_template("{{range .xs}}{{range $.xs}}{{range $.xs}}{{end}}{{end}}{{end}}", {"xs": input.xs})`,
    { xs: count(1_000) },
    "internal",
  ],
  ["a large exponent plus one", "json.unmarshal(input.s) + 1", { s: "1e9000000" }, "refused"],
  ["a larger one", "to_number(input.s) + 1", { s: "1e999999999" }, "refused"],
  ["products of a million digits", "to_number(input.s) * to_number(input.s)", { s: "9".repeat(1_000_000) }, "refused"],
  [
    "squares of squares",
    `[y | x0 := input.n; ${count(39)
      .map((i) => `x${i + 1} := x${i} * x${i}`)
      .join("; ")}; y := x39]`,
    { n: 999_999_999_999 },
    "internal",
  ],
  ["a shift by a thousand million", "bits.lsh(1, 1000000000)", {}, "memory"],
  ["a shift by more than that", "bits.lsh(1, input.n)", { n: 1e18 }, "memory"],
  ["a shift to the right", "bits.rsh(1, input.n)", { n: 1e18 }, { says: 0 }],
  ["format_int", "format_int(to_number(input.s), 2)", { s: "9".repeat(1_000_000) }, "refused"],
  ["units.parse", "units.parse(input.s)", { s: `${"9".repeat(1_000_000)}E` }, "internal"],
  ["units.parse_bytes", "units.parse_bytes(input.s)", { s: "1e1000000Ei" }, "internal"],
  [
    "units.parse in a loop",
    "count([1 | some i in input.xs; units.parse(input.s) > i])",
    { s: "9".repeat(9_000), xs: LOOP },
    "budget",
  ],
  ["a product of many", "product(input.xs)", { xs: LOOP.map((i) => 999_999_999 - i) }, "internal"],
  [
    "json.patch that doubles",
    `json.patch(input.d, [{"op": "copy", "from": "", "path": sprintf("/a%d", [i])} | some i in numbers.range(1, 60)])`,
    { d: { x: 1 } },
    "memory",
  ],
  ["trim with a long cutset", "count(trim(input.s, input.s))", { s: x(3_000_000) }, { says: 0 }],
  [
    "trim with a cutset that is not ASCII",
    "count(trim(input.s, input.t))",
    { s: "ü".repeat(200_000), t: `${"é".repeat(200_000)}ü` },
    "budget",
  ],
  [
    "contains in a loop",
    `count([1 | some i in input.xs; not contains(input.s, sprintf("y%d", [i]))])`,
    { s: x(5_000_000), xs: LOOP },
    "budget",
  ],
  [
    "startswith in a loop",
    "count([1 | some i in input.xs; not startswith(input.s, input.t); i >= 0])",
    { s: x(5_000_000), t: `${x(2_000_000)}y`, xs: LOOP },
    "budget",
  ],
  [
    "substring in a loop",
    `count([1 | some i in input.xs; substring(input.s, 900000 + i, 1) == "y"])`,
    { s: x(1_000_000), xs: LOOP },
    "budget",
  ],
  [
    "equality in a loop",
    "count([1 | some i in input.xs; input.a == input.b; i >= 0])",
    { a: count(100_000), b: count(100_000), xs: LOOP },
    "budget",
  ],
  [
    "membership in a loop",
    "count([1 | some i in input.xs; not -1 in input.a; i >= 0])",
    { a: count(100_000), xs: LOOP },
    "budget",
  ],
  ["sums in a loop", "count([1 | some i in input.xs; sum(input.a) > i])", { a: count(100_000), xs: LOOP }, "budget"],
  [
    "every in a loop",
    "count([1 | some i in input.xs; every y in input.a { y >= 0 }; i >= 0])",
    { a: count(100_000), xs: LOOP },
    "budget",
  ],
  [
    "patterns in a loop",
    `count([1 | some i in input.xs; not regex.match(sprintf("y%d$", [i]), input.s)])`,
    { s: x(5_000_000), xs: LOOP },
    "budget",
  ],
  [
    "json.is_valid in a loop",
    "count([1 | some i in input.xs; json.is_valid(input.s); i >= 0])",
    { s: `[${"1,".repeat(100_000)}1]`, xs: LOOP },
    "budget",
  ],
  [
    "base64.is_valid in a loop",
    "count([1 | some i in input.xs; base64.is_valid(input.s); i >= 0])",
    { s: "QUJD".repeat(100_000), xs: LOOP },
    "budget",
  ],
  [
    "part of a list of what is the same",
    "object.subset(input.a, input.b)",
    { a: count(400_000).map(() => 0), b: count(200_000).map((i) => Number(i === 199_999)) },
    "budget",
  ],
  [
    "digests in a loop",
    `count([h | some i in input.xs; h := crypto.sha256(sprintf("%v%v", [i, input.s]))])`,
    { s: x(1_000_000), xs: LOOP },
    "memory",
  ],
  [
    "lists in a loop",
    "count([1 | some i in input.xs; count(array.concat(input.a, [i])) > 1])",
    { a: count(100_000), xs: LOOP },
    "memory",
  ],
  [
    "unions in a loop",
    `count([1 | some i in input.xs; count(object.union(input.a, {"k": i})) > 0])`,
    { a: Object.fromEntries(count(10_000).map((i) => [`k${i}`, i])), xs: LOOP },
    "memory",
  ],
];

/** Those that run: one of 24 in `make test`, as many of them use up all their steps twice. */
const ROWS = sampled(ALL, 1 / 24);

/** Each expression by itself, and a decision that would allow if it had a value. */
const MODULE = `package t
import rego.v1

${ROWS.map(([, expression], i) => `e${i} := ${expression}`).join("\n")}

default allow := {"allowed": false, "gate": "NONE"}
${ROWS.map((_, i) => `allow := {"allowed": true, "gate": "ALLOW"} if { input.row == ${i}; _ = e${i} }`).join("\n")}

alive := input.row + 1
`;

describe("a runaway policy", () => {
  let policy: Policy;

  beforeAll(async () => {
    const { compiled, diagnostics } = await compileModules({
      modules: [new SourceFile("runaway.rego", MODULE)],
      entrypoints: ["t/allow", "t/alive", ...ROWS.map((_, i) => `t/e${i}`)],
    });
    if (compiled === undefined) throw new Error(diagnostics.map((d) => d.message).join("; "));
    policy = await load(compiled.wasm, { builtins });
  });

  it.each(ROWS.map((row, i) => [row[0], i, row] as const))("ends: %s", (_name, i, [, , input, outcome]) => {
    const request = { ...input, row: i };
    const value = policy.evaluate(`t/e${i}`, request);
    if (typeof outcome === "object") {
      expect(policy.lastFault).toBeUndefined();
      expect(value).toEqual(outcome.says);
    } else {
      expect(value).toBeUndefined();
      expect(policy.lastFault?.code).toBe(outcome === "refused" ? undefined : outcome);
      const { lastFault } = policy;
      expect(policy.evaluate("t/allow", request)).toMatchObject({ allowed: false });
      expect(policy.lastFault?.code).toBe(lastFault?.code);
    }
    expect(policy.evaluate("t/alive", { row: i })).toBe(i + 1);
    expect(policy.lastFault).toBeUndefined();
  });
});

it("comparing values that are made of the same value again and again ends, while loading as well", async () => {
  const chain = (name: string): string =>
    [`${name}0 := [input.${name}]`, ...count(40).map((i) => `${name}${i + 1} := [${name}${i}, ${name}${i}]`)].join(
      "\n",
    );
  const text = `package t\n${chain("r")}\n${chain("s")}\nsame if r40 == s40\nless if r40 < s40\n`;
  const { compiled } = await compileModules({
    modules: [new SourceFile("again.rego", text)],
    entrypoints: ["t/same", "t/less"],
  });
  const policy = await load(compiled?.wasm as Uint8Array);
  for (const entrypoint of ["t/same", "t/less"]) {
    expect(policy.evaluate(entrypoint, { r: 1, s: 1 })).toBeUndefined();
    expect(policy.lastFault?.code).toBe("budget");
  }
});

import { expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { evaluateConstantRules } from "../../../compiler/rego/optimize/constant-evaluation.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import { policyToText } from "../../../compiler/rego/plan/text.ts";
import { valueOfJson } from "../../../compiler/rego/value/index.ts";
import { callBuiltin } from "../../../compiler/rego/wasm/call-builtin.ts";
import { load } from "../../../runtime/index.ts";
import { parsePolicyText } from "../plan/parse-text.ts";

/** The text of rule `r` after the pass. */
function evaluated(body: string, builtin = callBuiltin): string {
  const rule = `func r(L0, L1) -> L2 path g0/r\n${body.replace(/^/gm, "  ")}\n`;
  const text = `builtin lower/1\nbuiltin time.now_ns/0\nplan p\n  block\n    L2 = call r(L0, L1)\n    result L2\n${rule}`;
  const after = policyToText(evaluateConstantRules(parsePolicyText(text), builtin));
  return after.slice(after.indexOf("func r"));
}

const END = "\nblock\n  return L2";

it("puts a value in the place of a rule that reads nothing but constants", () => {
  expect(evaluated(`block\n  L3 = "ABC"\n  L2 = call lower(L3)${END}`)).toMatch(/L2 = (#0|"abc")/);
  expect(evaluated(`block\n  L3 = "ABC"\n  L2 = call lower(L3)${END}`)).not.toContain("call");
});

it("keeps the spelling of a number that was assigned first, as the module does", async () => {
  const modules = [new SourceFile("t.rego", "package t\n\np := json.marshal(q)\n\nq := x if some x in [1.0, 1]\n")];
  const { compiled } = await compileModules({ modules, entrypoints: ["t/p"] });
  expect((await load(compiled?.wasm as Uint8Array)).evaluate("t/p", undefined)).toBe("1.0");
});

it("leaves a rule alone that reads the input, the data or the clock, or has no value", () => {
  for (const body of [
    `block\n  L3 = get L0 "a"\n  L2 = "x"`,
    `block\n  L2 = L1`,
    `block\n  is-defined L0\n  L2 = "x"`,
    `block\n  L3 = null\n  L2 = call lower(L3)`,
    "block\n  L2 = call time.now_ns()",
    "block\n  L2 = call r(L0, L1)",
    `block\n  L2 = once "a"\nblock\n  L2 = once "b"`,
  ]) {
    expect(evaluated(body + END), body).toContain(body.split("\n")[1]?.trim());
  }
});

/** The text of a rule that calls `f(first, "b")`, after the pass. */
function calling(body: string, first = '"a"'): string {
  const f = `func f(L0, L1, L2, L3) -> L4\n${(body + END.replace("L2", "L4")).replace(/^/gm, "  ")}\n`;
  const r = `func r(L0, L1) -> L2 path g0/r\n  block\n    L5 = get L0 "x"\n    not\n      L6 = call f(L0, L1, ${first}, "b")\n    L2 = L5${END.replace(/^/gm, "  ")}\n`;
  const text = `builtin lower/1\nplan p\n  block\n    L2 = call r(L0, L1)\n    result L2\n${f}${r}`;
  const after = policyToText(evaluateConstantRules(parsePolicyText(text), callBuiltin));
  return after.slice(after.indexOf("func r"));
}

it("puts a value in the place of a call with constants", () => {
  const answer = `block\n  L5 = object\n  insert L5 "gate" L2\n  insert L5 "reason" L3\n  L4 = L5`;
  expect(calling(answer)).not.toContain("call f");
  expect(calling(answer)).toMatch(/not\n +L6 = #/);
});

it("leaves a call alone that needs more than its arguments, has no value, or takes long or makes much", () => {
  const list = (count: number): string => `  L5 = array ${count}\n${'  append L5 "x"\n'.repeat(count)}  L4 = L5`;
  for (const body of [
    `block\n  L4 = get L0 "a"`,
    "block\n  L4 = L1",
    `block\n  equal L2 "c"\n  L4 = "d"`,
    `block\n  L4 = once "a"\nblock\n  L4 = once "b"`,
    `block\n${list(16)}`,
    `block\n${list(201)}\n  L4 = "x"`,
  ]) {
    expect(calling(body), body).toContain("call f");
  }
  expect(calling(`block\n  L4 = "x"`, "L5")).toContain("call f");
  expect(calling(`block\n${list(15)}`)).not.toContain("call f");
});

it("goes on where a rule that reads the input is not asked", () => {
  const body = `block\n  L3 = "a"\n  equal L3 "b"\n  L4 = get L0 "a"\n  L2 = L4\nblock\n  is-undefined L2\n  L2 = "c"`;
  expect(evaluated(body + END)).not.toContain("get");
});

it("gives up what takes long or is large, and answers as evaluations do", async () => {
  const text = `package t
few := [lower(x) | some x in ["A", "É", "1"]]
names contains upper(x) if some x in ["a", "b", "a"]
union := {1, 1.0, "x"} | {"y"}
by_name[n] := count(n) if some n in ["ab", "c"]
many := count([1 | some i in numbers.range(1, 300); some j in numbers.range(1, 300); i < j])
large := count(all)
all := numbers.range(1, 5000)
hide(x) := x
never := hide({"a": 1}).b
otherwise := 2 if never else := 3
fails := x if x := to_number("x")
`;
  const rules = ["few", "names", "union", "by_name", "many", "large", "never", "otherwise", "fails"];
  const { compiled, diagnostics } = await compileModules({
    modules: [new SourceFile("t.rego", text)],
    entrypoints: rules.map((r) => `t/${r}`),
  });
  expect(diagnostics.filter((d) => d.severity === "error")).toEqual([]);
  const policy = await load(compiled?.wasm as Uint8Array);
  const found = rules.map((r) => policy.evaluate(`t/${r}`, {}));
  const expected = [["a", "é", "1"], ["A", "B"], [1, "x", "y"], { ab: 2, c: 1 }, 44850, 5000, undefined, 3, undefined];
  expect(found).toEqual(expected);
});

it("makes as much of the policy's own data as there is of it", async () => {
  const names = Array.from({ length: 4_000 }, (_, i) => `NAME-${i}`);
  const text =
    "package g\n\nr if lower(input.name) in names\n\nnames contains lower(name) if some name in data.known\n";
  const { compiled, diagnostics } = await compileModules({
    modules: [new SourceFile("g.rego", text)],
    entrypoints: ["g/r"],
    data: valueOfJson({ known: names }),
    emit: ["plan.txt"],
  });
  expect(diagnostics.filter((d) => d.severity === "error")).toEqual([]);
  expect(compiled?.emitted[0]?.text).not.toMatch(/\bscan\b/);
  const policy = await load(compiled?.wasm as Uint8Array);
  expect(["NAME-3999", "Name-0", "name-4000"].map((name) => policy.evaluate("g/r", { name }))).toEqual([
    true,
    true,
    undefined,
  ]);
});

it("finds in an object under construction what was put there after a first look-up", () => {
  // As partial rules look for the object of a nested key, which another body may have made before.
  const find = `blocks
    block
      blocks
        block
          L4 = get L3 "a"
          break 1
      L4 = object
      insert-once L3 "a" L4`;
  const body = `block
  L3 = object
  ${find}
  ${find}
  insert-once L4 "k" "v"
  L5 = get L3 "a"
  L6 = get L5 "k"
  L2 = L6`;
  // A rule without a value would be left as it is.
  expect(evaluated(body + END)).not.toContain("get");
});

it("does not go through a constant that is made of itself again and again", async () => {
  const lines = Array.from({ length: 40 }, (_, i) => `r${i + 1} := [r${i}, r${i}]`);
  const text = `package t\nr0 := [1]\n${lines.join("\n")}\np := count(r40)\n`;
  const { compiled } = await compileModules({ modules: [new SourceFile("t.rego", text)], entrypoints: ["t/p"] });
  const policy = await load(compiled?.wasm as Uint8Array);
  expect(policy.evaluate("t/p", {})).toBe(2);
});

it("keeps the mark of a byte order, which is a character of a text", async () => {
  const text = `package t\np := [lower("\\ufeffADMIN") == "admin", count(concat("", ["\\ufeff", "x"])), upper("\\ufeffa")]\n`;
  const { compiled } = await compileModules({ modules: [new SourceFile("t.rego", text)], entrypoints: ["t/p"] });
  const policy = await load(compiled?.wasm as Uint8Array);
  expect(policy.evaluate("t/p", {})).toEqual([false, 2, "\ufeffA"]);
});

/** Short rules that make one statement dear; each would go on for minutes if only statements counted. */
const DEAR = {
  "arrays that are equal but for their ends": [
    "s := {array.concat(data.big, [i]) | some i in numbers.range(0, 4500)}",
    4501,
  ],
  "long texts that are equal but for their ends": [
    "s := {[concat(data.long, [k, k]), i] | some i, k in data.big}",
    50_000,
  ],
  "a loop that ends at its first turn": [
    "f(x) if { some y in data.big; y != x }\ns := [1 | some i in numbers.range(0, 4000); f(0)]",
    4001,
  ],
  "a set in order, again and again": [
    "t := {x | some x in data.big}\nf(x) if { some y in t; y != x }\ns := [1 | some i in numbers.range(0, 4000); f(0)]",
    4001,
  ],
  "large results of builtins": ["s := [1 | some i in data.big; x := numbers.range(1, 3000); x[0] == 1]", 50_000],
  "builtins that take long": [`s := [1 | some i in data.big; regex.match("^(a?){300}b{300}$", data.long)]`, 0],
} as const;

it.each(Object.entries(DEAR))("stops soon at %s", async (_name, [text]) => {
  const data = { big: Array.from({ length: 50_000 }, (_, i) => `n${i}`), long: "ab".repeat(2000) };
  const { compiled } = await compileModules({
    modules: [new SourceFile("t.rego", `package t\n${text}\np := count(s) if input.x\n`)],
    entrypoints: ["t/p"],
    data: valueOfJson(data),
  });
  expect(compiled).toBeDefined();
});

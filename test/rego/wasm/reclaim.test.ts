/** What turns of loops give back: which statements keep, that memory is given back, and that nothing is that is reached. */

import { load } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import { eachStmt } from "../../../compiler/rego/plan/fields.ts";
import { calledInLoops, makingFunctions, reclaimIn } from "../../../compiler/rego/wasm/reclaim.ts";
import { parsePolicyText } from "../plan/parse-text.ts";
import { emit, entrypoint, Module } from "./module.ts";

/** By statement that matters, in the order of the text: loops that give back, and how many loops a statement makes keep. */
function found(text: string): string[] {
  const policy = parsePolicyText(text);
  const funcs = new Map(policy.funcs.map((func) => [func.name, func]));
  const making = makingFunctions(policy);
  return policy.funcs.flatMap(({ blocks, params }) => {
    const { loops, kept, floors } = reclaimIn(blocks, params, making, funcs);
    const lines: string[] = [];
    eachStmt(blocks, (stmt) => {
      if (stmt.kind === "ScanStmt") lines.push(loops.has(stmt) ? "loop gives back" : "loop");
      const keeps = kept.get(stmt);
      if (keeps !== undefined) lines.push(`${stmt.kind} keeps ${keeps.length}`);
      if (floors.has(stmt)) lines.push(`${stmt.kind} keeps all`);
    });
    return lines;
  });
}

const head = `${entrypoint("p", "g0.data.p")}`;
const func = (body: string): string =>
  `builtin plus/2\nbuiltin lt/2\n${head}func g0.data.p(L0, L1) -> L2 path g0/p\n${body}`;

describe("turns of loops", () => {
  it("give back what is only tested", () => {
    const sum = func(`  block
    L2 = reset
    scan L0 as L3, L4
      scan L0 as L5, L6
        L7 = call plus(L4, L6)
        equal L7 "x"
        L2 = once true
  block
    return L2
`);
    expect(found(sum)).toEqual(["loop gives back", "loop gives back"]);
  });

  it("that make nothing have nothing to give back", () => {
    const order = func(`  block
    L2 = reset
    scan L0 as L3, L4
      L5 = call lt(L4, L4)
      L2 = once true
  block
    return L2
`);
    expect(found(order)).toEqual(["loop"]);
  });

  it("keep what gets into a collection that is older, and give back the collection with its loop", () => {
    const inner = func(`  block
    L2 = array 0
    scan L0 as L3, L4
      L5 = array 0
      scan L0 as L6, L7
        L8 = call plus(L4, L7)
        append L5 L8
      L9 = len L5
      equal L9 "x"
      append L2 L9
  block
    return L2
`);
    expect(found(inner)).toEqual([
      "loop gives back",
      "loop gives back",
      "ArrayAppendStmt keeps 1",
      "ArrayAppendStmt keeps 1",
    ]);
  });

  it("keep what gets into a local that is older, or that may have its value from an earlier turn", () => {
    const last = func(`  block
    L2 = reset
    L9 = reset
    scan L0 as L3, L4
      L5 = call plus(L4, L4)
      L9 = L5
      blocks
        block
          is-defined L9
          L8 = call plus(L4, L4)
        block
          L7 = call plus(L8, L5)
    L2 = L9
  block
    return L2
`);
    // L8 is read in another block than the one that assigns it.
    expect(found(last)).toEqual(["loop gives back", "AssignVarStmt keeps 1", "CallStmt keeps 1"]);
  });

  it("keep all where a collection is changed that something else may hold", () => {
    const shared = func(`  block
    L2 = array 0
    scan L0 as L3, L4
      L5 = array 0
      append L2 L5
      L6 = call plus(L4, L4)
      append L5 L6
  block
    return L2
`);
    expect(found(shared)).toEqual(["loop gives back", "ArrayAppendStmt keeps 1", "ArrayAppendStmt keeps all"]);
    const rows = Array.from({ length: 40 }, (_, i) => i + 1000);
    const [{ result }] = new Module(emit(shared, [], { reclaimFrom: 0 })).evaluate(rows) as [{ result: unknown }];
    expect(result).toEqual(rows.map((row) => [2 * row]));
  });

  it("keep all where a collection is looked up and changed", () => {
    const looked = func(`  block
    L2 = object
    L3 = array 0
    insert L2 "all" L3
    scan L0 as L4, L5
      L6 = get L2 "all"
      L7 = call plus(L5, L5)
      append L6 L7
  block
    return L2
`);
    expect(found(looked)).toEqual(["loop gives back", "ArrayAppendStmt keeps all"]);
    const rows = Array.from({ length: 40 }, (_, i) => i + 1000);
    const [{ result }] = new Module(emit(looked, [], { reclaimFrom: 0 })).evaluate(rows) as [{ result: unknown }];
    expect(result).toEqual({ all: rows.map((row) => 2 * row) });
  });

  it("know the functions that loops may call, at whatever depth", () => {
    const text = `${head}func g0.data.p(L0, L1) -> L2 path g0/p
  block
    L2 = call a(L0, L1)
    scan L0 as L3, L4
      L5 = call b(L0, L1)
  block
    return L2
func a(L0, L1) -> L2
  block
    L2 = true
  block
    return L2
func b(L0, L1) -> L2
  block
    L2 = call c(L0, L1)
  block
    return L2
func c(L0, L1) -> L2
  block
    L2 = array 0
  block
    return L2
`;
    const policy = parsePolicyText(text);
    expect(calledInLoops(policy)).toEqual(new Set(["b", "c"]));
    expect(makingFunctions(policy)).toEqual(new Set(["b", "c", "g0.data.p"]));
  });
});

/** `reclaimFrom`: by default turns give back from the first byte on, so that what is given back too early shows. */
async function answer(
  rules: string,
  input: unknown,
  limits = {},
  reclaimFrom: number | undefined = 0,
): Promise<unknown> {
  const modules = [new SourceFile("t.rego", `package t\n\n${rules}\n`)];
  const { compiled, diagnostics } = await compileModules({ modules, entrypoints: ["t/p"], reclaimFrom });
  if (compiled === undefined) throw new Error(diagnostics.map((d) => d.message).join("\n"));
  const policy = await load(compiled.wasm, { limits });
  const value = policy.evaluate("t/p", input);
  return policy.lastFault === undefined ? value : policy.lastFault.message;
}

const long = {
  xs: Array.from({ length: 2500 }, (_, i) => i + 1000),
  few: Array.from({ length: 400 }, (_, i) => i + 1000),
};
const MEBIBYTE = { memory: 1 << 20 };

describe("memory", () => {
  it("holds millions of turns within the default limits", async () => {
    const rules =
      "p if {\n\tsome i in input.xs\n\tsome j in input.xs\n\ti + j == 7\n}\n\np := 1 if count(input.xs) == 2500";
    expect(await answer(rules, long, {}, 8 << 20)).toBe(1);
  });

  it.each([
    ["texts", 'concat("/", [format_int(i, 10), format_int(j, 10)]) == "x"'],
    ["comprehensions", "count([1 | some k in [i, j, 7]; k * 1000 > 5]) == 9"],
    ["functions", "f(i, j)[0] == 1"],
    ["negations", "not f(i, j)[1] == {i}"],
    ["every", "every k in [i, j] {\n\t\tk + j == 7\n\t}"],
    ["collections", '{"a": [i, j]} == {"a": [j, {i}]}'],
    ["members of lists", "[i + j, 7][_] == 8"],
  ])("of %s is used again by the next turn", async (_, condition) => {
    const rules = `f(x, y) := [x + y, {x}] if x > 0\n\np := count([1 |\n\tsome i in input.few\n\tsome j in input.few\n\t${condition}\n])`;
    expect(await answer(rules, long, MEBIBYTE)).toBe(0);
  });

  it("is left alone by evaluations that need little", async () => {
    const rules = "p := count([1 | some i in input.few; [i + 1] == [7]])";
    const modules = [new SourceFile("t.rego", `package t\n\n${rules}\n`)];
    const heapAfter = async (reclaimFrom: number): Promise<number> => {
      const { compiled } = await compileModules({ modules, entrypoints: ["t/p"], reclaimFrom });
      const module = new Module(compiled?.wasm as Uint8Array);
      module.evaluate({ few: long.few });
      return module.fn("opa_heap_ptr_get")() - module.evalBase;
    };
    expect(await heapAfter(8 << 20)).toBeGreaterThan((await heapAfter(0)) + 400 * 16);
  });

  it("of a set that most turns add nothing new to is used again", async () => {
    const rules =
      "p := count({x |\n\tsome i in input.few\n\tsome j in input.few\n\tx := (i + j) % 7\n\tx + i > 1000\n})";
    expect(await answer(rules, long, { memory: 8 << 20 })).toBe(7);
  });
});

describe("what outlives a turn", () => {
  const rows = { xs: ["a", "b", "c", "d", "e", "f"], n: 1 };
  const overwritten = 'concat("-", [x, "long enough to write over what was there before"]) != "x"';

  it("stays: a rule that is asked first in a turn", async () => {
    const rules = `q := [concat("", [x, "1"]) | some x in input.xs]\n\nr := {"q": q, "k": concat("", input.xs)}\n\np := [[x, r.q, r.k] | some x in input.xs; ${overwritten}; r.q[0] != concat("", [x, "1"]); ${overwritten}; r.q[1] != concat("", [x, "1"])]`;
    const q = rows.xs.map((x) => `${x}1`);
    expect(await answer(rules, rows)).toEqual(
      rows.xs.flatMap((x) => (x === "a" || x === "b" ? [] : [[x, q, "abcdef"]])),
    );
  });

  it("stays: a pattern that is compiled in a turn", async () => {
    const rules = `p := [x | some x in input.xs; some y in input.xs; ${overwritten}; regex.match(concat("", ["^[", y, "b]$"]), x)]`;
    expect(await answer(rules, rows)).toEqual(["a", "b", "b", "b", "b", "b", "b", "c", "d", "e", "f"]);
  });

  it("stays: the value of a rule that all turns agree on", async () => {
    const rules = `p := [concat("", ["s", "t"]), {"k": input.n + 1000}] if {\n\tsome x in input.xs\n\t${overwritten}\n}`;
    expect(await answer(rules, rows)).toEqual(["st", { k: 1001 }]);
  });

  it("stays: results under a with, and groups", async () => {
    const under = `q := concat("", [input.y, "!"])\n\np := [v | some x in input.xs; v := [q, q] with input.y as concat("", [x, x]); ${overwritten}]`;
    expect(await answer(under, rows)).toEqual(rows.xs.map((x) => [`${x}${x}!`, `${x}${x}!`]));
    const groups = `p := [[x, g] | some x in input.xs; ${overwritten}; g := {concat("", [y, "."]) | some y in input.xs; upper(y) == upper(x)}]`;
    expect(await answer(groups, rows)).toEqual(rows.xs.map((x) => [x, [`${x}.`]]));
  });
});

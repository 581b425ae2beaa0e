/**
 * Patterns that a policy names itself are compiled with it: evaluations find their programs, whatever is asked in between.
 * How much of the heap an evaluation took tells whether it compiled a pattern.
 */

import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import { Abort, Module } from "./module.ts";

const CLASSES = "^[\\\\p{L}\\\\p{Nd}/]+";

/** A module of one rule `found` for each body; `i` stands for `input` in them. */
async function moduleOf(...bodies: readonly string[]): Promise<Module> {
  // Entrypoints are numbered in the order of their names.
  const names = bodies.map((_, n) => `r${String(n).padStart(2, "0")}`);
  const rules = bodies.map((body, n) => `${names[n]} := x if x := ${body.replace(/\bi\b/g, "input")}\n`);
  const text = `package t\n\n${rules.join("")}`;
  const entrypoints = names.map((name) => `t/${name}`);
  const { compiled, diagnostics } = await compileModules({ modules: [new SourceFile("t.rego", text)], entrypoints });
  expect(diagnostics.filter((d) => d.severity === "error")).toEqual([]);
  return new Module(compiled?.wasm as Uint8Array);
}

/** The result, and the bytes of the heap that the evaluation took. */
function ask(m: Module, input: unknown, rule = 0): { result: unknown; heap: number } {
  const set = m.evaluate(input, rule) as { result: unknown }[];
  return { result: set[0]?.result, heap: m.fn("opa_heap_ptr_get")() - m.evalBase };
}

/** What `^[\p{L}\p{Nd}/]+` takes to compile is much more than this. */
const LITTLE = 3000;

describe("a pattern that is a constant", () => {
  it("is compiled in no evaluation", async () => {
    const m = await moduleOf(
      `regex.match("${CLASSES}", i)`,
      `regex.find_n("${CLASSES}", i, 1)`,
      `regex.replace(i, "${CLASSES}", "-")`,
      `regex.split("${CLASSES}", i)`,
      `regex.find_all_string_submatch_n("${CLASSES}", i, -1)`,
      `regex.is_valid("${CLASSES}")`,
    );
    const expected = [true, ["n/a"], "-: yes", ["", ": yes"], [["n/a"]], true];
    for (let time = 0; time < 2; time++) {
      for (const [rule, wanted] of expected.entries()) {
        const { result, heap } = ask(m, "n/a: yes", rule);
        expect(result).toEqual(wanted);
        expect(heap).toBeLessThan(LITTLE);
      }
    }
  });

  it("of a glob is one with its separators", async () => {
    const globs = ["null", "[]", `["/"]`, `["/", ":"]`];
    const m = await moduleOf(...globs.map((g) => `glob.match("*.{a,b}", ${g}, i)`));
    const found = (text: string): unknown[] => globs.map((_, rule) => ask(m, text, rule).result);
    for (let time = 0; time < 2; time++) {
      for (const [rule] of globs.entries()) expect(ask(m, "x", rule).heap).toBeLessThan(500);
      expect(found("x.a")).toEqual([true, true, true, true]);
      expect(found("x.y.a")).toEqual([true, false, true, true]);
      expect(found("x/y.a")).toEqual([true, true, false, false]);
      expect(found("x:y.b")).toEqual([true, true, true, false]);
    }
  });

  it("is no program of the glob with the same text, or of the other way round", async () => {
    const m = await moduleOf(`regex.match("a*", i)`, `glob.match("a*", null, i)`, `glob.match("a*", ["b"], i)`);
    const found = (text: string): unknown[] => [0, 1, 2].map((rule) => ask(m, text, rule).result);
    for (let time = 0; time < 2; time++) {
      expect(found("b")).toEqual([true, false, false]);
      expect(found("axb")).toEqual([true, true, false]);
    }
  });

  it("is found where a request spells it too", async () => {
    const m = await moduleOf(`regex.match("${CLASSES}", "a")`, "regex.match(i.p, i.t)", `regex.match("b+", i.t)`);
    for (const [p, t, wanted] of [
      ["^[\\p{L}\\p{Nd}/]+", "!", false],
      ["b+", "abc", true],
      ["b*c", "ac", true],
      ["b+", "ac", false],
      ["(", "b+", undefined],
    ] as const) {
      expect(ask(m, { p, t }, 1).result).toBe(wanted);
      expect(ask(m, { p, t }, 2).result).toBe(t.includes("b"));
    }
  });

  it("is among many, each of which is found", async () => {
    const patterns = Array.from({ length: 40 }, (_, n) => `^(?P<n${n}>${n})[a-c]?${"x".repeat(n % 5)}$`);
    const m = await moduleOf(`{p | some p in [${patterns.map((p) => `regex.match("${p}", i)`).join(", ")}]; p}`);
    const each = await moduleOf(...patterns.map((p) => `regex.replace(i, "${p}", "<$n${patterns.indexOf(p)}>")`));
    for (const [n] of patterns.entries()) {
      const text = `${n}b${"x".repeat(n % 5)}`;
      expect(ask(m, text).result).toEqual([true]);
      for (const [rule] of patterns.entries()) expect(ask(each, text, rule).result).toBe(rule === n ? `<${n}>` : text);
    }
  });

  it("may be no pattern at all", async () => {
    const m = await moduleOf(`regex.is_valid("(")`, `regex.is_valid("[a")`, `regex.is_valid("a{2000}")`);
    expect([0, 1, 2].map((rule) => ask(m, "", rule).result)).toEqual([false, false, false]);
  });

  it("is left to evaluations where its program is large", async () => {
    const large = await moduleOf(`regex.match("^x{1000}y{1000}z{1000}(?:xy?){999}$", i)`);
    const text = `${"x".repeat(1000)}${"y".repeat(1000)}${"z".repeat(1000)}${"xy".repeat(999)}`;
    expect(ask(large, text).result).toBe(true);
    expect(ask(large, `${text}y`).result).toBe(false);
  });
});

describe("the strings of strings.replace_n that are a constant", () => {
  const CONSTANTS = [
    {},
    { a: "1" },
    { a: "1", ab: "2", b: "3", é: "" },
    { "": "-" },
    { "": "-", a: "1", b: "" },
    { ab: "x", abc: "y", b: "zz", ba: "a" },
    Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`${i}b`, String(i)])),
  ];
  const TEXTS = ["", "a", "abc", "xx", "aab abc", "za", "17b299b300b", "x".repeat(100)];

  it("are made ready once, and replaced as those of a request", async () => {
    const m = await moduleOf(
      ...CONSTANTS.map((strings) => `strings.replace_n(${JSON.stringify(strings)}, i.t)`),
      "strings.replace_n(i.p, i.t)",
    );
    for (const [rule, p] of CONSTANTS.entries()) {
      for (const t of TEXTS) {
        const { result, heap } = ask(m, { t }, rule);
        expect(result).toBe(ask(m, { p, t }, CONSTANTS.length).result);
        expect(heap).toBeLessThan(LITTLE);
      }
    }
  });
});

describe("a pattern that a request brings", () => {
  it("leaves nothing behind when memory ends while it is compiled", async () => {
    const m = await moduleOf("regex.match(i.p, i.t)");
    const p = "^(?:\\pL|[a-f0-9]){1,40}$";
    const whole = ask(m, { p, t: "é" });
    expect(whole.result).toBe(true);
    let aborts = 0;
    for (let room = 200; room < 60_000; room += 977) {
      m.fn("portcullis_set_ceiling")(m.evalBase + room);
      try {
        expect(ask(m, { p, t: "é" }).result).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(Abort);
        aborts++;
      }
      m.fn("portcullis_set_ceiling")(0);
      expect(ask(m, { p, t: "é" })).toEqual(whole);
      expect(ask(m, { p: `${p}|`, t: "!" }).result).toBe(true);
    }
    expect(aborts).toBeGreaterThan(3);
  });

  it("is compiled once an evaluation, and keeps nothing but its program", async () => {
    const m = await moduleOf("count([1 | some t in i.t; regex.match(i.p, t)])");
    const p = "^[\\p{L}\\p{Nd}/]+";
    const heap = (texts: number): number => ask(m, { p, t: Array.from({ length: texts }, () => "a") }).heap;
    expect(heap(1)).toBeGreaterThan(LITTLE);
    expect(heap(1)).toBeLessThan(3 * LITTLE);
    expect(heap(100) - heap(1)).toBeLessThan(100 * 200);
  });
});

/** Policies of unusual size: many rules, long chains, deep nesting. Neither the stack nor the clock may suffer. */

import { describe, expect, it } from "vitest";
import { type AnalyzeResult, analyze } from "../../../compiler/rego/analyze/index.ts";
import type { Module } from "../../../compiler/rego/syntax/ast.ts";
import { isWhole } from "../../campaign.ts";
import { parse, where } from "./helpers.ts";

/** Large counts, all or a fourth: still enough that a quadratic step would take minutes in `make test-all`. */
const n = (whole: number): number => (isWhole ? whole : whole / 4);

const many = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join("\n");

/** Processor time of the first of three runs within the limit, in milliseconds: other work on the machine does not count. */
function timed(modules: readonly Module[], limit: number): { result: AnalyzeResult; ms: number } {
  for (let run = 1; ; run++) {
    const before = process.cpuUsage();
    const result = analyze(modules);
    const { user, system } = process.cpuUsage(before);
    const ms = (user + system) / 1000;
    if (ms < limit || run === 3) return { result, ms };
  }
}

function accepted(text: string, limit: number): AnalyzeResult {
  const { result, ms } = timed([parse(text)], limit);
  expect(result.diagnostics.map(where).slice(0, 5)).toEqual([]);
  expect(ms, `${Math.round(ms)} ms`).toBeLessThan(limit);
  return result;
}

// Limits are several times what an idle machine needs, so that they fail for a quadratic step and not for a busy machine.
describe("many rules", () => {
  it("10,000 rules of different names", () => {
    const text = many(
      n(5_000),
      (i) => `r${i} := x if { x := input.a[${i}]; x > ${i}; not r${i + 1}_ } \nr${i + 1}_ if input.b == "v${i}"`,
    );
    accepted(`package t\n${text}`, 4_000);
  });

  it("10,000 definitions of one rule", () => {
    accepted(`package t\n${many(n(10_000), (i) => `p contains x if { x := "v${i}"; input.user == x }`)}`, 5_000);
    accepted(`package t\n${many(n(10_000), (i) => `f(${i}) := "v${i}"`)}`, 5_000);
    accepted(`package t\n${many(n(10_000), (i) => `p["v${i}"] := {"k${i}": ${i}} if input.user == "u${i}"`)}`, 8_000);
  });

  it("10,000 rules that all refer to one with 10,000 definitions", () => {
    const text = `${many(n(10_000), (i) => `p contains "v${i}" if input.x == ${i}`)}\n${many(n(10_000), (i) => `q${i} if "a" in p`)}`;
    accepted(`package t\n${text}`, 10_000);
  });

  it("2,000 rules that all refer to a whole package", () => {
    const a = parse(`package a\n${many(n(2_000), (i) => `r${i} := ${i}`)}`);
    const b = parse(`package b\n${many(n(2_000), (i) => `r${i} := data.a[input.x${i}]`)}`, "b.rego");
    const { result, ms } = timed([a, b], 10_000);
    expect(result.diagnostics.map(where)).toEqual([]);
    expect(ms, `${Math.round(ms)} ms`).toBeLessThan(10_000);
  });
});

describe("long chains", () => {
  it("of rules", () => {
    const { policy } = accepted(
      `package t\n${many(n(20_000), (i) => `r${i} if r${i + 1}`)}\nr${n(20_000)} := true`,
      8_000,
    );
    expect(policy?.graph.reachableFrom([["t", "r0"]]).size).toBe(n(20_000) + 1);
    expect(policy?.graph.reachableFrom([["t", `r${n(20_000) - 1}`]]).size).toBe(2);
  });

  it("of recursive rules", () => {
    const { result, ms } = timed(
      [parse(`package t\n${many(n(20_000), (i) => `r${i} if r${(i + 1) % n(20_000)}`)}`)],
      8_000,
    );
    expect(result.diagnostics.length).toBeGreaterThan(0);
    expect(result.diagnostics.every((d) => d.opa === "rego_recursion_error")).toBe(true);
    expect(ms, `${Math.round(ms)} ms`).toBeLessThan(8_000);
  });

  it("of else", () => {
    const text = `p := 0 if input.x == 0 ${many(150, (i) => `else := ${i} if input.x == ${i}`)}`;
    accepted(`package t\n${text}`, 2_000);
  });

  it("of statements, the last bound first", () => {
    const text = many(1_000, (i) => `x${i} = x${i + 1} + 1`);
    accepted(`package t\np if {\n${text}\nx1000 = 1\n}`, 8_000);
  });
});

describe("deep nesting", () => {
  it.each([
    ["arrays", (n: number) => `${"[".repeat(n)}${"]".repeat(n)}`],
    ["calls", (n: number) => `${"count(".repeat(n)}[]${")".repeat(n)}`.replaceAll("count(count(", "abs(abs(")],
    ["comprehensions", (n: number) => `${"[x | x := ".repeat(n)}1${"]".repeat(n)}`],
    ["references", (n: number) => `${"input.a[".repeat(n)}1${"]".repeat(n)}`],
    ["objects", (n: number) => `${'{"a": '.repeat(n)}1${"}".repeat(n)}`],
  ])("of %s", (_, make) => {
    for (const depth of [20, 60, 180]) {
      const text = `package t\np := ${make(depth)}`;
      let module: Module | undefined;
      try {
        module = parse(text);
      } catch {
        // The parser has a limit of its own.
      }
      if (module) expect(() => analyze([module as Module])).not.toThrow();
    }
  });

  it("of operators", () => {
    accepted(`package t\np := ${Array.from({ length: 390 }, (_, i) => i).join(" + ")}`, 2_000);
  });
});

describe("large values", () => {
  it("an object of 20,000 entries, used", () => {
    const text = `table := {${many(n(20_000), (i) => `"k${i}": {"n": ${i}},`)}}\np := table[input.k].n\nq := table.k17.n`;
    accepted(`package t\n${text}`, 5_000);
  });
});

it("takes no longer for values that are made of the same value again and again", () => {
  const chain = (name: string, make: (last: string) => string): string =>
    `${name}0 := [input.${name}]\n${many(40, (i) => `${name}${i + 1} := ${make(`${name}${i}`)}`)}`;
  for (const make of [(last: string) => `[${last}, ${last}]`, (last: string) => `{"a": ${last}, "b": ${last}}`]) {
    accepted(`package t\n${chain("r", make)}\n${chain("s", make)}\np := count(r40)\nq if r40 == s40`, 1_000);
  }
});

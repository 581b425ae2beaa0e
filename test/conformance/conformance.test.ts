/**
 * OPA's compliance cases through our front end and our module: in our runtime, and, where no builtin is left to the host, in
 * stock @open-policy-agent/opa-wasm. Exceptions are checked both ways.
 */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { isWhole, sampled } from "../campaign.ts";
import { type Case, difference, type NamedCase, type Outcome, readCases } from "./cases.ts";
import { compileCase, evaluateModule } from "./evaluate-case.ts";
import { exceptions, stockExceptions, supersededCases } from "./exceptions.ts";
import { hostBuiltins, stockOutcome } from "./stock.ts";

const dir = fileURLToPath(new URL("../../../shared/conformance/rego-v1", import.meta.url));
const cases = existsSync(dir) ? readCases(dir) : [];
const categories = new Map<string, NamedCase[]>();
for (const named of sampled(cases, 1 / 8))
  categories.set(named.category, [...(categories.get(named.category) ?? []), named]);

/** Cases whose module runs without a builtin of the host, and how many of them stock opa-wasm decides as wanted. */
const stock = { asked: 0, passed: 0 };

async function problem(c: Case, outcome: Promise<Outcome>): Promise<string | undefined> {
  try {
    return difference(c, await outcome);
  } catch (error) {
    return String(error);
  }
}

function judge(c: Case, found: string | undefined, known: ReadonlyMap<string, string>, where: string): string[] {
  const expected = known.get(c.note);
  if (found !== undefined && expected === undefined) return [`${c.note}${where}: ${found}`];
  if (found === undefined && expected !== undefined) return [`${c.note}${where} passes, but is listed as an exception`];
  return [];
}

const known = new Map([...exceptions, ...supersededCases]);
const knownInStock = new Map([...stockExceptions, ...supersededCases]);

async function wrongIn({ case: c }: NamedCase): Promise<string[]> {
  const compiled = await compileCase(c);
  if (compiled.kind === "error") return judge(c, await problem(c, Promise.resolve(compiled)), known, "");
  const { wasm } = compiled;
  const ours = judge(c, await problem(c, evaluateModule(wasm, c)), known, "");
  if (hostBuiltins(wasm).length > 0) return ours;
  const found = await problem(c, stockOutcome(wasm, c));
  stock.asked++;
  if (found === undefined) stock.passed++;
  return [...ours, ...judge(c, found, knownInStock, " in stock opa-wasm")];
}

describe.skipIf(cases.length === 0)("OPA's cases", () => {
  it("names only cases that exist as exceptions", () => {
    const notes = new Set(cases.map((c) => c.case.note));
    expect([...known.keys(), ...knownInStock.keys()].filter((note) => !notes.has(note))).toEqual([]);
  });

  it.each([...categories])("%s", async (_category, named) => {
    const wrong: string[] = [];
    for (const c of named) wrong.push(...(await wrongIn(c)));
    expect(wrong).toEqual([]);
  });

  it("are decided by stock opa-wasm as wanted where no builtin is left to the host, 95 in 100 at least", () => {
    console.log(`${stock.passed} of ${stock.asked} modules without a host's builtin pass in stock opa-wasm`);
    expect(stock.asked).toBeGreaterThan(isWhole ? 1000 : 80);
    expect(stock.passed / stock.asked).toBeGreaterThanOrEqual(0.95);
  });
});

/**
 * The back end alone: OPA's own plan of each conformance case as a module, in stock @open-policy-agent/opa-wasm; a sample of them in `make test`.
 * Builtins that are not native are those of that SDK; cases that need one which it lacks are counted apart.
 */

import { describe, expect, it } from "vitest";
import { optimize } from "../../../compiler/rego/optimize/index.ts";
import type { Policy } from "../../../compiler/rego/plan/ir.ts";
import { isNative } from "../../../compiler/rego/wasm/native-builtins.ts";
import { sampled } from "../../campaign.ts";
import { supersededCases } from "../../conformance/exceptions.ts";
import { evaluateInStock } from "../../conformance/stock.ts";
import { type Case, hasCases, readCases } from "../plan/cases.ts";
import { addressDataByText } from "../plan/data-keys.ts";
import { readPlanJson } from "../plan/read-json.ts";
import { emit } from "./module.ts";

/** Builtins of the SDK that are not OPA's to the letter; cases that need them are not judged here. */
const SDK_BUILTINS = new Set(["sprintf", "graph.reachable_paths"]);

type Outcome = "pass" | "needs host" | string;

async function judge(c: Case, policy: Policy): Promise<Outcome> {
  const host = policy.builtins.filter((b) => !isNative(b.name)).map((b) => b.name);
  let results: unknown[];
  try {
    results = await evaluateInStock(emit(policy), c);
  } catch (error) {
    // The SDK throws plain objects.
    const message = String((error as { message?: unknown }).message ?? error);
    if (message.includes("not implemented: built-in function")) return "needs host";
    return c.want_error === undefined && c.want_error_code === undefined ? message : "pass";
  }
  if (c.strict_error && results.length === 0) return "pass";
  if (sameResults(results, c)) return "pass";
  if (host.some((name) => SDK_BUILTINS.has(name))) return "needs host";
  return `got ${JSON.stringify(results)}, wanted ${JSON.stringify(c.want_result ?? c.want_error_code)}`;
}

/** Results are a set; with `sort_bindings` the arrays in them stand for sets too. */
function sameResults(results: readonly unknown[], c: Case): boolean {
  const text = (value: unknown): string => {
    if (Array.isArray(value)) return `[${(c.sort_bindings ? value.map(text).sort() : value.map(text)).join()}]`;
    if (typeof value !== "object" || value === null) return JSON.stringify(value);
    return `{${Object.entries(value)
      .map(([k, v]) => `${JSON.stringify(k)}:${text(v)}`)
      .sort()
      .join()}}`;
  };
  const list = (values: readonly unknown[]): string => values.map(text).sort().join();
  return c.want_result !== undefined && list(results) === list(c.want_result);
}

describe.skipIf(!hasCases)("OPA's own plans of the conformance cases", () => {
  it.each<[string, (policy: Policy) => Policy]>([
    ["as they are", (policy) => policy],
    ["optimised", (policy) => optimize(policy, { data: { kind: "object", entries: [] } })],
  ])("%s, give the wanted results as modules in stock opa-wasm", async (_, prepare) => {
    const failures: string[] = [];
    let passed = 0;
    let needHost = 0;
    for (const c of sampled(
      readCases().filter(({ note }) => !supersededCases.has(note)),
      1 / 20,
    )) {
      const outcome = await judge(c, prepare(addressDataByText(readPlanJson(c.plan))));
      if (outcome === "pass") passed++;
      else if (outcome === "needs host") needHost++;
      else failures.push(`${c.note}: ${outcome}`);
    }
    console.log(`${passed} passed, ${failures.length} failed, ${needHost} need a host's builtin`);
    expect(failures).toEqual([]);
  });
});

/** The benchmark's policies and requests: the same in every run, without findings, and asking what they say they ask. */

import { DECISION_KINDS, load } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import type { PolicyTables } from "../../bench/bundles.ts";
import { generatePolicies, hostOf, SIZES } from "../../bench/generate-policies.ts";
import { handWritten } from "../../bench/peers/hand-written/index.ts";
import { randomOf } from "../../bench/random.ts";
import { REQUESTS, scenariosOf, TABLE_KINDS } from "../../bench/scenarios.ts";
import { compile } from "../../compiler/pipeline.ts";

describe("chance with a seed", () => {
  it("draws the same numbers for the same seed, and others for another", () => {
    const draws = (seed: number): number[] => {
      const random = randomOf(seed);
      return Array.from({ length: 200 }, () => random.below(1000));
    };
    expect(draws(7)).toEqual(draws(7));
    expect(draws(7)).not.toEqual(draws(8));
    expect(draws(7).every((n) => Number.isInteger(n) && n >= 0 && n < 1000)).toBe(true);
    expect(new Set(draws(7)).size).toBeGreaterThan(150);
  });

  it("picks from everything, and not from nothing", () => {
    const random = randomOf(1);
    expect(new Set(Array.from({ length: 100 }, () => random.pick(["a", "b", "c"])))).toEqual(new Set(["a", "b", "c"]));
    expect(() => random.pick([])).toThrow("nothing to pick from");
  });
});

describe("generated policies", () => {
  it.each(["S", "M"] as const)("of size %s are the same every time", (size) => {
    const files = generatePolicies(size);
    expect([...generatePolicies(size)]).toEqual([...files]);
    const count = (path: string, line: RegExp): number => files.get(path)?.match(line)?.length ?? 0;
    expect(count("roles.yaml", /role_id/g)).toBe(SIZES[size].roles);
    expect(count("lanes.yaml", /lane_id/g)).toBe(SIZES[size].lanes);
    expect(count("tool_registry.yaml", /tool_name/g)).toBe(SIZES[size].tools);
    expect([...files.keys()].filter((path) => path.startsWith("agents/")).length).toBe(SIZES[size].agents);
  });

  it("compile, and are asked what the gates say they are", async () => {
    const { compiled, diagnostics } = await compile({ host: hostOf(generatePolicies("S")), dirs: ["policies"] });
    expect(diagnostics.filter((d) => d.severity === "error")).toEqual([]);
    const policy = await load(compiled?.bundle as Uint8Array);
    const file = compiled?.files.find(({ path }) => path === "data.json");
    const tables = JSON.parse(new TextDecoder().decode(file?.bytes)) as {
      readonly portcullis: { readonly policy: PolicyTables };
    };
    const scenarios = scenariosOf(tables.portcullis.policy);
    expect(scenariosOf(tables.portcullis.policy)).toEqual(scenarios);
    expect(scenarios.length).toBe(TABLE_KINDS.length * 2);
    const hand = await handWritten({ data: tables } as never);
    if ("absent" in hand) throw new Error(hand.absent);
    for (const { kind, outcome, gate, texts } of scenarios) {
      expect(DECISION_KINDS).toContain(kind);
      expect(texts.length).toBe(REQUESTS);
      const decide = hand.decides(kind);
      if (typeof decide !== "function") throw new Error(decide.cannot);
      for (const text of texts) {
        const request = JSON.parse(text) as never;
        const decision = policy.evaluate(`portcullis/${kind}/decision`, request) as { allowed: boolean; gate: string };
        expect([decision.gate, decision.allowed], text).toEqual([gate, outcome === "allow"]);
        // What Portcullis is compared to decides alike, members and all.
        expect(decide(request), text).toEqual(decision);
      }
    }
  });
});

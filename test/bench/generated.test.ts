/** The benchmark's policies and requests: the same in every run, without findings, and asking what they say they ask. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DECISION_KINDS, entrypointOf, load } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import type { PolicyTables } from "../../bench/bundles.ts";
import { generatePolicies, hostOf, SIZES } from "../../bench/generate-policies.ts";
import { handWritten } from "../../bench/peers/hand-written/index.ts";
import { randomOf } from "../../bench/random.ts";
import { textsOf, workloadsOf } from "../../bench/workloads/index.ts";
import { laneWorkloads, toolWorkloads } from "../../bench/workloads/lane-and-tool.ts";
import { compile } from "../../compiler/governance/pipeline.ts";

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
    const workloads = workloadsOf(tables.portcullis.policy);
    expect([...new Set(workloads.map(({ kind }) => kind))]).toEqual(DECISION_KINDS);
    const hand = await handWritten({ data: tables } as never);
    if ("absent" in hand) throw new Error(hand.absent);
    for (const workload of workloads) {
      const { kind, outcome, gate } = workload;
      const decide = hand.decides(kind);
      if (typeof decide !== "function") throw new Error(decide.cannot);
      const texts = textsOf(workload, 0, Math.min(64, workload.different));
      // No request twice, and the same ones again for the same numbers.
      expect(new Set(texts).size).toBe(texts.length);
      expect(textsOf(workload, 0, texts.length)).toEqual(texts);
      for (const text of texts) {
        const request = JSON.parse(text) as never;
        const decision = policy.evaluate(entrypointOf(kind), request) as { allowed: boolean; gate: string };
        if (gate !== undefined) expect([decision.gate, decision.allowed], text).toEqual([gate, outcome === "allow"]);
        // What Portcullis is compared to decides alike, members and all.
        expect(decide(request), text).toEqual(decision);
      }
    }
  });

  it("are asked for every pair and triple of the tables, where these bound how many requests there are", () => {
    const data = JSON.parse(readFileSync(fileURLToPath(new URL("../../generated/data.json", import.meta.url)), "utf8"));
    const tables = (data as { readonly portcullis: { readonly policy: PolicyTables } }).portcullis.policy;
    for (const workload of [...laneWorkloads(tables), ...toolWorkloads(tables)])
      expect(new Set(textsOf(workload, 0, workload.different)).size).toBe(workload.different);
  });
});

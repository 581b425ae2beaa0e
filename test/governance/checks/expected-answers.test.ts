/** What decision tests expect: `check` tells what no decision answers, before the tests run. */

import { describe, expect, it } from "vitest";
import { check, compile } from "../../../compiler/governance/pipeline.ts";
import { compileTests } from "../../../compiler/governance/testing/compile-tests.ts";
import { virtualHost } from "../sources/virtual-host.ts";
import { brief } from "./author.ts";

const SET = {
  "portcullis.yaml": "lineage: { require: false }\n",
  "roles.yaml": "roles: [{ role_id: R, privileges: { lanes: [L] } }]\n",
  "lanes.yaml": "lanes: [{ lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [t] } }]\n",
  "tool_registry.yaml": "tools: [{ tool_name: t, enabled: true, implementation_status: implemented }]\n",
};

const own = (gate: string): string =>
  `package portcullis.ext.tool\n\ndeny contains {"gate": ${gate}, "reason": "late"} if input.role == "R"\n`;

/** Findings on tests of `check`, and the help of the first. */
async function findings(files: Readonly<Record<string, string>>): Promise<unknown[]> {
  const { diagnostics } = await check({ host: virtualHost({ p: { ...SET, ...files } }), dirs: ["p"] });
  const found = diagnostics.filter((d) => d.span?.file.name.startsWith("p/tests/") ?? false);
  return found.flatMap((d) => [brief(d), ...(d.help === undefined ? [] : [d.help])]);
}

const expecting = (decision: string, gate: string): Record<string, string> => ({
  "tests/a.yaml": `decision: ${decision}\ncases:\n  - { name: n, input: {}, expect: { gate: ${gate} } }\n`,
});

describe("gates that tests expect", () => {
  it.each([
    ["tool", "TOOL_ENABLED"],
    ["tool", "LANE_AUTHORIZATION"],
    ["call", "LANE_TOOL"],
    ["call", "SCOPE"],
    ["lineage", "SPAWN_PERMISSION"],
    ["handoff", "FAILURE"],
    ["exec", "HAT_MODE"],
    ["close", "CONTAINMENT"],
    ["subagent", "APPROVED_BY"],
    ["lane", "ALLOW"],
    ["lane", "INTERNAL_ERROR"],
  ])("are known: %s %s", async (decision, gate) => {
    expect(await findings(expecting(decision, gate))).toEqual([]);
  });

  it("are told where no decision has them, with the one that was meant", async () => {
    const at = "tests/a.yaml:3:43";
    expect(await findings(expecting("tool", "TOOL_ENABLD"))).toEqual([
      `pipeline/unknown-gate ${at} TOOL_ENABLD`,
      "did you mean `TOOL_ENABLED`?",
    ]);
    expect((await findings(expecting("lane", "HAT_MODE")))[0]).toBe(`pipeline/unknown-gate ${at} HAT_MODE`);
    const matrix =
      "matrices:\n  - { name: m, decision: lane, axes: { role: [R] }, allow: [], expect: { gate: ALOW } }\n";
    expect((await findings({ "tests/a.yaml": matrix }))[0]).toBe("pipeline/unknown-gate tests/a.yaml:2:80 ALOW");
  });

  it("may be an author's", async () => {
    expect(await findings({ ...expecting("tool", "CLOCK"), "a.rego": own('"CLOCK"') })).toEqual([]);
    expect(await findings({ ...expecting("call", "CLOCK"), "a.rego": own('"CLOCK"') })).toEqual([]);
    expect(await findings({ ...expecting("tool", "ANY"), "a.rego": own("input.tool") })).toEqual([]);
    expect((await findings({ ...expecting("tool", "CLOK"), "a.rego": own('"CLOCK"') }))[1]).toBe(
      "did you mean `CLOCK`?",
    );
    expect((await findings({ ...expecting("lane", "CLOCK"), "a.rego": own('"CLOCK"') }))[0]).toContain("unknown-gate");
  });

  it("stand beside reasons and members, which are told as well", async () => {
    const of = (expected: string): Record<string, string> => ({
      "tests/a.yaml": `decision: tool\ncases:\n  - { name: n, input: {}, expect: { ${expected} } }\n`,
    });
    expect(await findings(of("reason: tool_disabld"))).toEqual([
      "pipeline/unknown-reason tests/a.yaml:3:45 tool_disabld",
      "did you mean `tool_disabled`?",
    ]);
    expect(await findings(of("alowed: false"))).toEqual([
      "pipeline/unknown-answer tests/a.yaml:3:37 alowed",
      "did you mean `allowed`?",
    ]);
    expect(await findings(of("reason: tool_not_registered, lane_reason: lane_not_defined"))).toEqual([]);
    // A reason in words is made while deciding.
    expect(await findings(of("reason: any words at all"))).toEqual([]);
    expect(await findings({ ...of("gate: CLOCK, reason: late"), "a.rego": own('"CLOCK"') })).toEqual([]);
    expect((await findings({ ...of("reason: lat"), "a.rego": own('"CLOCK"') }))[0]).toContain("unknown-reason");
  });

  it("with whatever else is wrong with tests before they run", async () => {
    const twice =
      "decision: lane\ncases:\n  - { name: n, input: {}, expect: &a { allowed: false } }\n  - { name: n, input: {}, expect: *a }\n";
    expect(await findings({ "tests/a.yaml": twice })).toEqual(["model/test-name-repeated tests/a.yaml:4:13 n"]);
  });

  it("hinder neither a build nor the tests: a bundle has none, and a test says itself what it got", async () => {
    const host = virtualHost({ p: { ...SET, ...expecting("tool", "TOOL_ENABLD") } });
    expect((await compile({ host, dirs: ["p"] })).compiled).toBeDefined();
    expect((await compileTests({ host, dirs: ["p"] })).compiled?.decisions.length).toBe(1);
    // An editor shows what `check` does.
    const shown = (await compileTests({ host, dirs: ["p"], checkOnly: true })).diagnostics.map((d) => d.code);
    expect(shown).toContain("pipeline/unknown-gate");
  });
});

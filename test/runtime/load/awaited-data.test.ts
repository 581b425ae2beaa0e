/** A policy that promises data of its host answers denials until it is there: a rule that reads nothing would deny nothing. */

import { readFileSync } from "node:fs";
import { load, type Policy, ReloadablePolicy } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { compile } from "../../../compiler/governance/pipeline.ts";
import { openBundle, prove } from "../../../compiler/governance/review/index.ts";
import { virtualHost } from "../../governance/sources/virtual-host.ts";

const FILES = {
  "portcullis.yaml": "rego: { host_data: [desk.frozen, data.limits] }\n",
  "roles.yaml": "roles: [{ role_id: R, privileges: { lanes: [L] } }]\n",
  "lanes.yaml": "lanes: [{ lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [t] } }]\n",
  "tool_registry.yaml": "tools: [{ tool_name: t, enabled: true, implementation_status: implemented }]\n",
  "ext/tool.rego": `package portcullis.ext.tool

deny contains {"gate": "FREEZE", "reason": "frozen"} if data.desk.frozen[input.tool]

deny contains {"gate": "LIMIT", "reason": "limited"} if data.limits[input.tool] == 0
`,
};

const { compiled } = await compile({ host: virtualHost({ p: FILES }), dirs: ["p"] });
if (compiled === undefined) throw new Error("it compiles");
const { bundle } = compiled;
const ask = (policy: Policy): string => {
  const { gate } = policy.tool({ role: "R", lane: "L", tool: "t" });
  return gate;
};

describe("a policy with `rego.host_data`", () => {
  it("denies until the host has supplied all of it", async () => {
    const policy = await load(bundle);
    expect(ask(policy)).toBe("INTERNAL_ERROR");
    expect(policy.lastFault?.message).toBe(
      "the host has not supplied `data.desk.frozen`, `data.limits`: call `setData`",
    );
    for (const data of [{}, { limits: {} }, { desk: {}, limits: {} }, { desk: { frozen: { t: true } } }]) {
      policy.setData(data);
      expect(ask(policy)).toBe("INTERNAL_ERROR");
    }
    expect(policy.faults).toBe(5);
    policy.setData({ desk: { frozen: {} }, limits: {} });
    expect([ask(policy), policy.lastFault]).toEqual(["ALLOW", undefined]);
    policy.setData({ desk: { frozen: { t: true } }, limits: {} });
    expect(ask(policy)).toBe("FREEZE");
    // What was taken away is missing again.
    policy.setData({ limits: {} });
    expect(ask(policy)).toBe("INTERNAL_ERROR");
  });

  it("denies whichever way it is asked", async () => {
    const policy = await load(bundle);
    const input = { role: "R", lane: "L", tool: "t" };
    const entrypoint = "portcullis/tool/decision";
    expect(policy.evaluate(entrypoint, input)).toMatchObject({ allowed: false, gate: "INTERNAL_ERROR" });
    expect(policy.evaluateJson(entrypoint, JSON.stringify(input))).toMatchObject({ gate: "INTERNAL_ERROR" });
    expect(policy.call({ ...input, args: {} } as never).gate).toBe("INTERNAL_ERROR");
  });

  it("takes it as an option of `load`, and a reload needs it too", async () => {
    const data = { desk: { frozen: {} }, limits: { t: 0 } };
    expect(ask(await load(bundle, { data }))).toBe("LIMIT");
    expect(ask(await load(bundle, { data: undefined }))).toBe("INTERNAL_ERROR");
    const policies = await ReloadablePolicy.load(bundle);
    policies.current.setData(data);
    expect(ask(policies.current)).toBe("LIMIT");
    await policies.reload(bundle);
    expect(ask(policies.current)).toBe("INTERNAL_ERROR");
  });

  it("takes the data of a reload for the policies after it, too, and changes neither for a bad bundle", async () => {
    const [open, frozen] = [
      { desk: { frozen: {} }, limits: {} },
      { desk: { frozen: { t: true } }, limits: {} },
    ];
    const policies = await ReloadablePolicy.load(bundle);
    expect(policies.current.missingData).toEqual(["desk.frozen", "limits"]);
    expect(await policies.reload(new Uint8Array(10), { data: open })).toMatchObject({ ok: false });
    expect(ask(policies.current)).toBe("INTERNAL_ERROR");
    expect(await policies.reload(bundle, { data: { limits: {} } })).toMatchObject({ ok: true });
    expect(policies.current.missingData).toEqual(["desk.frozen"]);
    await policies.reload(bundle, { data: open });
    expect([ask(policies.current), policies.current.missingData]).toEqual(["ALLOW", []]);
    await policies.reload(bundle);
    expect(ask(policies.current)).toBe("ALLOW");
    // Several at a time, in whatever order they are ready: the data that was given last holds.
    for (const given of [
      [{ data: frozen }, {}],
      [{}, { data: frozen }],
      [{ data: open }, { data: frozen }, {}, {}],
    ]) {
      await policies.reload(bundle, { data: open });
      await Promise.all(given.map((options) => policies.reload(bundle, options)));
      expect(ask(policies.current)).toBe("FREEZE");
      await policies.reload(bundle);
      expect(ask(policies.current)).toBe("FREEZE");
    }
    expect(() => policies.current.setData(() => 1)).toThrow();
    expect((await policies.reload(bundle, { data: () => 1 })).ok).toBe(false);
    expect(ask(policies.current)).toBe("FREEZE");
  });

  it("is told of as any decision", async () => {
    const heard: unknown[] = [];
    const policy = await load(bundle, { onDecision: (event) => heard.push(event.result) });
    ask(policy);
    policy.events?.flush();
    expect(heard).toHaveLength(1);
  });

  it("is reviewed with each part of it there, and empty", async () => {
    const opened = await openBundle("p", bundle);
    if (!opened.ok) throw new Error(opened.problem.message);
    expect(ask(opened.value.policy)).toBe("ALLOW");
    const proof = await prove(opened.value);
    expect(proof.ok && proof.value.properties.filter((p) => p.counterexamples.length > 0)).toEqual([]);
  });

  it("without any decides at once", async () => {
    const path = new URL("../../../generated/bundle.tar.gz", import.meta.url);
    const policy = await load(readFileSync(path));
    expect(policy.lane({ role: "WRITER", lane: "DRAFTING" }).gate).toBe("ALLOW");
  });
});

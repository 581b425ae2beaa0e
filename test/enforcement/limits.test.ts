/** A policy set with limits, at every edge: what is let through is what the limits say, and what was denied has used up nothing. */

import { auditLedger, guardTool, load, memoryHistory, verifyLedger } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { bundle, bundleOf, context, forged, missing, policy } from "./limited-policy.ts";

it("a policy tells its host what it limits, under a name that stays", async () => {
  expect(Object.keys(policy.limits ?? {}).sort()).toEqual(["NO_WEB", "PAY", "REVIEWED"]);
  expect(policy.historyName).toBe("desk");
  expect(policy.call({ ...context, tool: "pay", args: { cents: 1 } })).toMatchObject(missing);
  expect(policy.call({ ...context, tool: "pay", args: { cents: 1 }, facts: forged }).allowed).toBe(true);
});

describe("a guard", () => {
  it("lets through as often, as much and in the order that the limits say", async () => {
    const history = memoryHistory();
    const reasons: string[] = [];
    const call = async (tool: string, args: object, execute: () => unknown = () => 1, session = "s"): Promise<void> => {
      const outcome = await guardTool(policy, context, tool, execute, { history, session })(args).catch(
        () => undefined,
      );
      reasons.push(outcome?.decision.reason ?? "thrown");
    };
    await call("pay", { cents: 101 });
    await call("pay", { cents: 60 });
    await call("pay", { cents: 41 });
    await call("note", { cents: 1 });
    await call("pay", { cents: 40 });
    await call("pay", { cents: 0 });
    expect(reasons.splice(0)).toEqual([
      ...["limit_sum", "call_allowed", "limit_sum", "approval_required", "call_allowed", "limit_calls"],
    ]);
    await call("publish", {});
    await call("review", {}, () => {
      throw new Error("no");
    });
    await call("publish", {});
    await call("review", {});
    await call("publish", {});
    expect(reasons.splice(0)).toEqual(["limit_order", "thrown", "limit_order", "call_allowed", "call_allowed"]);
    await call("mail", {});
    await call("fetch", {}, () => 1, "t");
    await call("mail", {});
    await call("fetch", {});
    await call("mail", {});
    await call("mail", {}, () => 1, "");
    expect(reasons).toEqual([
      ...["call_allowed", "call_allowed", "call_allowed", "call_allowed", "limit_order", "limit_key_missing"],
    ]);
  });

  it("says when there is room again", async () => {
    const history = memoryHistory({ clock: () => 3_600_000 });
    const pay = guardTool(policy, context, "pay", () => 1, { history });
    await pay({ cents: 1 });
    await pay({ cents: 1 });
    const { decision } = await pay({ cents: 1 });
    const width = Math.ceil(3_600_000 / 63);
    const free = (Math.floor(3_600_000 / width) + 64) * width;
    expect(decision).toEqual({
      ...{ allowed: false, gate: "LIMITS", reason: "limit_calls", limit: "PAY" },
      retry_after_ms: free - 3_600_000,
    });
  });

  it("denies without a store, and with facts of its context", async () => {
    const pay = guardTool(policy, context, "pay", () => 1);
    expect((await pay({ cents: 1 })).decision).toMatchObject(missing);
    expect((await guardTool(policy, context, "fetch", () => 1, { session: "s" })({})).allowed).toBe(false);
    const byCall = guardTool(
      policy,
      () => ({ ...context, facts: forged }) as never,
      "pay",
      () => 1,
    );
    expect((await byCall({ cents: 1 })).allowed).toBe(false);
  });

  it("leaves decision events that decide alike again", async () => {
    const lines: string[] = [];
    const ledger = auditLedger({
      write: async (batch) => void lines.push(new TextDecoder().decode(batch as Uint8Array)),
    });
    const heard = await load(bundle, { onDecision: ledger });
    const history = memoryHistory();
    for (const cents of [60, 60, 40, 1]) await guardTool(heard, context, "pay", () => 1, { history })({ cents });
    heard.events?.flush();
    await ledger.close();
    const text = lines.join("");
    expect(text).toContain('"history":{"PAY":{"calls":1');
    const whole = async function* () {
      yield* text.split("\n");
    };
    expect(await verifyLedger(whole(), { policyOf: () => policy })).toMatchObject({ ok: true, events: 4, decided: 4 });
  });
});

it("adapters and entrypoints that make no facts deny what a later call must not come after", async () => {
  const rego = `# METADATA
# entrypoint: true
package app.own

answer := {"decision": data.portcullis.call.decision.allowed}
`;
  const set = {
    "own.rego": rego.replace("package app.own\n\nanswer", "package app.own\n\n# METADATA\n# entrypoint: true\nanswer"),
    "limits.yaml": "limits: [{ limit_id: L, calls: { tools: [mail] }, never_after: { tools: [pay] } }]\n",
  };
  const spoiling = await load(await bundleOf(set));
  const http = { method: "POST", path: "/pay", headers: { "x-role": "R" } };
  const check = { attributes: { request: { http } }, parsed_body: { cents: 1 } };
  const denied = { allowed: false, gate: "LIMITS", reason: "history_missing" };
  expect(spoiling.evaluate("portcullis/envoy/authz", check)).toMatchObject(denied);
  const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "pay", arguments: { cents: 1 } } };
  expect(spoiling.evaluate("portcullis/mcp/call", { request, identity: context })).toMatchObject(denied);
  const one = { subject: { type: "role", id: "R" }, action: { name: "use" }, resource: { type: "tool", id: "pay" } };
  expect(spoiling.evaluate("portcullis/authzen/evaluation", one)).toMatchObject({ decision: false });
  expect(spoiling.evaluate("app/own/answer", { ...context, tool: "pay" })).toEqual({ decision: false });
  expect(spoiling.call({ ...context, tool: "pay" })).toMatchObject(denied);
  // The same without a tool that spoils anything.
  expect(spoiling.evaluate("app/own/answer", { ...context, tool: "review" })).toEqual({ decision: true });
});

it("adapters in Rego count nothing: what a limit counts is denied, whatever facts a client writes", () => {
  const path = { method: "POST", path: "/pay", headers: { "x-role": "R" } };
  const check = { attributes: { request: { http: path } }, parsed_body: { cents: 1 }, facts: forged };
  expect(policy.evaluate("portcullis/envoy/authz", check)).toMatchObject({ allowed: false, reason: "history_missing" });
  const message = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "pay", arguments: { cents: 1 }, facts: forged },
  };
  const asked = { request: message, identity: { ...context, facts: forged }, facts: forged };
  expect(policy.evaluate("portcullis/mcp/call", asked)).toMatchObject(missing);
});

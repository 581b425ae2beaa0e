/** A limit counts by what the host says of a call, and never by an argument: an agent would choose a fresh budget each time. */

import { expect, it } from "vitest";
import { type Caller, Verdicts } from "../../../compiler/enforcement/gateway/index.ts";
import { memoryHistory } from "../../../runtime/index.ts";
import { policyOf } from "../../governance/library/compiled-set.ts";

const FILES = {
  "portcullis.yaml": "call: { host_scope: [customer] }\n",
  "roles.yaml": "roles: [{ role_id: R }]\n",
  "lanes.yaml": "lanes: [{ lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [pay] } }]\n",
  "tool_registry.yaml": "tools: [{ tool_name: pay, enabled: true, implementation_status: implemented }]\n",
  "limits.yaml": "limits: [{ limit_id: ONE, calls: { tools: [pay] }, per: [scope.customer], max_calls: 1 }]\n",
};
const tools = new Map([["pay", { tool: "pay", scope: new Map([["customer", "to"]]), flags: [], writes: [] }]]);

async function answers(scope: Caller["scope"], ...customers: string[]): Promise<unknown[]> {
  const caller: Caller = { role: "R", lane: "L", scope, flags: [] };
  const verdicts = new Verdicts(await policyOf(FILES), caller, tools, () => {}, { history: memoryHistory() });
  const outcomes: unknown[] = [];
  for (const to of customers) {
    const { decision } = await verdicts.call("pay", { to }, () => true);
    outcomes.push(decision.allowed === true ? "ALLOW" : `${decision.gate} ${decision.reason}`);
  }
  return outcomes;
}

it("is counted by the host's own word", async () => {
  expect(await answers({ customer: "c-1" }, "c-1", "c-1")).toEqual(["ALLOW", "LIMITS limit_calls"]);
  // The argument has to be the same: the tool acts on it.
  expect(await answers({ customer: "c-1" }, "c-2")).toEqual(["INTERNAL_ERROR invalid input"]);
});

it("is denied where an argument alone says it", async () => {
  const denial = "LIMITS limit_key_missing";
  expect(await answers({}, "c-1", "c-2", "c-3")).toEqual([denial, denial, denial]);
});

/** What limits say, as people are told it: from the policy's data, by explain and list. */

import { expect, it } from "vitest";
import { limitWords } from "../../../compiler/governance/lower/index.ts";
import { compile } from "../../../compiler/governance/pipeline.ts";
import { explain, listGrants, type OpenedPolicy, openBundle } from "../../../compiler/governance/review/index.ts";
import { limitPolicy } from "../library/limit-calls.ts";
import { virtualHost } from "../sources/virtual-host.ts";

it("words say which calls, how often, how much, in which order and when", () => {
  const says = Object.fromEntries(limitWords(limitPolicy).map(({ limit, says: words }) => [limit, words]));
  expect(says).toEqual({
    both: "count: at most 9 of scope.a.b; only after check in the last 10m",
    first: "publish by CHIEF: only after check",
    hours: "office: mon, tue, wed, thu, fri from 09:00 to 17:30 in Europe/Berlin",
    night: "night: at most 1 calls; sat, sun from 22:00 to 01:30 in Australia/Lord_Howe",
    order: "publish: only after check or review in the last 10m, for each session",
    pay: "pay by CLERK in L: at most 3 calls, at most 100 of args.cents in 1h, for each role and lane and tool and scope.who",
    taint: "mail: never after fetch or mail, for each session",
    "\uff5e": "bill: no calls",
    "\u{1f600}": "bill: at most 9007199254740991 of scope.a.b",
  });
  expect(limitWords(limitPolicy, "check").map(({ limit }) => limit)).toEqual(["both", "first", "order"]);
  expect(limitWords(limitPolicy, "ls")).toEqual([]);
  expect(limitWords(undefined)).toEqual([]);
});

const FILES = {
  "roles.yaml": "roles: [{ role_id: R, privileges: { lanes: [L] } }]\n",
  "lanes.yaml": "lanes: [{ lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [t, u] } }]\n",
  "tool_registry.yaml":
    "tools:\n  - { tool_name: t, enabled: true, implementation_status: implemented }\n  - { tool_name: u, enabled: true, implementation_status: implemented }\n",
  "limits.yaml": "limits: [{ limit_id: A, calls: { tools: [t] }, max_calls: 3, within: 1h }]\n",
};

async function opened(): Promise<OpenedPolicy> {
  const { compiled } = await compile({ host: virtualHost({ policy: FILES }), dirs: ["policy"] });
  const result = await openBundle("set", compiled?.bundle as Uint8Array);
  if (!result.ok) throw new Error(result.problem.message);
  return result.value;
}

it("explain tells which limit, and what it says; it proposes nothing that an author cannot write", async () => {
  const facts = { now: 1, history: { A: { calls: 3 } } };
  const inputJson = JSON.stringify({ role: "R", lane: "L", tool: "t", facts });
  const result = await explain(await opened(), { entrypoint: "portcullis/call/decision", inputJson });
  if (!result.ok) throw new Error(result.problem.message);
  expect(result.value.decision).toMatchObject({ gate: "LIMITS", reason: "limit_calls", limit: "A" });
  const said = result.value.steps.find(({ says }) => says !== undefined)?.says;
  expect(said).toBe("limit A allows no more calls for now; t: at most 3 calls in 1h");
  expect(JSON.stringify(result.value.remedies)).not.toContain("`limits` of tool");
});

it("list tells the limits of granted tools, and of no others", async () => {
  const all = listGrants(await opened());
  expect(all).toMatchObject({ value: { limits: [{ limit: "A", says: "t: at most 3 calls in 1h" }] } });
  expect(listGrants(await opened(), { tool: "u" })).toMatchObject({ value: { limits: [] } });
});

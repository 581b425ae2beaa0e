/** A call that the policy allows, and the host denies since its history cannot be told, is a denial wherever it is told of. */

import {
  type DecisionEvent,
  guardTool,
  type HistoryStore,
  load,
  memoryHistory,
  metrics,
  openTelemetry,
  type TelemetryAttributes,
} from "@portcullis/runtime";
import { afterAll, describe, expect, it } from "vitest";
import { type Server, serve } from "../../compiler/enforcement/serving/index.ts";
import { approvalOf, call as approvedCall, policyOf } from "./approved-call.ts";
import { bundle, context } from "./limited-policy.ts";

const servers: Server[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

const failing: HistoryStore = { reserve: () => Promise.reject(new Error("away")) };
/** Says that there is room, and has reserved nothing. */
const reservingNothing: HistoryStore = {
  reserve: ({ limits }) => ({
    facts: { now: 5, history: Object.fromEntries(limits.map(({ id }) => [id, { calls: 0, sum: 0, last_ms: {} }])) },
    isReserved: false,
    commit: () => undefined,
    release: () => undefined,
  }),
};
/** Calls that the policy allows by what it reads; what is reserved, or remembered, it does not read. */
const CASES: readonly (readonly [string, HistoryStore | undefined, string, object])[] = [
  ["no store, and a call that is only remembered", undefined, "review", {}],
  ["a store that fails", failing, "review", {}],
  ["a store that reserves nothing", reservingNothing, "pay", { cents: 1 }],
];

async function heard(loading: (options: object) => ReturnType<typeof policyOf> = (options) => load(bundle, options)) {
  const events: DecisionEvent[] = [];
  const policy = await loading({ onDecision: (event: DecisionEvent) => void events.push(event) });
  const meter = metrics(policy);
  return {
    policy,
    told(): DecisionEvent[] {
      policy.events?.flush();
      return events.splice(0);
    },
    allows: () => meter.snapshot().decisions.filter(({ outcome }) => outcome === "allow" || outcome === "value").length,
  };
}

const CALL_NAME = "portcullis/call/decision";
const CALL = `/v1/data/${CALL_NAME}`;
/** The same policy again. */
const shadow = await load(bundle);

async function spansOf(policy: Awaited<ReturnType<typeof load>>): Promise<TelemetryAttributes[]> {
  const spans: TelemetryAttributes[] = [];
  const nothing = (): object => ({ add: () => undefined, record: () => undefined });
  const span = { setAttributes: (given: TelemetryAttributes) => spans.push(given), end: () => undefined };
  const api = {
    trace: { getTracer: () => ({ startSpan: () => span }) },
    metrics: { getMeter: () => ({ createCounter: nothing, createHistogram: nothing }) },
  };
  await openTelemetry(policy, api as never);
  return spans;
}

async function served(policy: Awaited<ReturnType<typeof load>>, history: HistoryStore | undefined) {
  const server = await serve({
    served: () => ({ policy }),
    ...{ metrics: () => "", authzen: "portcullis/authzen/evaluation", host: "127.0.0.1", port: 0, anonymous: true },
    ...{ maxBodyBytes: 10_000, maxConnections: 50, requestMs: 2000, graceMs: 200, version: "0" },
    facts: history === undefined ? {} : { history },
  });
  servers.push(server);
  return async (path: string, body: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`${server.url}${path}`, { method: "POST", body: JSON.stringify(body) });
    return (await response.json()) as Record<string, unknown>;
  };
}

describe.each(CASES)("%s", (_, history, tool, args) => {
  const denied = { allowed: false, gate: "INTERNAL_ERROR", reason: "invalid input", problem: expect.any(String) };

  it("is denied by serve, and in its log", async () => {
    const { policy, told, allows } = await heard();
    const post = await served(policy, history);
    const { result } = await post(CALL, { input: { ...context, tool, args } });
    expect(result).toEqual(denied);
    const events = told();
    expect(events.map((event) => event.result)).toEqual([result]);
    // The policy alone would decide it otherwise.
    expect(events[0]?.error).toMatchObject({ code: "internal", message: (result as typeof denied).problem });
    expect(allows()).toBe(0);
  });

  it("is denied to AuthZEN's clients, and in the log", async () => {
    const { policy, told } = await heard();
    const post = await served(policy, history);
    const entity = (type: string, id: string): object => ({ type, id });
    const asked = { subject: entity("role", "R"), resource: entity("tool", tool) };
    const answer = await post("/access/v1/evaluation", { ...asked, action: { name: "use", properties: args } });
    const { allowed: decision, ...why } = denied;
    expect(answer).toEqual({ decision, context: why });
    expect(told().map((event) => event.result)).toEqual([answer]);
  });

  it("is denied by a guard, and to listeners of its policy", async () => {
    const { policy, told, allows } = await heard();
    const guarded = guardTool(policy, context, tool, () => expect.unreachable(), history && { history });
    const { decision } = await guarded(args);
    expect(decision).toEqual(denied);
    expect(told().map((event) => event.result)).toEqual([decision]);
    expect(allows()).toBe(0);
  });

  it("is counted as it is answered without a listener", async () => {
    const policy = await load(bundle);
    const meter = metrics(policy);
    const spans = await spansOf(policy);
    const post = await served(policy, history);
    expect(await post(CALL, { input: { ...context, tool, args } })).toEqual({ result: denied });
    const guarded = guardTool(policy, context, tool, () => expect.unreachable(), history && { history });
    expect((await guarded(args)).decision).toEqual(denied);
    const { decisions, faults } = meter.snapshot();
    const { gate, reason } = { gate: denied.gate, reason: "other" };
    expect(decisions).toEqual([{ entrypoint: CALL_NAME, outcome: "fault", gate, reason, count: 2 }]);
    expect(faults).toEqual({ internal: 2 });
    expect(spans.map((span) => span["portcullis.outcome"])).toEqual(["fault", "fault"]);
    // What the policy is asked without a host is its own answer.
    const facts = { now: 5, history: { REVIEWED: { calls: 0, sum: 0, last_ms: {} } } };
    expect(policy.call({ ...context, tool: "review", facts } as never)).toMatchObject({ allowed: true });
    expect(policy.lastFault).toBeUndefined();
  });

  it("is what a shadow would be answered, too", async () => {
    const { policy, told } = await heard((options) => load(bundle, { ...options, shadow }));
    const post = await served(policy, history);
    await post(CALL, { input: { ...context, tool, args } });
    expect(told()).toEqual([expect.not.objectContaining({ shadow: expect.anything() })]);
    expect(policy.events?.shadow).toMatchObject({ same: 1, newlyAllowed: 0, otherwise: 0, failed: 0 });
  });

  it("is denied where a listener hears of no decision", async () => {
    const { policy, told } = await heard((options) => load(bundle, { ...options, sample: 0 }));
    const guarded = guardTool(policy, context, tool, () => expect.unreachable(), history && { history });
    expect((await guarded(args)).decision).toEqual(denied);
    expect(told()).toEqual([]);
  });
});

it("a denial of which it is not known who has approved the call is logged as it is given", async () => {
  const { policy, told } = await heard((options) => policyOf(undefined, options));
  const post = await served(policy, failing);
  const { result } = await post(CALL, { input: { ...approvedCall, approval: approvalOf() } });
  const problem = "the history of the call is not known: away";
  expect(result).toMatchObject({ allowed: false, gate: "INTERNAL_ERROR", problem });
  expect(told().map((event) => event.result)).toEqual([result]);
});

it("what a listener decides meanwhile is told as it is", async () => {
  const other = await heard();
  const asks = (): unknown => other.policy.call({ ...context, tool: "review" } as never);
  const policy = await load(bundle, { onDecision: asks, unrecorded: "deny" });
  const guarded = guardTool(policy, context, "review", () => expect.unreachable(), {});
  expect((await guarded({})).decision).toMatchObject({ gate: "INTERNAL_ERROR" });
  expect(other.told().map((event) => event.result)).toMatchObject([{ allowed: true }]);
});

it("a call whose history is known is told as before", async () => {
  const { policy, told, allows } = await heard();
  const post = await served(policy, memoryHistory());
  const { result } = await post(CALL, { input: { ...context, tool: "review" } });
  expect(result).toMatchObject({ allowed: true });
  const [event] = told();
  expect([event?.result, event?.error]).toEqual([result, undefined]);
  expect(allows()).toBe(1);
});

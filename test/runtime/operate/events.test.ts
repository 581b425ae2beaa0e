/** Decision events: OPA's shape for every way to a decision, and nothing that a listener does reaches a decision. */

import { readFileSync } from "node:fs";
import {
  DECISION_KINDS,
  type DecisionEvent,
  eventText,
  type LoadOptions,
  load,
  type Policy,
} from "@portcullis/runtime";
import { describe, expect, it } from "vitest";

const bytes = readFileSync("generated/bundle.tar.gz");
const request = { role: "WRITER", lane: "DRAFTING", tool: "draft.create" };

interface Heard {
  readonly policy: Policy;
  readonly events: DecisionEvent[];
}

async function listening(options: LoadOptions = {}): Promise<Heard> {
  const events: DecisionEvent[] = [];
  const policy = await load(bytes, { onDecision: (event) => events.push(event), ...options });
  return { policy, events };
}

describe("decision events", () => {
  it("have the members of OPA's decision log event", async () => {
    const { policy, events } = await listening({ labels: { app: "desk" } });
    const decision = policy.tool(request);
    policy.events?.flush();
    const [event] = events as [DecisionEvent];
    expect(event).toMatchObject({
      labels: { app: "desk", id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      bundles: { portcullis: { revision: policy.revision } },
      path: "portcullis/tool/decision",
      input: request,
      result: decision,
    });
    expect(event.decision_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(event.decisionId).toBe(event.decision_id);
    expect(new Date(event.timestamp).toISOString()).toBe(event.timestamp);
    expect(Number.isSafeInteger(event.metrics.timer_rego_query_eval_ns)).toBe(true);
    const members = Object.keys(JSON.parse(eventText(event)) as object).sort();
    expect(members.join(" ")).toBe("bundles decision_id input labels metrics path result timestamp");
    expect(JSON.parse(JSON.stringify(event))).toEqual(JSON.parse(eventText(event)));
  });

  it("come once for every way to a decision, in order", async () => {
    const { policy, events } = await listening();
    for (const kind of DECISION_KINDS) policy[kind](request as never);
    policy.evaluate("portcullis/lane/decision", { role: "WRITER" });
    policy.evaluateJson("portcullis/lane/decision", '{"role":"INTERN"}');
    policy.evaluateJson("portcullis/lane/decision", new TextEncoder().encode('{"role":"EDITOR"}'));
    policy.batch("lane", [request, request]);
    policy.evaluate("no/such", 1);
    expect(events).toEqual([]);
    await expect.poll(() => events.length).toBeGreaterThan(13);
    expect(events.map(({ path }) => path)).toEqual([
      ...DECISION_KINDS.map((kind) => `portcullis/${kind}/decision`),
      ...Array.from({ length: 5 }, () => "portcullis/lane/decision"),
      "no/such",
    ]);
    expect(events[8]?.input).toEqual({ role: "WRITER" });
    expect(events[9]?.input).toEqual({ role: "INTERN" });
    expect(events[10]?.input).toEqual({ role: "EDITOR" });
    expect(events[13]).toMatchObject({ error: { code: "entrypoint" } });
    expect(events[13]).not.toHaveProperty("result");
  });

  it("say the request that was decided, and the answer that was given, whatever becomes of the two", async () => {
    const { policy, events } = await listening();
    const mine = { ...request, lane: "DRAFTING" };
    let asked = 0;
    const flickering = {
      role: "WRITER",
      get lane() {
        return asked++ === 0 ? "DRAFTING" : "NOWHERE";
      },
    };
    policy.tool(mine);
    mine.lane = "NOWHERE";
    const decision = policy.lane(flickering);
    const denial = policy.lineage({ lineage: [{ agent_type: "stranger", spawn_depth: 0 }] as never }) as {
      reason: string;
    };
    if (!Object.isFrozen(denial)) denial.reason = "changed";
    policy.events?.flush();
    expect(events[0]?.input).toEqual(request);
    expect(decision.allowed).toBe(true);
    expect(events[1]?.input).toEqual({ role: "WRITER", lane: "DRAFTING" });
    expect(JSON.stringify(events[2]?.result)).not.toContain("changed");
  });

  it("leave every decision as it is without a listener", async () => {
    const { policy, events } = await listening();
    const plain = await load(bytes);
    const cycle: Record<string, unknown> = { ...request };
    cycle["self"] = cycle;
    const strange: unknown[] = [
      undefined, null, 1, "x", [], [request], {}, cycle, new Map(), new Date(0), () => 1, Symbol("x"), Number.NaN, 10n ** 30n,
      { ...request, args: { when: new Date(0) } }, { ...request, role: () => 1 }, { ...request, toJSON: () => request },
      { ...request, ["__proto__"]: { role: "X" } }, Object.create(request), { role: plain.intern("WRITER"), lane: "DRAFTING" },
      { ...request, tool: "\ud800" }, new Proxy({}, { ownKeys: () => { throw new Error("no"); } }),
    ]; // biome-ignore format: a table
    for (const kind of DECISION_KINDS)
      for (const input of strange) expect(policy[kind](input as never)).toEqual(plain[kind](input as never));
    policy.events?.flush();
    expect(events).toHaveLength(DECISION_KINDS.length * strange.length);
    for (const event of events) expect(() => JSON.parse(eventText(event))).not.toThrow();
    const written = events.map((event) => JSON.parse(eventText(event)) as DecisionEvent);
    for (const { erased, unrecorded } of written) expect(unrecorded).toEqual(erased);
    // Whatever stands beside them: the members of a request are there.
    const allowed = written.filter(
      ({ path, result }) => /lane|tool/.test(path) && (result as { allowed?: boolean }).allowed,
    );
    expect(allowed.filter(({ erased }) => erased !== undefined).length).toBeGreaterThan(3);
    for (const { input } of allowed) expect(input).toMatchObject({ role: "WRITER", lane: "DRAFTING" });
  });

  it("keep every digit, and the key that counts, of an input that came as text", async () => {
    const { policy, events } = await listening();
    policy.evaluateJson("portcullis/lane/decision", '{"role":12345678901234567890123}');
    policy.evaluateJson("portcullis/lane/decision", '{"role":"INTERN","role":"WRITER","lane":"DRAFTING"}');
    policy.evaluateJson("portcullis/lane/decision", '{"role":');
    policy.events?.flush();
    expect(eventText(events[0] as DecisionEvent)).toContain('"input":{"role":12345678901234567890123}');
    const [, second, third] = events.map((event) => JSON.parse(eventText(event)) as DecisionEvent);
    expect(second?.result).toEqual(policy.evaluate("portcullis/lane/decision", second?.input));
    expect(third).toMatchObject({ erased: ["/input"], unrecorded: ["/input"], error: { code: "input" } });
  });

  it("are a share of the decisions with `sample`", async () => {
    const { policy, events } = await listening({ sample: 0.25 });
    for (let i = 0; i < 4000; i++) policy.lane(request);
    policy.events?.flush();
    // Six standard deviations around 1,000.
    expect(Math.abs(events.length - 1000)).toBeLessThan(165);
    const none = await listening({ sample: 0 });
    none.policy.lane(request);
    none.policy.events?.flush();
    expect(none.events).toEqual([]);
    for (const sample of [-1, 2, Number.NaN]) await expect(listening({ sample })).rejects.toThrow(RangeError);
    await expect(load(bytes, { onDecision: "log" as never })).rejects.toThrow(TypeError);
  });
});

describe("a listener", () => {
  it("that throws, rejects or asks back is counted, and nothing else", async () => {
    const events: DecisionEvent[] = [];
    const policy: Policy = await load(bytes, {
      onDecision: [
        () => {
          throw new Error("no");
        },
        async () => Promise.reject(new Error("no")),
        () => policy.lane(request),
        (event: DecisionEvent) => events.push(event),
      ],
    });
    expect(policy.tool(request).allowed).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(events.map(({ path }) => path)).toEqual(["portcullis/tool/decision"]);
    expect(policy.events).toMatchObject({ failures: 2, pending: 0, dropped: 0 });
  });

  it("that blocks holds up no decision", async () => {
    let calls = 0;
    const policy = await load(bytes, {
      onDecision: () => {
        calls++;
        const end = performance.now() + 40;
        while (performance.now() < end);
      },
    });
    for (let i = 0; i < 20; i++) policy.tool(request);
    expect(calls).toBe(0);
  });

  it("that does not keep up loses the oldest, which the next event counts", async () => {
    const { policy, events } = await listening();
    for (let i = 0; i < 20_000; i++) policy.lane({ role: `R${i}`, lane: "DRAFTING" });
    const lost = 20_000 - 16_384;
    expect(policy.events).toMatchObject({ pending: 16_384, dropped: lost });
    policy.events?.flush();
    expect(events).toHaveLength(16_384);
    expect(events[0]).toMatchObject({ dropped: lost, input: { role: `R${lost}` } });
    expect(events[1]).not.toHaveProperty("dropped");
  });

  it("gets no more memory to wait in than there is: large inputs push out the oldest", async () => {
    const { policy, events } = await listening();
    const large = { ...request, unread: Array.from({ length: 150_000 }, (_, i) => i) };
    for (let i = 0; i < 40; i++) policy.call(large as never);
    policy.call({ ...large, unread: Array.from({ length: 300_000 }, () => 0) } as never);
    expect((policy.events?.pending ?? 0) * 150_000).toBeLessThan(2 ** 22 + 150_000);
    policy.events?.flush();
    expect(events.at(-1)).toMatchObject({ input: request, erased: ["/input/unread"] });
  });
});

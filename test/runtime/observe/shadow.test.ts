/** A shadow decides beside a policy: what it answers otherwise is told and counted, and nothing of it reaches an answer. */

import { readFileSync } from "node:fs";
import { time as clock } from "@portcullis/builtins/time";
import { compile } from "@portcullis/rego";
import {
  type DecisionEvent,
  eventText,
  type LoadOptions,
  load,
  metrics,
  type Policy,
  ReloadablePolicy,
} from "@portcullis/runtime";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { campaign } from "../../campaign.ts";

const PATH = "app/decision";
const revision: unknown = expect.any(String);

async function moduleOf(rules: string): Promise<Uint8Array> {
  const modules = { "app.rego": `package app\n\n${rules}\n` };
  const { compiled, diagnostics } = await compile({ modules, entrypoints: [PATH], allowBuiltins: ["time.now_ns"] });
  if (compiled === undefined) throw new Error(diagnostics.map((d) => d.message).join());
  return compiled.wasm;
}

const decides = (allowed: string, reason = '"r"'): string => `decision := {"allowed": ${allowed}, "reason": ${reason}}`;

interface Shadowed {
  readonly policy: Policy;
  ask(input: unknown): { readonly answer: unknown; readonly event: DecisionEvent };
}

async function shadowed(
  rules: string,
  shadow: NonNullable<LoadOptions["shadow"]>,
  options: LoadOptions = {},
): Promise<Shadowed> {
  const events: DecisionEvent[] = [];
  const policy = await load(await moduleOf(rules), { ...options, shadow, onDecision: (event) => events.push(event) });
  return {
    policy,
    ask: (input) => {
      const answer = policy.evaluate(PATH, input);
      policy.events?.flush();
      return { answer, event: events.at(-1) as DecisionEvent };
    },
  };
}

const policyOf = async (rules: string): Promise<Policy> => load(await moduleOf(rules));

describe("what a shadow answers", () => {
  it("stands in the event where it is another answer, and is counted by kind", async () => {
    const { policy, ask } = await shadowed(decides("input.n > 1"), await policyOf(decides("input.n < 3", "input.why")));
    expect(ask({ n: 2, why: "r" }).event).not.toHaveProperty("shadow");
    expect(ask({ n: 1, why: "r" }).event.shadow).toEqual({ revision, result: { allowed: true, reason: "r" } });
    expect(ask({ n: 3, why: "r" }).event.shadow).toEqual({ revision, result: { allowed: false, reason: "r" } });
    expect(ask({ n: 2, why: "s" }).event.shadow).toEqual({ revision, result: { allowed: true, reason: "s" } });
    expect(ask({ n: 2 }).event.shadow).toEqual({ revision });
    expect(policy.events?.shadow).toMatchObject({
      ...{ same: 1, newlyAllowed: 1, newlyDenied: 2, otherwise: 1, failed: 0, unasked: 0 },
      seconds: expect.any(Number),
    });
  });

  it("is written with the event, and names its revision", async () => {
    const shadow = await load(readFileSync("generated/bundle.tar.gz"));
    const events: DecisionEvent[] = [];
    const rules = "decision := 1";
    const policy = await load(await moduleOf(rules), { shadow, onDecision: (event) => events.push(event) });
    policy.evaluate(PATH, {});
    policy.events?.flush();
    const [event] = events as [DecisionEvent];
    expect(event.shadow).toMatchObject({ revision: shadow.revision, error: { code: expect.any(String) } });
    expect(JSON.parse(eventText(event))).toMatchObject({ result: 1, shadow: { revision: shadow.revision } });
    expect(policy.events?.shadow).toMatchObject({ failed: 1, revision: shadow.revision });
  });

  it("is by the clock of the decision in force", async () => {
    let time = 1_700_000_000_000_000_000n;
    const options: LoadOptions = { builtins: [clock], sources: { now: () => ++time } };
    const rules = "decision := time.now_ns()";
    const { policy, ask } = await shadowed(rules, await load(await moduleOf(rules), options), options);
    expect(ask({}).answer).toBeDefined();
    expect(policy.events?.shadow).toMatchObject({ same: 1, otherwise: 0 });
  });

  it("is of the current policy of a ReloadablePolicy", async () => {
    const shadows = await ReloadablePolicy.load(await moduleOf(decides("true")));
    const { policy, ask } = await shadowed(decides("true"), shadows);
    expect(ask({}).event.shadow).toBeUndefined();
    await shadows.reload(await moduleOf(decides("false")));
    expect(ask({}).event.shadow).toEqual({ revision, result: { allowed: false, reason: "r" } });
    expect(policy.events?.shadow).toMatchObject({ same: 1, newlyDenied: 1 });
  });

  it("is not asked for where a part of the request is not written down", async () => {
    const { policy, ask } = await shadowed(decides("true"), await policyOf(decides("input.when")));
    const { answer, event } = ask({ when: new Date(0) });
    expect(answer).toMatchObject({ allowed: true });
    expect(event.shadow).toBeUndefined();
    expect(policy.events?.shadow).toMatchObject({ unasked: 1, same: 0, newlyDenied: 0 });
  });

  it("is no failure of its own for a text that no policy can read", async () => {
    const { policy } = await shadowed(decides("true"), await policyOf(decides("true")));
    expect(policy.evaluateJson(PATH, "{")).toBeUndefined();
    policy.events?.flush();
    expect(policy.events?.shadow).toMatchObject({ failed: 0 });
  });

  it("is counted without a listener, and told by metrics, over reloads", async () => {
    const shadow = await policyOf(decides("false"));
    const policies = await ReloadablePolicy.load(await moduleOf(decides("true")), { shadow });
    const meter = metrics(policies);
    policies.current.evaluate(PATH, {});
    policies.current.events?.flush();
    await policies.reload(await moduleOf(decides("false")));
    policies.current.evaluate(PATH, {});
    policies.current.events?.flush();
    expect(meter.snapshot().shadow).toMatchObject({ newlyDenied: 1, same: 1 });
    expect(meter.toPrometheus()).toContain('portcullis_shadow_decisions_total{answer="newly_denied"} 1\n');
    expect(metrics(await policyOf("decision := 1")).toPrometheus()).not.toContain("shadow");
  });
});

describe("nothing of a shadow reaches an answer", () => {
  const strange: readonly (readonly [string, () => unknown])[] = [
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    [
      "throws what cannot be read",
      () => {
        throw new Proxy(
          {},
          {
            get: () => {
              throw new Error("no");
            },
          },
        );
      },
    ],
    ["gives a promise that rejects", () => Promise.reject(new Error("late")).catch(() => undefined)],
    ["gives an allow", () => ({ allowed: true })],
    [
      "gives what changes when it is read",
      () => ({
        get allowed() {
          throw new Error("no");
        },
      }),
    ],
    [
      "fills the stack",
      function fill(): unknown {
        return [fill()];
      },
    ],
  ];

  it.each(strange)("where it %s", async (_, answer) => {
    for (const unrecorded of ["allow", "deny"] as const) {
      const shadow = {
        revision: "s",
        lastFault: undefined,
        evaluate: answer,
        evaluateJson: answer,
      } as unknown as Policy;
      const { ask, policy } = await shadowed(decides("false"), shadow, { unrecorded });
      expect(ask({}).answer).toEqual({ allowed: false, reason: "r" });
      expect(policy.lastFault).toBeUndefined();
      expect(policy.events).toMatchObject({ dropped: 0, refused: 0, failures: 0 });
    }
  });

  it("whatever is asked", async () => {
    const bytes = readFileSync("generated/bundle.tar.gz");
    const alone = await load(bytes);
    const opposite = await policyOf(decides("true"));
    const shadow = {
      ...opposite,
      lastFault: undefined,
      evaluate: () => ({ allowed: true }),
      evaluateJson: () => ({ allowed: true }),
    };
    const beside = await load(bytes, { shadow: shadow as unknown as Policy });
    const value = fc.jsonValue({ maxDepth: 3 });
    const id = fc.constantFrom("WRITER", "DRAFTING", "draft.create", "news_desk", "");
    const request = fc.record({ role: fc.oneof(id, value), lane: fc.oneof(id, value), tool: fc.oneof(id, value) });
    fc.assert(
      fc.property(fc.constantFrom("lane", "tool", "call"), request, (kind, asked) => {
        expect(beside[kind as "call"](asked as never)).toEqual(alone[kind as "call"](asked as never));
      }),
      campaign(4000),
    );
    beside.events?.flush();
    expect(beside.events?.shadow?.newlyAllowed).toBeGreaterThan(0);
  });

  it("a value that is not a policy is refused", async () => {
    const wasm = await moduleOf("decision := 1");
    await expect(load(wasm, { shadow: {} as Policy })).rejects.toThrow(TypeError);
    await expect(load(wasm, { shadow: { current: {} } as unknown as Policy })).rejects.toThrow(TypeError);
  });
});

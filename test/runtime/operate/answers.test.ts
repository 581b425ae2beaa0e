/** What the clock and chance answered stands in the event, and decides it again. */

import { random } from "@portcullis/builtins/random";
import { time } from "@portcullis/builtins/time";
import { type DecisionEvent, load, type Policy, verifyLedger } from "@portcullis/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import { eventText } from "../../../runtime/operate/event-text.ts";

const TEXT = `package t

p := {"hour": hour, "late": time.now_ns() > 5, "die": rand.intn("die", 6)} if {
	input.ask
	[hour, _, _] := time.clock([time.now_ns(), "Europe/Berlin"])
}

p := "quiet" if not input.ask`;

/** 2026-11-25 11:00:00.123456789 UTC: more digits than a double has. */
const NOW = 1_795_604_400_123_456_789n;
let wasm: Uint8Array;

beforeAll(async () => {
  const { compiled, diagnostics } = await compileModules({
    modules: [new SourceFile("t.rego", TEXT)],
    entrypoints: ["t/p"],
    allowBuiltins: ["time.now_ns", "rand.intn"],
  });
  if (compiled === undefined) throw new Error(diagnostics.map((d) => d.message).join());
  wasm = compiled.wasm;
});

async function policyAt(now: bigint, drawn: number, onDecision?: (event: DecisionEvent) => void): Promise<Policy> {
  const sources = { now: () => now, random: (length: number) => new Uint8Array(length).fill(drawn) };
  return load(wasm, { builtins: [time, random], sources, onDecision });
}

async function eventOf(input: unknown): Promise<DecisionEvent> {
  const events: DecisionEvent[] = [];
  const policy = await policyAt(NOW, 3, (event) => void events.push(event));
  policy.evaluate("t/p", input);
  policy.events?.flush();
  return events[0] as DecisionEvent;
}

describe("an event", () => {
  it("has what the clock and chance answered as OPA writes it, every digit in the log", async () => {
    const event = await eventOf({ ask: true });
    const { hour, die } = event.result as { hour: number; die: number };
    expect(hour).toBe(12);
    expect(event.nd_builtin_cache).toEqual({ "time.now_ns": { "[]": Number(NOW) }, "rand.intn": { '["die",6]': die } });
    expect(eventText(event)).toContain(`"nd_builtin_cache":{"time.now_ns":{"[]":${NOW}}`);
  });

  it("has nothing of sources that were not asked", async () => {
    expect(await eventOf({ ask: false })).not.toHaveProperty("nd_builtin_cache");
  });
});

describe("a decision", () => {
  it("is made again by the record, whatever the clock and chance say now", async () => {
    const event = await eventOf({ ask: true });
    const later = await policyAt(1n, 77);
    expect(later.evaluateJson("t/p", '{"ask":true}', event.answers)).toEqual(event.result);
    expect(later.evaluateJson("t/p", '{"ask":true}')).not.toEqual(event.result);
  });

  it("is a fault where the record lacks an answer", async () => {
    const { answers } = await eventOf({ ask: true });
    const later = await policyAt(1n, 77);
    for (const gone of ["time.now_ns []", 'rand.intn ["die",6]']) {
      const rest = new Map([...(answers as NonNullable<typeof answers>)].filter(([call]) => call !== gone));
      expect(later.evaluateJson("t/p", '{"ask":true}', rest)).toBeUndefined();
      expect(later.lastFault?.message).toContain("is not recorded");
    }
    // And the policy goes on.
    expect(later.evaluate("t/p", { ask: false })).toBe("quiet");
  });
});

describe("a ledger", () => {
  const verified = async (text: string) => {
    const policy = await policyAt(1n, 77);
    return verifyLedger([text], { chained: false, policyOf: () => policy });
  };

  it("is decided again alike by what it has recorded", async () => {
    const event = await eventOf({ ask: true });
    expect(await verified(eventText(event))).toMatchObject({ ok: true, decided: 1 });
  });

  it("is refused where the record was changed, taken out, or is no record", async () => {
    const text = eventText(await eventOf({ ask: true }));
    const problem = async (changed: string) => (await verified(changed)).problems.map((p) => p.message).join();
    expect(await problem(text.replace(String(NOW), String(NOW + 3_600_000_000_000n)))).toContain(
      "is decided otherwise",
    );
    expect(await problem(text.replace(/,"nd_builtin_cache":\{.*?\}\}/, ""))).toContain("is not recorded");
    expect(await problem(text.replace(String(NOW), "1.5"))).toContain("is not recorded");
    expect(await problem(text.replace(/"nd_builtin_cache":\{.*?\}\}/, '"nd_builtin_cache":[]'))).toContain(
      "cannot be read",
    );
  });
});

describe("loading", () => {
  it("calls no builtin of the host, however its rules are rehearsed", async () => {
    let asked = 0;
    await load(wasm, {
      builtins: [time, random, { "rand.intn": () => ++asked }],
      sources: { now: () => BigInt(++asked), random: () => new Uint8Array(++asked) },
    });
    expect(asked).toBe(0);
  });
});

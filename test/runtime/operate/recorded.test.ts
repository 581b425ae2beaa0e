/** What a request can do to its own record, and a caller to the records of others: nothing that is not counted. */

import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  type AuditLedger,
  auditLedger,
  type DecisionEvent,
  type DecisionLog,
  decisionLog,
  type EventSink,
  eventText,
  load,
  metrics,
  type Policy,
  ReloadablePolicy,
  verifyLedger,
} from "@portcullis/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { eventsOf, linesOf, memory } from "./memory-sink.ts";

const bytes = readFileSync("generated/bundle.tar.gz");
const request = { role: "WRITER", lane: "DRAFTING", tool: "draft.create" };

let plain: Policy;
beforeAll(async () => {
  plain = await load(bytes);
});

/** Frees the policies that nothing holds. */
const collectGarbage = (): void => {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
};

/** The record of one allowed request. */
async function recordOf(input: unknown): Promise<DecisionEvent> {
  const events: DecisionEvent[] = [];
  const policy = await load(bytes, { onDecision: (event) => events.push(event) });
  expect(policy.tool(input as never).allowed).toBe(true);
  policy.events?.flush();
  return JSON.parse(eventText(events[0] as DecisionEvent)) as DecisionEvent;
}

describe("an allowed request", () => {
  const nested = (levels: number, inner = ""): string => `${"[".repeat(levels)}${inner}${"]".repeat(levels)}`;
  it.each<[what: string, member: string, erased: readonly string[]]>([
    ["a number that JSON does not have", '"x":1e999', ["/input/x"]],
    ["one deep in a list", '"x":[1,{"a/b":[2,-1e999]}]', ["/input/x/1/a~1b/1"]],
    ["a list of 200,001 numbers", `"x":[${"0,".repeat(200_000)}0]`, ["/input/x"]],
    ["220 levels", `"x":${nested(220)}`, []],
    ["2,000 levels", `"x":${nested(2000)}`, ["/input/x"]],
    ["3.3 MB of text", `"x":"${"y".repeat(3.3e6)}"`, ["/input/x"]],
    ["3.3 MB of text beside more", `"args":{"a":1,"x":"${"y".repeat(3.3e6)}","b":{"c":2}}`, ["/input/args/x"]],
    ["a member called `constructor`", '"constructor":{"prototype":1}', []],
    ["members of every object", '"toString":1,"__proto__":{"a":1},"hasOwnProperty":2,"toJSON":3,"then":4', []],
    ["one of these that has no JSON text", '"constructor":1e999', ["/input/constructor"]],
  ])("with %s keeps everything else in its record", async (_, member, erased) => {
    for (const text of [`{${member},"role":"WRITER","lane":"DRAFTING","tool":"draft.create"}`,
                        `{"role":"WRITER","lane":"DRAFTING","tool":"draft.create",${member}}`]) {
      const input = JSON.parse(text) as object;
      const event = await recordOf(input);
      expect(event.input).toMatchObject(request);
      expect(event.erased ?? []).toEqual(erased);
      expect(event.unrecorded ?? []).toEqual(erased);
      if (erased.length === 0) expect(event.input).toEqual(input);
      if (member.includes('"c":2')) expect(event.input).toMatchObject({ args: { a: 1, b: { c: 2 } } });
    }
  }); // biome-ignore format: a table

  it("loses what JavaScript has and JSON does not, and nothing beside it", async () => {
    const throwing = Object.defineProperty({ ...request }, "x", { enumerable: true, get: () => { throw new Error("no"); } });
    class Url { text = "x"; toJSON(): string { return this.text; } }
    for (const input of [
      throwing, { ...request, x: new Date(0) }, { ...request, x: () => 1 }, { ...request, x: Symbol("x") },
      { ...request, x: Number.NaN }, { ...request, x: new Map() }, { ...request, x: new Uint8Array(4) }, { ...request, x: new Url() },
      { ...request, x: new Proxy({}, { ownKeys: () => { throw new Error("no"); } }) }, { ...request, x: { toJSON: () => 1 } },
    ]) {
      const event = await recordOf(input);
      expect(event).toMatchObject({ input: request, erased: ["/input/x"] });
      expect(event.input).not.toHaveProperty("x");
    }
    const listed = await recordOf({ ...request, x: [1, undefined, new Date(0), 4] });
    expect(listed).toMatchObject({ input: { x: [1, null, null, 4] }, erased: ["/input/x/1", "/input/x/2"] });
  }); // biome-ignore format: a table

  it("names a hundred parts that are missing, and says that there are more", async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, Number.POSITIVE_INFINITY]));
    const event = await recordOf({ ...many, ...request });
    expect(event.input).toEqual(request);
    expect(event.erased).toHaveLength(101);
    expect(event.erased?.slice(-2)).toEqual(["/input/k99", "/input"]);
    // A name is not a way to fill the log.
    const named = await recordOf({ ...request, ["k".repeat(1e6)]: Number.NaN });
    expect(named).toMatchObject({ input: request, erased: ["/input"] });
    expect(JSON.stringify(named).length).toBeLessThan(2000);
  });

  it("is recorded whole where gates read it, whatever its size: a chain of 250,000 agents", async () => {
    const events: DecisionEvent[] = [];
    const policy = await load(bytes, { onDecision: (event) => events.push(event) });
    const lineage = Array.from({ length: 250_000 }, () => ({ agent_type: "news_desk", spawn_depth: 0, note: "n" }));
    policy.lineage({ lineage: lineage as never });
    expect(policy.lastFault).toBeUndefined();
    policy.events?.flush();
    const [event] = events as [DecisionEvent];
    const read = (event.input as { lineage: { agent_type?: string; spawn_depth?: number; note?: string }[] }).lineage;
    expect(read).toHaveLength(250_000);
    expect(read.every(({ agent_type, spawn_depth }) => agent_type === "news_desk" && spawn_depth === 0)).toBe(true);
    // What no gate reads has room for a while.
    expect(read.filter(({ note }) => note === "n").length).toBeGreaterThan(90_000);
    expect(event.unrecorded?.length).toBe(101);
    expect(plain.evaluate("portcullis/lineage/decision", event.input as never)).toEqual(event.result);
  });

  it("keeps member names apart that are different halves of surrogate pairs", async () => {
    const text = '{"role":"WRITER","lane":"DRAFTING","tool":"draft.create","\\ud800":1,"\\ud801":2}';
    for (const ask of [
      (policy: Policy) => policy.tool(JSON.parse(text) as never),
      (policy: Policy) => policy.evaluateJson("portcullis/tool/decision", text),
    ]) {
      const sink = memory();
      const ledger = auditLedger(sink);
      ask(await load(bytes, { onDecision: ledger }));
      await ledger.close();
      expect(eventsOf(sink)[0]?.input).toEqual(JSON.parse(text));
      expect(await verifyLedger(linesOf(sink), { policyOf: () => plain, closed: true })).toMatchObject({
        ok: true,
        decided: 1,
      });
    }
  });

  it("is recorded as it was when it was decided, also from bytes that somebody else writes to", async () => {
    const events: DecisionEvent[] = [];
    const policy = await load(bytes, { onDecision: (event) => events.push(event) });
    const text = new TextEncoder().encode(JSON.stringify(request));
    const shared = new Uint8Array(new SharedArrayBuffer(text.length));
    shared.set(text);
    policy.evaluateJson("portcullis/tool/decision", shared);
    shared.fill(0x20);
    policy.events?.flush();
    expect(events[0]?.input).toEqual(request);
  });
});

describe("an answer", () => {
  it("of any size is recorded: it does not take its decision out of the log", async () => {
    const events: DecisionEvent[] = [];
    const policy = await load(bytes, { onDecision: (event) => events.push(event) });
    const chain = Array.from({ length: 100_000 }, () => ({ agent_type: "x".repeat(50), spawn_depth: 0 }));
    policy.evaluate("portcullis/call/decision", { ...request, lineage: chain } as never);
    policy.events?.flush();
    expect(events).toHaveLength(1);
    expect(policy.events?.dropped).toBe(0);
  });
});

describe("a log that is closed", () => {
  it.each<[string, (sink: EventSink) => AuditLedger | DecisionLog]>([
    ["auditLedger", (sink) => auditLedger(sink)],
    ["decisionLog", (sink) => decisionLog({ sink })],
  ])("%s takes what its policies have pending first", async (_, make) => {
    for (const end of ["close", "flush"] as const) {
      const sink = memory();
      const log = make(sink);
      const policies = await ReloadablePolicy.load(bytes, { onDecision: [log] });
      const before = policies.current;
      for (let i = 0; i < 100; i++) before.tool(request);
      expect((await policies.reload(bytes)).ok).toBe(true);
      // Two policies have something pending.
      for (let i = 0; i < 100; i++) policies.current.tool(request);
      await log[end]();
      expect(eventsOf(sink)).toHaveLength(200);
      expect(log.status).toMatchObject({ delivered: 200, dropped: 0 });
    }
  });

  it.each<[string, (sink: EventSink) => AuditLedger | DecisionLog]>([
    ["auditLedger", (sink) => auditLedger(sink)],
    ["decisionLog", (sink) => decisionLog({ sink })],
  ])("%s ends with what was refused after its last event, also by policies that are gone", async (_, make) => {
    const sink = memory();
    const log = make(sink);
    const policies = await ReloadablePolicy.load(bytes, { onDecision: log, unrecorded: "deny" });
    const meter = metrics(policies);
    policies.current.tool(request);
    sink.problem = new Error("disk full");
    await expect(log.flush()).rejects.toThrow("disk full");
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i <= round; i++) expect(policies.current.tool(request).allowed).toBe(false);
      await policies.reload(bytes);
    }
    // The sink works again, and no decision comes after.
    sink.problem = undefined;
    collectGarbage();
    await log.close();
    expect(eventsOf(sink)).toHaveLength(1);
    const isChained = "sequence" in log.status;
    const counted = await verifyLedger(linesOf(sink), { chained: isChained, closed: isChained, policyOf: () => plain });
    expect(counted).toMatchObject({ ok: true, dropped: 0, refused: 6, decided: 1 });
    expect(meter.snapshot()).toMatchObject({ refusedDecisions: 6 });
    const { text } = sink;
    await log.close();
    expect(sink.text).toBe(text);
  });

  it.each<[string, (sink: EventSink) => AuditLedger | DecisionLog]>([
    ["auditLedger", (sink) => auditLedger(sink)],
    ["decisionLog", (sink) => decisionLog({ sink })],
  ])("%s ends with what was lost after its last event", async (_, make) => {
    const sink = memory();
    const log = make(sink);
    const policy = await load(bytes, { onDecision: log });
    policy.tool(request);
    await log.flush();
    // An event that cannot be made.
    log({ get path(): string { throw new Error("no"); } } as DecisionEvent); // biome-ignore format: one object
    await log.close();
    const isChained = "sequence" in log.status;
    const counted = await verifyLedger(linesOf(sink), { chained: isChained });
    expect(counted.dropped).toBe(1);
    expect(counted.problems.map(({ message }) => message)).toContain("1 event was lost before it");
  });

  it("says nothing where nothing was lost, and is not kept by a sink that never answers", async () => {
    const sink = memory();
    const log = decisionLog({ sink });
    const policy = await load(bytes, { onDecision: log, unrecorded: "deny" });
    policy.tool(request);
    await log.close();
    expect(linesOf(sink)).toHaveLength(1);
    let isHanging = false;
    const signals: AbortSignal[] = [];
    const write: EventSink["write"] = (_, { signal }) => {
      signals.push(signal as AbortSignal);
      return isHanging ? new Promise(() => {}) : undefined;
    };
    const hanging = decisionLog({
      sink: { write },
      timeoutMs: 20,
    });
    const asked = await load(bytes, { onDecision: hanging, unrecorded: "deny" });
    asked.tool(request);
    await hanging.flush();
    expect(asked.tool({ ...request, x: Number.NaN } as never).allowed).toBe(false);
    isHanging = true;
    const keepAlive = setInterval(() => {}, 1000);
    await hanging.close();
    clearInterval(keepAlive);
    expect(signals.at(-1)?.aborted).toBe(true);
  });

  it("counts what comes after, as its policies' metrics do", async () => {
    const sink = memory();
    const ledger = auditLedger(sink);
    const policy = await load(bytes, { onDecision: ledger });
    const meter = metrics(policy);
    policy.tool(request);
    await ledger.close();
    policy.tool(request);
    policy.events?.flush();
    expect(ledger.status).toMatchObject({ delivered: 1, dropped: 1 });
    expect(meter.snapshot()).toMatchObject({ droppedEvents: 1, refusedDecisions: 0 });
  });
});

describe("what is lost", () => {
  it("is told once, whichever buffer had no room: in the ledger, the log, the metrics and by `audit verify`", async () => {
    const [chain, lines] = [memory(), memory()];
    const ledger = auditLedger(chain, { bufferBytes: 40_000 });
    const log = decisionLog({
      sink: lines,
      bufferBytes: 40_000,
      // Events that count losses are lost, and left out, like any other.
      drop: ({ input }) => (input as { n: number }).n % 7 === 0,
      mask: ({ input }) => {
        if ((input as { n: number }).n % 11 === 0) throw new Error("no");
        return [];
      },
    });
    const policies = await ReloadablePolicy.load(bytes, { onDecision: [ledger, log] });
    const meter = metrics(policies);
    let made = 0;
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 17_000; i++) policies.current.tool({ ...request, n: made++ } as never);
      await policies.reload(bytes);
    }
    await ledger.close();
    await log.close();
    const verdict = await verifyLedger(linesOf(chain), { closed: true });
    expect(verdict.ok).toBe(false);
    expect(verdict.events + verdict.dropped).toBe(made);
    const unchained = await verifyLedger(linesOf(lines), { chained: false });
    expect(unchained.ok).toBe(false);
    expect(unchained.events + unchained.dropped + log.status.excluded).toBe(made);
    const observed = 3 * (17_000 - 16_384);
    expect(ledger.status.dropped + observed).toBe(verdict.dropped);
    expect(log.status.dropped + log.status.unmasked + observed).toBe(unchained.dropped);
    expect(meter.snapshot().droppedEvents).toBe(verdict.dropped + unchained.dropped - observed);
    expect(meter.toPrometheus()).toContain(`\nportcullis_dropped_events_total ${meter.snapshot().droppedEvents}\n`);
  });

  it("is never the only event: one that is larger than the buffer is written", async () => {
    for (const make of [
      (sink: EventSink) => auditLedger(sink, { bufferBytes: 100 }),
      (sink: EventSink) => decisionLog({ sink, bufferBytes: 100 }),
    ]) {
      const sink = memory();
      const log = make(sink);
      const policy = await load(bytes, { onDecision: log });
      policy.tool(request);
      await log.close();
      expect(eventsOf(sink)).toMatchObject([{ input: request }]);
    }
  });
});

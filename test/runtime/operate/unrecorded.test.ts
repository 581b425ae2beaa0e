/** `unrecorded: "deny"`: a decision that cannot be recorded is a denial, and nothing that was promised is lost for it. */

import { readFileSync } from "node:fs";
import {
  auditLedger,
  BatchRefused,
  type DecisionEvent,
  decisionLog,
  type EventSink,
  load,
  metrics,
  type Policy,
  verifyLedger,
} from "@portcullis/runtime";
import { fileSink } from "@portcullis/runtime/node";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { eventsOf, linesOf, memory } from "./memory-sink.ts";

const bytes = readFileSync("generated/bundle.tar.gz");
const request = { role: "WRITER", lane: "DRAFTING", tool: "draft.create" };

let plain: Policy;
beforeAll(async () => {
  plain = await load(bytes);
});

describe("`unrecorded: deny`", () => {
  const denial = { allowed: false, gate: "INTERNAL_ERROR" };

  it("needs who records every decision", async () => {
    for (const options of [
      { unrecorded: "deny" },
      { unrecorded: "deny", onDecision: [] },
      { unrecorded: "deny", onDecision: () => 1, sample: 0.5 },
      { unrecorded: "denny", onDecision: () => 1 },
    ] as const)
      await expect(load(bytes, options as never)).rejects.toThrow(TypeError);
  });

  it("records a decision before it is given, and changes no answer", async () => {
    const sink = memory();
    const ledger = auditLedger(sink);
    const heard: DecisionEvent[] = [];
    const onDecision = [ledger, (event: DecisionEvent): unknown => heard.push(event)];
    const policy = await load(bytes, { onDecision, unrecorded: "deny" });
    expect(policy.tool(request)).toEqual(plain.tool(request));
    expect(policy.evaluateJson("portcullis/lane/decision", JSON.stringify(request))).toMatchObject({ allowed: true });
    expect(heard.map(({ result }) => (result as { allowed: boolean }).allowed)).toEqual([true, true]);
    expect(heard[1]?.decision_id).toBe(policy.events?.lastDecisionId());
    expect(policy.events).toMatchObject({ pending: 0, dropped: 0, refused: 0 });
    await ledger.close();
    expect(await verifyLedger(linesOf(sink), { closed: true, policyOf: () => plain })).toMatchObject({
      ok: true,
      decided: 2,
    });
  });

  it("denies where a log has no room, its sink fails, or it is closed; and pushes no event out", async () => {
    for (const make of [
      (sink: EventSink) => auditLedger(sink, { bufferBytes: 20_000 }),
      (sink: EventSink) => decisionLog({ sink, bufferBytes: 20_000 }),
    ]) {
      const sink = memory();
      const log = make(sink);
      const policy = await load(bytes, { onDecision: log, unrecorded: "deny" });
      const meter = metrics(policy);
      let allowed = 0;
      for (let i = 0; i < 200; i++) {
        const decision = policy.tool({ ...request, n: i } as never);
        if (decision.allowed) allowed++;
        else {
          expect(decision).toMatchObject(denial);
          expect(policy.lastFault).toMatchObject({ code: "unrecorded", message: expect.stringContaining("no room") });
          expect(policy.events?.lastDecisionId()).toBeUndefined();
        }
      }
      expect(allowed).toBeGreaterThan(10);
      expect(policy.faults).toBe(200 - allowed);
      expect(policy.events?.refused).toBe(200 - allowed);
      sink.problem = new Error("disk full");
      await expect(log.flush()).rejects.toThrow("disk full");
      expect(policy.evaluate("portcullis/tool/decision", request)).toMatchObject(denial);
      expect(policy.evaluateJson("portcullis/tool/decision", JSON.stringify(request))).toMatchObject(denial);
      expect(policy.lastFault?.message).toContain("disk full");
      sink.problem = undefined;
      await log.flush();
      expect(policy.tool({ ...request, n: 1000 } as never).allowed).toBe(true);
      expect(policy.lastFault).toBeUndefined();
      await log.close();
      expect(policy.tool(request)).toMatchObject(denial);
      const events = eventsOf(sink);
      expect(events).toHaveLength(allowed + 1);
      expect(events[0]?.input).toMatchObject({ n: 0 });
      expect(log.status).toMatchObject({ dropped: 0 });
      const counted = await verifyLedger(linesOf(sink), { chained: "sequence" in log.status });
      expect(counted).toMatchObject({ ok: true, dropped: 0, refused: 200 - allowed + 2 });
      expect(meter.snapshot()).toMatchObject({ droppedEvents: 0, refusedDecisions: 200 - allowed + 3 });
    }
  });

  it("denies where a sink fails with what cannot be read, and asks the sink again", async () => {
    for (const make of [(sink: EventSink) => auditLedger(sink), (sink: EventSink) => decisionLog({ sink })]) {
      const sink = memory();
      const log = make(sink);
      const policy = await load(bytes, { onDecision: log, unrecorded: "deny" });
      const problem = Object.create(null) as Error;
      sink.problem = problem;
      expect(policy.tool(request)).toMatchObject({ allowed: true });
      await expect(log.flush()).rejects.toBe(problem);
      expect(policy.tool(request)).toMatchObject(denial);
      expect(policy.lastFault?.message).toContain("the log's sink fails");
      expect(log.status).toMatchObject({ failures: 1, lastError: "" });
      sink.problem = undefined;
      await log.flush();
      expect(policy.tool(request)).toMatchObject({ allowed: true });
      await log.close();
      expect(eventsOf(sink)).toHaveLength(2);
    }
  });

  /** A log of each kind that has a decision for a sink which is away. */
  const awayLogs = () =>
    Promise.all(
      [(sink: EventSink) => auditLedger(sink), (sink: EventSink) => decisionLog({ sink })].map(async (make) => {
        const sink = memory();
        const log = make(sink);
        const policy = await load(bytes, { onDecision: log, unrecorded: "deny" });
        expect(policy.tool(request)).toMatchObject({ allowed: true });
        sink.problem = new Error("away");
        return { sink, log, policy };
      }),
    );

  it("asks a sink that fails once a second, however often it failed, and allows when it takes what waits", async () => {
    for (const { sink, log, policy } of await awayLogs()) {
      for (let i = 0; i < 20; i++) await expect(log.flush()).rejects.toThrow("away");
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      try {
        await expect(log.flush()).rejects.toThrow("away");
        sink.problem = undefined;
        expect(policy.tool(request)).toMatchObject(denial);
        await vi.advanceTimersByTimeAsync(1000);
      } finally {
        vi.useRealTimers();
      }
      await expect.poll(() => policy.tool(request)).toMatchObject({ allowed: true });
      await log.close();
    }
  });

  it("allows again when a sink that failed refuses what waited", async () => {
    for (const { sink, log, policy } of await awayLogs()) {
      await expect(log.flush()).rejects.toThrow("away");
      sink.problem = new BatchRefused("too large");
      await expect(log.flush()).rejects.toThrow("too large");
      sink.problem = undefined;
      expect(policy.tool({ ...request, n: 2 } as never)).toMatchObject({ allowed: true });
      await log.close();
      expect(eventsOf(sink).map(({ input }) => input)).toEqual([{ ...request, n: 2 }]);
      expect(log.status).toMatchObject({ dropped: 1, pending: 0 });
    }
  });

  it("denies a request that has parts that cannot be written down, and records the denial", async () => {
    const sink = memory();
    const ledger = auditLedger(sink);
    const policy = await load(bytes, { onDecision: ledger, unrecorded: "deny" });
    expect(policy.tool({ ...request, x: Number.POSITIVE_INFINITY } as never)).toMatchObject(denial);
    expect(policy.lastFault).toMatchObject({ code: "unrecorded", message: expect.stringContaining("/input/x") });
    expect(policy.tool({ ...request, x: "y".repeat(3.3e6) } as never)).toMatchObject(denial);
    await ledger.close();
    expect(eventsOf(sink)).toMatchObject([
      { input: request, unrecorded: ["/input/x"], error: { code: "unrecorded" }, result: denial },
      { input: request, unrecorded: ["/input/x"], error: { code: "unrecorded" }, result: denial },
    ]);
    expect(await verifyLedger(linesOf(sink), { closed: true, policyOf: () => plain })).toMatchObject({
      ok: true,
      blanked: 2,
      undecidable: 2,
    });
  });

  it("denies where a listener throws, an event cannot be masked, or a listener itself asks", async () => {
    const sink = memory();
    const ledger = auditLedger(sink);
    let asked: unknown;
    const throwing = (): never => {
      throw new Error("no pen");
    };
    const unmasked = decisionLog({ sink: memory(), mask: throwing });
    for (const other of [throwing, unmasked]) {
      const policy = await load(bytes, { onDecision: [ledger, other], unrecorded: "deny" });
      expect(policy.tool(request)).toMatchObject(denial);
      expect(policy.lastFault?.message).toContain("no pen");
    }
    const asking: Policy = await load(bytes, {
      onDecision: [ledger, () => void (asked = asking.tool(request))],
      unrecorded: "deny",
    });
    expect(asking.tool(request).allowed).toBe(true);
    expect(asked).toMatchObject(denial);
    await ledger.close();
    // A log of this package takes an event when the others have.
    expect(eventsOf(sink)).toHaveLength(1);
  });

  it("keeps what it has promised where another policy fills the same log", async () => {
    const sink = memory();
    sink.problem = new Error("later");
    const log = decisionLog({ sink, bufferBytes: 5000 });
    const strict = await load(bytes, { onDecision: log, unrecorded: "deny" });
    const lax = await load(bytes, { onDecision: log });
    expect(strict.tool({ ...request, n: "kept" } as never).allowed).toBe(true);
    for (let i = 0; i < 100; i++) lax.tool(request);
    lax.events?.flush();
    expect(log.status.dropped).toBeGreaterThan(50);
    sink.problem = undefined;
    await log.flush();
    expect(eventsOf(sink)[0]?.input).toMatchObject({ n: "kept" });
    sink.problem = new BatchRefused("never");
    expect(strict.tool(request).allowed).toBe(true);
    // What a sink will never take is lost; a caller that waits for it hears so.
    await expect(log.flush()).rejects.toThrow("never");
  });
});

describe.skipIf(process.platform !== "linux")("a full disk", () => {
  it("is what its log says, and where decisions have to be recorded, they are denied from then on", async () => {
    const ledger = auditLedger(fileSink("/dev/full"));
    const policy = await load(bytes, { onDecision: ledger, unrecorded: "deny" });
    expect(policy.tool(request).allowed).toBe(true);
    await expect(ledger.flush()).rejects.toThrow("ENOSPC");
    expect(policy.tool(request)).toMatchObject({ allowed: false, gate: "INTERNAL_ERROR" });
    expect(policy.lastFault?.message).toContain("ENOSPC");
    expect(await ledger.close()).toMatchObject({ delivered: 0, dropped: 1 });
  });
});

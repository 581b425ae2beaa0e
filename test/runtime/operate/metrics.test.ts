/** Metrics: every decision is counted once, labels are ids and never text of a request, and the text is Prometheus's. */

import { readFileSync } from "node:fs";
import { context, metrics as otelMetrics, trace } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import {
  type BundleSource,
  decisionLog,
  load,
  metrics,
  type OpenTelemetryApi,
  openTelemetry,
  type Policy,
  ReloadablePolicy,
  SourceError,
} from "@portcullis/runtime";
import { afterEach, describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import { bundle as limited } from "../../enforcement/limited-policy.ts";

const bytes = readFileSync("generated/bundle.tar.gz");
const request = { role: "WRITER", lane: "DRAFTING", tool: "draft.create" };

function authzen(role: string): object {
  const entity = (type: string, id: string): object => ({ type, id });
  return { subject: entity("role", role), resource: entity("tool", "review"), action: { name: "use" } };
}

describe("metrics", () => {
  it("count every decision by entrypoint, outcome, gate and reason", async () => {
    const policy = await load(bytes);
    policy.lane(request);
    const meter = metrics(policy);
    for (let i = 0; i < 3; i++) policy.lane(request);
    policy.batch("lane", [{ role: "NOBODY", lane: "DRAFTING" }, request]);
    policy.evaluate("portcullis/tool/decision", request);
    policy.evaluateJson("portcullis/tool/decision", "{");
    policy.evaluate("what the request said", request);
    const { decisions, durations, faults, revision } = meter.snapshot();
    expect(revision).toBe(policy.revision);
    expect(faults).toEqual({ input: 1, entrypoint: 1 });
    expect(meter.toPrometheus()).toContain('portcullis_faults_total{code="entrypoint"} 1\n');
    const lane = { entrypoint: "portcullis/lane/decision" };
    expect(decisions).toEqual([
      { ...lane, outcome: "allow", gate: "ALLOW", reason: policy.lane(request).reason, count: 4 },
      { ...lane, outcome: "deny", gate: "ROLE", reason: "role_not_defined", count: 1 },
      { entrypoint: "portcullis/tool/decision", outcome: "allow", gate: "ALLOW", reason: "tool_allowed", count: 1 },
      {
        entrypoint: "portcullis/tool/decision",
        outcome: "fault",
        gate: "INTERNAL_ERROR",
        reason: "no_decision",
        count: 1,
      },
      { entrypoint: "unknown", outcome: "fault", gate: "", reason: "", count: 1 },
    ]);
    for (const { count, buckets, sum } of durations) {
      expect(sum).toBeGreaterThan(0);
      expect(buckets.at(-1)?.count).toBe(count);
      for (const [i, bucket] of buckets.entries())
        expect(bucket.count).toBeGreaterThanOrEqual(buckets[i - 1]?.count ?? 0);
    }
  });

  it("count AuthZEN's decisions as what they are, by the gate and reason of their context", async () => {
    const policy = await load(limited);
    const meter = metrics(policy);
    const entrypoint = "portcullis/authzen/evaluation";
    const answers = [{}, authzen("R"), authzen("NOBODY")].map((asked) => policy.evaluate(entrypoint, asked));
    const counted = meter
      .snapshot()
      .decisions.map(({ outcome, gate, reason }) => ({ decision: outcome === "allow", context: { gate, reason } }));
    expect(answers).toMatchObject(counted);
    expect(counted.map(({ decision }) => decision)).toEqual([false, true, false]);
    expect(meter.snapshot().decisions.map(({ outcome }) => outcome)).toEqual(["deny", "allow", "deny"]);
  });

  it("have no text of a request in any label", async () => {
    const policy = await load(bytes);
    const meter = metrics(policy);
    const secret = "s3cret-of-the-request";
    policy.subagent({ persona: secret, env: {} });
    for (const kind of ["lane", "tool", "call"] as const) policy[kind]({ role: secret, lane: secret, tool: secret });
    policy.lineage({
      lineage: [
        { agent_type: secret, spawn_depth: 0 },
        { agent_type: secret, spawn_depth: 1 },
      ],
    });
    policy.handoff({ record: { [secret]: secret }, artifacts: {} });
    policy.evaluate(secret, secret);
    expect(JSON.stringify(meter.snapshot())).not.toContain(secret);
    expect(meter.toPrometheus()).not.toContain(secret);
    expect(meter.snapshot().decisions[0]).toMatchObject({ outcome: "deny", reason: "persona_not_found" });
  });

  it("change no decision, and go on with the policies that follow", async () => {
    const policies = await ReloadablePolicy.load(bytes);
    const plain = await load(bytes);
    const meter = metrics(policies);
    expect(policies.current.tool(request)).toEqual(plain.tool(request));
    await policies.reload(new Uint8Array([1]));
    await policies.reload(bytes);
    expect(policies.current.tool(request)).toEqual(plain.tool(request));
    expect(meter.snapshot()).toMatchObject({ reloads: 1, decisions: [{ count: 2 }] });
  });

  it("count faults and losses of all policies, and what failed to load: nothing that was counted goes back", async () => {
    const written: Uint8Array[] = [];
    let isFull = false;
    const log = decisionLog({
      bufferBytes: 1000,
      sink: {
        write: (batch) => {
          if (isFull) throw new Error("ENOSPC");
          written.push(batch);
        },
      },
    });
    const policies = await ReloadablePolicy.load(bytes, { onDecision: log });
    const meter = metrics(policies);
    const value = (name: string): number =>
      Number(new RegExp(`^${name.replace(/[{}]/g, "\\$&")} (\\S+)$`, "m").exec(meter.toPrometheus())?.[1]);
    const conflict = 'portcullis_faults_total{code="entrypoint"}';
    const corrupt = 'portcullis_failed_reloads_total{code="not-a-policy"}';
    expect([value(conflict), value(corrupt), value("portcullis_pending_events")]).toEqual([0, 0, 0]);
    policies.current.evaluate("no such entrypoint", {});
    await policies.reload(bytes);
    policies.current.evaluate("no such entrypoint", {});
    await policies.reload(new Uint8Array([1]));
    await policies.reload(new Uint8Array([1]));
    expect([value(conflict), value(corrupt), value("portcullis_reloads_total")]).toEqual([2, 2, 1]);
    expect(value("portcullis_pending_events")).toBe(2);
    isFull = true;
    for (let i = 0; i < 9; i++) policies.current.lane(request);
    await expect(log.flush()).rejects.toThrow("ENOSPC");
    expect(value("portcullis_log_failures_total")).toBe(1);
    expect(value("portcullis_pending_events")).toBeGreaterThan(0);
    await log.close();
    expect(value("portcullis_pending_events")).toBe(0);
    expect(value("portcullis_dropped_events_total")).toBe(11);
    // It follows nothing.
    expect(value("portcullis_last_check_timestamp_seconds")).toBeNaN();
  });

  it("say when the source of the policy last vouched for it, and how often it did not since", async () => {
    let isAway = false;
    const source: BundleSource = {
      name: "told",
      fetch: async () => {
        if (isAway) throw new SourceError("unreachable", "away");
        return { bytes, tag: undefined };
      },
      pause: (_failures, _error, signal) =>
        new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })),
    };
    const before = Date.now() / 1000;
    const policies = await ReloadablePolicy.follow(source);
    try {
      const meter = metrics(policies);
      const [, time] = /^portcullis_last_check_timestamp_seconds (\S+)$/m.exec(meter.toPrometheus()) ?? [];
      expect(Number(time)).toBeGreaterThanOrEqual(before);
      isAway = true;
      for (const failures of [1, 2]) expect(await policies.check()).toMatchObject({ failures });
      const text = meter.toPrometheus();
      expect(text).toContain(`portcullis_last_check_timestamp_seconds ${time}\n`);
      expect(text).toContain("portcullis_failed_checks 2\n");
      expect(text).toContain('portcullis_failed_reloads_total{code="unreachable"} 2\n');
      isAway = false;
      await policies.check();
      expect(meter.toPrometheus()).toContain("portcullis_failed_checks 0\n");
    } finally {
      policies.close();
    }
  });

  it("are text that Prometheus reads", async () => {
    const policy = await load(bytes);
    const meter = metrics(policy);
    policy.subagent({ persona: "NEWS_DESK", env: {} });
    policy.lane(request);
    const text = meter.toPrometheus();
    const name = "[a-z_]+";
    const label = `${name}="(?:[^"\\\\\\n]|\\\\["\\\\n])*"`;
    const line = new RegExp(`^(?:# (?:HELP|TYPE) ${name} .+|${name}(?:\\{${label}(?:,${label})*\\})? [0-9.e+-]+)$`);
    for (const each of text.trimEnd().split("\n")) expect(each).toMatch(line);
    expect(text.endsWith("\n")).toBe(true);
    expect(text).toContain('reason="CHIRALITY_ENABLE_SUBAGENTS is not set to \\"true\\"."');
    expect(text).toContain(
      'portcullis_decision_duration_seconds_bucket{entrypoint="portcullis/lane/decision",outcome="allow",le="+Inf"} 1',
    );
  });
});

describe("openTelemetry", () => {
  afterEach(() => {
    for (const api of [trace, otelMetrics, context]) api.disable();
  });

  it("makes a span and two measurements a decision, with the package itself", async () => {
    const spans = new InMemorySpanExporter();
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }));
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const provider = new MeterProvider({
      readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 60_000 })],
    });
    otelMetrics.setGlobalMeterProvider(provider);
    const policy = await load(bytes);
    await openTelemetry(policy);
    policy.lane(request);
    policy.subagent({ persona: "s3cret", env: {} });
    await provider.forceFlush();
    const found = spans.getFinishedSpans().map(({ name, attributes }) => ({ name, attributes }));
    expect(found).toMatchObject([
      {
        name: "portcullis.decision",
        attributes: { "portcullis.entrypoint": "portcullis/lane/decision", "portcullis.outcome": "allow" },
      },
      { attributes: { "portcullis.outcome": "deny", "portcullis.reason": "persona_not_found" } },
    ]);
    const measured = exporter
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
    expect(measured.map(({ descriptor }) => descriptor.name).sort()).toEqual([
      "portcullis.decision.duration",
      "portcullis.decisions",
    ]);
    expect(JSON.stringify([found, measured])).not.toContain("s3cret");
    await provider.shutdown();
  });

  it("has as many series as metrics where a rule makes reasons of a request's text", async () => {
    const text = 'package t\n\nd := {"allowed": false, "gate": "TEXT", "reason": input.text}\n';
    const modules = [new SourceFile("t.rego", text)];
    const { compiled } = await compileModules({ modules, entrypoints: ["t/d"] });
    const policy = await load(compiled?.wasm as Uint8Array);
    const told: object[] = [];
    const add = (_value: number, attributes?: object): unknown => told.push(attributes ?? {});
    const silent = { add: () => undefined, record: () => undefined };
    const span = { setAttributes: (attributes: object) => told.push(attributes), end: () => undefined };
    const meter = metrics(policy);
    await openTelemetry(policy, {
      trace: { getTracer: () => ({ startSpan: () => span }) },
      metrics: { getMeter: () => ({ createCounter: () => ({ add }), createHistogram: () => silent }) },
    });
    for (let i = 0; i < 300; i++) policy.evaluate("t/d", { text: `t${i}` });
    const series = new Set(told.map((attributes) => JSON.stringify(attributes)));
    const counted = meter.snapshot().decisions;
    expect(told).toHaveLength(600);
    expect(series.size).toBe(counted.length);
    expect(counted.length).toBeLessThan(300);
    expect(counted.at(-1)).toMatchObject({
      outcome: "deny",
      gate: "other",
      reason: "other",
      count: 301 - counted.length,
    });
  });

  it("that throws reaches no decision", async () => {
    const no = (): never => {
      throw new Error("no");
    };
    const span = { setAttributes: no, end: no };
    const instrument = { add: no, record: no };
    const broken: OpenTelemetryApi = {
      trace: { getTracer: () => ({ startSpan: () => span }) },
      metrics: { getMeter: () => ({ createCounter: () => instrument, createHistogram: () => instrument }) },
    };
    const policy: Policy = await load(bytes);
    await openTelemetry(policy, broken);
    await openTelemetry(policy, { ...broken, trace: { getTracer: () => ({ startSpan: no }) } });
    expect(policy.lane(request).allowed).toBe(true);
    expect(policy.evaluateJson("portcullis/lane/decision", JSON.stringify(request))).toMatchObject({ allowed: true });
  });
});

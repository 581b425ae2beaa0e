/** Metrics in the text format of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/ */

import type { FaultCode, LoadErrorCode } from "../errors.ts";
import type { SourceErrorCode } from "./bundle-source.ts";
import type { Counts, MetricsSnapshot } from "./metrics.ts";

export function prometheusText(snapshot: MetricsSnapshot): string {
  const { decisions, durations } = snapshot;
  return [
    ...family("portcullis_decisions_total", "counter", "Decisions by entrypoint, outcome, gate and reason."),
    ...decisions.map(({ count, entrypoint, outcome, gate, reason }) =>
      sample("portcullis_decisions_total", { entrypoint, outcome, gate, reason }, count),
    ),
    ...family("portcullis_decision_duration_seconds", "histogram", "Time of a decision."),
    ...durations.flatMap(({ entrypoint, outcome, count, sum, buckets }) => [
      ...[...buckets, { le: Number.POSITIVE_INFINITY, count }].map((bucket) =>
        sample(
          "portcullis_decision_duration_seconds_bucket",
          { entrypoint, outcome, le: Number.isFinite(bucket.le) ? String(bucket.le) : "+Inf" },
          bucket.count,
        ),
      ),
      sample("portcullis_decision_duration_seconds_sum", { entrypoint, outcome }, sum),
      sample("portcullis_decision_duration_seconds_count", { entrypoint, outcome }, count),
    ]),
    ...family("portcullis_faults_total", "counter", "Evaluations that failed, by code; each was a denial."),
    ...byCode("portcullis_faults_total", FAULTS, snapshot.faults),
    ...family("portcullis_memory_bytes", "gauge", "Linear memory of the policy in use."),
    sample("portcullis_memory_bytes", {}, snapshot.memoryBytes),
    ...family(
      "portcullis_dropped_events_total",
      "counter",
      "Decision events that were lost on their way to their logs.",
    ),
    sample("portcullis_dropped_events_total", {}, snapshot.droppedEvents),
    ...family(
      "portcullis_refused_decisions_total",
      "counter",
      "Decisions that were denied: they could not be recorded.",
    ),
    sample("portcullis_refused_decisions_total", {}, snapshot.refusedDecisions),
    ...family("portcullis_pending_events", "gauge", "Decision events that wait to be written."),
    sample("portcullis_pending_events", {}, snapshot.pendingEvents),
    ...family("portcullis_log_failures_total", "counter", "Attempts to write decision events that failed."),
    sample("portcullis_log_failures_total", {}, snapshot.logFailures),
    ...family("portcullis_policy_stale", "gauge", "1: the source of the policy has not been heard of for too long."),
    sample("portcullis_policy_stale", {}, snapshot.stale ? 1 : 0),
    ...followingLines(snapshot.following),
    ...shadowLines(snapshot.shadow),
    ...family("portcullis_reloads_total", "counter", "Policies that were put in use after the first."),
    sample("portcullis_reloads_total", {}, snapshot.reloads),
    ...family("portcullis_failed_reloads_total", "counter", "Reloads and checks of the source that failed, by code."),
    ...byCode("portcullis_failed_reloads_total", RELOAD_ERRORS, snapshot.failedReloads),
    ...family("portcullis_policy_info", "gauge", "The policy in use."),
    sample("portcullis_policy_info", { revision: snapshot.revision ?? "" }, 1),
    "",
  ].join("\n");
}

/** Every series is there from the start: the first of a kind is an increase. */
const FAULTS: Readonly<Record<FaultCode, 0>> = {
  ...{ conflict: 0, budget: 0, memory: 0, input: 0, internal: 0, entrypoint: 0, stale: 0, unrecorded: 0 },
};
const RELOAD_ERRORS: Readonly<Record<LoadErrorCode | SourceErrorCode, 0>> = {
  ...{ unreachable: 0, timeout: 0, status: 0, "too-large": 0, digest: 0 },
  ...{ "not-a-policy": 0, "bundle-corrupt": 0, "bundle-too-large": 0, "bundle-incomplete": 0, "bundle-mismatch": 0 },
  ...{ "module-invalid": 0, "module-tampered": 0, "abi-mismatch": 0, "missing-builtin": 0, "memory-limit": 0 },
  ...{ "signature-missing": 0, "signature-invalid": 0, "revision-rolled-back": 0 },
};

function byCode(name: string, codes: Counts, counts: Counts): string[] {
  return Object.entries({ ...codes, ...counts }).map(([code, count]) => sample(name, { code }, count));
}

function followingLines(following: MetricsSnapshot["following"]): string[] {
  if (following === undefined) return [];
  const { lastCheck, failures } = following;
  return [
    ...family(
      "portcullis_last_check_timestamp_seconds",
      "gauge",
      "When the source last vouched for the policy; 0: not since the start.",
    ),
    sample("portcullis_last_check_timestamp_seconds", {}, (lastCheck?.getTime() ?? 0) / 1000),
    ...family("portcullis_failed_checks", "gauge", "Checks of the source in a row that failed."),
    sample("portcullis_failed_checks", {}, failures),
  ];
}

function shadowLines(shadow: MetricsSnapshot["shadow"]): string[] {
  if (shadow === undefined) return [];
  const { same, newlyAllowed, newlyDenied, otherwise, failed, unasked, seconds } = shadow;
  const kinds = { same, newly_allowed: newlyAllowed, newly_denied: newlyDenied, otherwise, failed, unasked };
  return [
    ...family("portcullis_shadow_decisions_total", "counter", "What the shadow answered, beside the policy in use."),
    ...Object.entries(kinds).map(([answer, count]) => sample("portcullis_shadow_decisions_total", { answer }, count)),
    ...family("portcullis_shadow_seconds_total", "counter", "Time that the shadow took."),
    sample("portcullis_shadow_seconds_total", {}, seconds),
    ...family("portcullis_shadow_info", "gauge", "The shadow that was asked last."),
    sample("portcullis_shadow_info", { revision: shadow.revision ?? "" }, 1),
  ];
}

function family(name: string, type: string, help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function sample(name: string, labels: { readonly [label: string]: string }, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`;
}

function escaped(text: string): string {
  return text.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n");
}

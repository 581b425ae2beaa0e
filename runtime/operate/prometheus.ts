/** Metrics in the text format of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/ */

import type { MetricsSnapshot } from "./metrics.ts";

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
    ...family("portcullis_faults", "gauge", "Evaluations of the policy in use that failed; each was a denial."),
    sample("portcullis_faults", {}, snapshot.faults),
    ...family("portcullis_memory_bytes", "gauge", "Linear memory of the policy in use."),
    sample("portcullis_memory_bytes", {}, snapshot.memoryBytes),
    ...family("portcullis_dropped_events", "gauge", "Decision events that were lost on their way to their logs."),
    sample("portcullis_dropped_events", {}, snapshot.droppedEvents),
    ...family("portcullis_refused_decisions", "gauge", "Decisions that were denied: they could not be recorded."),
    sample("portcullis_refused_decisions", {}, snapshot.refusedDecisions),
    ...family("portcullis_policy_stale", "gauge", "1: the source of the policy has not been heard of for too long."),
    sample("portcullis_policy_stale", {}, snapshot.stale ? 1 : 0),
    ...shadowLines(snapshot.shadow),
    ...family("portcullis_reloads_total", "counter", "Policies that were put in use after the first."),
    sample("portcullis_reloads_total", {}, snapshot.reloads),
    ...family("portcullis_policy_info", "gauge", "The policy in use."),
    sample("portcullis_policy_info", { revision: snapshot.revision ?? "" }, 1),
    "",
  ].join("\n");
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

/** Counts and times the decisions of a policy, as plain numbers and as Prometheus text. */

import type { PolicyIds } from "../governance/index.ts";
import type { Answers } from "../host/builtin.ts";
import {
  type DecisionEvents,
  DelegatingEvaluator,
  logCountsOf,
  type ShadowCounts,
  shadowsOf,
} from "../observe/index.ts";
import { instrument, Policy } from "../policy.ts";
import { type DecisionLabels, Labeller, Series } from "./decision-labels.ts";
import type { FollowStatus } from "./follower.ts";
import { prometheusText } from "./prometheus.ts";
import { failedReloads, onEachPolicy, type ReloadablePolicy } from "./reload.ts";

/** Numbers by stable codes; a code that is absent stands for 0. */
export type Counts = { readonly [code: string]: number };

/** How many decisions had these labels. */
export interface DecisionCount extends DecisionLabels {
  readonly count: number;
}

/** How long the decisions of one entrypoint and outcome took, as a Prometheus histogram. */
export interface DurationHistogram {
  readonly entrypoint: string;
  readonly outcome: DecisionLabels["outcome"];
  readonly count: number;
  /** Seconds. */
  readonly sum: number;
  /** Decisions that took at most `le` seconds; each bucket holds those before it. */
  readonly buckets: readonly { readonly le: number; readonly count: number }[];
}

/** All that was counted, at one moment. */
export interface MetricsSnapshot {
  readonly revision: string | undefined;
  readonly decisions: readonly DecisionCount[];
  readonly durations: readonly DurationHistogram[];
  /** Evaluations that failed, by code; each was a denial. Of all policies so far. */
  readonly faults: Counts;
  readonly memoryBytes: number;
  /** Decision events that were lost: before a listener heard of them, and by logs of this package. Of all policies so far. */
  readonly droppedEvents: number;
  /** Decisions that were denied because they could not be recorded. Of all policies so far. */
  readonly refusedDecisions: number;
  /** Decision events that wait now: for listeners, and in logs of this package. */
  readonly pendingEvents: number;
  /** How often logs could not write, and listeners threw. Of all policies so far. */
  readonly logFailures: number;
  /** What the shadow answered; absent without one. Of all policies so far. */
  readonly shadow?: ShadowCounts;
  /** Whether the policy denies everything, or goes on, because its source has not been heard of for too long. */
  readonly stale: boolean;
  /** How following its source goes; absent for a policy that follows none. */
  readonly following?: FollowStatus;
  /** Policies that were put in use after the first. */
  readonly reloads: number;
  /** Reloads and checks of the source that failed, by code. */
  readonly failedReloads: Counts;
}

/** The counters of one policy, from the call of `metrics` on. */
export interface Metrics {
  snapshot(): MetricsSnapshot;
  /** The text format of Prometheus, version 0.0.4. */
  toPrometheus(): string;
}

/** Upper bounds in seconds: a decision takes about a tenth of a microsecond, a large handoff record milliseconds. */
const BOUNDS: readonly number[] = [
  2.5e-7, 5e-7, 1e-6, 2.5e-6, 5e-6, 1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 1e-3, 1e-2, 1e-1,
];

/**
 * From now on each decision of this policy is counted, which costs it two looks at the clock. For a ReloadablePolicy also the
 * policies that come after.
 */
export function metrics<Ids extends PolicyIds>(policy: Policy<Ids> | ReloadablePolicy<Ids>): Metrics {
  const meter = new Meter();
  let current: Policy | undefined;
  /** Those of policies that were replaced may still be on their way. */
  const heard: DecisionEvents[] = [];
  let reloads = -1;
  const measure = (next: Policy, isStale: boolean): void => {
    instrument(next, (evaluator) => new MeteredEvaluator(evaluator, meter));
    if (next.events !== undefined) heard.push(next.events);
    if (isStale) return;
    current = next;
    reloads++;
  };
  if (policy instanceof Policy) measure(policy, false);
  else onEachPolicy(policy, measure);
  const snapshot = (): MetricsSnapshot => {
    const { dropped, refused, pending, failures } = logCountsOf(heard);
    const status = policy instanceof Policy ? undefined : policy.status();
    const shadow = shadowsOf(heard);
    return {
      revision: current?.revision,
      ...meter.snapshot(),
      memoryBytes: current?.memoryBytes ?? 0,
      droppedEvents: dropped,
      refusedDecisions: refused,
      pendingEvents: pending,
      logFailures: failures,
      ...(shadow === undefined ? {} : { shadow }),
      ...(status === undefined ? {} : { following: status }),
      stale: status?.stale ?? false,
      reloads,
      failedReloads: policy instanceof Policy ? {} : Object.fromEntries(failedReloads(policy)),
    };
  };
  return { snapshot, toPrometheus: () => prometheusText(snapshot()) };
}

interface Histogram {
  readonly entrypoint: string;
  readonly outcome: DecisionLabels["outcome"];
  count: number;
  sum: number;
  /** Not cumulative; the last is for durations over every bound. */
  readonly counts: number[];
}

class Meter {
  private readonly series = new Series();
  private readonly counts = new Map<DecisionLabels, number>();
  private readonly histograms = new Map<string, Histogram>();
  private readonly faults = new Map<string, number>();

  addFault(code: string): void {
    this.faults.set(code, (this.faults.get(code) ?? 0) + 1);
  }

  add(given: DecisionLabels, seconds: number): void {
    const labels = this.series.of(given);
    this.counts.set(labels, (this.counts.get(labels) ?? 0) + 1);
    const key = `${given.entrypoint}\n${given.outcome}`;
    let histogram = this.histograms.get(key);
    if (histogram === undefined) {
      const { entrypoint, outcome } = given;
      histogram = { entrypoint, outcome, count: 0, sum: 0, counts: BOUNDS.concat(0).map(() => 0) };
      this.histograms.set(key, histogram);
    }
    histogram.count++;
    histogram.sum += seconds;
    const at = BOUNDS.findIndex((bound) => seconds <= bound);
    const bucket = at === -1 ? BOUNDS.length : at;
    histogram.counts[bucket] = (histogram.counts[bucket] as number) + 1;
  }

  snapshot(): Pick<MetricsSnapshot, "decisions" | "durations" | "faults"> {
    return {
      faults: Object.fromEntries(this.faults),
      decisions: [...this.counts].map(([labels, count]) => ({ ...labels, count })),
      durations: [...this.histograms.values()].map(({ entrypoint, outcome, count, sum, counts }) => {
        let below = 0;
        const buckets = BOUNDS.map((le, i) => ({ le, count: (below += counts[i] as number) }));
        return { entrypoint, outcome, count, sum, buckets };
      }),
    };
  }
}

class MeteredEvaluator extends DelegatingEvaluator {
  private readonly meter: Meter;
  private readonly labeller: Labeller;

  constructor(inner: ConstructorParameters<typeof DelegatingEvaluator>[0], meter: Meter) {
    super(inner);
    this.meter = meter;
    this.labeller = new Labeller(this);
  }

  override decide(id: number, input: unknown): unknown {
    const started = performance.now();
    return this.note(this.inner.entrypoints[id], super.decide(id, input), started);
  }

  override evaluate(entrypoint: string, input: unknown): unknown {
    const started = performance.now();
    return this.note(entrypoint, super.evaluate(entrypoint, input), started);
  }

  override evaluateJson(entrypoint: string, json: string | Uint8Array, recorded?: Answers): unknown {
    const started = performance.now();
    return this.note(entrypoint, super.evaluateJson(entrypoint, json, recorded), started);
  }

  private note(entrypoint: unknown, result: unknown, started: number): unknown {
    try {
      const seconds = Math.max(0, performance.now() - started) / 1000;
      const fault = this.lastFault;
      const labels = this.labeller.labels(entrypoint, result);
      const count = (): void => {
        if (fault !== undefined) this.meter.addFault(fault.code);
        this.meter.add(labels, seconds);
      };
      if (this.host.counts === undefined) count();
      else this.host.counts.push(count);
    } catch {
      // The decision is made; a full stack must not take it back.
    }
    return result;
  }
}

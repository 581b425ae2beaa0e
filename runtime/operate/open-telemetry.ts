/** Spans and instruments of OpenTelemetry, where `@opentelemetry/api` is installed. */

import type { PolicyIds } from "../governance/index.ts";
import { attempt as quietly } from "../host/attempt.ts";
import type { Answers } from "../host/builtin.ts";
import { DelegatingEvaluator } from "../observe/index.ts";
import { instrument, Policy } from "../policy.ts";
import { Labeller, Series } from "./decision-labels.ts";
import { onEachPolicy, type ReloadablePolicy } from "./reload.ts";

/** The part of `@opentelemetry/api` that is used. */
export interface OpenTelemetryApi {
  readonly trace: {
    getTracer(name: string): {
      startSpan(name: string): { setAttributes(attributes: TelemetryAttributes): unknown; end(): void };
    };
  };
  readonly metrics: {
    getMeter(name: string): {
      createCounter(name: string, options?: object): { add(value: number, attributes?: TelemetryAttributes): void };
      createHistogram(
        name: string,
        options?: object,
      ): { record(value: number, attributes?: TelemetryAttributes): void };
    };
  };
}

/** Attributes of a span or a measurement. */
export interface TelemetryAttributes {
  [name: string]: string;
}

/**
 * A span and two instruments for each decision from now on: `portcullis.decisions` and `portcullis.decision.duration`, in
 * seconds. TelemetryAttributes are stable ids. What the API throws never reaches a decision. Rejects when the package is missing.
 */
export async function openTelemetry<Ids extends PolicyIds>(
  policy: Policy<Ids> | ReloadablePolicy<Ids>,
  given?: OpenTelemetryApi,
): Promise<void> {
  const api = given ?? (await importApi());
  const telemetry = new Telemetry(api);
  const watch = (next: Policy): void => instrument(next, (evaluator) => new TracedEvaluator(evaluator, telemetry));
  if (policy instanceof Policy) watch(policy);
  else onEachPolicy(policy, watch);
}

async function importApi(): Promise<OpenTelemetryApi> {
  // The name is computed, so that bundlers leave the optional package alone.
  const name = ["@opentelemetry", "api"].join("/");
  try {
    return (await import(/* webpackIgnore: true */ /* @vite-ignore */ name)) as OpenTelemetryApi;
  } catch {
    throw new Error("`openTelemetry` needs the package `@opentelemetry/api`: install it, or pass its module");
  }
}

const NAME = "@portcullis/runtime";

class Telemetry {
  readonly series = new Series();
  private readonly tracer;
  private readonly decisions;
  private readonly duration;

  constructor(api: OpenTelemetryApi) {
    this.tracer = api.trace.getTracer(NAME);
    const meter = api.metrics.getMeter(NAME);
    this.decisions = meter.createCounter("portcullis.decisions", { description: "Decisions" });
    this.duration = meter.createHistogram("portcullis.decision.duration", {
      description: "Time of a decision",
      unit: "s",
    });
  }

  /** Calls back when the decision is made. */
  start(): (attributes: TelemetryAttributes) => void {
    const span = quietly(() => this.tracer.startSpan("portcullis.decision"));
    const started = performance.now();
    return (attributes) => {
      const seconds = (performance.now() - started) / 1000;
      quietly(() => span?.setAttributes(attributes));
      quietly(() => span?.end());
      quietly(() => this.decisions.add(1, attributes));
      quietly(() => this.duration.record(seconds, attributes));
    };
  }
}

class TracedEvaluator extends DelegatingEvaluator {
  private readonly telemetry: Telemetry;
  private readonly labeller: Labeller;

  constructor(inner: ConstructorParameters<typeof DelegatingEvaluator>[0], telemetry: Telemetry) {
    super(inner);
    this.telemetry = telemetry;
    this.labeller = new Labeller(this);
  }

  override decide(id: number, input: unknown): unknown {
    return this.traced(this.inner.entrypoints[id], () => super.decide(id, input));
  }

  override evaluate(entrypoint: string, input: unknown): unknown {
    return this.traced(entrypoint, () => super.evaluate(entrypoint, input));
  }

  override evaluateJson(entrypoint: string, json: string | Uint8Array, recorded?: Answers): unknown {
    return this.traced(entrypoint, () => super.evaluateJson(entrypoint, json, recorded));
  }

  private traced(entrypoint: unknown, decide: () => unknown): unknown {
    const end = quietly(() => this.telemetry.start());
    const result = decide();
    quietly(() => {
      const labels = this.telemetry.series.of(this.labeller.labels(entrypoint, result));
      const named = Object.entries(labels).filter(([, value]) => value !== "");
      end?.(Object.fromEntries(named.map(([name, value]) => [`portcullis.${name}`, value])));
    });
    return result;
  }
}

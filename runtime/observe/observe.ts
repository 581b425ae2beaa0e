/**
 * Decisions with a listener. The evaluator is wrapped when a policy is loaded: without a listener there is no wrapper, and a
 * decision does not even ask whether there is one. Events are handed over after the decision, from a timer, so that
 * a listener that throws or takes long never stands between a caller and a decision.
 */

import type { Fault } from "../errors.ts";
import type { PolicyIds } from "../governance/policy-ids.ts";
import { wellFormed } from "../json/exact-json.ts";
import { type Evaluator, Policy, type PolicyFacts } from "../policy.ts";
import { type Copied, copyInput } from "./copy-input.ts";
import { DecisionEvent, newId } from "./decision-event.ts";
import { DelegatingEvaluator } from "./delegating-evaluator.ts";

/** Hears of a decision from a timer, after it was given. What it returns or throws changes nothing. */
export type DecisionListener = (event: DecisionEvent) => unknown;

/** Who hears of decisions. Without `onDecision` a decision costs nothing more. */
export interface ObserveOptions {
  /** Called once for every decision, after it; a list of listeners is called in order. */
  readonly onDecision?: DecisionListener | readonly DecisionListener[] | undefined;
  /** The share of decisions that listeners hear of, 0 to 1; default 1. */
  readonly sample?: number | undefined;
  /** Put on every event. `id` is a fresh name of this policy in memory where it is not given. */
  readonly labels?: { readonly [name: string]: string } | undefined;
}

/** Events on their way to the listeners. */
export interface DecisionEvents {
  readonly pending: number;
  /** Events that were lost, oldest first: listeners did not keep up. */
  readonly dropped: number;
  /** How often a listener threw or rejected. */
  readonly failures: number;
  /** Of the decision that was just made; `undefined` where nobody will hear of it. */
  lastDecisionId(): string | undefined;
  /** Hands over what is pending, now. */
  flush(): void;
}

/** A decision that nobody has heard of yet. */
interface Made {
  /** Made when it is asked for. */
  id: string | undefined;
  readonly path: string;
  readonly input: Copied | undefined;
  readonly text: string | undefined;
  readonly result: unknown;
  readonly time: number;
  readonly milliseconds: number;
  readonly fault: Fault | undefined;
  readonly weight: number;
}

/** Events that wait at most, and their weight: about 64 MB. */
const MOST_PENDING = 16_384;
const MOST_WEIGHT = 1 << 22;
/** How long listeners may work before other tasks get their turn. */
const SLICE_MS = 5;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export class Observer implements DecisionEvents {
  dropped = 0;
  failures = 0;
  private readonly listeners: readonly DecisionListener[];
  private readonly sample: number;
  private readonly labels: { readonly [name: string]: string };
  private readonly bundles: { readonly [name: string]: { readonly revision: string } };
  private queue: Made[] = [];
  private last: Made | undefined;
  /** The oldest that waits; what is before it has been taken. */
  private head = 0;
  private weight = 0;
  /** Lost since the last event that was handed over. */
  private lost = 0;
  private scheduled = false;
  private delivering = false;

  /** Throws RangeError for a share that is none, TypeError for a listener that is none. */
  constructor(options: ObserveOptions, revision: string | undefined, id: string) {
    const { onDecision = [], sample = 1, labels = {} } = options;
    this.listeners = typeof onDecision === "function" ? [onDecision] : [...onDecision];
    if (this.listeners.some((listener) => typeof listener !== "function"))
      throw new TypeError("`onDecision` is a function, or a list of functions");
    if (!(sample >= 0 && sample <= 1)) throw new RangeError("`sample` is a share from 0 to 1");
    this.sample = sample;
    this.labels = Object.freeze({ id, ...labels });
    this.bundles = Object.freeze(revision === undefined ? {} : { portcullis: Object.freeze({ revision }) });
  }

  get pending(): number {
    return this.queue.length - this.head;
  }

  /** Whether listeners hear of the next decision. What a listener itself decides is not told: it would never end. */
  chosen(): boolean {
    this.last = undefined;
    return !this.delivering && (this.sample === 1 || Math.random() < this.sample);
  }

  lastDecisionId(): string | undefined {
    if (this.last === undefined) return undefined;
    this.last.id ??= newId();
    return this.last.id;
  }

  add(made: Made): void {
    this.last = made;
    this.queue.push(made);
    this.weight += made.weight;
    while (this.pending > MOST_PENDING || (this.weight > MOST_WEIGHT && this.pending > 1)) this.dropOldest();
    if (this.scheduled) return;
    this.scheduled = true;
    setTimeout(() => this.deliver(), 0);
  }

  private dropOldest(): void {
    this.take();
    this.dropped++;
    this.lost++;
  }

  private take(): Made {
    const made = this.queue[this.head] as Made;
    this.queue[this.head++] = undefined as never;
    this.weight -= made.weight;
    if (this.head > 1024 && this.head * 2 > this.queue.length) {
      this.queue = this.queue.slice(this.head);
      this.head = 0;
    }
    return made;
  }

  private deliver(): void {
    const end = performance.now() + SLICE_MS;
    do this.deliverOne();
    while (this.pending > 0 && performance.now() < end);
    this.scheduled = this.pending > 0;
    if (this.scheduled) setTimeout(() => this.deliver(), 0);
  }

  flush(): void {
    while (this.pending > 0 && !this.delivering) this.deliverOne();
  }

  private deliverOne(): void {
    if (this.pending === 0) return;
    const made = this.take();
    const dropped = this.lost;
    this.lost = 0;
    this.delivering = true;
    try {
      const event = this.eventOf(made, dropped);
      for (const listener of this.listeners) this.tell(listener, event);
    } finally {
      this.delivering = false;
    }
  }

  private eventOf(made: Made, dropped: number): DecisionEvent {
    const facts = {
      id: made.id,
      labels: this.labels,
      bundles: this.bundles,
      path: made.path,
      input: made.input?.value,
      inputText: made.text,
      recorded: made.input !== undefined || made.text !== undefined,
      result: made.result,
      time: made.time,
      nanoseconds: Math.max(0, Math.round(made.milliseconds * 1e6)),
      fault: made.fault,
      dropped,
    };
    try {
      return new DecisionEvent(facts);
    } catch {
      // A text that is no JSON.
      return new DecisionEvent({ ...facts, inputText: undefined, recorded: false });
    }
  }

  private tell(listener: DecisionListener, event: DecisionEvent): void {
    const failed = (): void => {
      this.failures++;
    };
    try {
      const told = listener(event) as { then?: unknown } | undefined;
      if (typeof told?.then === "function") Promise.resolve(told).catch(failed);
    } catch {
      failed();
    }
  }
}

/** The evaluator, heard. What `decide` gives is what the evaluator within gives. */
export class ObservedEvaluator extends DelegatingEvaluator {
  private readonly observer: Observer;

  constructor(inner: Evaluator, observer: Observer) {
    super(inner);
    this.observer = observer;
  }

  override decide(id: number, input: unknown): unknown {
    if (!this.observer.chosen()) return this.inner.decide(id, input);
    return this.heard(this.inner.entrypoints[id] ?? "", input, (given) => this.inner.decide(id, given));
  }

  override evaluate(entrypoint: string, input: unknown): unknown {
    if (!this.observer.chosen()) return this.inner.evaluate(entrypoint, input);
    return this.heard(entrypoint, input, (given) => this.inner.evaluate(entrypoint, given));
  }

  override evaluateJson(entrypoint: string, json: string | Uint8Array): unknown {
    if (!this.observer.chosen()) return this.inner.evaluateJson(entrypoint, json);
    const started = performance.now();
    const result = this.inner.evaluateJson(entrypoint, json);
    // As its bytes had it when it was decided: a half of a surrogate pair must not meet the other half in an escape.
    const text = attempt(() => (typeof json === "string" ? wellFormed(json) : utf8.decode(json)));
    this.note(entrypoint, undefined, text, result, started);
    return result;
  }

  private heard(path: string, input: unknown, decide: (input: unknown) => unknown): unknown {
    const copied = attempt(() => copyInput(input));
    const started = performance.now();
    const result = decide(copied === undefined ? input : copied.value);
    this.note(path, copied, undefined, result, started);
    return result;
  }

  /** Never throws: the decision is made. */
  private note(
    path: string,
    input: Copied | undefined,
    text: string | undefined,
    result: unknown,
    started: number,
  ): void {
    attempt(() => {
      const milliseconds = performance.now() - started;
      // A fresh result is the caller's, who may change it.
      const kept = Object.isFrozen(result) ? undefined : copyInput(result);
      this.observer.add({
        id: undefined,
        path: String(path),
        input,
        text,
        result: kept === undefined ? result : kept.value,
        time: Date.now(),
        milliseconds,
        fault: this.inner.lastFault,
        weight: (input?.weight ?? 0) + (text === undefined ? 0 : text.length >> 4) + (kept?.weight ?? 1),
      });
    });
  }
}

/** The policy of an evaluator; without a listener it gets the evaluator itself. */
export function observedPolicy<Ids extends PolicyIds = PolicyIds>(
  evaluator: Evaluator,
  options: ObserveOptions,
  facts: PolicyFacts,
): Policy<Ids> {
  if (options.onDecision === undefined) return new Policy(evaluator, facts);
  const events = new Observer(options, facts.revision, newId());
  return new Policy(new ObservedEvaluator(evaluator, events), { ...facts, events });
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/**
 * Hands decisions to their listeners: from a timer, after the decision, or, with `unrecorded: "deny"`, before it is given.
 */

import type { Fault } from "../errors.ts";
import type { Answers } from "../host/builtin.ts";
import { copyResult } from "./copy-input.ts";
import { DecisionEvent, newId } from "./decision-event.ts";
import type { DecisionEvents, DecisionListener, ObserveOptions, Overruling } from "./observe.ts";
import { type Recorder, recorderOf } from "./recorder.ts";
import { addCounts, Shadow, type ShadowCounts } from "./shadow.ts";

/** A decision that no listener has heard of yet. */
export interface Made {
  /** Made when it is asked for. */
  id: string | undefined;
  readonly path: string;
  readonly input: unknown;
  readonly text: string | undefined;
  readonly unrecorded: readonly string[];
  readonly result: unknown;
  readonly time: number;
  readonly milliseconds: number;
  /** What the host's sources answered. */
  readonly answers: Answers | undefined;
  readonly fault: Fault | undefined;
  readonly overrule: Overruling | undefined;
  readonly weight: number;
}

/** Events that wait at most, and their weight: about 64 MB. */
const MOST_PENDING = 16_384;
const MOST_WEIGHT = 1 << 22;
/** How long listeners may work before other tasks get their turn. */
const SLICE_MS = 5;

export class Observer implements DecisionEvents {
  dropped = 0;
  refused = 0;
  failures = 0;
  /** Whether a decision that cannot be recorded is denied. */
  readonly isRequired: boolean;
  readonly recorders: readonly Recorder[];
  private readonly beside: Shadow | undefined;
  private readonly listeners: readonly DecisionListener[];
  private readonly sample: number;
  private readonly labels: { readonly [name: string]: string };
  private readonly bundles: { readonly [name: string]: { readonly revision: string } };
  private queue: Made[] = [];
  private last: Made | undefined;
  /** The oldest that waits; what is before it has been taken. */
  private head = 0;
  private weight = 0;
  readonly untold = { dropped: 0, refused: 0 };
  /** Whether the question under way is part of another decision. */
  isAside = false;
  private scheduled = false;
  private delivering = false;

  /** Throws RangeError if `sample` is not between 0 and 1, TypeError for listeners, a choice and a shadow that do not fit. */
  constructor(options: ObserveOptions, revision: string | undefined, id: string) {
    const { onDecision = [], sample = 1, labels = {}, unrecorded = "allow", shadow } = options;
    this.listeners = typeof onDecision === "function" ? [onDecision] : [...onDecision];
    if (this.listeners.some((listener) => typeof listener !== "function"))
      throw new TypeError("`onDecision` is a function or a list");
    if (!(sample >= 0 && sample <= 1)) throw new RangeError("`sample` is from 0 to 1");
    if (unrecorded !== "allow" && unrecorded !== "deny") throw new TypeError('`unrecorded` is "allow" or "deny"');
    this.isRequired = unrecorded === "deny";
    if (shadow !== undefined && typeof ("current" in shadow ? shadow.current : shadow)?.evaluateJson !== "function")
      throw new TypeError("`shadow` is a policy or has one");
    if (this.isRequired && (this.listeners.length === 0 || sample !== 1))
      throw new TypeError('`unrecorded: "deny"` needs a listener that hears of every decision');
    this.recorders = this.listeners.flatMap((listener) => recorderOf(listener) ?? []);
    for (const recorder of this.recorders) recorder.follow(this);
    this.beside = shadow === undefined ? undefined : new Shadow(shadow);
    this.sample = sample;
    this.labels = Object.freeze({ id, ...labels });
    this.bundles = Object.freeze(revision === undefined ? {} : { portcullis: Object.freeze({ revision }) });
  }

  get shadow(): ShadowCounts | undefined {
    return this.beside?.counts();
  }

  get pending(): number {
    return this.queue.length - this.head;
  }

  /** Whether listeners hear of the next decision. What a listener itself decides is not told: it would never end. */
  chosen(): boolean {
    this.last = undefined;
    return !(this.isAside || this.delivering) && (this.sample === 1 || Math.random() < this.sample);
  }

  lastDecisionId(): string | undefined {
    if (this.last) this.last.id ??= newId();
    return this.last?.id;
  }

  aside<T>(question: () => T): T {
    const before = this.isAside;
    this.isAside = true;
    try {
      return question();
    } finally {
      this.isAside = before;
    }
  }

  /** A decision of which no event could be made. */
  lose(): void {
    this.dropped++;
    this.untold.dropped++;
  }

  /** A decision that was denied because it could not be recorded. */
  refuse(): void {
    this.last = undefined;
    this.refused++;
    this.untold.refused++;
  }

  add(made: Made): void {
    this.last = made;
    this.queue.push(made);
    this.weight += made.weight;
    while (this.pending > MOST_PENDING || (this.weight > MOST_WEIGHT && this.pending > 1)) {
      this.take();
      this.lose();
    }
    if (this.scheduled) return;
    this.scheduled = true;
    setTimeout(() => this.deliver(), 0);
  }

  /** Hands one over at once. Throws where a listener does not take it; logs of this package then have nothing of it. */
  record(made: Made): void {
    this.last = made;
    made.id ??= newId();
    const { dropped, refused } = this.untold;
    this.delivering = true;
    try {
      const event = this.eventOf(made);
      const takes = this.recorders.map((recorder) => recorder.prepare(event));
      for (const listener of this.listeners) if (recorderOf(listener) === undefined) this.ask(listener, event);
      for (const take of takes) take();
    } catch (error) {
      this.untold.dropped = dropped;
      this.untold.refused = refused;
      throw error;
    } finally {
      this.delivering = false;
    }
  }

  /** A promise that rejects comes too late to deny; it is counted. */
  private ask(listener: DecisionListener, event: DecisionEvent): void {
    try {
      this.await(listener(event));
    } catch (error) {
      this.failures++;
      throw error;
    }
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
    this.delivering = true;
    try {
      const event = this.eventOf(made);
      for (const listener of this.listeners) this.tell(listener, event);
    } finally {
      this.delivering = false;
    }
  }

  private eventOf(made: Made): DecisionEvent {
    const facts = {
      id: made.id,
      labels: this.labels,
      bundles: this.bundles,
      path: made.path,
      input: made.input,
      inputText: made.text,
      unrecorded: made.unrecorded,
      result: made.result,
      time: made.time,
      nanoseconds: Math.max(0, Math.round(made.milliseconds * 1e6)),
      answers: made.answers,
      fault: made.fault,
      shadow: this.beside?.otherwise(made),
      ...this.untold,
    };
    this.untold.dropped = 0;
    this.untold.refused = 0;
    try {
      return new DecisionEvent(facts);
    } catch {
      // A text that is not JSON.
      return new DecisionEvent({ ...facts, inputText: undefined, unrecorded: ["/input"] });
    }
  }

  private tell(listener: DecisionListener, event: DecisionEvent): void {
    try {
      this.await(listener(event));
    } catch {
      this.failures++;
    }
  }

  private await(told: unknown): void {
    if (typeof (told as { then?: unknown } | undefined)?.then !== "function") return;
    Promise.resolve(told).catch(() => {
      this.failures++;
    });
  }
}

/** A result that the caller cannot change: a fresh one is the caller's. */
export function keptResult(result: unknown): { readonly value: unknown; readonly weight: number } {
  return Object.isFrozen(result) ? { value: result, weight: 1 } : copyResult(result);
}

/** What the shadows of several policies have answered, together; `undefined` where none has one. */
export function shadowsOf(policies: Iterable<DecisionEvents>): ShadowCounts | undefined {
  return [...policies].reduce<ShadowCounts | undefined>((sum, { shadow }) => addCounts(sum, shadow), undefined);
}

/** What several policies and the logs that they share have lost and refused, and what waits. */
export interface LogCounts {
  readonly dropped: number;
  readonly refused: number;
  /** Events that wait for listeners, and in logs. */
  readonly pending: number;
  /** Attempts of logs to write that failed, and listeners that threw. */
  readonly failures: number;
}

export function logCountsOf(policies: Iterable<DecisionEvents>): LogCounts {
  let [dropped, refused, pending, failures] = [0, 0, 0, 0];
  const recorders = new Set<Recorder>();
  for (const events of policies) {
    dropped += events.dropped;
    refused += events.refused;
    pending += events.pending;
    failures += events.failures;
    if (events instanceof Observer) for (const recorder of events.recorders) recorders.add(recorder);
  }
  for (const recorder of recorders) {
    dropped += recorder.lost();
    const queue = recorder.queue?.();
    pending += queue?.pending ?? 0;
    failures += queue?.failures ?? 0;
  }
  return { dropped, refused, pending, failures };
}

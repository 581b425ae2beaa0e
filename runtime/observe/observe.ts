/**
 * Decisions with a listener. The evaluator is wrapped when a policy is loaded: without a listener there is no wrapper, and a
 * decision does not even ask whether there is one. Events are handed over after the decision, from a timer, so that
 * a listener that throws or takes long never stands between a caller and a decision; unless no decision is to be given that
 * is not recorded.
 */

import type { FootprintNode } from "../abi/index.ts";
import type { Fault } from "../errors.ts";
import type { PolicyIds } from "../governance/index.ts";
import { attempt } from "../host/attempt.ts";
import type { Answers } from "../host/builtin.ts";
import { messageOf } from "../host/message-of.ts";
import { wellFormed } from "../json/index.ts";
import { type Evaluator, Policy, type PolicyFacts } from "../policy.ts";
import { type CopiedInput, copyInput } from "./copy-input.ts";
import { type DecisionEvent, newId } from "./decision-event.ts";
import { DelegatingEvaluator } from "./delegating-evaluator.ts";
import { keptResult, type Made, Observer } from "./observer.ts";
import type { ShadowCounts, ShadowPolicy } from "./shadow.ts";

/** Hears of a decision from a timer, after it was given. What it returns or throws changes nothing. */
export type DecisionListener = (event: DecisionEvent) => unknown;

/** Who hears of decisions. Without `onDecision` a decision costs nothing more. */
export interface ObserveOptions {
  /** Called once for every decision, after it; a list of listeners is called in order. */
  readonly onDecision?: DecisionListener | readonly DecisionListener[] | undefined;
  /** The share of decisions that listeners hear of, 0 to 1; default 1. */
  readonly sample?: number | undefined;
  /**
   * What becomes of a decision that cannot be recorded. `allow` (default): it is given, and counted as lost. `deny`: listeners
   * are called before the decision is given, and it is a denial where one throws, where a log has no room or its sink fails,
   * and where a part of the request cannot be written down.
   */
  readonly unrecorded?: "allow" | "deny" | undefined;
  /**
   * A policy that decides beside this one, each time that listeners would hear of: a loaded policy, or a ReloadablePolicy,
   * whose current one is asked. Where it answers otherwise, the event says so in `shadow`; `policy.events.shadow` counts.
   * It never reaches an answer. Its data, builtins and limits are those that it was loaded with. With `unrecorded: "deny"`
   * answers wait for it; else it is asked from the timer.
   */
  readonly shadow?: ShadowPolicy | { readonly current: ShadowPolicy } | undefined;
  /** Put on every event. `id` is a fresh name of this policy in memory where it is not given. */
  readonly labels?: { readonly [name: string]: string } | undefined;
}

/** What a host answers in place of a policy, and why; `undefined` where the policy's answer stands. */
export type Overruling = (answer: unknown) => readonly [answer: unknown, why: Fault] | undefined;

/** Who asks a policy. */
export interface Host {
  /** Set while it asks: who hears of decisions is told what it gives, in place of the policy's answer. */
  overrule?: Overruling | undefined;
  /** Set while it asks: who counts decisions puts here what is to be done once the answer is given. */
  counts?: (() => void)[] | undefined;
}

/** Events on their way to the listeners. */
export interface DecisionEvents {
  readonly pending: number;
  /** Events that were lost, oldest first: listeners did not keep up. */
  readonly dropped: number;
  /** Decisions that were denied because they could not be recorded. */
  readonly refused: number;
  /** What the shadow answered so far; `undefined` without one. */
  readonly shadow: ShadowCounts | undefined;
  /** How often a listener threw or rejected. */
  readonly failures: number;
  /** The id of the decision that was just made; `undefined` if no listener will hear of it. */
  lastDecisionId(): string | undefined;
  /** What `question` evaluates is part of another decision, and no listener hears of it. Its result must allow nothing by itself. */
  aside<T>(question: () => T): T;
  /** Hands over what is pending, now. */
  flush(): void;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The evaluator, heard. What `decide` gives is what the evaluator within gives, or a denial. */
export class ObservedEvaluator extends DelegatingEvaluator {
  private readonly observer: Observer;
  private refusals = 0;

  constructor(inner: Evaluator, observer: Observer) {
    super(inner);
    this.observer = observer;
  }

  override get faults(): number {
    return this.inner.faults + this.refusals;
  }

  override decide(id: number, input: unknown): unknown {
    const path = this.inner.entrypoints[id] ?? "";
    if (!this.observer.chosen()) return this.untold(path, () => super.decide(id, input));
    return this.heard(path, input, (given) => super.decide(id, given));
  }

  override evaluate(entrypoint: string, input: unknown): unknown {
    if (!this.observer.chosen()) return this.untold(entrypoint, () => super.evaluate(entrypoint, input));
    return this.heard(entrypoint, input, (given) => super.evaluate(entrypoint, given));
  }

  override evaluateJson(entrypoint: string, json: string | Uint8Array, recorded?: Answers): unknown {
    if (!this.observer.chosen()) return this.untold(entrypoint, () => super.evaluateJson(entrypoint, json, recorded));
    const started = performance.now();
    // A copy, and as its bytes have it: a half of a surrogate pair must not meet the other half in an escape.
    const isText = typeof json === "string" || json instanceof Uint8Array;
    const text = attempt(() => (typeof json === "string" ? wellFormed(json) : isText ? utf8.decode(json) : undefined));
    // Bytes that another thread writes to could become another request.
    const result = super.evaluateJson(entrypoint, text ?? (isText ? "" : json), recorded);
    const weight = text === undefined ? 0 : text.length >> 4;
    const unrecorded = text === undefined ? NOTHING : [];
    return this.told({ path: entrypoint, input: undefined, text, unrecorded, weight }, result, started);
  }

  private heard(path: string, input: unknown, decide: (input: unknown) => unknown): unknown {
    const copied = attempt(() => copyInput(input, this.inner.readsOf(path) as FootprintNode)) ?? UNREADABLE;
    const { weight, unrecorded } = copied;
    const started = performance.now();
    const isRefused = this.observer.isRequired && unrecorded.length > 0;
    const result = isRefused
      ? this.refuse(path, `the request cannot be recorded: ${unrecorded.join(", ")}`)
      : decide(copied.value);
    const recorded = attempt(() => copied.record());
    return this.told({ path, input: recorded, text: undefined, unrecorded, weight }, result, started);
  }

  /** What a listener asks itself. Where everything has to be recorded, it is denied. */
  private untold(path: string, decide: () => unknown): unknown {
    if (this.observer.isAside || !this.observer.isRequired) return decide();
    this.observer.refuse();
    return this.refuse(path, "a listener asked, unheard");
  }

  /** Tells the listeners, and gives the answer. Never throws. */
  private told(
    { path, input, text, unrecorded, weight }: Pick<Made, "path" | "input" | "text" | "unrecorded" | "weight">,
    result: unknown,
    started: number,
  ): unknown {
    const { observer } = this;
    try {
      const milliseconds = performance.now() - started;
      const kept = keptResult(result);
      // Member by member: an object that is spread before others takes V8 5 µs.
      const made: Made = {
        path: String(path),
        input,
        text,
        unrecorded,
        id: undefined,
        result: kept.value,
        time: Date.now(),
        milliseconds,
        answers: copied(this.inner.answers),
        fault: this.lastFault,
        overrule: this.host.overrule,
        weight: weight + kept.weight,
      };
      if (observer.isRequired) observer.record(made);
      else observer.add(made);
      return result;
    } catch (error) {
      if (!observer.isRequired) {
        observer.lose();
        return result;
      }
      observer.refuse();
      return this.refuse(path, `not recorded: ${messageOf(error)}`);
    }
  }

  private refuse(path: string, message: string): unknown {
    this.refusals++;
    this.why = { code: "unrecorded", message };
    return this.inner.denialOf(path);
  }
}

const NOTHING: readonly string[] = ["/input"];

/** A request for whose copy the stack has no room: a symbol, which is refused. */
const UNREADABLE: CopiedInput = {
  value: Symbol("cannot be written down"),
  weight: 0,
  unrecorded: NOTHING,
  record: () => undefined,
};

/** Whether decisions of a policy with these options are told to somebody. */
function isHeard({ onDecision, unrecorded, shadow }: ObserveOptions): boolean {
  return onDecision !== undefined || unrecorded !== undefined || shadow !== undefined;
}

/** The policy of an evaluator; without a listener it gets the evaluator itself. */
export function observedPolicy<Ids extends PolicyIds = PolicyIds>(
  evaluator: Evaluator,
  options: ObserveOptions,
  facts: PolicyFacts,
): Policy<Ids> {
  if (!isHeard(options)) return new Policy(evaluator, facts);
  const events = new Observer(options, facts.revision, newId());
  return new Policy(new ObservedEvaluator(evaluator, events), { ...facts, events });
}

/** What sources answered, before they are asked anew. */
function copied(answers: Answers | undefined): Answers | undefined {
  return answers?.size ? new Map(answers) : undefined;
}

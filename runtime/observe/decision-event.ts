/**
 * One decision as an event: OPA's decision log event, member by member, so that collectors of such logs read it.
 * https://www.openpolicyagent.org/docs/management-decision-logs#decision-log-service-api
 */

import type { Fault } from "../errors.ts";
import type { Answers } from "../host/builtin.ts";
import { toJson } from "../host/text.ts";
import type { ShadowAnswer } from "./shadow.ts";

/** What an event is made of; `load` fills it in. */
export interface DecisionFacts {
  /** Where somebody asked for it already. */
  readonly id: string | undefined;
  readonly labels: { readonly [name: string]: string };
  readonly bundles: { readonly [name: string]: { readonly revision: string } };
  readonly path: string;
  readonly input: unknown;
  /** The input's text, where it came as JSON text. */
  readonly inputText: string | undefined;
  /** JSON Pointers of parts of the input that cannot be written down. */
  readonly unrecorded: readonly string[];
  readonly result: unknown;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly nanoseconds: number;
  /** What the host's sources answered; `undefined` where none was asked. */
  readonly answers: Answers | undefined;
  readonly fault: Fault | undefined;
  /** What a shadow answers otherwise. */
  readonly shadow: ShadowAnswer | undefined;
  /** Events that were lost just before this one. */
  readonly dropped: number;
  /** Decisions just before this one that were denied because they could not be recorded. */
  readonly refused: number;
}

/**
 * One decision, in the format of OPA's decision log events
 * (https://www.openpolicyagent.org/docs/management-decision-logs).
 */
export class DecisionEvent {
  readonly labels: DecisionFacts["labels"];
  readonly decision_id: string;
  readonly bundles: DecisionFacts["bundles"];
  /** The entrypoint, `pkg/rule`. */
  readonly path: string;
  /** Absent for no input. A handle is its text. */
  declare readonly input?: unknown;
  /** Absent when the decision is undefined. */
  declare readonly result?: unknown;
  /**
   * What the clock and chance answered: `{ "time.now_ns": { "[]": 1764115200000000000 } }`. With it the event can be decided
   * again. Numbers are doubles here; `answers`, and the text of a log, have every digit.
   */
  declare readonly nd_builtin_cache?: { readonly [builtin: string]: { readonly [operands: string]: unknown } };
  /** JSON Pointers of what is missing from the input: it cannot be written down. */
  declare readonly erased?: readonly string[];
  /** The same, apart from what a mask erases: no gate has read these parts. `/input` stands for more than are named. */
  declare readonly unrecorded?: readonly string[];
  /** RFC 3339, UTC. */
  readonly timestamp: string;
  readonly metrics: { readonly timer_rego_query_eval_ns: number };
  /** Why the evaluation failed; `result` is then the entrypoint's denial. */
  declare readonly error?: Fault;
  /** What the policy of `load`'s option `shadow` answers, where that is another answer. */
  declare readonly shadow?: ShadowAnswer;
  /** Events that were lost just before this one: a listener was too slow for them. */
  declare readonly dropped?: number;
  /** Decisions just before this one that were denied, and not told, because they could not be recorded. */
  declare readonly refused?: number;
  readonly #inputText: string | undefined;
  readonly #answers: Answers | undefined;

  constructor(facts: DecisionFacts) {
    this.labels = facts.labels;
    this.decision_id = facts.id ?? newId();
    this.bundles = facts.bundles;
    this.path = facts.path;
    const given = facts.inputText === undefined ? facts.input : JSON.parse(facts.inputText);
    if (given !== undefined) this.input = given;
    if (facts.result !== undefined) this.result = facts.result;
    if (facts.answers !== undefined) this.nd_builtin_cache = JSON.parse(cacheText(facts.answers));
    if (facts.unrecorded.length > 0) {
      this.erased = facts.unrecorded;
      this.unrecorded = facts.unrecorded;
    }
    this.timestamp = new Date(facts.time).toISOString();
    this.metrics = { timer_rego_query_eval_ns: facts.nanoseconds };
    if (facts.fault !== undefined) this.error = facts.fault;
    if (facts.shadow !== undefined) this.shadow = facts.shadow;
    if (facts.dropped > 0) this.dropped = facts.dropped;
    if (facts.refused > 0) this.refused = facts.refused;
    this.#inputText = facts.inputText;
    this.#answers = facts.answers;
  }

  get decisionId(): string {
    return this.decision_id;
  }

  /** What the clock and chance answered, exactly: `evaluateJson` takes it to decide the event again. */
  get answers(): Answers | undefined {
    return this.#answers;
  }

  /** The input's own text, where it came as JSON text: `input` has numbers as doubles, this has every digit. */
  get inputText(): string | undefined {
    return this.#inputText;
  }
}

/** OPA's form of what sources answered: JSON text, by builtin and by its operands. */
export function cacheText(answers: Answers): string {
  const byBuiltin = new Map<string, string[]>();
  for (const [call, answer] of answers) {
    if (answer === undefined) continue;
    const space = call.indexOf(" ");
    const [builtin, operands] = [call.slice(0, space), call.slice(space + 1)];
    const entry = `${JSON.stringify(operands)}:${toJson(answer)}`;
    byBuiltin.set(builtin, [...(byBuiltin.get(builtin) ?? []), entry]);
  }
  return `{${[...byBuiltin].map(([builtin, entries]) => `${JSON.stringify(builtin)}:{${entries.join(",")}}`).join(",")}}`;
}

/** A version 4 UUID (RFC 9562), also on a page that is not secure, where `randomUUID` is missing. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

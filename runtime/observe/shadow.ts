/**
 * A second policy that decides beside the one in force: what it would have answered otherwise stands in the event, and is
 * counted. It is asked when the event is made, by the copy of the request that the event holds.
 *
 * INVARIANT: nothing of a shadow reaches an answer, whatever it answers, throws, or takes.
 */

import type { Fault } from "../errors.ts";
import { attempt } from "../host/attempt.ts";
import type { Answers } from "../host/builtin.ts";
import type { Policy } from "../policy.ts";
import { copyResult } from "./copy-input.ts";
import type { Overruling } from "./observe.ts";

/** A policy, or what holds the one to ask now, as a ReloadablePolicy does. */
export type ShadowPolicy = Pick<Policy, "revision" | "evaluate" | "evaluateJson" | "lastFault">;

/** What a shadow answers where it is another answer than the one in force. */
export interface ShadowAnswer {
  /** Absent for a module that was never in a bundle. */
  readonly revision?: string;
  /** Absent when it is undefined. */
  readonly result?: unknown;
  /** Why its evaluation failed; `result` is then its denial. */
  readonly error?: Fault;
}

/** How a shadow's answers compare, from when its policy was loaded. */
export interface ShadowCounts {
  /** The revision that was asked last; `undefined` where it has none, or was not asked yet. */
  readonly revision: string | undefined;
  readonly same: number;
  /** The policy in force denied. These are what to read before the shadow is put in force. */
  readonly newlyAllowed: number;
  readonly newlyDenied: number;
  /** Both allow or both deny, with another gate, reason or value. */
  readonly otherwise: number;
  /** The shadow's evaluation failed. It counts as nothing else. */
  readonly failed: number;
  /** Decisions of which not all of the request is written down, so that the shadow was not asked. */
  readonly unasked: number;
  /** Time that the shadow took, of all decisions together. */
  readonly seconds: number;
}

/** The decision in force, as its event has it. */
interface InForce {
  readonly path: string;
  readonly input: unknown;
  readonly text: string | undefined;
  readonly unrecorded: readonly string[];
  readonly result: unknown;
  readonly answers: Answers | undefined;
  readonly fault: Fault | undefined;
  /** The host's, which would have overruled the shadow as well. */
  readonly overrule: Overruling | undefined;
}

export class Shadow {
  private readonly given: ShadowPolicy | { readonly current: ShadowPolicy };
  private readonly counted = {
    same: 0,
    newlyAllowed: 0,
    newlyDenied: 0,
    otherwise: 0,
    failed: 0,
    unasked: 0,
    seconds: 0,
  };
  private revision: string | undefined = undefined;

  constructor(given: ShadowPolicy | { readonly current: ShadowPolicy }) {
    this.given = given;
  }

  counts(): ShadowCounts {
    return { revision: this.revision, ...this.counted };
  }

  /** What it answers otherwise; `undefined` for the same, and where it cannot be asked. Never throws. */
  otherwise(made: InForce): ShadowAnswer | undefined {
    const started = performance.now();
    const said = made.unrecorded.length > 0 ? undefined : attempt(() => this.ask(made));
    this.counted.seconds += Math.max(0, performance.now() - started) / 1000;
    const kind = said === undefined ? "unasked" : (attempt(() => kindOf(made, said)) ?? "otherwise");
    this.counted[kind]++;
    return kind === "same" || kind === "unasked" ? undefined : said;
  }

  private ask({ path, input, text, answers, overrule }: InForce): ShadowAnswer {
    const policy = "current" in this.given ? this.given.current : this.given;
    this.revision = policy.revision;
    const json = text ?? (input === undefined ? undefined : JSON.stringify(input));
    const answer = json === undefined ? policy.evaluate(path, undefined) : policy.evaluateJson(path, json, answers);
    const { revision, lastFault } = policy;
    const result = overrule?.(answer)?.[0] ?? answer;
    return {
      ...(revision === undefined ? {} : { revision }),
      ...(result === undefined ? {} : { result: copyResult(result).value }),
      ...(lastFault === undefined ? {} : { error: lastFault }),
    };
  }
}

type Kind = "same" | "newlyAllowed" | "newlyDenied" | "otherwise" | "failed";

function kindOf({ result: inForce, fault }: InForce, { result, error }: ShadowAnswer): Kind {
  // A request that no policy can read fails both.
  if (error !== undefined && fault === undefined) return "failed";
  const [before, after] = [isAllow(inForce), isAllow(result)];
  if (before !== after) return after ? "newlyAllowed" : "newlyDenied";
  return isAlike(inForce, result) ? "same" : "otherwise";
}

/** A decision, AuthZEN's answer, or a rule of one's own that is `true`. */
function isAllow(result: unknown): boolean {
  const { allowed, decision } = (typeof result === "object" && result !== null ? result : {}) as Record<
    string,
    unknown
  >;
  return result === true || allowed === true || decision === true;
}

export function addCounts(a: ShadowCounts | undefined, b: ShadowCounts | undefined): ShadowCounts | undefined {
  if (a === undefined || b === undefined) return b ?? a;
  return {
    revision: b.revision ?? a.revision,
    same: a.same + b.same,
    newlyAllowed: a.newlyAllowed + b.newlyAllowed,
    newlyDenied: a.newlyDenied + b.newlyDenied,
    otherwise: a.otherwise + b.otherwise,
    failed: a.failed + b.failed,
    unasked: a.unasked + b.unasked,
    seconds: a.seconds + b.seconds,
  };
}

/** Values of JSON, with members in any order. */
function isAlike(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every(
      (key) =>
        Object.hasOwn(b, key) && isAlike((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
    )
  );
}

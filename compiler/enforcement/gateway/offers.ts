/** Resources and prompts of a server: which of them `mcp` of `portcullis.yaml` opens in this lane. The rule stands in the library. */

import { isJsonObject } from "@portcullis/documents";
import { type CallRecord, FAULTS, overruled, type Replaceable } from "@portcullis/runtime";
import type { Caller } from "./caller.ts";

export const OFFER_PATH = "portcullis/offer/mcp";

/** The parts of a policy that are needed here; one that lacks them opens nothing. */
export interface OfferDecider {
  /** As `Policy.evaluate`. */
  evaluate?(entrypoint: typeof OFFER_PATH, input: unknown): unknown;
  /** As `Policy.entrypoints`. */
  readonly entrypoints?: readonly string[];
  readonly revision?: string | undefined;
}

export type OfferKind = "resources" | "prompts";

export interface OfferDecision {
  readonly allowed: boolean;
  readonly gate: string;
  readonly reason: string;
}

/** A policy that says nothing of them opens none. */
const UNLISTED: OfferDecision = { allowed: false, gate: "OFFER", reason: "not_offered_in_lane" };
const FAULT: OfferDecision = FAULTS.call;

export class Offers {
  private readonly policy: Replaceable<OfferDecider>;
  private readonly caller: Caller;
  private readonly record: (record: CallRecord, name: string) => void;

  constructor(policy: Replaceable<OfferDecider>, caller: Caller, record: (record: CallRecord, name: string) => void) {
    this.policy = policy;
    this.caller = caller;
    this.record = record;
  }

  /** For a list, of which no meter hears. */
  visible(kind: OfferKind, name: unknown): boolean {
    const decision = overruled(this.inUse(), undefined, () => this.decide(kind, name), []);
    return (decision as OfferDecision).allowed;
  }

  /** Decides on one that is read, and records it. Throws what the record throws: it is not read then. */
  ask(kind: OfferKind, name: unknown): OfferDecision {
    const started = performance.now();
    const decision = this.decide(kind, name);
    this.note(kind, String(name), decision, performance.now() - started);
    return decision;
  }

  /** Records a decision that no gate of a call has made. Throws what the record throws. */
  note(what: string, name: string, { allowed, gate, reason }: OfferDecision, milliseconds = 0): void {
    const { role, lane, lineage } = this.caller;
    const { revision } = this.inUse();
    const record: CallRecord = {
      ...{ disposition: allowed ? "ALLOW" : "DENY", role, lane, tool: what, gate, reason },
      evaluation_ms: Math.round(milliseconds * 1000) / 1000,
      ...(revision === undefined ? {} : { revision }),
      ...(lineage === undefined ? {} : { lineage: lineage.map(({ agent_type }) => agent_type) }),
    };
    this.record(record, name);
  }

  private decide(kind: OfferKind, name: unknown): OfferDecision {
    const policy = this.inUse();
    if (policy.entrypoints?.includes(OFFER_PATH) !== true) return UNLISTED;
    const { role, lane, lineage } = this.caller;
    const answer = policy.evaluate?.(OFFER_PATH, {
      role,
      lane,
      kind,
      name,
      lineage,
    });
    if (!isJsonObject(answer) || typeof answer["gate"] !== "string" || typeof answer["reason"] !== "string")
      return FAULT;
    return { allowed: answer["allowed"] === true, gate: answer["gate"], reason: answer["reason"] };
  }

  private inUse(): OfferDecider {
    return "current" in this.policy ? this.policy.current : this.policy;
  }
}

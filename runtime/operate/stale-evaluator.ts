/** Stands in for the evaluator of a policy that its source no longer vouches for: every decision is a fault, so a denial. */

import type { FootprintNode } from "../abi/index.ts";
import type { Interned } from "../encode/index.ts";
import type { Fault } from "../errors.ts";
import { DECISION_KINDS, entrypointOf, FAULTS, type PolicyIds } from "../governance/index.ts";
import { type ObserveOptions, observedPolicy } from "../observe/index.ts";
import type { Evaluator, Policy } from "../policy.ts";

const STALE: Fault = {
  code: "stale",
  message: "the policy is stale: its source has not been heard of for too long",
};

/** A policy that denies everything, and says why. Its decisions are told as those of any policy. */
export function stalePolicy<Ids extends PolicyIds>(policy: Policy<Ids>, options: ObserveOptions): Policy<Ids> {
  const { revision, sequence, versions, roots, pathArguments, limits, historyName, approvals } = policy;
  const facts = { revision, sequence, versions, roots, pathArguments, limits, historyName, approvals };
  return observedPolicy<Ids>(new StaleEvaluator(policy), options, facts);
}

/** What is left of a policy that denies. */
type Followed = Pick<Policy, "entrypoints" | "intern" | "setData">;

class StaleEvaluator implements Evaluator {
  readonly memoryBytes = 0;
  faults = 0;
  lastFault: Fault | undefined = undefined;
  private readonly policy: Followed;

  constructor(policy: Followed) {
    this.policy = policy;
  }

  get entrypoints(): readonly string[] {
    return this.policy.entrypoints;
  }

  /** The denial of the decision, whose reason says why. */
  decide(id: number): unknown {
    this.fail();
    const kind = DECISION_KINDS.find((known) => entrypointOf(known) === this.entrypoints[id]);
    return kind && { ...FAULTS[kind], reason: STALE.code };
  }

  evaluate(): undefined {
    return this.fail();
  }

  evaluateJson(): undefined {
    return this.fail();
  }

  allowedTexts(): string[] {
    this.fail();
    return [];
  }

  /** Nothing is read. */
  readsOf(): FootprintNode {
    return { members: {} };
  }

  denialOf(): undefined {
    return undefined;
  }

  intern(text: string): Interned {
    return this.policy.intern(text);
  }

  setData(data: unknown): void {
    this.policy.setData(data);
  }

  private fail(): undefined {
    this.faults++;
    this.lastFault = STALE;
    return undefined;
  }
}

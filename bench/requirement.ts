/**
 * REQ-14 (latency of a decision) on the example policies: single decisions of every kind, over all of the policies' own
 * test cases, so that each gate is asked; and the very first decision of a fresh load. Measured as callers get it, with
 * answers to questions that were asked before, and beside it with each decision evaluated.
 */

import { DECISION_KINDS, type DecisionKind, load } from "@portcullis/runtime";
import { jsonText } from "../compiler/lower/index.ts";
import { buildModel, buildTests } from "../compiler/model/index.ts";
import { nodeHost } from "../compiler/node.ts";
import { loadSources } from "../compiler/sources/index.ts";
import budget from "./budget.json" with { type: "json" };
import type { Bundle } from "./bundles.ts";
import type { Question } from "./footprint.ts";
import type { PeerMaker } from "./peers/peer.ts";
import { type Percentiles, percentilesOf } from "./sampler.ts";

export interface KindQuestion extends Question {
  readonly kind: DecisionKind;
}

export interface Verdict extends Percentiles {
  readonly kind: DecisionKind;
  readonly firstMs: number;
  readonly cases: number;
  /** What exceeds the budget; empty when it holds. */
  readonly exceeded: readonly string[];
  /** The same without any answer that is remembered. */
  readonly evaluated: Percentiles & { readonly exceeded: readonly string[] };
}

/** How to ask a policy that remembers, and one that evaluates each time. */
export interface Faces {
  readonly typed: PeerMaker;
  readonly forgetful: PeerMaker;
}

export async function verdictsOf(bundle: Bundle, { typed, forgetful }: Faces, decisions: number): Promise<Verdict[]> {
  const forgetfully = new Map((await questionsOf(bundle, forgetful)).map(({ kind, decide }) => [kind, decide]));
  const verdicts: Verdict[] = [];
  for (const { kind, decide, requests } of await questionsOf(bundle, typed)) {
    const fresh = await load(bundle.bytes);
    const from = performance.now();
    fresh.evaluate(`portcullis/${kind}/decision`, requests[0]);
    const firstMs = performance.now() - from;
    const measured = percentilesOf(decide, requests, decisions);
    const evaluated = percentilesOf(forgetfully.get(kind) as typeof decide, requests, decisions);
    verdicts.push({
      ...measured,
      kind,
      firstMs,
      cases: requests.length,
      exceeded: exceededBy(measured, firstMs),
      evaluated: { ...evaluated, exceeded: exceededBy(evaluated, firstMs) },
    });
  }
  return verdicts;
}

/** Every kind with the inputs of all of the example's test cases. */
export async function questionsOf(bundle: Bundle, make: PeerMaker): Promise<KindQuestion[]> {
  const { set } = loadSources(nodeHost, ["policies"]);
  const { tests } = buildTests(set.tests, buildModel(set).model);
  const peer = await make(bundle);
  if ("absent" in peer) throw new Error(peer.absent);
  return DECISION_KINDS.map((kind) => {
    const requests = tests
      .filter((test) => test.decision === kind)
      .map((test) => JSON.parse(jsonText(test.input)) as unknown);
    const decide = peer.decides(kind);
    if (typeof decide !== "function" || requests.length === 0) throw new Error(`nothing to ask for ${kind}`);
    return { kind, decide, requests };
  });
}

/** What is over the budget; exactly the budget is not. */
export function exceededBy(measured: Pick<Percentiles, "p50Ns" | "p99Ns" | "p999Ns">, firstMs: number): string[] {
  const found: string[] = [];
  if (measured.p50Ns > budget.medianNs) found.push("median");
  if (measured.p99Ns > budget.p99Ns) found.push("p99");
  if (measured.p999Ns > budget.p999Ns) found.push("p99.9");
  if (firstMs > budget.firstDecisionMs) found.push("first");
  return found;
}

/**
 * Part of the benchmark: REQ-14 as services run. Single decisions from the bytes of a request, and where sixteen policies of this
 * size are in one process and decide in turn.
 */

import { entrypointOf, load, type Policy } from "@portcullis/runtime";
import {
  BEFORE,
  clockCost,
  newPasses,
  PASSES,
  type Percentiles,
  percentilesOf,
} from "../../compiler/cli/bench/percentiles.ts";
import { addSection } from "../../compiler/rego/wasm/index.ts";
import type { Bundle } from "../bundles.ts";
import type { Decide } from "../peers/peer.ts";
import type { ServiceRow } from "../results.ts";
import { type Workload, workloadsOf } from "../workloads/index.ts";
import { newRequests } from "./supply.ts";

const POLICIES = 16;
const encoder = new TextEncoder();

/** What a request is handed over as, made while no clock runs. */
const GIVEN = {
  objects: (text: string): unknown => JSON.parse(text),
  bytes: (text: string): unknown => encoder.encode(text),
} as const;
type Given = keyof typeof GIVEN;

/** Allowed requests alone: they pass every gate. */
export async function measureServices(
  bundle: Bundle,
  quick: boolean,
  progress: (text: string) => void,
): Promise<{ readonly rows: readonly ServiceRow[]; readonly clockNs: number }> {
  const workloads = workloadsOf(bundle.data.portcullis.policy).filter(({ outcome }) => outcome === "allow");
  const policies = [await load(bundle.bytes)];
  const timed = async (how: string, given: Given): Promise<Percentiles[]> => {
    progress(`policies ${bundle.name}: single decisions, ${how}, ${given}`);
    return timesOf(workloads, policies, given, quick ? 3_000 : 10_000);
  };
  const bytes = await timed("one policy", "bytes");
  // Each a module of its own, as those of different tenants are: engines have one machine code for modules of equal bytes.
  while (policies.length < POLICIES)
    policies.push(await load(await addSection(bundle.wasm, "nth", Uint8Array.of(policies.length))));
  const sixteen = await timed("sixteen policies", "objects");
  const sixteenBytes = await timed("sixteen policies", "bytes");
  const faults = policies.find((policy) => policy.faults > 0);
  if (faults !== undefined) throw new Error(`a decision failed: ${faults.lastFault?.message}`);
  const rows = workloads.map(({ kind, size, what }, i): ServiceRow => {
    const of = (all: readonly Percentiles[]): Percentiles => all[i] as Percentiles;
    return {
      policy: bundle.name,
      kind,
      size,
      what,
      bytes: of(bytes),
      sixteen: of(sixteen),
      sixteenBytes: of(sixteenBytes),
    };
  });
  return { rows, clockNs: clockCost() };
}

/** All workloads in each pass: a machine that is slow for a while is slow for a pass of each. */
function timesOf(
  workloads: readonly Workload[],
  policies: readonly Policy[],
  given: Given,
  decisions: number,
): Percentiles[] {
  const passes = workloads.map((workload) => {
    const supply = newRequests(workload);
    const requests = (count: number): readonly unknown[] => supply(count).map(GIVEN[given]);
    const decides = policies.map((policy) => deciding(policy, workload, given));
    const decide = inTurn(decides);
    assertAllowed(decide, requests);
    // Each as warm as one policy alone: in turns it would be asked a sixteenth of that.
    for (const one of decides) newPasses(one, requests, decisions);
    return { next: newPasses(decide, requests, decisions, BEFORE * policies.length), times: [] as Float64Array[] };
  });
  for (let pass = 0; pass < PASSES; pass++) for (const { next, times } of passes) times.push(next());
  return passes.map(({ times }) => percentilesOf(times));
}

function deciding(policy: Policy, { kind }: Workload, given: Given): Decide {
  const entrypoint = entrypointOf(kind);
  return given === "bytes"
    ? (request) => policy.evaluateJson(entrypoint, request as Uint8Array)
    : (request) => policy[kind](request as never);
}

function inTurn(decides: readonly Decide[]): Decide {
  let next = 0;
  return (request) => {
    const decide = decides[next] as Decide;
    next = next + 1 === decides.length ? 0 : next + 1;
    return decide(request);
  };
}

/** A fast wrong answer is worth nothing: each policy must allow. */
function assertAllowed(decide: Decide, requests: (count: number) => readonly unknown[]): void {
  for (const request of requests(POLICIES)) {
    const answer = decide(request as never) as { readonly allowed?: unknown } | undefined;
    if (answer?.allowed !== true)
      throw new Error(`a request of the benchmark is not allowed: ${JSON.stringify(answer)}`);
  }
}

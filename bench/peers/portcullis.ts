/** Ourselves: the typed calls, and `evaluate` with the entrypoint's name. Each decision is evaluated, but for `cached`. */

import { entrypointOf, type Policy } from "@portcullis/runtime";
import type { Bundle } from "../bundles.ts";
import { loadCached, loadEvaluating } from "../decision-cache.ts";
import { allowedOf, type Decide, type Peer, type PeerMaker } from "./peer.ts";

export const TYPED = "portcullis";
export const CACHED = "portcullis, cached";

const loaded = new WeakMap<Bundle, Policy>();

/** One policy for both faces, as a service has: more instances than one make each call into WebAssembly a dispatch. */
async function policyOf(bundle: Bundle): Promise<Policy> {
  const policy = loaded.get(bundle) ?? (await loadEvaluating(bundle.bytes));
  loaded.set(bundle, policy);
  return policy;
}

export const typed: PeerMaker = async (bundle) => typedCalls(TYPED, await policyOf(bundle));

export const cached: PeerMaker = async (bundle) =>
  loadCached === undefined
    ? { name: CACHED, absent: "the runtime has no cache of decisions" }
    : typedCalls(CACHED, await loadCached(bundle.bytes));

function typedCalls(name: string, policy: Policy): Peer {
  return {
    name,
    wholeDecisions: true,
    // A call of its own for each kind, as callers write it.
    decides: (kind): Decide => {
      switch (kind) {
        case "lane":
          return (request) => policy.lane(request);
        case "tool":
          return (request) => policy.tool(request);
        case "subagent":
          return (request) => policy.subagent(request);
        case "lineage":
          return (request) => policy.lineage(request);
        case "handoff":
          return (request) => policy.handoff(request);
        case "exec":
          return (request) => policy.exec(request);
        case "close":
          return (request) => policy.close(request);
        case "call":
          return (request) => policy.call(request);
      }
    },
    allowed: allowedOf,
  };
}

export const evaluate: PeerMaker = async (bundle) => {
  const policy = await policyOf(bundle);
  return {
    name: "portcullis evaluate",
    wholeDecisions: true,
    decides: (kind) => {
      const entrypoint = entrypointOf(kind);
      return (request) => policy.evaluate(entrypoint, request);
    },
    allowed: allowedOf,
  };
};

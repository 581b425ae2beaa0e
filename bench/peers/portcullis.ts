/** Portcullis itself: the typed calls, and `evaluate` with the entrypoint's name. */

import { entrypointOf, load, type Policy } from "@portcullis/runtime";
import type { Bundle } from "../bundles.ts";
import { allowedOf, type Decide, type PeerMaker } from "./peer.ts";

export const TYPED = "portcullis";

const loaded = new WeakMap<Bundle, Policy>();

/** One policy for both faces, as a service has: more instances than one make each call into WebAssembly a dispatch. */
async function policyOf(bundle: Bundle): Promise<Policy> {
  const policy = loaded.get(bundle) ?? (await load(bundle.bytes));
  loaded.set(bundle, policy);
  return policy;
}

export const typed: PeerMaker = async (bundle) => {
  const policy = await policyOf(bundle);
  return {
    name: TYPED,
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
};

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

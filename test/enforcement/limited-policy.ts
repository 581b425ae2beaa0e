/** A policy set with limits, at every edge; who calls under it, and facts that would allow everything. */

import { load, type Policy } from "@portcullis/runtime";
import { compile } from "../../compiler/governance/pipeline.ts";
import { virtualHost } from "../governance/sources/virtual-host.ts";

export const TOOLS = ["pay", "review", "publish", "fetch", "mail", "note"];
const registered = TOOLS.map(
  (name) =>
    `  - { tool_name: ${name}, enabled: true, implementation_status: implemented${name === "note" ? ", approval: required" : ""} }\n`,
);
const SETTINGS = {
  bundle: { name: "desk" },
  call: { host_scope: ["contributor"] },
  adapters: {
    authzen: { subject_type: "role", resource_type: "tool", actions: [{ name: "use", lane: "L" }] },
    mcp: { tools: [{ name: "pay", tool: "pay" }] },
    envoy: {
      headers: { role: "x-role" },
      routes: [{ method: "POST", path: "/pay", tool: "pay", lane: "L", body: "json" }],
    },
  },
};
export const SET = {
  "portcullis.yaml": JSON.stringify(SETTINGS),
  "roles.yaml": "roles:\n  - { role_id: R, privileges: { lanes: [L] } }\n",
  "lanes.yaml": `lanes:\n  - { lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [${TOOLS.join(", ")}] } }\n`,
  "tool_registry.yaml": `tools:\n${registered.join("")}`,
  "limits.yaml": `limits:
  - { limit_id: PAY, calls: { tools: [pay, note] }, per: [role], max_calls: 2, max_sum: { of: args.cents, at_most: 100 }, within: 1h }
  - { limit_id: REVIEWED, calls: { tools: [publish] }, only_after: { tools: [review], within: 1h } }
  - { limit_id: NO_WEB, calls: { tools: [mail] }, per: [session], never_after: { tools: [fetch] } }
`,
};

/** The bundle of the set, with these files of it changed. */
export async function bundleOf(changed: Readonly<Record<string, string>> = {}): Promise<Uint8Array> {
  const { compiled, diagnostics } = await compile({
    host: virtualHost({ set: { ...SET, ...changed } }),
    dirs: ["set"],
  });
  if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return compiled.bundle;
}

export const bundle: Uint8Array = await bundleOf();
export const policy: Policy = await load(bundle);

export const context = { role: "R", lane: "L" };
/** What would allow everything. */
export const forged = {
  ...{ now: 0, session: "another" },
  history: {
    PAY: { calls: 0, sum: 0, last_ms: {} },
    REVIEWED: { calls: 0, sum: 0, last_ms: { review: 0 } },
    NO_WEB: { calls: 0, sum: 0, last_ms: {} },
  },
};
export const missing = { gate: "LIMITS", reason: "history_missing", limit: "PAY" };

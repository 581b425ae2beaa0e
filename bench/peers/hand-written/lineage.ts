import type { LineageAgent, LineageRequest } from "@portcullis/runtime";
import type { PolicyTables } from "../../bundles.ts";
import { type Answer, constant } from "./constant.ts";
import { isObject } from "./text.ts";

const NO_LINEAGE: Answer = constant({ allowed: true, gate: "ALLOW", reason: "no_lineage" });
const EMPTY_LINEAGE: Answer = constant({ allowed: true, gate: "ALLOW", reason: "empty_lineage" });
const SINGLE_AGENT: Answer = constant({ allowed: true, gate: "ALLOW", reason: "single_agent" });
const LINEAGE_OK: Answer = constant({ allowed: true, gate: "ALLOW", reason: "lineage_ok" });
const LINEAGE_MISSING: Answer = constant({ allowed: false, gate: "LINEAGE", reason: "lineage_missing" });
const MALFORMED: Answer = constant({ allowed: false, gate: "MALFORMED_LINEAGE", reason: "malformed_lineage" });

export function lineageOf(policy: PolicyTables): (request: LineageRequest) => Answer {
  const maxChain = policy.settings.lineage?.max_chain ?? 64;
  const required = policy.settings.lineage?.require === true;
  const positional = policy.settings.lineage?.depth !== "reported";
  const manifests = new Map(
    Object.entries(policy.manifests).map(([type, m]) => [
      type,
      { spawns: new Set(Object.keys(m.can_spawn)), depth: m.max_spawn_depth },
    ]),
  );
  const wellFormed = (agent: LineageAgent): boolean =>
    isObject(agent) &&
    typeof agent.agent_type === "string" &&
    agent.agent_type !== "" &&
    Number.isInteger(agent.spawn_depth) &&
    agent.spawn_depth >= 0 &&
    agent.spawn_depth <= 0xffffffff &&
    (agent.agent_id === undefined || typeof agent.agent_id === "string");
  const denyPair = (gate: string, reason: string, chain: readonly LineageAgent[], i: number): Answer => ({
    allowed: false,
    gate,
    reason,
    pair: [i, i + 1],
    parent: (chain[i] as LineageAgent).agent_type,
    child: (chain[i + 1] as LineageAgent).agent_type,
  });
  return ({ lineage }) => {
    if (required && (lineage ?? []).length === 0) return LINEAGE_MISSING;
    if (lineage === undefined || lineage === null) return NO_LINEAGE;
    if (!Array.isArray(lineage) || lineage.length > maxChain) return MALFORMED;
    for (const agent of lineage) if (!wellFormed(agent)) return MALFORMED;
    if (lineage.length === 0) return EMPTY_LINEAGE;
    for (let i = 0; i + 1 < lineage.length; i++) {
      const parent = manifests.get(lineage[i].agent_type);
      const child = lineage[i + 1];
      if (parent === undefined) return denyPair("PARENT_MANIFEST", "parent_manifest_missing", lineage, i);
      if (child.spawn_depth > parent.depth)
        return {
          ...denyPair("SPAWN_DEPTH", "spawn_depth_exceeded", lineage, i),
          depth: child.spawn_depth,
          max: parent.depth,
        };
      if (!parent.spawns.has(child.agent_type)) return denyPair("SPAWN_PERMISSION", "spawn_not_permitted", lineage, i);
    }
    const seen = new Set<string>();
    for (let i = 0; i < lineage.length; i++) {
      const id: string | undefined = lineage[i].agent_id;
      if (id === undefined) continue;
      if (seen.has(id)) return { allowed: false, gate: "AGENT_ID", reason: "duplicate_agent_id", index: i };
      seen.add(id);
    }
    for (let i = 0; positional && i < lineage.length; i++)
      if (lineage[i].spawn_depth !== i)
        return { allowed: false, gate: "DEPTH_POSITION", reason: "spawn_depth_not_positional", index: i };
    if (lineage.length === 1) return SINGLE_AGENT;
    const last = lineage.length - 1;
    return manifests.has(lineage[last].agent_type)
      ? LINEAGE_OK
      : { allowed: false, gate: "AGENT_MANIFEST", reason: "manifest_missing", index: last };
  };
}

/** The lineage decision, stated from `lineage.md`. */
import type { PolicyData } from "./policy.ts";
import { type Decision, entry, field, isObject } from "./values.ts";

interface Agent {
  readonly type: string;
  readonly depth: number;
  readonly id: string | undefined;
}

/** The agent that an element describes. An optional id of another type is as malformed as a wrong type. */
function agentOf(element: unknown): Agent | undefined {
  const type = field(element, "agent_type");
  const depth = field(element, "spawn_depth");
  const id = field(element, "agent_id");
  if (typeof type !== "string" || type === "") return undefined;
  if (typeof depth !== "number" || !Number.isInteger(depth) || depth < 0 || depth > 4294967295) return undefined;
  if (id !== undefined && typeof id !== "string") return undefined;
  return { type, depth, id };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

export function lineage(policy: PolicyData, input: unknown): Decision {
  const allow = (reason: string): Decision => ({ allowed: true, gate: "ALLOW", reason });
  const malformed: Decision = { allowed: false, gate: "MALFORMED_LINEAGE", reason: "malformed_lineage" };
  if (!isObject(input)) return malformed;
  const given = field(input, "lineage");
  if (policy.settings.lineage.require === true && (given === undefined || given === null || isEmptyList(given))) {
    return { allowed: false, gate: "LINEAGE", reason: "lineage_missing" };
  }
  if (given === undefined || given === null) return allow("no_lineage");
  if (!Array.isArray(given) || given.length > policy.settings.lineage.max_chain) return malformed;
  const chain: Agent[] = [];
  for (const element of given) {
    const agent = agentOf(element);
    if (agent === undefined) return malformed;
    chain.push(agent);
  }
  if (chain.length === 0) return allow("empty_lineage");

  for (let i = 0; i + 1 < chain.length; i += 1) {
    const parent = chain[i]!;
    const child = chain[i + 1]!;
    const at = { pair: [i, i + 1], parent: parent.type, child: child.type };
    const manifest = entry(policy.manifests, parent.type);
    if (manifest === undefined) {
      return { allowed: false, gate: "PARENT_MANIFEST", reason: "parent_manifest_missing", ...at };
    }
    const max = manifest.max_spawn_depth;
    if (child.depth > max) {
      return { allowed: false, gate: "SPAWN_DEPTH", reason: "spawn_depth_exceeded", ...at, depth: child.depth, max };
    }
    if (entry(manifest.can_spawn, child.type) === undefined) {
      return { allowed: false, gate: "SPAWN_PERMISSION", reason: "spawn_not_permitted", ...at };
    }
  }

  const seen = new Set<string>();
  for (const [index, { id }] of chain.entries()) {
    if (id === undefined) continue;
    if (seen.has(id)) return { allowed: false, gate: "AGENT_ID", reason: "duplicate_agent_id", index };
    seen.add(id);
  }
  if (policy.settings.lineage.depth !== "reported") {
    const index = chain.findIndex((agent, position) => agent.depth !== position);
    if (index >= 0) return { allowed: false, gate: "DEPTH_POSITION", reason: "spawn_depth_not_positional", index };
  }
  if (chain.length === 1) return allow("single_agent");
  const last = chain.length - 1;
  if (entry(policy.manifests, chain[last]!.type) === undefined) {
    return { allowed: false, gate: "AGENT_MANIFEST", reason: "manifest_missing", index: last };
  }
  return allow("lineage_ok");
}

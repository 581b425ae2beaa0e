/** The ids and grants of a policy set in its bundle's own data, `data.portcullis.policy` (lower/policy-data.ts). */

import { isJsonObject, type JsonObject } from "@portcullis/rego/value";

/** Ids in their order in the data, which is sorted. */
export interface PolicyIds {
  readonly roles: readonly string[];
  readonly lanes: readonly string[];
  readonly tools: readonly string[];
  readonly agents: readonly string[];
  /** Agents that a persona may be handed: of TYPE 2, in an allowlist, or in what became of one. */
  readonly subagents: readonly string[];
  /** Agent types of spawn manifests. */
  readonly types: readonly string[];
}

/** `undefined` when the data holds no policy set: a bundle of other Rego. */
export function policyTables(data: JsonObject): JsonObject | undefined {
  const found = member(member(data, "portcullis"), "policy");
  return isJsonObject(found) ? found : undefined;
}

export function policyIds(tables: JsonObject): PolicyIds {
  const agents = keys(tables["agents"]);
  const subagents = agents.flatMap((name) => {
    const agent = member(tables["agents"], name);
    const listed = ["allowlist", "delegated"].flatMap((list) => texts(member(agent, list)).map(agentKey));
    return [...(member(agent, "type") === 2 ? [name] : []), ...listed];
  });
  return {
    roles: keys(tables["roles"]),
    lanes: keys(tables["lanes"]),
    tools: keys(tables["tools"]),
    agents,
    subagents: [...new Set(subagents)].sort(),
    types: keys(tables["manifests"]),
  };
}

/** Agents are known by their names with `_` for every `-`. */
export function agentKey(name: string): string {
  return name.replace(/-/g, "_");
}

export function member(value: unknown, key: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

export function keys(value: unknown): string[] {
  return isJsonObject(value) ? Object.keys(value) : [];
}

export function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((v) => typeof v === "string") : [];
}

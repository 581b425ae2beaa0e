/** The names in a bundle's own data, as types are generated from them. */

import type { PolicyNames } from "../bundle/index.ts";
import type { OpenedPolicy } from "./opened-policy.ts";
import { agentKey, keys, member, policyTables, texts } from "./policy-ids.ts";

/** `undefined` when the bundle holds no policy set. Names of agents have `_` for every `-`, as in the data. */
export function policyNames({ data }: OpenedPolicy): PolicyNames | undefined {
  const tables = policyTables(data);
  if (tables === undefined) return undefined;
  const ids = (table: string): Map<string, unknown> => new Map(keys(tables[table]).map((id) => [id, true]));
  const agents = keys(tables["agents"]).map((name) => {
    const agent = member(tables["agents"], name);
    const type = member(agent, "type");
    const allowlist = texts(member(agent, "allowlist")).map((n) => ({ name: agentKey(n) }));
    return [
      name,
      { name: { name }, type: type === 0 || type === 1 || type === 2 ? type : undefined, allowlist },
    ] as const;
  });
  const modes = keys(member(tables["exec"], "modes")).map((name) => ({ name }));
  return {
    roles: ids("roles"),
    lanes: ids("lanes"),
    tools: ids("tools"),
    agents: new Map(agents),
    manifests: ids("manifests"),
    exec: modes.length === 0 ? undefined : { modes },
  };
}

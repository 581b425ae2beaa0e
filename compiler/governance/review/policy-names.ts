/** The names in a bundle's own data and what its authors' Rego adds, as types are generated from them. */

import { parseModule } from "@portcullis/rego/syntax";
import { type AuthoredFacts, authoredFacts } from "../checks/index.ts";
import type { PolicyNames } from "../types.ts";
import { bundleModules } from "./bundle-modules.ts";
import type { OpenedPolicy } from "./opened-policy.ts";
import { agentKey, keys, member, policyTables, texts } from "./policy-ids.ts";

/** `undefined` when the bundle holds no policy set. Names of agents have `_` for every `-`, as in the data. */
export function policyNames({ data }: Pick<OpenedPolicy, "data">): PolicyNames | undefined {
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
  const names = (table: unknown, name: string): { name: string }[] =>
    keys(member(table, name)).map((n) => ({ name: n }));
  const lanes = keys(tables["lanes"]).map((id) => {
    const lane = member(tables["lanes"], id);
    return [id, { requires: names(lane, "requires"), prohibits: names(lane, "prohibits") }] as const;
  });
  const tools = keys(tables["tools"]).map((id) => {
    const tool = member(tables["tools"], id);
    const said = { arguments: member(tool, "arguments"), other_arguments: member(tool, "other_arguments") };
    return [
      id,
      { scopeKeys: names(tool, "scope_keys"), prohibitedFlags: names(tool, "prohibited_flags"), said },
    ] as const;
  });
  const modes = keys(member(tables["exec"], "modes")).map((name) => ({ name }));
  return {
    roles: ids("roles"),
    lanes: new Map(lanes),
    tools: new Map(tools),
    agents: new Map(agents),
    manifests: ids("manifests"),
    exec: modes.length === 0 ? undefined : { modes },
  };
}

/** What the Rego in a bundle says that is not of the library. */
export function bundleFacts(opened: OpenedPolicy): AuthoredFacts {
  const authored = bundleModules(opened).filter(({ name }) => !/^\/?portcullis\//.test(name));
  return authoredFacts(authored.flatMap((file) => parseModule(file).module ?? []));
}

/**
 * Every word of the authors' Rego in a bundle, and the keys of scopes that its limits count by; `undefined` for a bundle without Rego,
 * whose rules may ask for any.
 */
export function authoredWords(opened: Pick<OpenedPolicy, "data" | "files">): Set<string> | undefined {
  const modules = bundleModules(opened);
  if (modules.length === 0) return undefined;
  const authored = modules.filter(({ name }) => !/^\/?portcullis\//.test(name)).map(({ text }) => text);
  const limits = JSON.stringify(policyTables(opened.data)?.["limits"] ?? "");
  const quoted = authored.flatMap((text) =>
    [...text.matchAll(/"([^"\\\n]*)"|`([^`]*)`/g)].map(([, a, b]) => a ?? b ?? ""),
  );
  const plain = authored.flatMap((text) => text.match(/\w+/g) ?? []);
  return new Set([...quoted, ...plain, ...[...limits.matchAll(/"scope\.([^"]*)"/g)].map(([, name = ""]) => name)]);
}

/** The ids of a policy set, by the name that an input schema gives them with `x-ids`. Parts that were not read have none. */

import type { Model, Part } from "./model.ts";

export interface Ids {
  /** One of them, in words. */
  readonly noun: string;
  readonly ids: ReadonlySet<string>;
  /** A request may hold others and not be denied for it. */
  readonly isOpen?: true | undefined;
}

export function vocabulariesOf(model: Model): ReadonlyMap<string, Ids> {
  const found = new Map<string, Ids>();
  const add = (name: string, part: Part, noun: string, ids: Iterable<string>, isOpen?: true): void => {
    const known = new Set(ids);
    if (model.complete.has(part) && known.size > 0) found.set(name, { noun, ids: known, isOpen });
  };
  add("roles", "roles", "role", model.roles.keys());
  add("lanes", "lanes", "lane", model.lanes.keys());
  add("tools", "tool_registry", "tool", model.tools.keys());
  const names = [...model.agents.values()].map((a) => a.name.name);
  // A request may write a name with `-` or `_`.
  const spelt = names.flatMap((n) => [n, n.replaceAll("-", "_"), n.replaceAll("_", "-")]);
  add("personas", "agent", "agent", spelt);
  // A single agent needs no manifest.
  add("agent_types", "manifest", "agent type", model.manifests.keys(), true);
  add(
    "modes",
    "exec",
    "mode",
    (model.exec?.modes ?? []).map((m) => m.name),
  );
  const lanes = [...model.lanes.values()].flatMap(({ writes }) => writes);
  add(
    "tables",
    "lanes",
    "table",
    lanes.map(({ table }) => table.name),
  );
  add(
    "write_modes",
    "lanes",
    "write mode",
    lanes.map(({ mode }) => mode.name),
  );
  const { agents } = model.handoff;
  if (agents !== undefined) {
    const acting = [...agents.master, ...agents.sub].map(({ name }) => name);
    // Other spellings of a name are the same agent.
    const spellings = acting.flatMap((name) => [name, name.toLowerCase(), name.toUpperCase()]);
    found.set("handoff_agents", { noun: "agent of handoffs", ids: new Set(spellings), isOpen: undefined });
  }
  return found;
}

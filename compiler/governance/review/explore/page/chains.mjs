// Which chains of agents may call a tool: searched in the page, by the search that `prove` uses.

import { Chains } from "../../prove/chains.ts";

/** Chains begin with types that nothing starts; where each is started by another, with any. */
export function chainsOf(facts, policies, which) {
  const types = facts.types.filter(([, only]) => only === undefined || only === which).map(([name]) => name);
  const edges = facts.spawns.edges.filter(({ only }) => only === undefined || only === which);
  const started = new Set(edges.filter(({ from, to }) => from !== to).map(({ to }) => to));
  const free = types.filter((type) => !started.has(type));
  const roots = free.length > 0 ? free : types;
  const listed = new Map();
  for (const { from, to } of edges) listed.set(from, [...(listed.get(from) ?? []), to]);
  const known = new Map();
  let search;
  /** A step that no manifest lists is not asked: `prove` asks them all. */
  const chains = () => {
    search ??= new Chains(policies[which], types, (parent) => listed.get(parent) ?? []);
    return search;
  };

  /** By type, the chains that come to it and may call the tool, the shortest for each root. */
  function byType(tool) {
    let found = known.get(tool);
    if (found !== undefined) return found;
    const callers = chains().callersOf(tool);
    found = new Map();
    for (const root of roots)
      for (const [type, chain] of chains().from(root, (one) => callers.has(one))) {
        if (!chains().mayCall(chain, tool)) continue;
        found.set(type, [...(found.get(type) ?? []), chain.map((agent) => agent.agent_type)]);
      }
    known.set(tool, found);
    return found;
  }

  return {
    types,
    roots,
    to: (tool, type) => (policies[which] === undefined ? [] : (byType(tool).get(type) ?? [])),
    /** Whether an agent of the type may call the tool where it is itself the root. */
    alone: (tool, type) => {
      if (policies[which] === undefined || !types.includes(type)) return false;
      return chains().callersOf(tool).has(type);
    },
  };
}

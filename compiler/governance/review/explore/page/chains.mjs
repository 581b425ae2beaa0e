// Which chains of agents may call a tool: searched in the page, by the search that `list` and `prove` use.

import { AgentChains } from "../../agent-chains.ts";

export function chainsOf(facts, policies, which) {
  const isThere = ([, only]) => only === undefined || only === which;
  const types = facts.types.filter(isThere).map(([name]) => name);
  const edges = facts.spawns.edges.filter(({ only }) => only === undefined || only === which);
  let search;
  const chains = () => {
    search ??= new AgentChains({ policy: policies[which], types, edges });
    return search;
  };
  return {
    types,
    to: (tool, type) => (policies[which] === undefined ? [] : (chains().to(tool).get(type) ?? [])),
    alone: (tool, type) => types.includes(type) && policies[which] !== undefined && chains().alone(tool, type),
  };
}

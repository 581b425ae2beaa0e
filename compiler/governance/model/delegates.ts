/** The delegates of a persona: candidates of its allowlist with an instruction file that declares TYPE 2. */

import { type Agent, agentKey, type Model, type Named } from "./model.ts";

export type Candidate =
  | { readonly kind: "Delegate"; readonly name: Named; readonly agent: Agent }
  | { readonly kind: "Undefined"; readonly name: Named }
  | { readonly kind: "NotType2"; readonly name: Named; readonly agent: Agent };

/** The allowlist in order, each entry with its resolution. */
export function resolveAllowlist(model: Model, persona: Agent): readonly Candidate[] {
  return persona.allowlist.map((name): Candidate => {
    const agent = model.agents.get(agentKey(name.name));
    if (agent === undefined) return { kind: "Undefined", name };
    return agent.type === 2 ? { kind: "Delegate", name, agent } : { kind: "NotType2", name, agent };
  });
}

/** The name of an agent's type, for messages. */
export function typeName(agent: Agent): string {
  return agent.type === undefined ? "untyped" : `TYPE ${agent.type}`;
}

/** Which chains of agents may call which tool, by the steps that manifests list. Asks the policy alone, so that a page can use it. */

import type { Policy } from "@portcullis/runtime";
import { Chains } from "./prove/chains.ts";

/** One policy, its agent types, and which lists which. */
export interface AgentTypes {
  readonly policy: Policy;
  readonly types: readonly string[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

/** Chains begin with types that no other starts; where each is started by another, with any. */
export class AgentChains {
  private readonly chains: Chains;
  private readonly roots: readonly string[];
  private readonly known = new Map<string, ReadonlyMap<string, readonly (readonly string[])[]>>();

  /** A step that no manifest lists is not asked: `prove` asks them all. */
  constructor({ policy, types, edges }: AgentTypes) {
    const started = new Set(edges.filter(({ from, to }) => from !== to).map(({ to }) => to));
    const free = types.filter((type) => !started.has(type));
    this.roots = free.length > 0 ? free : types;
    const listed = new Map<string, string[]>();
    for (const { from, to } of edges) listed.set(from, [...(listed.get(from) ?? []), to]);
    this.chains = new Chains(policy, types, (parent) => listed.get(parent) ?? []);
  }

  /** By type, the chains that come to it and may call the tool, from each root the shortest; types, from the root on. */
  to(tool: string): ReadonlyMap<string, readonly (readonly string[])[]> {
    let found = this.known.get(tool);
    if (found === undefined) {
      found = this.search(tool);
      this.known.set(tool, found);
    }
    return found;
  }

  /** Whether an agent of the type may call the tool where it is itself the root. */
  alone(tool: string, type: string): boolean {
    return this.chains.callersOf(tool).has(type);
  }

  private search(tool: string): Map<string, (readonly string[])[]> {
    const callers = this.chains.callersOf(tool);
    const found = new Map<string, (readonly string[])[]>();
    for (const root of this.roots) {
      for (const [type, chain] of this.chains.from(root, (one) => callers.has(one))) {
        if (!this.chains.mayCall(chain, tool)) continue;
        found.set(type, [...(found.get(type) ?? []), chain.map((agent) => agent.agent_type)]);
      }
    }
    return found;
  }
}

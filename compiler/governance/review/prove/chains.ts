/**
 * Chains of agents of any length, by search over agent types and depths. The module says of each step whether it is allowed.
 *
 * Exact for the library's lineage and call decisions: whether an agent may be started depends on its parent, on its own type and
 * on its depth, and less depth never allows less. So the first chain that comes to a type, a shortest one, can go on as far as
 * any other; and a chain may call a tool if each of its agents may. Whether a bundle has that library is `isOwnLibrary`.
 */

import { GATES, type Policy } from "@portcullis/runtime";

/** Agents from the root on, as a request says them. */
export type Chain = readonly { readonly agent_type: string; readonly spawn_depth: number }[];

/** How depths are told: by place, or, where the policy takes what agents say, as nothing at all. */
type Depths = "places" | "zeros";

export class Chains {
  private readonly policy: Policy;
  private readonly types: readonly string[];
  private readonly children: (parent: string) => readonly string[];
  private readonly steps = new Map<string, boolean>();
  private readonly callers = new Map<string, ReadonlySet<string>>();

  /** `types`: those that may stand in a chain. `children`: those that an agent is asked about starting; by default all. */
  constructor(policy: Policy, types: readonly string[], children: (parent: string) => readonly string[] = () => types) {
    this.policy = policy;
    this.types = types;
    this.children = children;
  }

  /**
   * For each type that chains from a root come to, a shortest chain; of agents in `among` alone.
   *
   * Cost: a question for each pair of types at each depth, asked once for all roots.
   */
  from(root: string, among: (type: string) => boolean = () => true): ReadonlyMap<string, Chain> {
    const found = new Map<string, Chain>();
    if (!among(root)) return found;
    for (const depths of ["places", "zeros"] as const) {
      const start: Chain = [{ agent_type: root, spawn_depth: 0 }];
      if (!this.policy.lineage({ lineage: start }).allowed) continue;
      for (const [type, chain] of this.search(start, depths, among)) if (!found.has(type)) found.set(type, chain);
    }
    return found;
  }

  /** The types that may be in a chain that calls a tool. */
  callersOf(tool: string): ReadonlySet<string> {
    const known = this.callers.get(tool);
    if (known !== undefined) return known;
    const callers = new Set(this.types.filter((type) => this.mayCall([{ agent_type: type, spawn_depth: 0 }], tool)));
    this.callers.set(tool, callers);
    return callers;
  }

  /** Whether nothing about the chain is in the way of a call; what comes after the chain is not asked. */
  mayCall(chain: Chain, tool: string): boolean {
    // Without a role the tool decision denies, which is asked after the chain. Any other gate of calls is one of the chain.
    const { gate } = this.policy.call({ role: "", lane: "", tool, lineage: chain });
    const isOf = (kind: "call" | "tool"): boolean => GATES[kind].some((described) => described.gate === gate);
    return isOf("tool") || !isOf("call");
  }

  private search(start: Chain, depths: Depths, among: (type: string) => boolean): Map<string, Chain> {
    const found = new Map<string, Chain>([[start[0]?.agent_type ?? "", start]]);
    // Entries are appended while the loop runs: chains come in the order of their lengths.
    for (const [parent, chain] of found) {
      for (const child of this.children(parent)) {
        if (found.has(child) || !among(child)) continue;
        const longer = [...chain, { agent_type: child, spawn_depth: depths === "places" ? chain.length : 0 }];
        if (this.isStep(parent, child, depths, longer)) found.set(child, longer);
      }
    }
    return found;
  }

  private isStep(parent: string, child: string, depths: Depths, chain: Chain): boolean {
    const key = JSON.stringify([parent, child, depths, chain.length]);
    let isAllowed = this.steps.get(key);
    if (isAllowed === undefined) {
      isAllowed = this.policy.lineage({ lineage: chain }).allowed;
      this.steps.set(key, isAllowed);
    }
    return isAllowed;
  }
}

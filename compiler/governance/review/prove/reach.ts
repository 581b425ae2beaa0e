/** What chains of agents come to, of any length: other agents, and calls of tools. Claims about it, and what every policy set has. */

import type { JsonObject } from "@portcullis/rego/value";
import type { Policy } from "@portcullis/runtime";
import { answerOf, type IdSpace, isLater, questions } from "../decision-space.ts";
import type { OpenedPolicy } from "../opened-policy.ts";
import { keys, member, policyIds } from "../policy-ids.ts";
import { boundApprovals, underOwnRevision } from "../search/approval-questions.ts";
import { callStarts } from "../search/questions.ts";
import { type Chain, Chains } from "./chains.ts";
import { minimal } from "./minimal.ts";
import { libraryAlone } from "./own-denials.ts";
import { isOwnLibrary } from "./own-library.ts";
import { type Property, Witnesses } from "./property.ts";

/** Stands for every agent type without a manifest. */
const UNLISTED = "(unlisted)";

/** The pairs and triples of which a chain of any length may make one. No questions where the policy has no manifests. */
export function reachSpaces(tables: JsonObject): IdSpace<"chain" | "reach">[] {
  const { types, tools } = policyIds(tables);
  const agents = types.length === 0 ? [] : [...types, UNLISTED];
  return [
    {
      name: "chain",
      axes: ["root", "agent"],
      ids: [agents, agents],
      size: agents.length ** 2,
      says: "chains of any length from every agent type at the root to every other",
    },
    {
      name: "reach",
      axes: ["root", "agent", "tool"],
      ids: [agents, agents, tools],
      size: agents.length ** 2 * tools.length,
      says: "chains of any length from every agent type at the root to every other, calling every tool in any role and lane",
    },
  ];
}

/** Answers questions about chains of one policy. */
export class Reach {
  private readonly opened: OpenedPolicy;
  private readonly tables: JsonObject;
  private readonly unlisted: string;
  private readonly own: Chains;
  /** The library without the author's rules, which only deny: what it does not allow, the policy does not. */
  private readonly library: { readonly policy: Policy; readonly chains: Chains } | undefined;
  private readonly reached = new Map<string, ReadonlyMap<string, Chain>>();
  private readonly places = new Map<string, readonly { readonly role: string; readonly lane: string }[]>();

  private constructor(opened: OpenedPolicy, tables: JsonObject, library: Policy | undefined) {
    const { types } = policyIds(tables);
    let unlisted = "unlisted";
    while (types.includes(unlisted)) unlisted += "_";
    const all = [...types, unlisted];
    this.opened = opened;
    this.tables = tables;
    this.unlisted = unlisted;
    this.own = new Chains(opened.policy, all);
    this.library =
      library === undefined
        ? undefined
        : { policy: library, chains: library === opened.policy ? this.own : new Chains(library, all) };
  }

  /** Cost: one compilation of the bundle's Rego, where it has rules of its author's. */
  static async of(opened: OpenedPolicy, tables: JsonObject): Promise<Reach> {
    const isKnown = isOwnLibrary(opened);
    return new Reach(opened, tables, isKnown ? await libraryAlone(opened) : undefined);
  }

  /** Every pair that chains make is made of steps that the manifests list. */
  chainsAreListed(): Property {
    const witnesses = new Witnesses();
    if (this.library === undefined) witnesses.unsure({}, undefined, STRANGE);
    let pairs = 0;
    for (const root of policyIds(this.tables).types) {
      const listed = listedFrom(this.tables, root);
      for (const [agent, chain] of this.own.from(root)) {
        witnesses.asked++;
        pairs++;
        if (!listed.has(agent))
          witnesses.add({ lineage: chain }, undefined, "it is allowed, and the manifests do not list its steps");
      }
    }
    return witnesses.property(`chains of any length make ${pairs} pairs, all by steps that the manifests list`);
  }

  /** Whether a claim about a part of a space holds. */
  check(about: IdSpace<"chain" | "reach">, holds: "never" | "always", name: string): Property {
    const witnesses = new Witnesses();
    for (const ids of questions(about)) {
      witnesses.asked++;
      if (this.library === undefined) {
        witnesses.unsure({}, undefined, STRANGE);
        break;
      }
      // What would not be shown is not looked for.
      if (witnesses.isFull) continue;
      if (about.name === "chain") this.checkChain(ids, holds, witnesses);
      else this.checkCall(ids, holds, witnesses);
    }
    return witnesses.property(name);
  }

  private checkChain([root = "", agent = ""]: readonly string[], holds: "never" | "always", found: Witnesses): void {
    const request = { root, agent };
    const [from, to] = [this.typeOf(root), this.typeOf(agent)];
    const chain = this.own.from(from).get(to);
    const answer = answerOf(this.opened.policy.lineage({ lineage: chain ?? [] }));
    if (chain !== undefined) {
      if (holds === "never") found.add({ lineage: chain }, answer, `it is allowed: ${inWords(chain)}`);
      return;
    }
    const possible = this.library?.chains.from(from).get(to);
    if (possible !== undefined) {
      const denial = answerOf(this.opened.policy.lineage({ lineage: possible }));
      found.unsure({ lineage: possible }, denial, "only a rule of your own denies it, and may allow a longer chain");
    } else if (holds === "always") found.add(request, undefined, "no chain of any length comes to it");
  }

  private checkCall(
    [root = "", agent = "", tool = ""]: readonly string[],
    holds: "never" | "always",
    found: Witnesses,
  ): void {
    const chain = this.chainTo(root, agent, tool);
    const places = chain === undefined ? [] : this.placesOf(tool);
    if (chain === undefined || places.length === 0) {
      const why = chain === undefined ? "no chain of any length may call it" : "no role may use it in any lane";
      if (holds === "always") found.add({ root, agent, tool }, undefined, why);
      return;
    }
    const { request, answer } = this.call(chain, tool, places);
    if (!answer.allowed)
      found.unsure(request, answer, "the chain may call it, and no request that was tried is allowed");
    else if (holds === "never") found.add(request, answer, `it is allowed: ${inWords(chain)}`);
  }

  /** A shortest chain of agents that may all be given the tool. */
  private chainTo(root: string, agent: string, tool: string): Chain | undefined {
    if (this.library === undefined) return undefined;
    const callers = this.library.chains.callersOf(tool);
    const key = JSON.stringify([root, ...callers]);
    let reached = this.reached.get(key);
    if (reached === undefined) {
      reached = this.library.chains.from(this.typeOf(root), (type) => callers.has(type));
      this.reached.set(key, reached);
    }
    return reached.get(this.typeOf(agent));
  }

  /** Where the library lets a tool be used. */
  private placesOf(tool: string): readonly { readonly role: string; readonly lane: string }[] {
    const known = this.places.get(tool);
    if (known !== undefined) return known;
    const { roles, lanes } = policyIds(this.tables);
    const places = lanes
      .filter((lane) => member(member(member(this.tables, "lanes"), lane), "tools") !== undefined)
      .flatMap((lane) => roles.map((role) => ({ role, lane })))
      .filter(({ role, lane }) => this.library?.policy.tool({ role, lane, tool }).allowed === true);
    this.places.set(tool, places);
    return places;
  }

  /** A call by the chain that is allowed, with what the tables ask for; or else the one that came the furthest. */
  private call(
    chain: Chain,
    tool: string,
    places: readonly { readonly role: string; readonly lane: string }[],
  ): { readonly request: JsonObject; readonly answer: ReturnType<typeof answerOf> } {
    const { policy } = this.opened;
    const ask = (request: JsonObject): ReturnType<typeof answerOf> =>
      answerOf(policy.evaluate("portcullis/call/decision", request));
    let best: { readonly request: JsonObject; readonly answer: ReturnType<typeof answerOf> } | undefined;
    for (const { role, lane } of places) {
      for (const start of callStarts({ tables: [this.tables], isAllowed: () => false }, { role, lane, tool })) {
        if (start["lineage"] !== undefined) continue;
        const plain = { ...start, lineage: chain };
        const bound = boundApprovals([this.tables], plain, undefined).map(
          (more): JsonObject => ({ ...plain, ...more }),
        );
        for (const said of [plain, ...bound]) {
          const request = underOwnRevision(said, this.tables);
          const answer = ask(request);
          if (answer.allowed)
            return {
              request: minimal(request, (one) => ask(one).allowed, ["role", "lane", "tool", "lineage"]),
              answer,
            };
          if (best === undefined || isLater(answer, best.answer)) best = { request, answer };
        }
      }
    }
    return best ?? { request: { tool, lineage: chain }, answer: answerOf(undefined) };
  }

  private typeOf(agent: string): string {
    return agent === UNLISTED ? this.unlisted : agent;
  }
}

const STRANGE = "the library in the bundle is not that of this version: build the bundle again";

const inWords = (chain: Chain): string => chain.map((agent) => agent.agent_type).join(" → ");

/** Types that the manifests let a root come to, read from the tables alone. */
function listedFrom(tables: JsonObject, root: string): ReadonlySet<string> {
  const settings = member(member(tables, "settings"), "lineage");
  const places = member(settings, "depth") === "reported" ? 0 : 1;
  const depths = new Map([[root, 0]]);
  for (const [type, depth] of depths) {
    const manifest = member(tables["manifests"], type);
    const deepest = member(manifest, "max_spawn_depth");
    if (typeof deepest !== "number" || depth + places > deepest) continue;
    for (const child of keys(member(manifest, "can_spawn"))) {
      if (!depths.has(child) && member(tables["manifests"], child) !== undefined) depths.set(child, depth + places);
    }
  }
  return new Set(depths.keys());
}

/** What the page knows of one or two policies: ids, what lists what, gates in their order, graphs. Decisions are the page's own. */

import { parseModule } from "@portcullis/rego/syntax";
import { answersOf, type DecisionAnswer } from "../../checks/index.ts";
import { approverWords, argumentWords, limitWords, wordsOfApproval } from "../../lower/index.ts";
import { bundleModules } from "../bundle-modules.ts";
import type { FoundChange } from "../diff/beyond.ts";
import { compareRuleWords, type RuleChange } from "../diff/rule-words.ts";
import type { Unseen } from "../diff/unseen.ts";
import { diffPolicies } from "../diff.ts";
import type { OpenedPolicy } from "../opened-policy.ts";
import { keys, member, policyIds, policyTables, texts } from "../policy-ids.ts";
import { type Graph, type Id, type Laid, layOut } from "./layout.ts";

export interface ExploreFacts {
  readonly name: string;
  readonly revision: string;
  readonly against: { readonly name: string; readonly revision: string } | undefined;
  readonly roles: readonly Id[];
  readonly lanes: readonly Id[];
  readonly tools: readonly Id[];
  readonly agents: readonly Id[];
  readonly types: readonly Id[];
  /** For each lane, the places of its tools in `tools`: what is worth showing, and not what is decided. */
  readonly laneTools: readonly (readonly number[])[];
  /** By tool, a sentence for each argument that it says something of. */
  readonly says: { readonly [tool: string]: readonly string[] };
  /** By tool, a sentence for each limit that counts or remembers its calls. */
  readonly limits: { readonly [tool: string]: readonly string[] };
  /** By tool, a sentence on which calls need an approval, and one for each approver. */
  readonly approvals: { readonly [tool: string]: readonly string[] };
  /** What differs from the other policy; absent without one. */
  readonly changes: ExploreChanges | undefined;
  readonly entrypoints: readonly string[];
  readonly gates: { readonly [decision: string]: readonly DecisionAnswer[] };
  readonly spawns: Laid;
  readonly delegations: Laid;
  readonly findings: readonly ExploreFinding[] | undefined;
  readonly coverage: ExploreCoverage | undefined;
}

/** As `diff` tells it. */
export interface ExploreChanges {
  readonly rules: readonly RuleChange[];
  /** Requests that are newly allowed beside those of the tables. */
  readonly allowed: readonly FoundChange[];
  readonly unseen: readonly Unseen[];
  /** There is too much to ask: nothing is known of `allowed` and `unseen`. */
  readonly tooMany: boolean;
}

export interface ExploreFinding {
  readonly severity: string;
  readonly code: string;
  readonly place: string;
  readonly message: string;
  readonly help: string | undefined;
}

export interface ExploreCoverage {
  readonly percent: number;
  readonly own: number;
  readonly files: readonly {
    readonly file: string;
    readonly percent: number;
    readonly notCovered: readonly number[];
  }[];
}

export interface ExploreExtras {
  readonly findings?: readonly ExploreFinding[] | undefined;
  readonly coverage?: ExploreCoverage | undefined;
}

/** A comparison that asks more would keep its reader waiting: the page's tables ask by themselves. */
const MOST_QUESTIONS = 5_000_000;

export async function exploreFacts(
  now: OpenedPolicy,
  before: OpenedPolicy | undefined,
  { findings, coverage }: ExploreExtras,
): Promise<ExploreFacts> {
  const tables = [now, before].map((p) => p && policyTables(p.data));
  const [a, b] = tables.map((t) => policyIds(t ?? {}));
  const ids = (of: "roles" | "lanes" | "tools" | "agents" | "types"): Id[] =>
    union(a?.[of] ?? [], before === undefined ? undefined : (b?.[of] ?? []));
  const tools = ids("tools");
  const places = new Map(tools.map(([name], i) => [name, i]));
  const lanes = ids("lanes");
  const laneTools = lanes.map(([lane]) => {
    const names = tables.flatMap((t) => keys(member(member(member(t, "lanes"), lane), "tools")));
    return [...new Set(names)].flatMap((name) => places.get(name) ?? []).sort((x, y) => x - y);
  });
  const graph = (nodes: readonly Id[], edges: (t: unknown, name: string) => string[]): Promise<Laid> => {
    const pairs = tables.map((t) => new Set(nodes.flatMap(([n]) => edges(t, n).map((to) => JSON.stringify([n, to])))));
    const all = union([...(pairs[0] ?? [])], before === undefined ? undefined : [...(pairs[1] ?? [])]);
    const known = new Set(nodes.map(([n]) => n));
    const ends = all.map(([pair, only]) => {
      const [from, to] = JSON.parse(pair) as [string, string];
      return { from, to, only };
    });
    const strangers = [...new Set(ends.map((e) => e.to))].filter((to) => !known.has(to)).map((to): Id => [to]);
    return layOut({ nodes: [...nodes, ...strangers], edges: ends } satisfies Graph);
  };
  const byTool = (words: (tool: string) => readonly string[]): { readonly [tool: string]: readonly string[] } =>
    Object.fromEntries(
      (a?.tools ?? []).flatMap((tool) => {
        const said = words(tool);
        return said.length === 0 ? [] : [[tool, said]];
      }),
    );
  return {
    name: now.name,
    revision: now.policy.revision ?? "unnamed",
    against: before && { name: before.name, revision: before.policy.revision ?? "unnamed" },
    roles: ids("roles"),
    lanes,
    tools,
    agents: ids("agents"),
    types: ids("types"),
    laneTools,
    says: byTool((tool) => argumentWords(tables[0], tool)),
    approvals: byTool((tool) => approvalSentences(tables[0], tool)),
    changes: before && (await changesOf(before, now)),
    limits: byTool((tool) => limitWords(tables[0], tool).map(({ limit, says }) => `\`${limit}\` ${says}`)),
    entrypoints: now.policy.entrypoints,
    gates: gatesOf(now),
    spawns: await graph(ids("types"), (t, name) => keys(member(member(member(t, "manifests"), name), "can_spawn"))),
    delegations: await graph(ids("agents"), (t, name) =>
      texts(member(member(member(t, "agents"), name), "delegated")).map((n) => n.replace(/-/g, "_")),
    ),
    findings,
    coverage,
  };
}

function approvalSentences(tables: unknown, tool: string): string[] {
  const says = wordsOfApproval(tables, tool);
  if (says === undefined) return [];
  return [says, ...approverWords(tables, tool).map(({ approver, says: may }) => `\`${approver}\` ${may}`)];
}

async function changesOf(before: OpenedPolicy, now: OpenedPolicy): Promise<ExploreChanges> {
  const diff = await diffPolicies(before, now, { limit: MOST_QUESTIONS });
  if (!diff.ok) {
    const rules = compareRuleWords(policyTables(before.data), policyTables(now.data));
    return { rules, allowed: [], unseen: [], tooMany: true };
  }
  const { rules, found, unseen } = diff.value;
  return { rules, allowed: found.filter(({ kind }) => kind === "newly-allowed"), unseen, tooMany: false };
}

function union(now: readonly string[], before: readonly string[] | undefined): Id[] {
  if (before === undefined) return now.map((name): Id => [name]);
  const [a, b] = [new Set(now), new Set(before)];
  return [...new Set([...now, ...before])]
    .sort()
    .map((name): Id => (a.has(name) && b.has(name) ? [name] : [name, a.has(name) ? "now" : "before"]));
}

/** The gates of each decision in the order in which the bundle's own Rego asks them. */
function gatesOf(opened: OpenedPolicy): { [decision: string]: readonly DecisionAnswer[] } {
  const gates: { [decision: string]: readonly DecisionAnswer[] } = {};
  const parsed = bundleModules(opened).map((file) => ({ name: file.name, module: parseModule(file).module }));
  const modules = parsed.flatMap(({ module }) => module ?? []);
  for (const { name, module } of parsed) {
    const decision = /^\/?portcullis\/(\w+)\.rego$/.exec(name)?.[1];
    if (decision === undefined) continue;
    if (module === undefined || !module.annotations.some((x) => x.annotation.entrypoint)) continue;
    try {
      gates[decision] = answersOf(module, "verdict", modules);
    } catch {
      // A library of another release, written in another way: its answers are shown without the chain.
    }
  }
  return gates;
}

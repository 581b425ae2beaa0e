/** What the page knows of one or two policies: ids, what lists what, gates in their order, graphs. Decisions are the page's own. */

import { parseModule } from "@portcullis/rego/syntax";
import { answersOf, type DecisionAnswer } from "../../checks/index.ts";
import { approverWords, limitWords } from "../../lower/index.ts";
import { writtenData } from "../bundle-data.ts";
import { bundleModules } from "../bundle-modules.ts";
import { type HouseGate, houseGates } from "../house-gates.ts";
import { DECIDED_WITHOUT_REQUEST } from "../list.ts";
import type { OpenedPolicy } from "../opened-policy.ts";
import { keys, member, policyIds, policyTables, texts } from "../policy-ids.ts";
import { changesOf, type ExploreChanges } from "./changes.ts";
import { type Condition, ConditionTexts, type PlacedConditions } from "./conditions.ts";
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
  /** On what an allow of the tables still depends. */
  readonly conditions: {
    readonly texts: readonly Condition[];
    readonly now: PlacedConditions;
    readonly before: PlacedConditions | undefined;
  };
  /** Gates by whose denial a tool is not granted, whatever else a request says; any other gate may allow one that says more. */
  readonly final: readonly string[];
  readonly houseGates: readonly HouseGate[];
  /** A sentence for each approver, and for each limit. */
  readonly approvers: readonly string[];
  readonly limits: readonly string[];
  /** What differs from the other policy; absent without one. */
  readonly changes: ExploreChanges | undefined;
  readonly entrypoints: readonly string[];
  readonly gates: { readonly [decision: string]: readonly DecisionAnswer[] };
  readonly spawns: Laid;
  readonly delegations: Laid;
  readonly findings: readonly ExploreFinding[] | undefined;
  readonly coverage: ExploreCoverage | undefined;
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
  const conditions = new ConditionTexts();
  const placed = (opened: OpenedPolicy): PlacedConditions =>
    conditions.placed(
      policyTables(writtenData(opened)),
      tools.map(([name]) => name),
      lanes.map(([name]) => name),
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
    conditions: { now: placed(now), before: before && placed(before), texts: conditions.texts },
    final: [...DECIDED_WITHOUT_REQUEST],
    houseGates: houseGates(now),
    approvers: approverWords(tables[0]).map(({ approver, says }) => `\`${approver}\` ${says}`),
    limits: limitWords(tables[0]).map(({ limit, says }) => `\`${limit}\` ${says}`),
    changes: before && (await changesOf(before, now)),
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
      gates[decision] = answersOf(module, modules);
    } catch {
      // A library of another release, written in another way: its answers are shown without the chain.
    }
  }
  return gates;
}

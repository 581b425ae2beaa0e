/** Small policy sets by seed, with an extension and data of their own, and the ways to weaken one. */

import type { Random } from "../../rego/plan/generate/random.ts";

export interface PolicySet {
  readonly roles: readonly string[];
  readonly lanes: readonly {
    readonly id: string;
    readonly roles: readonly string[];
    readonly tools: readonly string[];
    readonly writes: readonly string[];
    readonly requires: readonly string[];
    readonly prohibits: readonly string[];
  }[];
  readonly tools: readonly {
    readonly id: string;
    readonly enabled: boolean;
    readonly lanes: readonly string[] | undefined;
    readonly scopeKeys: readonly string[];
    readonly targets: readonly string[] | undefined;
    readonly approval: boolean;
  }[];
  readonly manifests: readonly {
    readonly type: string;
    readonly spawns: readonly string[];
    readonly depth: number;
    readonly tools: readonly string[] | undefined;
  }[];
  readonly required: readonly string[];
  readonly placeholders: readonly string[];
  readonly inline: readonly string[];
  readonly lifetime: number | undefined;
  readonly limit: number;
  readonly limited: readonly string[];
  /** Bodies of the extension's denials. */
  readonly denials: readonly (readonly string[])[];
  /** By gate, the bodies of the extension's requirements: each is a way to meet it. */
  readonly demands: { readonly [gate: string]: readonly string[] };
}

const some = <T>(random: Random, from: readonly T[], chance = 0.5): T[] => from.filter(() => random.chance(chance));

export function randomSet(random: Random): PolicySet {
  const count = (least: number, most: number): number => least + random.int(most - least + 1);
  const ids = (prefix: string, n: number): string[] => Array.from({ length: n }, (_, i) => `${prefix}${i}`);
  const roles = ids("ROLE", count(2, 3));
  const laneIds = ids("LANE", count(2, 3));
  const toolIds = ids("tool", count(2, 4));
  const types = ids("type", count(2, 3));
  const conditions = [
    'input.scope.shift == "night"',
    "is_number(input.scope.amount)\n\tinput.scope.amount > data.house.limit",
    `input.tool == "${toolIds[0]}"`,
    'not input.role == "ROLE0"',
    "not input.args.urgent == true",
    "input.tool in data.house.limited",
  ];
  return {
    roles,
    lanes: laneIds.map((id) => ({
      id,
      roles: [roles[random.int(roles.length)] as string, ...some(random, roles, 0.3)].filter(
        (r, i, all) => all.indexOf(r) === i,
      ),
      tools: toolIds,
      writes: ["t0", ...some(random, ["t1"])],
      requires: ["k0", ...some(random, ["k1"])],
      prohibits: ["f0", ...some(random, ["f1"])],
    })),
    tools: toolIds.map((id) => ({
      id,
      enabled: random.chance(0.8),
      lanes: random.chance(0.3) ? laneIds.slice(0, 1) : undefined,
      scopeKeys: some(random, ["k2"]),
      targets: random.chance(0.5) ? ["t0"] : undefined,
      approval: random.chance(0.4),
    })),
    manifests: types.map((type) => ({
      type,
      spawns: some(random, types, 0.4),
      depth: count(0, 2),
      tools: random.chance(0.5) ? toolIds : undefined,
    })),
    required: ["severity"],
    placeholders: ["later-on", "soon"].map((w) => w.replace("-", "/")),
    inline: ["mode-a"],
    lifetime: 600,
    limit: count(10, 500),
    limited: toolIds.slice(0, count(1, 2)),
    demands: {
      SIGNED: [`input.tool != "${toolIds[0]}"`, "input.scope.signed == true"],
      SMALL: [
        `input.tool != "${toolIds[1]}"`,
        "is_number(input.scope.amount)\n\tinput.scope.amount < data.house.limit",
      ],
    },
    denials: Array.from({ length: count(1, 3) }, () => {
      const body = some(random, conditions, 0.4);
      return body.length > 0 ? body : [conditions[0] as string];
    }),
  };
}

/** A change after which nothing is denied that was allowed, and something may be allowed that was denied. */
export type Weakening = readonly [name: string, weaken: (set: PolicySet, random: Random) => PolicySet];

const pick = <T>(random: Random, list: readonly T[]): number => random.int(list.length);
const replaced = <T>(list: readonly T[], at: number, item: T): T[] => list.map((x, i) => (i === at ? item : x));

function inLane(name: "requires" | "prohibits", add: boolean): Weakening[1];
function inLane(name: "roles" | "writes", add: boolean): Weakening[1];
function inLane(name: "roles" | "writes" | "requires" | "prohibits", add: boolean): Weakening[1] {
  return (set, random) => {
    const at = pick(random, set.lanes);
    const lane = set.lanes[at] as PolicySet["lanes"][number];
    const more = name === "roles" ? set.roles.filter((r) => !lane.roles.includes(r)) : ["t2"];
    const list = add ? [...lane[name], ...more.slice(0, 1)] : lane[name].slice(1);
    return { ...set, lanes: replaced(set.lanes, at, { ...lane, [name]: list }) };
  };
}

function inTool(change: (tool: PolicySet["tools"][number]) => Partial<PolicySet["tools"][number]>): Weakening[1] {
  return (set, random) => {
    const at = pick(random, set.tools);
    const tool = set.tools[at] as PolicySet["tools"][number];
    return { ...set, tools: replaced(set.tools, at, { ...tool, ...change(tool) }) };
  };
}

function inManifest(
  change: (m: PolicySet["manifests"][number], set: PolicySet) => Partial<PolicySet["manifests"][number]>,
): Weakening[1] {
  return (set, random) => {
    const at = pick(random, set.manifests);
    const manifest = set.manifests[at] as PolicySet["manifests"][number];
    return { ...set, manifests: replaced(set.manifests, at, { ...manifest, ...change(manifest, set) }) };
  };
}

export const WEAKENINGS: readonly Weakening[] = [
  ["model: a lane admits one more role", inLane("roles", true)],
  ["model: a lane may write one more table", inLane("writes", true)],
  ["model: a lane needs one scope key less", inLane("requires", false)],
  ["model: a lane prohibits one flag less", inLane("prohibits", false)],
  ["model: a tool is switched on", inTool((t) => ({ enabled: t.enabled || true }))],
  ["model: a tool forgets its lanes", inTool(() => ({ lanes: undefined }))],
  ["model: a tool forgets its scope keys", inTool(() => ({ scopeKeys: [] }))],
  ["model: a tool forgets its write targets", inTool(() => ({ targets: undefined }))],
  ["model: a tool needs no approval any more", inTool(() => ({ approval: false }))],
  ["model: an agent type spawns all", inManifest((_, set) => ({ spawns: set.manifests.map((m) => m.type) }))],
  ["model: an agent type spawns deeper", inManifest((m) => ({ depth: m.depth + 1 }))],
  ["model: an agent type forgets its tools", inManifest(() => ({ tools: undefined }))],
  ["model: a record needs one field less", (set) => ({ ...set, required: [] })],
  ["model: a placeholder is no longer one", (set) => ({ ...set, placeholders: set.placeholders.slice(1) })],
  ["model: one more mode runs inline", (set) => ({ ...set, inline: [...set.inline, "mode-b"] })],
  ["model: packets live for ever", (set) => ({ ...set, lifetime: undefined })],
  ["data: the limit is raised", (set) => ({ ...set, limit: set.limit * 10 })],
  ["data: a tool is no longer limited", (set) => ({ ...set, limited: set.limited.slice(1) })],
  [
    "extension: a denial is gone",
    (set, random) => ({ ...set, denials: set.denials.filter((_, i) => i !== set.denials.length - 1 - random.int(1)) }),
  ],
  [
    "extension: a denial needs one condition more",
    (set, random) => {
      const at = pick(random, set.denials);
      return {
        ...set,
        denials: replaced(set.denials, at, [...(set.denials[at] as string[]), "input.scope.really == true"]),
      };
    },
  ],
  ["extension: a requirement is gone", (set) => ({ ...set, demands: { SIGNED: set.demands["SIGNED"] as string[] } })],
  [
    "extension: a requirement can be met in one way more",
    (set) => ({
      ...set,
      demands: { ...set.demands, SMALL: [...(set.demands["SMALL"] as string[]), "input.args.urgent == true"] },
    }),
  ],
  [
    "extension: a helper holds less often",
    (set) => ({
      ...set,
      denials: set.denials.map((body) => body.map((c) => c.replace('== "night"', '== "midnight"'))),
    }),
  ],
];

const list = (items: readonly string[]): string => `[${items.join(", ")}]`;

/** The files of a set. */
export function filesOf(set: PolicySet): Record<string, string> {
  return {
    "portcullis.yaml": "lineage: { roots: [type0] }\ncall: { lineage: optional }\n",
    "roles.yaml": `roles:\n${set.roles.map((r) => `  - role_id: ${r}\n`).join("")}`,
    "lanes.yaml": `lanes:\n${set.lanes
      .map(
        (l) =>
          `  - lane_id: ${l.id}\n    allowed_callers: { roles: ${list(l.roles)} }\n    allowed_actions:\n      tools: ${list(l.tools)}\n      writes: ${list(l.writes.map((t) => `{ table: ${t}, mode: append }`))}\n    scope: { requires: ${list(l.requires)}, prohibits: ${list(l.prohibits)} }\n`,
      )
      .join("")}`,
    "tool_registry.yaml": `tools:\n${set.tools
      .map((t) =>
        [
          `  - tool_name: ${t.id}\n    enabled: ${t.enabled}\n    implementation_status: implemented\n    required_scope_keys: ${list(t.scopeKeys)}\n`,
          t.lanes === undefined ? "" : `    allowed_lanes: ${list(t.lanes)}\n`,
          t.targets === undefined ? "" : `    write_targets: ${list(t.targets)}\n`,
          t.approval ? "    approval: required\n" : "",
        ].join(""),
      )
      .join("")}`,
    "handoff.yaml": `required_fields: ${list(set.required)}\nplaceholders: ${list(set.placeholders)}\n`,
    "exec.yaml": `modes: [mode-a, mode-b]\ninline_modes: ${list(set.inline)}\nstaging_root: /srv/queue\n${set.lifetime === undefined ? "" : `hat_lifetime_seconds: ${set.lifetime}\n`}`,
    ...Object.fromEntries(
      set.manifests.map((m) => [
        `manifests/${m.type}.yaml`,
        `agent_type: ${m.type}\ncan_spawn: ${list(m.spawns)}\nmax_spawn_depth: ${m.depth}\n${m.tools === undefined ? "" : `allowed_tools: ${list(m.tools)}\n`}`,
      ]),
    ),
    "house/data.yaml": `limit: ${set.limit}\nlimited: ${list(set.limited)}\n`,
    "demands.rego": `package portcullis.ext.tool\n${Object.entries(set.demands)
      .flatMap(([gate, bodies]) => bodies.map((body) => `\nmust contains "${gate}" if {\n\t${body}\n}\n`))
      .join("")}`,
    "extension.rego": `package portcullis.ext.tool\n${set.denials
      .map(
        (body, i) =>
          `\ndeny contains {"gate": "HOUSE_${i}", "reason": "house_rule"} if {\n${body.map((c) => `\t${c}\n`).join("")}}\n`,
      )
      .join("")}`,
  };
}

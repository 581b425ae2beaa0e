/** Chains of any length: the search finds what asking every chain finds, shows a shortest, and says what it does not know. */

import { describe, expect, it } from "vitest";
import { type OpenedPolicy, type Proof, type Property, prove } from "../../../compiler/governance/review/index.ts";
import { policyIds, policyTables } from "../../../compiler/governance/review/policy-ids.ts";
import { Reach, reachSpaces } from "../../../compiler/governance/review/prove/reach.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { sampled } from "../../campaign.ts";
import { Random } from "../../rego/plan/generate/random.ts";
import { opened } from "./opened.ts";

const TOOLS = ["read", "pay"];

interface Manifest {
  readonly spawns: readonly string[];
  readonly depth: number;
  readonly tools?: readonly string[];
}

function filesOf(manifests: Readonly<Record<string, Manifest>>, settings = ""): Record<string, string> {
  return {
    "roles.yaml": "roles: [{ role_id: WRITER }]\n",
    "lanes.yaml": `lanes:
  - lane_id: DESK
    allowed_callers: { roles: [WRITER] }
    allowed_actions: { tools: [${TOOLS}] }
`,
    "tool_registry.yaml": `tools:
  - { tool_name: read, enabled: true, implementation_status: implemented, approval: none }
  - { tool_name: pay, enabled: true, implementation_status: implemented, approval: required, required_scope_keys: [order] }
`,
    "portcullis.yaml": `lineage: { roots: [${Object.keys(manifests)}]${settings} }\n`,
    ...Object.fromEntries(
      Object.entries(manifests).map(([type, { spawns, depth, tools }]) => [
        `manifests/${type}.yaml`,
        `agent_type: ${type}\ncan_spawn: [${spawns}]\nmax_spawn_depth: ${depth}\n${tools === undefined ? "" : `allowed_tools: [${tools}]\n`}`,
      ]),
    ),
  };
}

/** DESK → CLERK → RUNNER, where RUNNER alone may not be given `pay`. */
const STAFF = {
  DESK: { spawns: ["CLERK"], depth: 2 },
  CLERK: { spawns: ["RUNNER"], depth: 2, tools: TOOLS },
  RUNNER: { spawns: [], depth: 0, tools: ["read"] },
};

async function proof(policy: OpenedPolicy, claims: string): Promise<readonly Property[]> {
  const result = await prove(policy, { claims: new SourceFile("claims.yaml", claims), removals: 0 });
  if (!result.ok) throw new Error(result.problem.message);
  const { properties, claims: own }: Proof = result.value;
  return properties.slice(-own);
}

describe("every chain up to one more than the deepest, asked of the module, comes to what the search finds", () => {
  const seeds = Array.from({ length: 240 }, (_, i) => i);
  it.each(sampled(seeds, 1 / 25))("policy %i", async (seed) => {
    const random = new Random(seed);
    const types = ["A", "B", "C", "D"].slice(0, 2 + random.int(3));
    const manifests = Object.fromEntries(
      types.map((type) => [
        type,
        {
          spawns: types.filter(() => random.chance(0.5)),
          depth: random.int(4),
          ...(random.chance(0.5) ? { tools: TOOLS.filter(() => random.chance(0.6)) } : {}),
        },
      ]),
    );
    const depth = random.chance(0.3) ? "reported" : "positional";
    const longest = 1 + random.int(6);
    const unknown = random.chance(0.3) ? "call: { unknown_agents: allow }\n" : "";
    const files = filesOf(manifests, `, depth: ${depth}, max_chain: ${longest}`);
    const policy = await opened({ ...files, "portcullis.yaml": `${files["portcullis.yaml"]}${unknown}` });
    const tables = policyTables(policy.data) ?? {};
    const reach = await Reach.of(policy, tables);
    const asked = everyChain(policy, [...types, "(unlisted)"], depth === "reported" ? [0, 1, 2, 3] : undefined, 5);
    for (const space of reachSpaces(tables)) {
      const some = [...(space.name === "chain" ? asked.pairs : asked.calls)].sort();
      const found: string[] = [];
      for (const root of space.ids[0] ?? []) {
        for (const agent of space.ids[1] ?? []) {
          for (const tool of space.name === "chain" ? [undefined] : TOOLS) {
            const ids = [[root], [agent], ...(tool === undefined ? [] : [[tool]])];
            const never = reach.check({ ...space, ids, size: 1 }, "never", "");
            const always = reach.check({ ...space, ids, size: 1 }, "always", "");
            expect(never.unknown ?? always.unknown).toBeUndefined();
            expect(never.counterexamples.length + always.counterexamples.length).toBe(1);
            const [counterexample] = never.counterexamples;
            if (counterexample === undefined) continue;
            const key = [root, agent, tool].join(" ");
            found.push(key);
            // The search, too, has no shorter one.
            const { lineage } = counterexample.request as { lineage: readonly unknown[] };
            expect([key, lineage.length]).toEqual([key, asked.shortest.get(key)]);
          }
        }
      }
      expect(found.sort()).toEqual(some);
    }
    expect(reach.chainsAreListed().counterexamples).toEqual([]);
  });
});

/** What chains of at most `most` agents come to, by asking the module about each of them. */
function everyChain(
  { policy }: OpenedPolicy,
  types: readonly string[],
  depths: readonly number[] | undefined,
  most: number,
) {
  const [pairs, calls, shortest] = [new Set<string>(), new Set<string>(), new Map<string, number>()];
  const add = (to: Set<string>, key: string, length: number): void => {
    to.add(key);
    shortest.set(key, Math.min(length, shortest.get(key) ?? length));
  };
  let chains: { agent_type: string; spawn_depth: number }[][] = [[]];
  for (let length = 1; length <= most; length++) {
    chains = chains.flatMap((chain) =>
      types.flatMap((type) =>
        (depths ?? [chain.length]).flatMap((spawn_depth) => {
          const agent_type = type === "(unlisted)" ? "unlisted" : type;
          const lineage = [...chain, { agent_type, spawn_depth }];
          // A chain that is denied for a pair of agents is denied whatever follows.
          return policy.lineage({ lineage }).allowed ? [lineage] : [];
        }),
      ),
    );
    for (const lineage of chains) {
      const ends = [lineage[0], lineage.at(-1)].map((a) => a?.agent_type.replace("unlisted", "(unlisted)"));
      add(pairs, [...ends, undefined].join(" "), length);
      for (const tool of TOOLS) {
        const request = {
          role: "WRITER",
          lane: "DESK",
          tool,
          lineage,
          scope: { order: "1" },
          approval: { ref: "1", by: "Ada" },
        };
        if (policy.call(request).allowed) add(calls, [...ends, tool].join(" "), length);
      }
    }
  }
  return { pairs, calls, shortest };
}

it("what refutes `never` is a shortest chain, in a request without what does not matter", async () => {
  const policy = await opened(filesOf(STAFF));
  const [runner, clerk, pays] = await proof(
    policy,
    `claims:
  - never: { decision: reach, root: DESK, agent: RUNNER, tool: pay }
  - never: { decision: reach, root: DESK, agent: CLERK, tool: pay }
  - always: { decision: chain, root: DESK, agent: RUNNER }
`,
  );
  expect([runner, pays].map((p) => [p?.counterexamples, p?.unknown])).toEqual([
    [[], undefined],
    [[], undefined],
  ]);
  const lineage = ["DESK", "CLERK"].map((agent_type, spawn_depth) => ({ agent_type, spawn_depth }));
  const request = { role: "WRITER", lane: "DESK", tool: "pay", lineage, scope: { order: "x-1" } };
  expect(clerk?.counterexamples).toMatchObject([{ request, why: "it is allowed: DESK → CLERK" }]);
  expect(Object.keys(clerk?.counterexamples[0]?.request as object).sort()).toEqual([
    "approval",
    "lane",
    "lineage",
    "role",
    "scope",
    "tool",
  ]);
});

it("a chain that only a rule of the author's denies is unknown: a longer one may be allowed", async () => {
  const rule = `package portcullis.ext.lineage

deny contains {"gate": "SPAWN_PERMISSION", "reason": "not_today"} if {
	some agent in input.lineage
	agent.agent_type == "CLERK"
	count(input.lineage) < 3
}
`;
  const policy = await opened({ ...filesOf(STAFF), "ext/lineage.rego": rule });
  const [clerk, runner, desk] = await proof(
    policy,
    `claims:
  - never: { decision: chain, root: DESK, agent: CLERK }
  - never: { decision: reach, root: DESK, agent: CLERK, tool: read }
  - never: { decision: chain, root: RUNNER, agent: DESK }
`,
  );
  for (const one of [clerk, runner]) {
    expect(one?.counterexamples).toEqual([]);
    expect(one?.unknown).toHaveLength(1);
  }
  expect([desk?.counterexamples, desk?.unknown]).toEqual([[], undefined]);
});

it("a bundle with another library is unknown: how it decides about chains is not", async () => {
  const policy = await opened(filesOf(STAFF));
  const call = policy.files.get("portcullis/call.rego") ?? new Uint8Array();
  const changed = new Uint8Array([...call, ...new TextEncoder().encode("\n# changed\n")]);
  const other = { ...policy, files: new Map(policy.files).set("portcullis/call.rego", changed) };
  const [claim] = await proof(other, "claims:\n  - never: { decision: reach, root: RUNNER, tool: pay }\n");
  expect(claim).toMatchObject({
    counterexamples: [],
    unknown: [{ why: expect.stringContaining("not that of this version") }],
  });
});

it("a thousand tools and two hundred agents: a claim about ten roots asks for few chains", async () => {
  const types = Array.from({ length: 200 }, (_, i) => `T${i}`);
  const tools = Array.from({ length: 1000 }, (_, i) => `tool${i}`);
  const manifests = Object.fromEntries(
    types.map((type, i) => [
      type,
      {
        // No type starts T199.
        spawns: [1, 2, 3, 7].map((step) => `T${(i + step) % 199}`),
        depth: 20 + (i % 40),
        ...(i % 3 === 0 ? { tools: tools.filter((_, t) => (t + i) % 5 > 0) } : {}),
      },
    ]),
  );
  const policy = await opened({
    ...filesOf(manifests),
    "lanes.yaml": `lanes:
  - lane_id: DESK
    allowed_callers: { roles: [WRITER] }
    allowed_actions: { tools: [${tools}] }
`,
    "tool_registry.yaml": `tools:\n${tools.map((t) => `  - { tool_name: ${t}, enabled: true, implementation_status: implemented, approval: none }\n`).join("")}`,
  });
  const tables = policyTables(policy.data) ?? {};
  const reach = await Reach.of(policy, tables);
  const [, space] = reachSpaces(tables);
  if (space === undefined) throw new Error("no space");
  const ids = [policyIds(tables).types.slice(0, 10), ["T199"], tools];
  const begun = process.cpuUsage();
  const never = reach.check({ ...space, ids, size: 10 * tools.length }, "never", "");
  const { user } = process.cpuUsage(begun);
  if (process.env["PORTCULLIS_FIGURES"] !== undefined) process.stdout.write(`${user / 1e6} s of processor time\n`);
  expect(never).toMatchObject({ asked: 10_000, counterexamples: [] });
  expect(never.unknown).toBeUndefined();
});

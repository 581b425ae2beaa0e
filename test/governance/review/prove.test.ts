/** What `prove` says holds was asked: no claim holds for no reason, by an answer that cannot be read, or by an own rule's whim. */

import { builtins } from "@portcullis/builtins";
import { expect, it } from "vitest";
import { compile } from "../../../compiler/governance/pipeline.ts";
import { type OpenedPolicy, openBundle, type Proof, prove } from "../../../compiler/governance/review/index.ts";
import { policyIds, policyTables } from "../../../compiler/governance/review/policy-ids.ts";
import { isListed } from "../../../compiler/governance/review/prove/grants.ts";
import { nothingIsDenied } from "../../../compiler/governance/review/prove/properties.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { virtualHost } from "../sources/virtual-host.ts";

const TOOLS = ["draft", "publish", "erase"];
const FILES = {
  "roles.yaml": "roles: [{ role_id: WRITER }, { role_id: EDITOR }]\n",
  "lanes.yaml": `lanes:
  - lane_id: DESK
    allowed_callers: { roles: [WRITER, EDITOR] }
    allowed_actions: { tools: [${TOOLS}] }
`,
  "tool_registry.yaml": `tools:
${TOOLS.map((tool) => `  - { tool_name: ${tool}, enabled: true, implementation_status: implemented, allowed_lanes: [DESK] }`).join("\n")}
`,
  "portcullis.yaml": "rego: { host_data: [flags] }\n",
};

async function opened(files: Record<string, string>): Promise<OpenedPolicy> {
  const { compiled, diagnostics } = await compile({ host: virtualHost({ p: files }), dirs: ["p"] });
  if (compiled === undefined) throw new Error(diagnostics.map((d) => d.message).join("\n"));
  const result = await openBundle("p", compiled.bundle, { builtins, sources: { now: () => 0n } });
  if (!result.ok) throw new Error(result.problem.message);
  return result.value;
}

const claimed = (policy: OpenedPolicy, claims: string) =>
  prove(policy, { claims: new SourceFile("claims.yaml", claims), removals: 40 });

async function proof(policy: OpenedPolicy, claims: string): Promise<Proof> {
  const result = await claimed(policy, claims);
  if (!result.ok) throw new Error(result.problem.message);
  return result.value;
}

const EXTENDED = await opened({
  ...FILES,
  "ext/tool.rego": `package portcullis.ext.tool

deny contains {"gate": "CLOSED", "reason": "closed"} if {
	input.tool == "publish"
	not data.flags.open
}

deny contains {"gate": "SMALL", "reason": "no_amount"} if {
	input.tool == "draft"
	not data.house.small
}

deny contains {"gate": "FORBIDDEN", "reason": "never"} if input.tool == "erase"
`,
  "house/rules.rego": "package house\n\nsmall if {\n\tis_number(input.scope.amount)\n\tinput.scope.amount < 5\n}\n",
});

it.each([
  ["positional", 0],
  ["reported", 1],
])("where depths are %s, a child that says it is at the root is asked about, too", async (depth, refuted) => {
  const policy = await opened({
    ...FILES,
    "portcullis.yaml": `lineage: { depth: ${depth} }\n`,
    "manifests/desk.yaml": "can_spawn: [clerk]\nmax_spawn_depth: 0\n",
    "manifests/clerk.yaml": "can_spawn: []\n",
  });
  const lineage = ["desk", "clerk"].map((agent_type) => ({ agent_type, spawn_depth: 0 }));
  expect(policy.policy.lineage({ lineage }).allowed).toBe(refuted === 1);
  const { properties } = await proof(policy, "claims:\n  - never: { decision: spawn, parent: desk, child: clerk }\n");
  expect(properties.at(-1)?.counterexamples).toHaveLength(refuted);
});

it("a denial by a rule that reads more than ids is no proof of `never`, and its reads are told", async () => {
  const { properties, claims } = await proof(
    EXTENDED,
    `claims:
  - never: { decision: tool, tool: publish }
  - never: { decision: tool, tool: draft }
  - never: { decision: tool, tool: erase }
`,
  );
  const said = properties.slice(-claims).map(({ counterexamples: [first] }) => first?.why);
  expect(said).toEqual([
    expect.stringContaining("`data.flags.open`"),
    expect.stringContaining("`input.scope.amount`"),
    undefined,
  ]);
});

it("a requirement proves `never` where it asks for ids alone, and what else it reads is told", async () => {
  const demanding = await opened({
    ...FILES,
    "ext/tool.rego": `package portcullis.ext.tool

must contains "OPEN" if input.tool != "publish"

must contains "OPEN" if data.flags.open

must contains "NOT_ERASED" if input.tool != "erase"
`,
  });
  const never = (tool: string) => `  - never: { decision: tool, tool: ${tool} }\n`;
  const told = await proof(demanding, `claims:\n${["publish", "erase", "draft"].map(never).join("")}`);
  expect(told.properties.slice(-told.claims).map(({ counterexamples: [first] }) => first?.why)).toEqual([
    expect.stringContaining("`data.flags.open`"),
    undefined,
    "it is allowed",
  ]);
});

const MANIFESTS = {
  "portcullis.yaml": "lineage: { roots: [desk, clerk] }\n",
  "manifests/desk.yaml": "can_spawn: []\n",
  "manifests/clerk.yaml": "can_spawn: []\nallowed_tools: [draft]\n",
};

it("a denial by the clock is no proof of `never`: another time may allow", async () => {
  const policy = await opened({
    ...FILES,
    "portcullis.yaml": "rego: { allow_builtins: [time.now_ns] }\n",
    "hours.rego": `package portcullis.ext.tool

must contains "HOURS" if input.tool != "erase"

must contains "HOURS" if data.desk.is_open
`,
    "desk.rego": "package desk\n\nis_open if time.now_ns() == 5\n",
  });
  const { properties } = await proof(policy, "claims:\n  - never: { decision: tool, tool: erase }\n");
  const { counterexamples } = properties.at(-1) as Proof["properties"][number];
  expect(JSON.stringify(counterexamples)).toContain("which reads `time.now_ns` besides");
});

it("calls are asked about by every agent type, and one without a manifest is denied", async () => {
  const { properties, spaces } = await proof(
    await opened({ ...FILES, ...MANIFESTS }),
    `claims:
  - never: { decision: call, agent: clerk, tool: erase }
  - never: { decision: call, agent: desk, tool: erase }
  - always: { decision: call, agent: clerk, tool: draft }
`,
  );
  expect(spaces.at(-1)).toMatchObject({ name: "call", axes: ["role", "lane", "tool", "agent"], size: 12 });
  const refuted = properties.filter(({ counterexamples }) => counterexamples.length > 0);
  expect(refuted.map(({ name, counterexamples: [first] }) => [name, first?.request])).toEqual([
    [expect.stringContaining("never"), { role: "EDITOR", lane: "DESK", tool: "erase", agent: "desk" }],
  ]);
  expect(properties.map((p) => p.name)).toContain("call: all 8 allows are grants of the data");
});

it("a set without manifests is not asked which agent calls", async () => {
  const proved = await prove(await opened(FILES));
  if (!proved.ok) throw new Error(proved.problem.message);
  expect(proved.value.spaces.map(({ name }) => name)).not.toContain("call");
  expect(proved.value.properties.flatMap(({ counterexamples }) => counterexamples)).toEqual([]);
});

it("a setting that lets unknown agents call refutes what is held of every policy", async () => {
  const settings = "lineage: { roots: [desk, clerk] }\ncall: { unknown_agents: allow }\n";
  const proved = await prove(await opened({ ...FILES, ...MANIFESTS, "portcullis.yaml": settings }));
  if (!proved.ok) throw new Error(proved.problem.message);
  const refuted = proved.value.properties.filter(({ counterexamples }) => counterexamples.length > 0);
  expect(refuted.map(({ counterexamples: [first] }) => first?.why)).toEqual([
    "the policy has no such agent",
    "denied, but allowed without manifests.clerk",
  ]);
});

const MAPPED = await opened({
  ...FILES,
  "portcullis.yaml":
    "adapters: { authzen: { subject_type: role, resource_type: tool, actions: [{ name: write, lane: DESK }] } }\n",
});

it("entrypoints that give no verdict tell only what the data has", async () => {
  expect((await proof(MAPPED, "claims:\n  - never: { decision: lane, input: {} }\n")).properties[0]).toMatchObject({
    name: "a request that asks for nothing is denied",
    counterexamples: [],
  });
});

it.each([
  ["actions", ["write", "erase"], 'lists "erase", an action that is not mapped'],
  ["actions", ["toString"], 'lists "toString"'],
  ["actions", { write: true }, "no list"],
  ["actions", undefined, "no list"],
  ["asked", { role: "WRITER", lane: "DESK", tool: "draft" }, "no denial"],
  ["asked", undefined, "no denial"],
  ["evaluation", undefined, "no denial"],
])("where %s says %j to a request that asks for nothing, that is refuted", (name, said, why) => {
  const { policy, data } = MAPPED;
  const entrypoint = `portcullis/authzen/${name}`;
  const changed = Object.create(policy, {
    evaluate: { value: (path: string, input: unknown) => (path === entrypoint ? said : policy.evaluate(path, input)) },
    entrypoints: { value: policy.entrypoints },
  }) as typeof policy;
  const { counterexamples } = nothingIsDenied(changed, policyTables(data) ?? {});
  expect(counterexamples).toContainEqual(
    expect.objectContaining({ request: { entrypoint, input: null }, why: expect.stringContaining(why) }),
  );
});

it("an action that an evaluation allows for its name alone is refuted", () => {
  const { policy, data } = MAPPED;
  const evaluate = (path: string, input: unknown) =>
    path === "portcullis/authzen/evaluation" && Object.hasOwn(Object(input), "action")
      ? { decision: true }
      : policy.evaluate(path, input);
  const open = Object.create(policy, {
    evaluate: { value: evaluate },
    entrypoints: { value: policy.entrypoints },
  }) as typeof policy;
  const { counterexamples } = nothingIsDenied(open, policyTables(data) ?? {});
  expect(counterexamples[0]?.why).toBe("an evaluation of `write` alone is no denial");
});

it("a claim about nothing is refused", async () => {
  for (const [claims, message] of [
    ["claims: []", "claims.yaml:1:9: `claims` is empty"],
    ["claims:\n  - always: { decision: tool, tool: [] }", "claims.yaml:2:13: no tool is left"],
    ["claims:\n  - always: { decision: spawn }", "claims.yaml:2:13: no parent is left"],
    ["claims:\n  - never: { decision: subagent }", "claims.yaml:2:12: no persona is left"],
    [
      "claims:\n  - never: { decision: tool, entrypoint: portcullis/tool/decision, input: {} }",
      "claims.yaml:2:12: a claim names",
    ],
  ] as const) {
    const result = await claimed(EXTENDED, claims);
    expect(result).toMatchObject({ ok: false, problem: { code: "broken-claims" } });
    expect(!result.ok && result.problem.message).toContain(message);
  }
});

it("an answer counts as what it says, and one that says neither proves nothing", async () => {
  const policy = await opened({
    "a.rego": `package a

${[
  "true",
  "false",
  '{"allowed": true}',
  '{"decision": true}',
  '{"allowed": false}',
  '{"decision": false}',
  '{"x"}',
  "null",
  '"no"',
  '{"allow": true}',
  '{"allowed": false, "decision": true}',
]
  .map((answer, i) => `# METADATA\n# entrypoint: true\nr${i} := ${answer}\n`)
  .join("\n")}`,
  });
  for (const holds of ["never", "always"]) {
    const list = Array.from({ length: 11 }, (_, i) => `  - ${holds}: { entrypoint: a/r${i}, input: {} }\n`).join("");
    const { properties } = await proof(policy, `claims:\n${list}`);
    const held = properties.flatMap(({ counterexamples }, i) => (counterexamples.length === 0 ? [i] : []));
    expect(held).toEqual(holds === "never" ? [1, 4, 5] : [0, 2, 3, 10]);
  }
});

it("a sample of the grants is called one", async () => {
  const { properties } = await proof(EXTENDED, "claims:\n  - never: { decision: tool, tool: erase }\n");
  expect(properties.find((p) => p.sampled !== undefined)).toMatchObject({
    name: expect.stringMatching(/^taking away each of \d+ among \d+ grants allows nothing new$/),
  });
});

it("an agent that is handed over is asked about, and listed only where its author allowed it", () => {
  const tables = { agents: { LEAD: { type: 1, allowlist: ["SCRIBE"], delegated: ["SCRIBE", "STRANGER"] } } };
  expect(policyIds(tables).subagents).toEqual(["SCRIBE", "STRANGER"]);
  expect(["SCRIBE", "STRANGER"].map((name) => isListed(tables, "subagent", ["LEAD", name]))).toEqual([true, false]);
});

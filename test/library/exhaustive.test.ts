/** Bounded-exhaustive: every combination of gate outcomes, and every id of real policy sets with every other. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Files } from "../sources/virtual-host.ts";
import { type DecisionName, statements } from "../statements/index.ts";
import type { PolicyData } from "../statements/policy.ts";
import { hasCases, lowered, policyFiles } from "./case-files.ts";
import { disagreements } from "./disagreements.ts";
import { type Evaluator, evaluators } from "./evaluator.ts";

/** Stands for "leave the field out". */
const absent = Symbol("absent");

type Choices = { readonly [key: string]: readonly unknown[] };

/** Every object with one of the choices for each key. */
function every(choices: Choices): object[] {
  return Object.entries(choices).reduce<object[]>(
    (made, [key, values]) =>
      made.flatMap((one) => values.map((value) => (value === absent ? one : { ...one, [key]: value }))),
    [{}],
  );
}

const policy: PolicyData = {
  settings: { lineage: { depth: "positional", max_chain: 3 } },
  roles: {},
  lanes: {},
  tools: {},
  agents: {
    LEAD: { type: 1, allowlist: ["A-B", "C"], delegated: ["C"] },
    NONE: { type: 1, allowlist: [], delegated: [] },
    WORK: { type: 2, allowlist: ["C"], delegated: ["C"] },
    LOST: { type: null, allowlist: ["C"], delegated: ["C"] },
  },
  manifests: {
    a: { can_spawn: { a: true, b: true, c: true }, max_spawn_depth: 2 },
    b: { can_spawn: { a: true }, max_spawn_depth: 1 },
  },
  handoff: { required_fields: [], forbidden_mutations: {}, placeholders: {} },
  exec: {
    modes: { dev: true, init: true },
    inline_modes: { init: true },
    staging_root: "/q",
    script_extensions: [".py"],
    hat_lifetime_seconds: null,
  },
};

async function holds(
  evaluator: Evaluator,
  decision: DecisionName,
  on: PolicyData,
  inputs: readonly unknown[],
): Promise<void> {
  const batches = [];
  for (let i = 0; i < inputs.length; i += 5_000) batches.push({ policy: on, inputs: inputs.slice(i, i + 5_000) });
  const answers = await evaluator.decide(decision, batches);
  expect(answers.flat().length).toBe(inputs.length);
  expect(disagreements(batches, answers, statements[decision])).toEqual([]);
}

describe.skipIf(evaluators.length === 0).each(evaluators)("by $name, exhaustively", (evaluator) => {
  it("every combination of the subagent gates", async () => {
    const governance = every({
      contextSealed: [true, "true", absent],
      pipelineRunApproved: [true, 1, absent],
      approvalRef: ["G-1", " \ufeff", 7, absent],
      approvedBy: [" me ", " ", null, absent],
    });
    const inputs = every({
      persona: ["LEAD", "NONE", "WORK", "LOST", "nobody", 5, absent],
      env: [{ CHIRALITY_ENABLE_SUBAGENTS: "true" }, { CHIRALITY_ENABLE_SUBAGENTS: true }, {}, absent],
      governance: [...governance, null, [], "x", absent],
    });
    expect(inputs.length).toBe(7 * 4 * 148);
    await holds(evaluator, "subagent", policy, inputs);
  });

  it("every combination of the exec gates", { timeout: 300_000 }, async () => {
    const contract = {
      contract_id: "c",
      status: "open",
      signature_valid: true,
      expired: false,
      declared_targets: ["t"],
    };
    const contracts = [
      ...["dev", "init"].map((mode) => ({ ...contract, mode })),
      { ...contract, mode: "dev", contract_id: ".." },
      { ...contract, mode: "dev", signature_valid: false },
      { ...contract, mode: "dev", status: "closed" },
      { ...contract, mode: "dev", expired: true },
      null,
    ];
    const hats = every({
      script_sha256: ["ab", "cd"],
      contract_id: ["c", "d"],
      declared_targets: [["t"], []],
      mode: ["dev", "init"],
      timestamp: ["now"],
      signature_valid: [true, false],
    });
    const inputs = every({
      mode: ["dev", "init", "lost"],
      kind: ["script", "inline", "other"],
      session: [{ valid: true }, { valid: false }],
      script: every({ path: ["/q/c/x.py", "/q/d/x.py", "/x.py"], sha256: ["ab", null] }),
      contract: contracts,
      hat: [...hats, null, { ...hats[0], timestamp: "a|b" }],
    });
    expect(inputs.length).toBe(3 * 3 * 2 * 6 * 7 * 34);
    await holds(evaluator, "exec", policy, inputs);
  });

  it("every short chain of the lineage", async () => {
    const agents = every({ agent_type: ["a", "b", "c"], spawn_depth: [0, 1, 2], agent_id: ["x", absent] });
    const chains: object[][] = [[], ...agents.map((one) => [one])];
    for (const one of agents) for (const two of agents) chains.push([one, two]);
    const few = agents.filter((_, i) => i % 2 === 0);
    for (const one of few) for (const two of few) for (const three of few) chains.push([one, two, three]);
    await holds(
      evaluator,
      "lineage",
      policy,
      chains.map((lineage) => ({ lineage })),
    );
  });

  it("every placing of a file at the close", async () => {
    const names = ["/r", "/r/", "/", "/r/a", "/r/ab", "/r/a/b", "/r/./a", "/r/../r/a", "/r//a", "r/a", "", null];
    const inputs = every({
      baseline_sha: ["abc"],
      contract_root: ["/r", "/r/", "/", "/r/a", "/r/..", "r", ""],
      declared_targets: [[], ...["a", "a/", "./a", "a/b", ".", "..", "", "/r/a", "/", "/s"].map((one) => [one, "z"])],
      changed_files: [null, [], ...names.map((resolved) => [{ path: "f", resolved }])],
    });
    await holds(evaluator, "close", policy, inputs);
  });

  const sets: [string, () => Files][] = [
    ["the corpus", () => policyFiles({ corpus: "contract-v1" })],
    ["policies/", () => filesBelow(fileURLToPath(new URL("../../policies/", import.meta.url)))],
  ];
  it.each(sets)("every role, lane and tool of %s", async (name, read) => {
    if (name === "the corpus" && !hasCases) return;
    const files = read();
    if (Object.keys(files).length === 0) return;
    const result = lowered(files);
    if ("errors" in result) throw new Error(`does not lower: ${result.errors.join(", ")}`);
    const ids = (table: object): unknown[] => [...Object.keys(table), "unknown", "__proto__", null, absent];
    const { roles, lanes, tools } = result.policy;
    await holds(evaluator, "lane", result.policy, every({ role: ids(roles), lane: ids(lanes) }));
    await holds(evaluator, "tool", result.policy, every({ role: ids(roles), lane: ids(lanes), tool: ids(tools) }));
  });
});

function filesBelow(folder: string): Files {
  if (!existsSync(folder)) return {};
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((one) => one.isFile()).map((one) => `${one.parentPath}/${one.name}`);
  return Object.fromEntries(paths.map((path) => [path.replaceAll("//", "/").slice(folder.length), readFileSync(path)]));
}

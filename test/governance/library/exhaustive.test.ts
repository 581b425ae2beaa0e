/** Bounded-exhaustive: every combination of gate outcomes, and every id of real policy sets with every other. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { sampled } from "../../campaign.ts";
import { type DecisionName, decisionNames } from "../../statements/index.ts";
import type { PolicyData } from "../../statements/policy.ts";
import type { Files } from "../sources/virtual-host.ts";
import { hasCases, lowered, policyFiles } from "./case-files.ts";
import { combinations, combined, oneByOne } from "./combinations.ts";
import { disagreements } from "./disagreements.ts";
import type { Evaluator } from "./evaluator.ts";
import { evaluators } from "./evaluators.ts";
import { every } from "./every.ts";
import { absent } from "./spoiling.ts";

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
  expect(disagreements(batches, answers, decision)).toEqual([]);
}

describe.each(evaluators)("by $name, exhaustively", (evaluator) => {
  it.each(decisionNames)("each value of a request to %s missing, null and of every type", async (decision) => {
    await holds(evaluator, decision, combined, oneByOne[decision]());
  });

  it.each([
    ["subagent", 7 * 4 * 148],
    ["exec", 3 * 3 * 2 * 12 * 7 * 52],
    ["lineage", 1 + 18 + 18 ** 2 + 9 ** 3],
    ["close", 7 * 15 * 15 + 2 * 19 * 11 * 11],
    ["call", 2 * 6 * 6 * 3 * 5 * 6 * 4],
  ] as const)("every combination of the gates of %s", async (decision, count) => {
    const inputs = combinations[decision]();
    expect(inputs.length).toBe(count);
    await holds(evaluator, decision, combined, sampled(inputs));
  });

  const sets: [string, () => Files][] = [
    ["the corpus", () => policyFiles({ corpus: "contract-v1" })],
    ["policies/", () => filesBelow(fileURLToPath(new URL("../../../policies/", import.meta.url)))],
  ];
  it.each(sets)("every role, lane and tool of %s", async (name, read) => {
    if (name === "the corpus" && !hasCases) return;
    const files = read();
    if (Object.keys(files).length === 0) return;
    const result = lowered(files);
    if ("errors" in result) throw new Error(`does not lower: ${result.errors.join(", ")}`);
    const ids = (table: object): unknown[] => [...Object.keys(table), "unknown", "__proto__", null, absent];
    const { roles, lanes, tools } = result.policy;
    // Gates of authors stand in their own Rego, which is not here.
    const policy = { ...result.policy, gates: undefined };
    await holds(evaluator, "lane", policy, every({ role: ids(roles), lane: ids(lanes) }));
    await holds(evaluator, "tool", policy, every({ role: ids(roles), lane: ids(lanes), tool: ids(tools) }));
    await holds(evaluator, "call", policy, sampled(callsOf(policy, ids)));
  });
});

/** Every role, lane and tool, without an agent and by each agent, with nothing else said and with everything that any gate asks for. */
function callsOf({ roles, lanes, tools, manifests }: PolicyData, ids: (table: object) => unknown[]): object[] {
  const keys = (field: "requires" | "scope_keys") =>
    Object.values({ ...lanes, ...tools }).flatMap((one) => Object.keys((one as Record<string, object>)[field] ?? {}));
  const scope = Object.fromEntries([...keys("requires"), ...keys("scope_keys")].map((key) => [key, "x"]));
  const chains = Object.keys(manifests ?? {}).map((agent_type) => [{ agent_type, spawn_depth: 0 }]);
  const said = [{}, { scope, approval: { ref: "AP-1", by: "m.ortiz" }, flags: [], writes: [] }];
  return every({ role: ids(roles), lane: ids(lanes), tool: ids(tools), lineage: [absent, ...chains] }).flatMap((one) =>
    said.map((more) => ({ ...one, ...more })),
  );
}

function filesBelow(folder: string): Files {
  if (!existsSync(folder)) return {};
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((one) => one.isFile()).map((one) => `${one.parentPath}/${one.name}`);
  return Object.fromEntries(paths.map((path) => [path.replaceAll("//", "/").slice(folder.length), readFileSync(path)]));
}

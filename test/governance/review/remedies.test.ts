/**
 * Every gate of every decision that the reference lists has a place where it was decided, and a change that allows: each is
 * tried here again, changes of requests by the bundle's module, changes of the policy by its Rego compiled for other data.
 */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { builtins } from "@portcullis/builtins";
import { DECISION_KINDS } from "@portcullis/runtime/abi";
import { describe, expect, it } from "vitest";
import type { Host } from "../../../compiler/documents/host.ts";
import { nodeHost } from "../../../compiler/documents/node.ts";
import { compile } from "../../../compiler/governance/pipeline.ts";
import { hostDataPolicy } from "../../../compiler/governance/review/host-data-policy.ts";
import {
  type ExplainInput,
  type Explanation,
  openBundle,
  prepareExplain,
  type RemedyChange,
} from "../../../compiler/governance/review/index.ts";
import { compileTests } from "../../../compiler/governance/testing/compile-tests.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { parseModule, type Rule } from "../../../compiler/rego/syntax/index.ts";
import { jsonText } from "../../../compiler/rego/value/index.ts";
import { isJsonObject } from "../../../compiler/rego/value/json-object.ts";
import { isWhole, SEED } from "../../campaign.ts";
import { virtualHost } from "../sources/virtual-host.ts";
import { AUTHORS_WORDS, GAP_REQUESTS, GAPS, SIGNED, UNREACHABLE } from "./gate-requests.ts";

const policies = fileURLToPath(new URL("../../../policies", import.meta.url));
const reference = readFileSync(new URL("../../../generated/reference/decisions.md", import.meta.url), "utf8");

/** Denials as the reference has them: decision, gate, reason; `…` stands for a text of the request. */
const gates = reference.split(/^## /m).flatMap((section) => {
  const decision = section.slice(0, section.indexOf("\n"));
  // Adapters hand the decisions' gates on.
  if (!DECISION_KINDS.some((d) => d === decision)) return [];
  const rows = [...section.matchAll(/^\| deny \| `([A-Z_]+)` \| `(.+?)` \|/gm)];
  // No request comes to the default: tested below.
  const own = rows.filter(([, , reason]) => reason !== "no_decision");
  return own.map(([, gate, reason]) => ({ decision, gate: gate as string, reason: reason as string }));
});

/** Every gate, or a tenth of them, others with each seed. */
const TENTH = SEED % 10;
const isChosen = (name: string): boolean =>
  isWhole || gates.findIndex((g) => `${g.decision} ${g.gate} ${g.reason}` === name) % 10 === TENTH;

/** Says the same change once more, by a way of its own. */
function changed(document: unknown, [key, ...rest]: readonly (string | number)[], to: unknown): unknown {
  if (key === undefined) return to;
  const copy: Record<string, unknown> | unknown[] = Array.isArray(document)
    ? [...document]
    : { ...(isJsonObject(document) ? document : {}) };
  const at = key as keyof typeof copy;
  const inner = changed(copy[at], rest, to);
  if (inner !== undefined) (copy as Record<string, unknown>)[at as string] = inner;
  else if (Array.isArray(copy)) copy.splice(Number(key), 1);
  else delete (copy as Record<string, unknown>)[at as string];
  return copy;
}

const applied = (document: unknown, changes: readonly RemedyChange[]): unknown =>
  changes.reduce((before, { path, to }) => changed(before, path.slice(1), to), document);

it("the reference lists gates of every decision", () => {
  expect(new Set(gates.map((g) => g.decision))).toEqual(new Set(DECISION_KINDS));
  expect(gates.length).toBeGreaterThan(80);
});

/** A set with its explanations, and its Rego compiled for other data. */
async function openSet(name: string, host: Host, dir: string) {
  const { compiled, diagnostics } = await compile({ host, dirs: [dir] });
  if (compiled === undefined) throw new Error(JSON.stringify(diagnostics));
  const opened = await openBundle(name, compiled.bundle, { builtins });
  if (!opened.ok) throw new Error(opened.problem.message);
  const byData = await hostDataPolicy(opened.value);
  if (!byData.ok) throw new Error(byData.problem.message);
  const prepared = new Map<string, ExplainInput>();
  const explain = async (entrypoint: string, request: unknown): Promise<Explanation> => {
    if (!prepared.has(entrypoint)) {
      const made = await prepareExplain(opened.value, entrypoint);
      if (!made.ok) throw new Error(made.problem.message);
      prepared.set(entrypoint, made.value);
    }
    const told = await (prepared.get(entrypoint) as ExplainInput)(JSON.stringify(request), { remedies: true });
    if (!told.ok) throw new Error(told.problem.message);
    return told.value;
  };
  const fileText = (path: string): string => new TextDecoder().decode(host.readFile(dir, path) as Uint8Array);
  return { ...opened.value, byData: byData.value, explain, fileText };
}

type OpenSet = Awaited<ReturnType<typeof openSet>>;

describe("what would allow", async () => {
  const example = await openSet("policies", nodeHost, policies);
  const gaps = await openSet("gaps", virtualHost({ gaps: GAPS }), "gaps");
  const tests = (await compileTests({ host: nodeHost, dirs: [policies] })).compiled?.decisions ?? [];

  it.each([...new Set(gates.map((g) => g.decision))])("turns every denial of %s", async (decision) => {
    const entrypoint = `portcullis/${decision}/decision`;
    const answers = tests
      .filter((t) => t.decision === decision)
      .map((t) => JSON.parse(jsonText(t.input)) as unknown)
      .map((request) => [request, example.policy.evaluate(entrypoint, request)] as const);
    const problems: string[] = [];
    for (const gate of gates.filter((g) => g.decision === decision)) {
      const name = `${decision} ${gate.gate} ${gate.reason}`;
      if (name === UNREACHABLE || SIGNED.test(name)) continue;
      const found = answers.find(([, answer]) => isDenialOf(answer, gate));
      const own = GAP_REQUESTS[name];
      if (found !== undefined && own !== undefined) problems.push(`${name}: the example reaches it`);
      const [set, request] = found === undefined ? [gaps, own] : [example, found[0]];
      if (!isDenialOf(set.policy.evaluate(entrypoint, request), gate)) problems.push(`${name}: no request reaches it`);
      else if (isChosen(name)) problems.push(...(await problemsOf(name, set, entrypoint, request)));
    }
    expect(problems).toEqual([]);
  });

  // Its branch is the default, and no request comes to it: the last branch of every chain asks nothing.
  it.each(DECISION_KINDS)("no request to %s leaves the decision to its default", (decision) => {
    const rego = new TextDecoder().decode(example.files.get(`portcullis/${decision}.rego`));
    const { module } = parseModule(new SourceFile(decision, rego));
    for (const name of ["verdict", "decision"]) {
      const chain = module?.rules.find((r) => !r.isDefault && headOf(r) === name);
      let last = chain;
      while (last?.else !== undefined) last = last.else;
      expect(last !== chain && last?.body, name).toEqual([]);
    }
    const requests = tests.filter((t) => t.decision === decision).map((t) => JSON.parse(jsonText(t.input)) as unknown);
    for (const request of requests.slice(0, 20))
      for (const path of [[], ...partsOf(request)])
        for (const to of [undefined, null, false, 0, -1.5, "", "x", [], [null], {}]) {
          const answer = example.policy.evaluate(`portcullis/${decision}/decision`, changed(request, path, to));
          expect((answer as Gate).reason).not.toBe("no_decision");
        }
  });

  it("a chain with an agent without a manifest is of no set that compiles", async () => {
    const clerk = "manifests/clerk.yaml";
    const { [clerk]: _, ...without } = GAPS;
    const { compiled, diagnostics } = await compile({ host: virtualHost({ gaps: without }), dirs: ["gaps"] });
    expect(compiled).toBeUndefined();
    expect(diagnostics.filter((d) => d.severity === "error").map((d) => d.code)).toEqual([
      "model/spawn-target-undefined",
    ]);
    const request = {
      lineage: [
        { agent_type: "desk", spawn_depth: 0 },
        { agent_type: "clerk", spawn_depth: 1 },
      ],
    };
    expect(gaps.policy.evaluate("portcullis/lineage/decision", request)).toMatchObject({ allowed: true });
    // Only data that no compiler made comes to the gate.
    const { byData, data } = gaps;
    byData.setData(changed(data, ["portcullis", "policy", "manifests", "clerk"], undefined) as object);
    const answer = byData.evaluate("portcullis/lineage/decision", request) as { gate: string; reason: string };
    expect(`lineage ${answer.gate} ${answer.reason}`).toBe(UNREACHABLE);
    byData.setData(data);
  });
});

function headOf({ head }: Rule): string | undefined {
  return head.ref.head.kind === "Var" ? head.ref.head.name : undefined;
}

/** The paths of every part of a value. */
function partsOf(value: unknown): (string | number)[][] {
  const parts: (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((item, i) => [i, item] as const)
    : isJsonObject(value)
      ? Object.entries(value)
      : [];
  return parts.flatMap(([key, part]) => [[key], ...partsOf(part).map((path) => [key, ...path])]);
}

interface Gate {
  readonly gate: string;
  readonly reason: string;
}

/** Whether it is the denial, or one of the violations in it. */
function isDenialOf(answer: unknown, { gate, reason }: Gate): boolean {
  const parts = reason.split("…").map((s) => s.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const text = new RegExp(`^${parts.join(".*")}$`);
  const all = isJsonObject(answer) ? [answer, ...((answer["violations"] as unknown[] | undefined) ?? [])] : [];
  return all.some(
    (d) => isJsonObject(d) && d["allowed"] !== true && d["gate"] === gate && text.test(String(d["reason"])),
  );
}

async function problemsOf(name: string, set: OpenSet, entrypoint: string, request: unknown): Promise<string[]> {
  const { policy, data, byData } = set;
  const told = await set.explain(entrypoint, request);
  const { request: ofRequest, policy: ofPolicy } = told.remedies;
  const found = misplaced(set, told).map((problem) => `${name}: ${problem}`);
  if (ofRequest.length + ofPolicy.length === 0) found.push(`${name}: nothing would allow ${JSON.stringify(request)}`);
  for (const { changes } of ofRequest) {
    const answer = policy.evaluate(entrypoint, applied(request, changes)) as { allowed: boolean };
    if (!answer.allowed) found.push(`${name}: ${JSON.stringify(changes)} does not allow`);
  }
  for (const { changes } of ofPolicy) {
    byData.setData(applied(data, changes) as object);
    const answer = byData.evaluate(entrypoint, request) as { allowed: boolean };
    if (!answer.allowed) found.push(`${name}: ${JSON.stringify(changes)} does not allow`);
    for (const { text, place } of changes) if (place === undefined) found.push(`${name}: \`${text}\` has no place`);
  }
  return found;
}

/** What is wrong with the places of an explanation: of the rule that decided, and of what its gate read of the author's files. */
function misplaced({ fileText, files }: OpenSet, { decidedBy, decision, steps, places }: Explanation): string[] {
  const [file = "", line = "0"] = decidedBy?.location.split(":") ?? [];
  const rego = new TextDecoder().decode(files.get(file)).split("\n");
  const gate = steps.filter((s) => s.isGate && s.status === "failed");
  const found: string[] = [];
  if (!/^(\} else|\w+)/.test(rego[Number(line) - 1] ?? "")) found.push(`no rule at ${decidedBy?.location}`);
  if (!gate.some((s) => s.gate === (decision as Gate).gate)) found.push("its gate did not fail");
  const reads = gate.flatMap((s) => s.reads).filter((r) => r.path.startsWith("data.portcullis.policy."));
  let placed = 0;
  for (const { keys, path } of reads) {
    const place = places.placeOf(keys);
    if (place === undefined) continue;
    placed++;
    const word = AUTHORS_WORDS[writtenAs(keys)];
    const text = fileText(place.file);
    const at = text.split("\n")[place.line - 1]?.slice(place.column - 1) ?? "";
    // What is not written has the place of the row that lacks it.
    const isRight = at !== "" && (word === undefined || at.startsWith(word) || !text.includes(`${word}:`));
    if (!isRight)
      found.push(`${path} at ${place.file}:${place.line}:${place.column}, where ${JSON.stringify(at)} stands`);
  }
  if (reads.length > 0 && placed === 0) found.push(`${reads.map((r) => r.path).join(", ")}: no place`);
  return found;
}

/** `lanes.roles`; a table of one row has no id. */
function writtenAs([, , table, id, field]: readonly (string | number)[]): string {
  return [
    table,
    ["exec", "handoff"].includes(String(table)) ? id : table === "settings" ? `${id}.${field}` : field,
  ].join(".");
}

/**
 * Every gate of every decision that the reference lists has a place where it was decided, and a change that allows: each is
 * tried here again, changes of requests by the bundle's module, changes of the policy by its Rego compiled for other data.
 */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { builtins } from "@portcullis/builtins";
import { DECISION_KINDS } from "@portcullis/runtime/abi";
import { describe, expect, it } from "vitest";
import { isJsonObject } from "../../compiler/base/json-object.ts";
import { compileTests } from "../../compiler/compile-tests.ts";
import { jsonText } from "../../compiler/lower/index.ts";
import { nodeHost } from "../../compiler/node.ts";
import { compile } from "../../compiler/pipeline.ts";
import { hostDataPolicy } from "../../compiler/review/host-data-policy.ts";
import { type Explanation, openBundle, prepareExplain, type RemedyChange } from "../../compiler/review/index.ts";
import { isWhole, SEED } from "../campaign.ts";
import { BEYOND, UNREACHED } from "./gate-requests.ts";

const policies = fileURLToPath(new URL("../../policies", import.meta.url));
const reference = readFileSync(new URL("../../generated/reference/decisions.md", import.meta.url), "utf8");

/** Denials as the reference has them: decision, gate, reason; `…` stands for a text of the request. */
const gates = reference.split(/^## /m).flatMap((section) => {
  const decision = section.slice(0, section.indexOf("\n"));
  // Adapters hand the decisions' gates on.
  if (!DECISION_KINDS.some((d) => d === decision)) return [];
  const rows = [...section.matchAll(/^\| deny \| `([A-Z_]+)` \| `(.+?)` \|/gm)];
  // The default is there for the case that no rule answers, and then no rule can be turned.
  const own = rows.filter(([, , reason]) => reason !== "no_decision");
  return own.map(([, gate, reason]) => ({ decision, gate: gate as string, reason: reason as string }));
});

/** Every gate, or a fifth of them, others with each seed. */
const FIFTH = SEED % 5;
const isChosen = (name: string): boolean =>
  isWhole ||
  (!(name in BEYOND) && gates.findIndex((g) => `${g.decision} ${g.gate} ${g.reason}` === name) % 5 === FIFTH);

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

describe("what would allow", async () => {
  const { compiled } = await compile({ host: nodeHost, dirs: [policies] });
  const tests = (await compileTests({ host: nodeHost, dirs: [policies] })).compiled?.decisions ?? [];
  const opened = await openBundle("policies", compiled?.bundle as Uint8Array, { builtins });
  if (!opened.ok) throw new Error(opened.problem.message);
  const { policy, data } = opened.value;
  const other = await hostDataPolicy(opened.value);
  if (!other.ok) throw new Error(other.problem.message);
  const byData = other.value;

  it.each([...new Set(gates.map((g) => g.decision))])("turns every denial of %s", async (decision) => {
    const entrypoint = `portcullis/${decision}/decision`;
    const prepared = await prepareExplain(opened.value, entrypoint);
    if (!prepared.ok) throw new Error(prepared.problem.message);
    const requests = tests.filter((t) => t.decision === decision).map((t) => JSON.parse(jsonText(t.input)) as unknown);
    const answers = requests.map((request) => [request, policy.evaluate(entrypoint, request)] as const);
    const problems: string[] = [];
    for (const gate of gates.filter((g) => g.decision === decision)) {
      const name = `${decision} ${gate.gate} ${gate.reason}`;
      const text = new RegExp(
        `^${gate.reason
          .split("…")
          .map((s) => s.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
          .join(".*")}$`,
      );
      const isOf = (answer: unknown): boolean => {
        const all = isJsonObject(answer) ? [answer, ...((answer["violations"] as unknown[] | undefined) ?? [])] : [];
        return all.some(
          (d) => isJsonObject(d) && d["allowed"] !== true && d["gate"] === gate.gate && text.test(String(d["reason"])),
        );
      };
      const denied = answers.find(([, answer]) => isOf(answer));
      if (denied === undefined) {
        if (!(name in UNREACHED)) problems.push(`${name}: no request reaches it`);
        continue;
      }
      if (name in UNREACHED) problems.push(`${name}: is reached, and listed as unreached`);
      if (!isChosen(name)) continue;
      const told = await prepared.value(JSON.stringify(denied[0]), { remedies: true });
      if (!told.ok) throw new Error(`${name}: ${told.problem.message}`);
      problems.push(...problemsOf(name, told.value, denied[0]));
    }
    expect(problems).toEqual([]);

    function problemsOf(name: string, { decidedBy, remedies }: Explanation, request: unknown): string[] {
      const found: string[] = [];
      if (decidedBy === undefined) found.push(`${name}: nothing decided`);
      const isFound = remedies.request.length + remedies.policy.length > 0;
      if (isFound === name in BEYOND)
        found.push(
          `${name}: ${isFound ? "is listed as beyond the search" : `nothing would allow ${JSON.stringify(request)}`}`,
        );
      for (const { changes } of remedies.request) {
        const answer = policy.evaluate(entrypoint, applied(request, changes)) as { allowed: boolean };
        if (!answer.allowed) found.push(`${name}: ${JSON.stringify(changes)} does not allow`);
      }
      for (const { changes } of remedies.policy) {
        byData.setData(applied(data, changes) as object);
        const answer = byData.evaluate(entrypoint, request) as { allowed: boolean };
        if (!answer.allowed) found.push(`${name}: ${JSON.stringify(changes)} does not allow`);
        for (const { text, place } of changes) if (place === undefined) found.push(`${name}: \`${text}\` has no place`);
      }
      return found;
    }
  });
});

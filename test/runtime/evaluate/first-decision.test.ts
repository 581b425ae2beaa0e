/** What a first decision would compile has run while the policy was loaded: the engine's own log says which functions had not. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DecisionKind } from "@portcullis/runtime";
import { afterAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const out = mkdtempSync(join(tmpdir(), "portcullis-first-"));
afterAll(() => rmSync(out, { recursive: true, force: true }));

/** A process that has only loaded the policy of the example, and decides once between two functions that nothing else calls. */
const PROGRAM = `
import { readFileSync } from "node:fs";
import { load } from "@portcullis/runtime";
const [kind, request] = JSON.parse(process.env.ASKED);
const policy = await load(readFileSync("generated/bundle.tar.gz"));
function asking() {}
function asked() {}
asking();
const decision = policy[kind](request === "a symbol" ? Symbol() : request);
asked();
process.stdout.write(JSON.stringify([decision.gate, policy.lastFault?.message]));
`;

/** The functions of the runtime that were compiled in the decision, since they had not run before, and its gate. */
function firstRun(kind: DecisionKind, request: unknown): { gate: string; fault: unknown; names: string[] } {
  const log = join(out, `${kind}.log`);
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ["--log-function-events", "--no-logfile-per-isolate", `--logfile=${log}`, "--input-type=module", "-e", PROGRAM],
    { cwd: root, encoding: "utf8", env: { ...process.env, ASKED: JSON.stringify([kind, request]) } },
  );
  expect(stderr).toBe("");
  expect(status).toBe(0);
  const lines = readFileSync(log, "utf8").split("\n");
  const scripts = new Set(lines.flatMap((line) => /^script-details,(\d+),.*\/runtime\/dist\//.exec(line)?.[1] ?? []));
  expect(scripts.size).toBeGreaterThan(10);
  const events = lines.filter((line) => line.startsWith("function,interpreter,")).map((line) => line.split(","));
  const at = (name: string): number => events.findIndex((event) => event[7] === name);
  expect(at("asked")).toBeGreaterThan(at("asking"));
  const ran = events.slice(at("asking") + 1, at("asked")).filter((event) => scripts.has(event[2] ?? ""));
  const [gate, fault] = JSON.parse(stdout) as [string, unknown];
  return { gate, fault, names: ran.map((event) => event[7] ?? "") };
}

/** Two of the policy's methods, the text that a cache keeps, and the place that makes a record. */
const expected = (kind: DecisionKind): string[] => [kind, "decide", "", ...MAKERS];
const MAKERS = [3, 4, 5, 6, 7, 8].map((count) => `FREE.${count}`);

const requests: readonly (readonly [DecisionKind, string, unknown])[] = [
  ["lane", "ALLOW", { role: "ARCHIVIST", lane: "ARCHIVE" }],
  [
    "subagent",
    "INTERNAL_ERROR",
    { env: { CHIRALITY_ENABLE_SUBAGENTS: "true" }, persona: "EDITOR_IN_CHIEF", governance: { approvalRef: "é-1" } },
  ],
  [
    "exec",
    "MODE",
    { contract: { contract_id: "c-1", target_paths: ["a/b.md", "ü.md"] }, script: { path: "/x.py", size: -1.5 } },
  ],
  [
    "handoff",
    "REQUIRED_FIELDS",
    {
      record: { from: "a".repeat(100), deliverables: [{ path: "x/y.md", size: 2 ** 40 }, { path: "x/é.md" }] },
      evidence: { files: { "x/y.md": { exists: true }, "x/é.md": { exists: false, size: 0.5 } } },
    },
  ],
  // Unexpected values: numbers of two words and fractions, objects and lists in the place of ids.
  ["lineage", "MALFORMED_LINEAGE", { lineage: [{ agent_type: ["é"], spawn_depth: { a: [2 ** 40] } }] }],
  [
    "call",
    "TOOL",
    {
      ...{ role: "WRITER", lane: "DRAFTING", tool: "é", scope: { amount: 2.5, é: 2 ** 40, x: [1, { é: null }] } },
      ...{ lineage: [{ agent_type: "publisher", spawn_depth: 0 }], approval: { ref: "AP", by: "é" } },
    },
  ],
  ["tool", "INTERNAL_ERROR", "a symbol"],
];

describe("the first decision of a process", () => {
  it.each(requests)("runs nothing of the runtime's for the first time: %s", (kind, gate, request) => {
    const first = firstRun(kind, request);
    expect(first.names.filter((name) => !expected(kind).includes(name))).toEqual([]);
    expect(first.names).toContain(kind);
    expect(first.gate).toBe(gate);
    expect(first.fault).toBe(request === "a symbol" ? "a symbol is not a JSON value" : null);
  });
});

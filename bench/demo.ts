/**
 * `make demo`: decides the example organisation's own test cases with a fresh bundle, one for every gate of every decision,
 * and prints what was asked, what was answered, why, and how long it took.
 */

import { readFileSync } from "node:fs";
import { DECISION_KINDS, type Decision, load } from "@portcullis/runtime";
import { printing } from "../compiler/cli/printer.ts";
import { nodeVoice, table } from "../compiler/cli/terminal.ts";
import { nodeHost } from "../compiler/documents/node.ts";
import { buildModel, buildTests } from "../compiler/governance/model/index.ts";
import { loadSources } from "../compiler/governance/sources/index.ts";
import { jsonText } from "../compiler/rego/value/index.ts";

const [bundlePath = "out/demo/bundle.tar.gz", sources = "policies"] = process.argv.slice(2);
const ORDER: readonly string[] = DECISION_KINDS;
/** Enough repetitions for a median that does not jump; the whole demo still takes a second. */
const REPETITIONS = 500;

const terminal = printing(nodeVoice());
const { bold, green, red, dim } = terminal.paint;
const policy = await load(readFileSync(bundlePath));
const { set } = loadSources(nodeHost, [sources]);
const { tests } = buildTests(set.tests, buildModel(set).model, { revision: policy.approvals?.revision });

interface Shown {
  readonly decision: string;
  readonly gate: string;
  readonly row: readonly string[];
}

const seen = new Set<string>();
const shown: Shown[] = [];
for (const test of tests) {
  const entrypoint = `portcullis/${test.decision}/decision`;
  const input: unknown = JSON.parse(jsonText(test.input));
  const decision = policy.evaluate(entrypoint, input) as Decision;
  const key = `${test.decision} ${decision.gate} ${decision.reason}`;
  if (seen.has(key)) continue;
  seen.add(key);
  const row = [
    test.decision,
    decision.allowed ? "ALLOW" : "DENY",
    decision.gate,
    cut(decision.reason, 44),
    microseconds(medianTime(() => policy.evaluate(entrypoint, input))),
    cut(JSON.stringify(input), 70),
  ];
  shown.push({ decision: test.decision, gate: decision.gate, row });
}
shown.sort(
  (a, b) =>
    ORDER.indexOf(a.decision) - ORDER.indexOf(b.decision) || Number(b.gate === "ALLOW") - Number(a.gate === "ALLOW"),
);

const header = ["decision", "answer", "gate", "reason", "median", "asked"];
const text = table([header, ...shown.map((s) => s.row)], (cell, column, row) => {
  if (row === 0) return bold(cell);
  if (column === 1) return cell.startsWith("ALLOW") ? green(cell) : red(cell);
  return column === 5 ? dim(cell) : cell;
});
terminal.out(`${text}\n\n`);
const allowed = shown.filter((s) => s.gate === "ALLOW").length;
terminal.out(
  `${shown.length} different answers (${allowed} allow, ${shown.length - allowed} deny) of ${tests.length} test cases, revision ${policy.revision}\n`,
);

function cut(value: string, width: number): string {
  return value.length <= width ? value : `${value.slice(0, width - 1)}…`;
}

function medianTime(run: () => unknown): number {
  const times = new Float64Array(REPETITIONS);
  for (let i = 0; i < REPETITIONS; i++) {
    const started = performance.now();
    run();
    times[i] = performance.now() - started;
  }
  return times.sort()[REPETITIONS >> 1] as number;
}

function microseconds(milliseconds: number): string {
  return `${(milliseconds * 1000).toFixed(1)} µs`.padStart(8);
}

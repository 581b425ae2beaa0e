/**
 * `make bench`: what a decision costs, beside the alternatives, and whether REQ-14 holds.
 *
 *   npx tsx bench/run.ts [--quick] [--size S|M|L]... [--check]
 *
 * --size   only these generated policies (default: S and M; L takes a minute to compile the first time)
 * --quick  fewer and shorter rounds: for a look; writes below out/bench instead of bench/results and the README
 * --check  exit 1 when a decision kind exceeds bench/budget.json
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { nodeTerminal } from "../compiler/cli/terminal.ts";
import { type Bundle, bundleOf } from "./bundles.ts";
import { chartOf } from "./chart.ts";
import { costOf, growthOf } from "./footprint.ts";
import { SIZES, type Size } from "./generate-policies.ts";
import { commitNow, loadNow, machineNow } from "./machine.ts";
import { casbin } from "./peers/casbin.ts";
import { casl } from "./peers/casl.ts";
import { cedarWasm } from "./peers/cedar.ts";
import { handWritten } from "./peers/hand-written/index.ts";
import { stockOnOpas, stockOnOurs } from "./peers/opa.ts";
import type { Peer } from "./peers/peer.ts";
import { evaluate, forgetful, typed } from "./peers/portcullis.ts";
import { withBenchmark } from "./readme.ts";
import { printResults } from "./report.ts";
import { questionsOf, verdictsOf } from "./requirement.ts";
import type { Absence, Results, ScenarioResult } from "./results.ts";
import { INPUT_STYLES, type Sampling, sample } from "./sampler.ts";
import { type Scenario, scenariosOf, TABLE_KINDS } from "./scenarios.ts";

const LIMIT = "hand-written";
const MAKERS = [handWritten, typed, evaluate, stockOnOurs, stockOnOpas, cedarWasm, casbin, casl];

const { values: flags } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    size: { type: "string", multiple: true, default: ["S", "M"] },
  },
});
const sizes = flags.size.map((size): Size => {
  if (!(size in SIZES)) throw new Error(`--size ${size}: S, M or L`);
  return size as Size;
});
const sampling: Sampling = flags.quick ? { rounds: 21, sliceMs: 0.5 } : { rounds: 61, sliceMs: 1 };
const terminal = nodeTerminal();
const machine = machineNow();
/** Now: others may commit while this runs. */
const commit = commitNow();
const scenarios: ScenarioResult[] = [];
const absences: Absence[] = [];
const costs: Results["costs"][number][] = [];

// Decisions first and loads last: every further instance makes calls into WebAssembly a little slower.
const bundles: Bundle[] = [];
for (const size of sizes) {
  progress(`policies ${size}`);
  const bundle = await bundleOf(size);
  await measure(bundle);
  bundles.push(bundle);
}
for (const bundle of bundles) await measureEvaluation(bundle);
progress("example policies");
const example = await bundleOf("example");
const requirement = await verdictsOf(example, { typed, forgetful }, flags.quick ? 20_000 : 200_000);
progress("memory");
const asked = await questionsOf(example, typed);
const growth = [{ kind: "all kinds" as const, ...growthOf(asked, flags.quick ? 500_000 : 10_000_000) }];
for (const bundle of [example, ...bundles])
  costs.push({ policy: bundle.name, cost: await costOf(bundle, bundle.name === "L" ? 3 : 9) });
machine.loadAtEnd = loadNow();

const results: Results = {
  commit,
  date: new Date().toISOString(),
  quick: flags.quick,
  machine,
  scenarios,
  absences,
  costs,
  growth,
  requirement,
};
const folder = flags.quick ? "out/bench" : "bench/results";
const text = `${JSON.stringify(results, rounded, 1)}\n`;
mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}/latest.json`, text);
writeFileSync(`${folder}/latest.svg`, chartOf(results));
// From the rounded numbers, which are those that anyone can make it from again.
if (!flags.quick)
  writeFileSync("README.md", withBenchmark(readFileSync("README.md", "utf8"), JSON.parse(text) as Results));
progress("");
printResults(terminal, results);
terminal.out(`\nwritten: ${folder}/latest.json, ${folder}/latest.svg${flags.quick ? "" : ", README.md"}\n`);
if (flags.check && requirement.some((verdict) => verdict.exceeded.length > 0)) process.exitCode = 1;

async function measure(bundle: Bundle): Promise<void> {
  const peers: Peer[] = [];
  for (const make of MAKERS) {
    const peer = await make(bundle);
    if ("absent" in peer) absences.push({ policy: bundle.name, name: peer.name, why: peer.absent });
    else peers.push(peer);
  }
  for (const kind of TABLE_KINDS) {
    for (const peer of peers) {
      const decide = peer.decides(kind);
      if (typeof decide !== "function")
        absences.push({ policy: bundle.name, name: `${peer.name}, ${kind}`, why: decide.cannot });
    }
  }
  const all = scenariosOf(bundle.data.portcullis.policy);
  // Every kind before the first measurement: code that has seen one kind alone is faster than any service's.
  for (const scenario of all) {
    for (const peer of peers) {
      const decide = peer.decides(scenario.kind);
      if (typeof decide === "function") assertRight(peer, decide, scenario);
    }
  }
  for (const scenario of all) {
    const contenders = peers.flatMap((peer) => {
      const decide = peer.decides(scenario.kind);
      return typeof decide === "function" ? [{ name: peer.name, decide }] : [];
    });
    for (const style of INPUT_STYLES) {
      progress(`policies ${bundle.name}: ${scenario.kind}, ${scenario.outcome}, ${style}`);
      const measured = sample(contenders, LIMIT, style, scenario.texts, sampling);
      scenarios.push({ policy: bundle.name, kind: scenario.kind, outcome: scenario.outcome, style, measured });
    }
  }
}

/** Adds to the varied requests what they cost when each is evaluated: by an instance of its own, so after all others. */
async function measureEvaluation(bundle: Bundle): Promise<void> {
  const peers = [await handWritten(bundle), await forgetful(bundle)];
  for (const { kind, outcome, texts } of scenariosOf(bundle.data.portcullis.policy)) {
    progress(`policies ${bundle.name}: ${kind}, ${outcome}, evaluated each time`);
    const contenders = peers.flatMap((peer) => {
      const decide = "absent" in peer ? undefined : peer.decides(kind);
      return typeof decide === "function" ? [{ name: peer.name, decide }] : [];
    });
    const [, measured] = sample(contenders, LIMIT, "varied", texts, sampling);
    const at = scenarios.findIndex(
      (s) => s.policy === bundle.name && s.kind === kind && s.outcome === outcome && s.style === "varied",
    );
    const before = scenarios[at];
    if (before === undefined || measured === undefined) throw new Error(`${kind}, ${outcome} was not measured`);
    const [limit, remembered, ...others] = before.measured;
    const columns = [limit, remembered, measured, ...others].flatMap((column) => column ?? []);
    scenarios[at] = { ...before, measured: columns };
  }
}

/** A fast wrong answer is worth nothing: every contender must answer each request as the gates say. */
function assertRight(peer: Peer, decide: (request: never) => unknown, { kind, outcome, gate, texts }: Scenario): void {
  for (const text of texts.slice(0, 64)) {
    const answer = decide(JSON.parse(text) as never);
    const right = peer.wholeDecisions
      ? (answer as { gate?: unknown } | undefined)?.gate === gate
      : peer.allowed(answer) === (gate === "ALLOW");
    if (!right)
      throw new Error(`${peer.name} answers ${JSON.stringify(answer)} to ${text} (${kind}, ${outcome}: ${gate})`);
  }
}

function progress(text: string): void {
  if (terminal.interactive) terminal.err(`\r\u001b[K${text}`);
}

function rounded(_: string, value: unknown): unknown {
  return typeof value === "number" ? Math.round(value * 100) / 100 : value;
}

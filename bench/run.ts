/**
 * `make bench`: what a decision costs on requests that were never asked before, beside the alternatives, and whether REQ-14 holds.
 *
 *   npx tsx bench/run.ts [--quick] [--size S|M|L]... [--only PART]... [--baseline FILE] [--check]
 *
 * --size      only these generated policies (default: S, M and L, with --quick S and M; compiling L takes some time once)
 * --only      only these parts: headline, workingSets, latency, services, throughput, listening, costs, serving, peers, sdks, runtimes; writes below
 *             out/bench, as --quick does. `services`, `listening` and those from `serving` on, alone or together, are recorded in
 *             bench/results: their tables have dates of their own
 * --quick     fewer and shorter rounds: for a look; writes below out/bench instead of bench/results and the README
 * --baseline  a latest.json of before: says what got slower beyond noise
 * --check     exit 1 when a decision exceeds REQ-14, or is slower than in the baseline
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { loadNow, machineNow } from "../compiler/cli/bench/machine.ts";
import { printing } from "../compiler/cli/printer.ts";
import { nodeVoice } from "../compiler/cli/terminal.ts";
import { bundleOf } from "./bundles.ts";
import { chartOf } from "./chart.ts";
import { commitNow } from "./commit.ts";
import { compared } from "./compared.ts";
import { SIZES, type Size } from "./generate-policies.ts";
import { markdownOf } from "./markdown.ts";
import type { Part } from "./parts/child.ts";
import { type PartResult, runPart } from "./parts/run-part.ts";
import { withBenchmark } from "./readme.ts";
import { printResults } from "./report.ts";
import { holds } from "./requirement.ts";
import { type Apart, type ApartRow, type Results, resultsText } from "./results.ts";

const ALL_PARTS: readonly Part[] = [
  "headline",
  "workingSets",
  "latency",
  "services",
  "throughput",
  "listening",
  "costs",
  "serving",
  "peers",
  "sdks",
  "runtimes",
];
/** Measured for one size of policies, each with a record of its own. */
const ONE_SIZE: readonly string[] = ["listening", "serving", "peers", "sdks", "runtimes"];

const { values: flags } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    size: { type: "string", multiple: true },
    only: { type: "string", multiple: true, default: [...ALL_PARTS] },
    baseline: { type: "string" },
  },
});
const sizes = (flags.size ?? (flags.quick ? ["S", "M"] : Object.keys(SIZES))).map((size): Size => {
  if (!(size in SIZES)) throw new Error(`--size ${size}: S, M or L`);
  return size as Size;
});
for (const part of flags.only)
  if (!ALL_PARTS.includes(part as Part)) throw new Error(`--only ${part}: ${ALL_PARTS.join(", ")}`);
const baseline =
  flags.baseline === undefined ? undefined : (JSON.parse(readFileSync(flags.baseline, "utf8")) as Results);
/** Figures that stand beside those of the last record. */
const isAddition =
  !flags.quick &&
  flags.size === undefined &&
  flags.only.every((part) => part === "services" || ONE_SIZE.includes(part));
const partial = flags.quick || flags.only.length < ALL_PARTS.length || sizes.length < Object.keys(SIZES).length;
const terminal = printing(nodeVoice());
/** Now: others may commit while this runs. */
const revision = commitNow();
const loadAtStart = loadNow();

const middle: readonly Size[] = [sizes.includes("M") ? "M" : (sizes[0] as Size)];

for (const size of flags.only.every((part) => ONE_SIZE.includes(part)) ? middle : sizes) {
  progress(`compiling policies ${size}`);
  await bundleOf(size);
}
const headline = await measure("headline");
const workingSets = await measure("workingSets");
const latency = await measure("latency");
const asServices = await measure("services");
// Rates of one policy say enough: how much the others differ, the tables above show.
const throughput = await measure("throughput", middle);
const [heard] = await measure("listening", middle);
const costs = await measure("costs");
const [served] = await measure("serving", middle);
const [beside] = await measure("peers", middle);
const [asSdks] = await measure("sdks", middle);
const [onRuntimes] = await measure("runtimes", middle);

const date = new Date().toISOString();
const machine = machineNow(loadAtStart);
const own = { revision, date, machine };
const [timed] = asServices;
const apart = (one: { readonly size: Size; readonly result: readonly ApartRow[] }): Apart => ({
  ...own,
  policy: one.size,
  rows: one.result,
});
const additions: Pick<Results, "services" | "listening" | "serving" | "peers" | "sdks" | "runtimes"> = {
  ...(timed && {
    services: { ...own, clockNs: timed.result.clockNs, rows: asServices.flatMap(({ result }) => result.rows) },
  }),
  ...(heard && { listening: { ...own, ...heard.result } }),
  ...(served && { serving: { ...own, ...served.result } }),
  ...(beside && { peers: apart(beside) }),
  ...(asSdks && { sdks: apart(asSdks) }),
  ...(onRuntimes && { runtimes: apart(onRuntimes) }),
};
const measured: Results = {
  revision,
  date,
  quick: partial,
  machine,
  clockNs: latency[0]?.result.clockNs ?? 0,
  headline: headline.flatMap(({ result }) => result.rows),
  workingSets: workingSets.flatMap(({ result }) => result),
  latency: latency.flatMap(({ result }) => result.rows),
  throughput: throughput.flatMap(({ result }) => result),
  absences: headline.flatMap(({ result }) => result.absences),
  costs: costs.map(({ size, result }) => ({ policy: size, cost: result.cost })),
  growth: costs.flatMap(({ result }) => result.growth),
  ...additions,
};
const folder = partial && !isAddition ? "out/bench" : "bench/results";
const results: Results = isAddition
  ? { ...(JSON.parse(readFileSync(`${folder}/latest.json`, "utf8")) as Results), ...additions }
  : measured;
const text = resultsText(results);
// From the rounded numbers, which are those that anyone can make it from again.
const written = JSON.parse(text) as Results;
mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}/latest.json`, text);
writeFileSync(`${folder}/latest.svg`, chartOf(written));
writeFileSync(`${folder}/latest.md`, markdownOf(written));
if (folder === "bench/results") writeFileSync("README.md", withBenchmark(readFileSync("README.md", "utf8"), written));
progress("");
printResults(terminal, written);
const slower = baseline === undefined ? undefined : compared(baseline, written);
if (slower !== undefined) terminal.out(`\n${slower.text}\n`);
terminal.out(
  `\nwritten: ${folder}/latest.json, latest.md and latest.svg${folder === "bench/results" ? ", README.md" : ""}\n`,
);
if (flags.check && (!holds(results) || (slower?.found ?? 0) > 0)) process.exitCode = 1;

async function measure<P extends Part>(
  part: P,
  of: readonly Size[] = sizes,
): Promise<{ readonly size: Size; readonly result: PartResult<P> }[]> {
  const measured: { readonly size: Size; readonly result: PartResult<P> }[] = [];
  if (!flags.only.includes(part)) return measured;
  for (const size of of) {
    const from = performance.now();
    measured.push({ size, result: await runPart(part, size, flags.quick, progress) });
    if (!terminal.interactive)
      terminal.err(`policies ${size}, ${part}: ${((performance.now() - from) / 1000).toFixed(0)} s\n`);
  }
  return measured;
}

function progress(shown: string): void {
  if (terminal.interactive) terminal.err(`\r\u001b[K${shown}`);
}

/**
 * The figures that a planner needs, from `portcullis serve` as it is installed, in one command:
 *
 *   npx tsx --tsconfig bench/tsconfig.json bench/capacity.ts [--requests 20000] [--sizes example,S,M]
 *
 * Processor time of the server's process counts, which other work on the machine takes little of; nothing else here is a time, but
 * the longest answer during reloads. Writes results/capacity.md. Linux: `/proc` tells what a process took.
 */

import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { entrypointOf } from "@portcullis/runtime";
import { loadNow, machineNow, machineText } from "../compiler/cli/bench/machine.ts";
import { type Bundle, bundleOf, type PolicyName } from "./bundles.ts";
import { checksOf } from "./capacity/checks.ts";
import { cpuMicros, type Served, served } from "./capacity/served.ts";
import { commitNow } from "./commit.ts";
import { markdownTable } from "./tables.ts";
import { textsOf, type Workload, workloadsOf } from "./workloads/index.ts";

const { values } = parseArgs({
  options: { requests: { type: "string", default: "20000" }, sizes: { type: "string", default: "example,S,M" } },
});
const REQUESTS = Number(values.requests);
const root = fileURLToPath(new URL("../", import.meta.url));
const loadAtStart = loadNow();

/** Bodies are asked in turn; the client goes on until it has had this many answers. */
async function ask({ url }: Served, workload: Workload, count: number): Promise<void> {
  const bodies = textsOf(workload, 0, 256).map((text) => `{"input":${text}}`);
  const options = { url: `${url}/v1/data/${entrypointOf(workload.kind)}`, connections: 16, count, bodies };
  const client = promisify(execFile)(process.execPath, [`${root}bench/capacity/client.mjs`]);
  client.child.stdin?.end(JSON.stringify(options));
  await client;
}

/** Microseconds of processor time a request, once the code is warm. */
async function microsOf(server: Served, workload: Workload): Promise<number> {
  await ask(server, workload, REQUESTS / 2);
  const before = cpuMicros(server.pid);
  await ask(server, workload, REQUESTS);
  return (cpuMicros(server.pid) - before) / REQUESTS;
}

const perCore = (micros: number): string => Math.round(1e6 / micros).toLocaleString("en");
const shown = (micros: number): string => micros.toFixed(1);
const chosen = ({ data }: Bundle): Workload[] =>
  workloadsOf(data.portcullis.policy).filter(({ size, outcome }) => size === "typical" && outcome === "allow");

async function byKind(bundle: Bundle, adapted: Bundle): Promise<string[][]> {
  const server = await served(bundle.path);
  const rows = [["decision", "processor time a request, µs", "a second and core"]];
  try {
    for (const workload of chosen(bundle)) {
      const micros = await microsOf(server, workload);
      rows.push([`${workload.kind}, HTTP`, shown(micros), perCore(micros)]);
    }
  } finally {
    await server.stop();
  }
  for (const [over, micros] of await checksOf(adapted.path, REQUESTS))
    rows.push([`Envoy's check, ${over}`, shown(micros), perCore(micros)]);
  return rows;
}

async function byLog(bundle: Bundle): Promise<string[][]> {
  const workload = chosen(bundle).find(({ kind }) => kind === "tool") as Workload;
  const rows = [["log", "processor time a request, µs"]];
  const log = ["--decision-log", `${root}out/bench/capacity.ndjson`];
  for (const [name, flags] of [
    ["none", []],
    ["`--decision-log` to a file", log],
    ["and `--log-required`", [...log, "--log-required"]],
    ["none, and `--shadow` of the same bundle", ["--shadow", bundle.path]],
  ] as const) {
    const server = await served(bundle.path, flags);
    rows.push([name, shown(await microsOf(server, workload))]);
    await server.stop();
  }
  return rows;
}

async function bySize(names: readonly string[]): Promise<string[][]> {
  const rows = [
    ["policies", "bundle, KB", "start, ms of processor time", "resident, MB", "a reload, ms of processor time"],
  ];
  for (const name of names) {
    const bundle = await bundleOf(name as PolicyName);
    const server = await served(bundle.path);
    const started = cpuMicros(server.pid);
    const resident = server.residentMb();
    const RELOADS = 5;
    for (let i = 0; i < RELOADS; i++) await server.reload();
    const reload = (cpuMicros(server.pid) - started) / RELOADS;
    rows.push([
      name,
      (bundle.bytes.length / 1024).toFixed(0),
      ...[started / 1000, resident, reload / 1000].map((n) => n.toFixed(0)),
    ]);
    await server.stop();
  }
  return rows;
}

/** Ten reloads while it is asked: answers that failed end the client. */
async function reloading(bundle: Bundle): Promise<string> {
  const server = await served(bundle.path);
  try {
    const workload = chosen(bundle).find(({ kind }) => kind === "tool") as Workload;
    let isAsking = true;
    const asking = ask(server, workload, REQUESTS).finally(() => {
      isAsking = false;
    });
    let reloads = 0;
    for (; isAsking; reloads++) await server.reload();
    await asking;
    return `${REQUESTS.toLocaleString("en")} requests during ${reloads} reloads one after the other: all were answered.`;
  } finally {
    await server.stop();
  }
}

const small = await bundleOf("S");
const sections = [
  ["Decisions by kind", markdownTable(await byKind(small, await bundleOf("example")))],
  ["What a log costs, and a shadow (`tool`)", markdownTable(await byLog(small))],
  ["Policies by size", markdownTable(await bySize(values.sizes.split(",")))],
  ["Reload under load", await reloading(small)],
];
const machine = machineNow(loadAtStart);
const head = `# Capacity

Written by \`npx tsx --tsconfig bench/tsconfig.json bench/capacity.ts\`; [bench/README.md](../README.md) says how to read it.

Revision ${commitNow()}, ${new Date().toISOString().slice(0, 10)}: ${machineText(machine)}; load ${machine.loadAtStart} at the start, ${machine.loadAtEnd} at the end.`;
const text = [head, ...sections.map(([title, body]) => `## ${title}\n\n${body}`)].join("\n\n");
writeFileSync(`${root}bench/results/capacity.md`, `${text}\n`);
process.stdout.write(`${text}\n`);

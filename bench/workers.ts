/**
 * What a request costs `portcullis serve --workers 2`, beside one process: processor time of all processes of each, in turns.
 *
 *   npx tsx --tsconfig bench/tsconfig.json bench/workers.ts [--rounds 11] [--requests 10000]
 *
 * Prints the medians in µs, and the median of the ratios within rounds. Linux: `/proc` tells what a process took. Two workers are
 * asked over as many connections each as the one process, and over as many together.
 */

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { entrypointOf } from "@portcullis/runtime";
import { loadNow, machineNow, machineText } from "../compiler/cli/bench/machine.ts";
import { bundleOf } from "./bundles.ts";
import { cpuMicros, type Served, served } from "./capacity/served.ts";
import { markdownTable } from "./tables.ts";
import { textsOf, type Workload, workloadsOf } from "./workloads/index.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "11" }, requests: { type: "string", default: "10000" } },
});
const [ROUNDS, REQUESTS] = [Number(values.rounds), Number(values.requests)];
const CONNECTIONS = 32;
const root = fileURLToPath(new URL("../", import.meta.url));
const loadAtStart = loadNow();
const small = await bundleOf("S");
const workload = workloadsOf(small.data.portcullis.policy).find(
  ({ kind, size, outcome }) => kind === "tool" && size === "typical" && outcome === "allow",
) as Workload;
const bodies = textsOf(workload, 0, 256).map((text) => `{"input":${text}}`);

/** The primary, and its workers. */
function cpuOf({ pid }: Served): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
  return [pid, ...children.map(Number)].reduce((sum, id) => sum + cpuMicros(id), 0);
}

/** Microseconds of processor time a request. */
async function microsOf(server: Served, connections: number, count = REQUESTS): Promise<number> {
  const before = cpuOf(server);
  const client = promisify(execFile)(process.execPath, [`${root}bench/capacity/client.mjs`]);
  const url = `${server.url}/v1/data/${entrypointOf(workload.kind)}`;
  client.child.stdin?.end(JSON.stringify({ url, connections, count, bodies }));
  await client;
  return (cpuOf(server) - before) / count;
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number;
const log = (name: string): string[] => ["--decision-log", `${root}out/bench/${name}.ndjson`];
const rows = [["", "one, 32", "two, 64", "ratio", "two, 32", "ratio"]];
for (const [name, flags] of [
  ["no log", () => []],
  ["`--decision-log` to a file", log],
  ["and `--log-required`", (file: string) => [...log(file), "--log-required"]],
] as const) {
  const [one, two] = await Promise.all([
    served(small.path, flags("one")),
    served(small.path, [...flags("two"), "--workers", "2"]),
  ]);
  const rounds: [number, number, number][] = [];
  for (const server of [one, two]) await microsOf(server, CONNECTIONS, 2 * REQUESTS);
  for (let i = 0; i < ROUNDS; i++)
    rounds.push([
      await microsOf(one, CONNECTIONS),
      await microsOf(two, 2 * CONNECTIONS),
      await microsOf(two, CONNECTIONS),
    ]);
  const [alone, wide, narrow] = [0, 1, 2].map((at) => median(rounds.map((round) => round[at] as number)).toFixed(0));
  const ratios = [1, 2].map((at) => median(rounds.map((round) => (round[at] as number) / round[0])).toFixed(2));
  rows.push([name, alone, wide, ratios[0], narrow, ratios[1]] as string[]);
  await Promise.all([one.stop(), two.stop()]);
}
const machine = machineNow(loadAtStart);
process.stdout.write(
  `${markdownTable(rows)}\n\n${machineText(machine)}; load ${machine.loadAtStart} at the start, ${machine.loadAtEnd} at the end.\n`,
);

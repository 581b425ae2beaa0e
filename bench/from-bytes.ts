/**
 * Decisions from the bytes of a request, policies M: `npx tsx --tsconfig bench/tsconfig.json bench/from-bytes.ts [MODULE]`. The
 * module is a `policy.wasm` of the same policies by another compiler, and decides in turns with ours. Slices are short, and the
 * time is the longest of the fastest seventh: on a busy machine these were not interrupted.
 */

import { readFileSync } from "node:fs";
import { loadPolicy } from "@open-policy-agent/opa-wasm";
import { entrypointOf, load } from "@portcullis/runtime";
import { bundleOf } from "./bundles.ts";
import { randomOf } from "./random.ts";
import { textsOf, type Workload, workloadsOf } from "./workloads/index.ts";

const SLICES = 300;
const WARM = 60;
const SLICE = 60;
const FASTEST = 1 / 7;

type Decide = (request: ArrayBuffer) => unknown;

interface Contender {
  readonly decide: Decide;
  readonly run: (decide: Decide, requests: readonly ArrayBuffer[]) => unknown;
  readonly times: number[];
}

interface StockPolicy {
  setData(data: unknown): void;
  evaluate(input: ArrayBuffer, entrypoint: string): unknown;
}

const bundle = await bundleOf("M");
const modules = [...process.argv.slice(2, 3).map((path) => readFileSync(path)), bundle.wasm];
const policies = await Promise.all(modules.map((wasm) => load(wasm)));
const stock = await Promise.all(modules.map(stockOf));
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const random = randomOf(SLICES);

async function stockOf(wasm: Uint8Array): Promise<StockPolicy> {
  const policy = (await loadPolicy(wasm)) as unknown as StockPolicy;
  policy.setData({});
  return policy;
}

/** Each with a loop of its own, as in interleave.ts. */
function contender(decide: Decide): Contender {
  const run = new Function("decide", "requests", "let last; for (const r of requests) last = decide(r); return last;");
  return { decide, run: run as Contender["run"], times: [] };
}

/** In nanoseconds, the contenders: JSON.parse alone, then for each module bytes, stock SDK, and decode, parse, typed call. */
function measured(workload: Workload): { bytes: number; times: readonly number[] } {
  const { kind, different } = workload;
  const entrypoint = entrypointOf(kind);
  const contenders = [
    contender((request) => JSON.parse(request as unknown as string)),
    ...policies.flatMap((policy, i) => [
      contender((request) => policy.evaluateJson(entrypoint, new Uint8Array(request))),
      contender((request) => stock[i]?.evaluate(request, entrypoint)),
      contender((request) => policy[kind](JSON.parse(decoder.decode(request)) as never)),
    ]),
  ];
  let bytes = 0;
  for (let slice = 0; slice < WARM + SLICES; slice++) {
    const texts = textsOf(workload, (slice * SLICE) % Math.max(1, different - SLICE), SLICE);
    const requests = texts.map((text) => encoder.encode(text).slice().buffer as ArrayBuffer);
    bytes = requests[0]?.byteLength ?? 0;
    const first = random.below(contenders.length);
    for (let i = 0; i < contenders.length; i++) {
      const { decide, run, times } = contenders[(first + i) % contenders.length] as Contender;
      const given =
        decide === contenders[0]?.decide ? (texts as readonly unknown[] as readonly ArrayBuffer[]) : requests;
      run(decide, given.slice(0, 8));
      const from = performance.now();
      run(decide, given);
      if (slice >= WARM) times.push(((performance.now() - from) * 1e6) / SLICE);
    }
  }
  return { bytes, times: contenders.map(({ times }) => fastOf(times)) };
}

function fastOf(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length * FASTEST)] as number;
}

const shown = (ns: number | undefined): string => (ns === undefined ? "" : Math.round(ns).toLocaleString("en"));

console.log("| | bytes | `JSON.parse` | evaluateJson | gain | stock SDK | gain | decode, parse, typed | gain |");
console.log("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
for (const workload of workloadsOf(bundle.data.portcullis.policy)) {
  if (workload.outcome !== "allow" || (workload.size === "small" && workload.kind !== "lineage")) continue;
  const { bytes, times } = measured(workload);
  const cells = [1, 2, 3].flatMap((i) => {
    const [before, after] = modules.length > 1 ? [times[i], times[i + 3]] : [undefined, times[i]];
    const gain = before === undefined ? "" : (before / (after as number)).toFixed(2);
    return [before === undefined ? shown(after) : `${shown(before)} / ${shown(after)}`, gain];
  });
  console.log(
    `| ${[`${workload.kind} ${workload.what}`.trim(), shown(bytes), shown(times[0]), ...cells].join(" | ")} |`,
  );
}

/**
 * Decisions from the bytes of a request, policies M: `npx tsx --tsconfig bench/tsconfig.json bench/from-bytes.ts [MODULE]`. The
 * module is a `policy.wasm` of the same policies by another compiler, and decides in turns with ours.
 *
 * Each contender is handed what it takes, made before the clock runs: ours a Uint8Array, as sockets give it; the stock SDK the
 * ArrayBuffer that it asks for; JSON.parse, alone and before the code written by hand, the text, as a decoder gives it. The last
 * columns are measured / wanted: the time of ours by that of JSON.parse alone and of JSON.parse with the code written by hand, and
 * how many times ours stock opa-wasm takes on OPA's own module, where it decodes, parses and hands its SDK the object.
 */

import { readFileSync } from "node:fs";
import { loadPolicy } from "@open-policy-agent/opa-wasm";
import { type DecisionKind, entrypointOf, load, type Policy } from "@portcullis/runtime";
import { bundleOf } from "./bundles.ts";
import { assertRight, LIMIT, peersOf } from "./parts/contenders.ts";
import { handWritten } from "./peers/hand-written/index.ts";
import { STOCK, stockOnOpas } from "./peers/opa.ts";
import { allowedOf, type Decide, type Peer } from "./peers/peer.ts";
import { type Contender, contender, FEW, measured } from "./slices.ts";
import { textsOf, type Workload, workloadsOf } from "./workloads/index.ts";

interface StockPolicy {
  setData(data: unknown): void;
  evaluate(input: ArrayBuffer, entrypoint: string): unknown;
}

/** What is wanted: ours by JSON.parse alone at most, by JSON.parse with the code written by hand, and stock by ours at least. */
const [PARSE, HAND, TIMES] = [1, 0.6, 20];
const BEFORE_DISKS: readonly DecisionKind[] = ["handoff", "exec", "close"];

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const parsed = (bytes: Uint8Array): never => JSON.parse(decoder.decode(bytes)) as never;
const bundle = await bundleOf("M");
const modules = [...process.argv.slice(2, 3).map((path) => readFileSync(path)), bundle.wasm];
const policies = await Promise.all(modules.map((wasm) => load(wasm)));
const stock = await Promise.all(modules.map(stockOf));
const { peers, absences } = await peersOf(bundle, [handWritten, stockOnOpas]);
const ours = policies.map((policy, i) => peerOf(`evaluateJson ${i}`, policy));

async function stockOf(wasm: Uint8Array): Promise<StockPolicy> {
  const policy = (await loadPolicy(wasm)) as unknown as StockPolicy;
  policy.setData({});
  return policy;
}

function peerOf(name: string, policy: Policy): Peer {
  const decides = (kind: DecisionKind): Decide => {
    const entrypoint = entrypointOf(kind);
    return (request) => policy.evaluateJson(entrypoint, encoder.encode(JSON.stringify(request)));
  };
  return { name, wholeDecisions: true, allowed: allowedOf, decides };
}

function decidesOf(name: string, kind: DecisionKind): Decide {
  const decide = peers.find((peer) => peer.name === name)?.decides(kind);
  return typeof decide === "function" ? decide : () => undefined;
}

/** JSON.parse alone, and with code by hand; then for each module bytes, stock SDK, and decode, parse, typed call. */
function contendersOf(kind: DecisionKind): Contender[] {
  const entrypoint = entrypointOf(kind);
  const byHand = decidesOf(LIMIT, kind);
  return [
    contender("text", (text: string) => JSON.parse(text)),
    contender("text", (text: string) => byHand(JSON.parse(text) as never)),
    ...policies.flatMap((policy, i) => [
      contender("bytes", (bytes: Uint8Array) => policy.evaluateJson(entrypoint, bytes)),
      contender("buffer", (buffer: ArrayBuffer) => stock[i]?.evaluate(buffer, entrypoint)),
      contender("bytes", (bytes: Uint8Array) => policy[kind](parsed(bytes))),
    ]),
  ];
}

/** OPA's module. Alone: it goes through so much memory that all others would find their tables in no cache. */
function opasTime(workload: Workload): number {
  const decide = decidesOf(STOCK, workload.kind);
  // For calls it takes a hundred times as long as ours.
  const count = workload.kind === "call" ? FEW : undefined;
  return measured([contender("bytes", (bytes: Uint8Array) => decide(parsed(bytes)), count)], workload)[0] as number;
}

const shown = (ns: number): string => Math.round(ns).toLocaleString("en");

/** A ratio, and what is wanted of it where something is. */
function beside(ratio: number, wanted: number | undefined): string {
  return wanted === undefined ? ratio.toFixed(2) : `${ratio.toFixed(2)} / ${wanted}`;
}

const opaIsHere = peers.some(({ name }) => name === STOCK);
for (const { name, why } of absences)
  console.log(`**${name} is not measured: ${why}.** Two columns are missing, and what is wanted cannot be judged.\n`);

const columns = [
  ...["", "bytes", "`JSON.parse`", "parse + hand", ...(opaIsHere ? [STOCK] : [])],
  ...["evaluateJson", "gain", "stock SDK", "gain", "decode, parse, typed", "gain"],
  ...["to `JSON.parse`", "to parse + hand", ...(opaIsHere ? ["stock to ours"] : [])],
];
console.log(`| ${columns.join(" | ")} |\n|---|${"--:|".repeat(columns.length - 1)}`);
for (const workload of workloadsOf(bundle.data.portcullis.policy)) {
  const { kind, size, what, outcome } = workload;
  if (outcome !== "allow" || (size === "small" && kind !== "lineage")) continue;
  assertRight([...peers, ...ours], workload);
  const [parse = 0, hand = 0, ...times] = measured(contendersOf(kind), workload);
  const opas = opaIsHere ? opasTime(workload) : 0;
  const bytes = times.at(-3) as number;
  const isSlow = BEFORE_DISKS.includes(kind);
  const gains = [0, 1, 2].flatMap((i) => {
    const [first = 0, after] = [times[i], times[i + 3]];
    return after === undefined ? [shown(first), ""] : [`${shown(first)} / ${shown(after)}`, (first / after).toFixed(2)];
  });
  const cells = [
    ...[`${kind} ${what}`.trim(), shown(encoder.encode(textsOf(workload, 0, 1)[0]).length)],
    ...[shown(parse), shown(hand), ...(opaIsHere ? [shown(opas)] : []), ...gains],
    ...[beside(bytes / parse, isSlow ? undefined : PARSE), beside(bytes / hand, isSlow ? HAND : undefined)],
    ...(opaIsHere ? [beside(opas / bytes, TIMES)] : []),
  ];
  console.log(`| ${cells.join(" | ")} |`);
}

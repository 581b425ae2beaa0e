/** What a policy costs beside decisions: bytes, time to load, memory, and whether deciding leaves anything behind. */

import { load } from "@portcullis/runtime";
import { collectAllGarbage } from "../compiler/cli/bench/garbage.ts";
import type { Bundle } from "./bundles.ts";

export interface Cost {
  readonly compileMs: number;
  readonly compileRssMb: number;
  readonly bundleKb: number;
  readonly moduleKb: number;
  /** From the bytes of the bundle to a policy that has answered once; median of several. */
  readonly loadMs: number;
  /** Resident memory that a loaded policy adds. */
  readonly loadedMb: number;
}

export interface Growth {
  readonly decisions: number;
  readonly heapKb: number;
  readonly wasmKb: number;
}

export async function costOf(bundle: Bundle, loads: number): Promise<Cost> {
  const before = memory();
  const kept = await load(bundle.bytes);
  kept.evaluate("portcullis/lane/decision", {});
  const after = memory();
  const times: number[] = [];
  for (let i = 0; i < loads; i++) {
    const from = performance.now();
    const policy = await load(bundle.bytes);
    policy.evaluate("portcullis/lane/decision", {});
    times.push(performance.now() - from);
  }
  return {
    compileMs: bundle.compileMs,
    compileRssMb: bundle.compileRss / 2 ** 20,
    bundleKb: bundle.bytes.length / 1024,
    moduleKb: bundle.wasm.length / 1024,
    loadMs: times.sort((a, b) => a - b)[loads >> 1] as number,
    loadedMb: (after.heap + after.buffers - before.heap - before.buffers) / 2 ** 20,
  };
}

/** Something to ask again and again. */
export interface Question {
  readonly decide: (request: never) => unknown;
  readonly requests: readonly unknown[];
}

/** Memory before and after many decisions: each question's requests in turn, one of each question after the other. */
export function growthOf(questions: readonly Question[], decisions: number): Growth {
  const ask = (count: number): void => {
    for (let i = 0; i < count; i++) {
      const { decide, requests } = questions[i % questions.length] as Question;
      decide(requests[Math.floor(i / questions.length) % requests.length] as never);
    }
  };
  ask(Math.min(decisions, 100_000));
  const before = memory();
  ask(decisions);
  const after = memory();
  return { decisions, heapKb: (after.heap - before.heap) / 1024, wasmKb: (after.buffers - before.buffers) / 1024 };
}

/** After a collection; the memories of WebAssembly count as buffers. */
function memory(): { readonly heap: number; readonly buffers: number } {
  collectAllGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return { heap: heapUsed, buffers: external };
}

/**
 * Measures contenders from texts in short slices, each contender once in a slice and in another order each time. The time is the
 * longest of the fastest seventh: on a busy machine these were not interrupted.
 */

import type { Decide } from "./peers/peer.ts";
import { randomOf } from "./random.ts";
import { textsOf, type Workload } from "./workloads/index.ts";

const SLICES = 300;
/** How long slices are measured for at least: data of another contender's may be in the way of one for a second. */
const LEAST_MS = 1_500;
/** How long each contender decides before: engines compile a function for good after some hundred thousand calls of it. */
const WARM_MS = 500;
/** Requests of a slice, unless a contender takes fewer. */
const SLICE = 60;
/** Decided before the clock runs, and the fewest requests of a slice. */
export const FEW = 8;
const FASTEST = 1 / 7;

const encoder = new TextEncoder();
const random = randomOf(SLICES);

/** How a request is handed over. */
const GIVEN = {
  text: (text: string): unknown => text,
  bytes: (text: string): unknown => encoder.encode(text),
  buffer: (text: string): unknown => encoder.encode(text).slice().buffer,
};

export interface Contender {
  readonly given: keyof typeof GIVEN;
  readonly decide: Decide;
  readonly count: number;
  readonly run: (decide: Decide, requests: readonly unknown[]) => unknown;
}

/** Each with a loop of its own, as in interleave.ts. */
export function contender(given: Contender["given"], decide: Decide, count = SLICE): Contender {
  const run = new Function("decide", "requests", "let last; for (const r of requests) last = decide(r); return last;");
  return { given, decide, count, run: run as Contender["run"] };
}

/** Nanoseconds a decision, by contender. What they are handed is made before the clock runs. */
export function measured(contenders: readonly Contender[], workload: Workload): number[] {
  const times = contenders.map((): number[] => []);
  for (const one of contenders) warm(one, workload);
  const end = performance.now() + LEAST_MS;
  for (let slice = 0; slice < SLICES || performance.now() < end; slice++) {
    const texts = sliceOf(workload, slice);
    const first = random.below(contenders.length);
    for (let i = 0; i < contenders.length; i++) {
      const place = (first + i) % contenders.length;
      const { given, decide, count, run } = contenders[place] as Contender;
      const requests = texts.slice(0, count).map(GIVEN[given]);
      run(decide, requests.slice(0, FEW));
      const from = performance.now();
      run(decide, requests);
      times[place]?.push(((performance.now() - from) * 1e6) / count);
    }
  }
  return times.map((found) => found.sort((a, b) => a - b)[Math.floor(found.length * FASTEST)] as number);
}

function warm({ given, decide, run }: Contender, workload: Workload): void {
  let ms = 0;
  for (let slice = 0; ms < WARM_MS; slice++) {
    const requests = sliceOf(workload, slice).map(GIVEN[given]);
    const from = performance.now();
    run(decide, requests);
    ms += performance.now() - from;
  }
}

function sliceOf(workload: Workload, slice: number): string[] {
  return textsOf(workload, (slice * SLICE) % Math.max(1, workload.different - SLICE), SLICE);
}

/**
 * Seeds compared by several processes at once. A process that dies or hangs takes none of the others with it: its seeds are
 * compared again, one by one, and the one that brings its process down every time is a difference.
 */

import { type ChildProcess, fork } from "node:child_process";
import { NOTHING, type Tally } from "./tally.ts";

export interface Seeds {
  readonly first: number;
  readonly count: number;
  readonly opa: boolean;
}

export interface Work {
  readonly runs: number;
  readonly seed: number;
  readonly jobs: number;
  readonly opa: boolean;
  /** The file that a process runs. */
  readonly worker: URL;
  /** Told of every part of the result as it is there. */
  readonly onTally: (tally: Tally) => void;
}

/** Seeds to a message: this many are compiled into one module. */
const CHUNK = 100;
const LONGEST_MS = 300_000;
/** Young objects are many, and most die: a larger nursery takes a tenth off the time. */
const NODE_OPTIONS = ["--max-semi-space-size=64"];

/** Compares until `runs` programs were compared; the seed after the last. */
export async function compareInProcesses(work: Work): Promise<number> {
  let compared = 0;
  let underWay = 0;
  let next = work.seed;
  const again: Seeds[] = [];

  const take = (): Seeds | undefined => {
    const retry = again.pop();
    if (retry !== undefined) return retry;
    const count = Math.min(CHUNK, work.runs - compared - underWay);
    if (count <= 0) return undefined;
    next += count;
    return { first: next - count, count, opa: work.opa };
  };
  const finish = (tally: Tally): void => {
    compared += tally.compared;
    work.onTally(tally);
  };

  const job = async (): Promise<void> => {
    let process: ChildProcess | undefined;
    for (let seeds = take(); seeds !== undefined; seeds = take()) {
      underWay += seeds.count;
      process ??= fork(work.worker, { execArgv: NODE_OPTIONS });
      const answer = await ask(process, seeds);
      underWay -= seeds.count;
      if (typeof answer !== "string") {
        finish(answer);
        continue;
      }
      process.kill("SIGKILL");
      process = undefined;
      const { first, count, opa } = seeds;
      if (count === 1) finish({ ...NOTHING, differences: [{ seed: first, text: `its process ${answer}` }] });
      else for (let i = count - 1; i >= 0; i--) again.push({ first: first + i, count: 1, opa });
    }
    process?.kill();
  };
  // What others leave to be done again, or come short of, may turn up when some are at rest.
  while (compared < work.runs || again.length > 0) await Promise.all(Array.from({ length: work.jobs }, job));
  return next;
}

/** Text says what became of the process. */
function ask(process: ChildProcess, seeds: Seeds): Promise<Tally | string> {
  return new Promise((resolve) => {
    const settle = (answer: Tally | string): void => {
      clearTimeout(timer);
      process.off("message", onMessage).off("error", onError).off("exit", onExit);
      resolve(answer);
    };
    const onMessage = (tally: unknown): void => settle(tally as Tally);
    const onError = (error: Error): void => settle(`failed: ${error.message}`);
    const onExit = (code: number | null, signal: string | null): void =>
      settle(`ended with ${signal ?? `code ${code}`}`);
    const timer = setTimeout(() => settle(`had no answer in ${LONGEST_MS / 1000} s`), LONGEST_MS);
    process.on("message", onMessage).on("error", onError).on("exit", onExit);
    process.send(seeds, (error) => {
      if (error) onError(error);
    });
  });
}

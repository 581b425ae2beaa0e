/** Parts of a log, decided in several threads. */

import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { LogPart, ReplayTally } from "@portcullis/governance/review";
import type { LoadOptions } from "@portcullis/runtime";

/** What a thread loads its policy from. */
export interface ThreadPolicy {
  readonly bytes: Uint8Array;
  readonly data: LoadOptions["data"];
}

/** Parts that wait for each thread: enough that none is idle, and no more memory than they take. */
const WAITING = 2;

/**
 * The tallies of the parts, in their order. Rejects when a thread fails. Memory: that of two parts a thread, whatever the log's
 * length.
 */
export async function* replayInThreads(
  { bytes, data }: ThreadPolicy,
  first: LogPart,
  more: AsyncIterable<LogPart>,
): AsyncGenerator<ReplayTally> {
  const threads = Array.from({ length: availableParallelism() }, () => new Thread({ bytes, data }));
  try {
    const answers: Promise<ReplayTally>[] = [(threads[0] as Thread).replay(first)];
    let next = 1;
    for await (const part of more) {
      answers.push((threads[next++ % threads.length] as Thread).replay(part));
      if (answers.length >= WAITING * threads.length) yield await (answers.shift() as Promise<ReplayTally>);
    }
    for (const answer of answers) yield await answer;
  } finally {
    await Promise.all(threads.map((thread) => thread.end()));
  }
}

interface Waiting {
  resolve(tally: ReplayTally): void;
  reject(error: unknown): void;
}

class Thread {
  private readonly worker: Worker;
  private readonly waiting: Waiting[] = [];

  constructor(workerData: ThreadPolicy) {
    this.worker = new Worker(new URL("replay-worker.js", import.meta.url), { workerData });
    this.worker.on("message", (tally: ReplayTally) => this.waiting.shift()?.resolve(tally));
    const fail = (error: unknown): void => {
      for (const { reject } of this.waiting.splice(0)) reject(error);
    };
    this.worker.on("error", fail);
    this.worker.on("exit", (code) => fail(new Error(`a thread ended with ${code}`)));
  }

  replay(part: LogPart): Promise<ReplayTally> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      this.worker.postMessage(part);
    });
  }

  async end(): Promise<void> {
    await this.worker.terminate();
  }
}

/** What a worker of `serve --workers` has of its primary process: the policy in force, the token, the log, the metrics of all. */

import cluster from "node:cluster";
import {
  BatchRefused,
  type BundleSource,
  type EventSink,
  type LoadOptions,
  ReloadablePolicy,
} from "@portcullis/runtime";
import type { InForce } from "../policy/served-policy.ts";
import { Peer } from "./peer.ts";
import type { Joined, SentBatch } from "./worker-pool.ts";

/** They are the primary's: a terminal, and a service manager, send them to every process. */
const SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM", "SIGUSR1", "SIGUSR2"] as const;

/** Shorter than the time that a worker's log waits: a batch that was given up is not written as well. */
const WRITE_MS = 20_000;

/** Without bytes and data: those that it has. */
type Given = Partial<InForce> & Pick<InForce, "staleAt">;

export class PrimaryLink {
  private readonly peer: Peer;
  private policies: Promise<ReloadablePolicy> | undefined;
  private staleAt: number | undefined;
  private count = (): string => "";
  private end = (): void => undefined;
  private readonly ended = new Promise<void>((resolve) => {
    this.end = resolve;
  });

  private constructor() {
    for (const signal of SIGNALS) process.on(signal, () => undefined);
    this.peer = new Peer(process, {
      take: (given: Given) => this.take(given),
      count: () => this.count(),
      end: () => this.end(),
    });
  }

  /** `undefined` in a process that no primary began. */
  static open(): PrimaryLink | undefined {
    return cluster.isWorker ? new PrimaryLink() : undefined;
  }

  /** What all workers count. */
  readonly metrics = (): Promise<string> => this.peer.ask("metrics");

  /** The log that the primary writes: a batch is in it when this has resolved. */
  sinkOf(sink: EventSink): EventSink {
    return {
      ...sink,
      write: async (batch, { events, gzip }) => {
        const sent: SentBatch = { batch, events, gzip, until: Date.now() + WRITE_MS };
        const refused = await this.peer.ask<string | undefined>("write", sent);
        if (refused !== undefined) throw new BatchRefused(refused);
      },
    };
  }

  /**
   * Asks for what is in force, and keeps to it. The primary has verified it. INVARIANT: a policy that the primary calls stale denies,
   * and so does one that the primary has not called good for as long as makes it stale.
   */
  async join(
    options: LoadOptions,
  ): Promise<{ readonly token: string | undefined; readonly policies: ReloadablePolicy }> {
    const joined = this.peer.ask<Joined>("join");
    // At once: what is to be taken next may be read together with the answer.
    this.policies = joined.then(({ inForce }) => this.follow(inForce, options));
    const policies = await this.policies;
    return { token: (await joined).token, policies };
  }

  private follow({ bytes, data, staleAt }: InForce, options: LoadOptions): Promise<ReloadablePolicy> {
    this.staleAt = staleAt;
    const left = (): number | undefined => this.staleAt && Math.max(0, this.staleAt - Date.now());
    const source: BundleSource = {
      name: "the primary process",
      get staleAfter() {
        return left();
      },
      // Later ones are loaded together with their data, by `take`.
      fetch: async (tag) => ({ bytes: tag === undefined ? bytes : undefined, tag: "joined" }),
      pause: (_failures, _error, signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
    };
    const host = data === undefined ? {} : { data };
    return ReloadablePolicy.follow(source, { ...options, ...host, stale: "deny" });
  }

  /** One after the other. Rejects where the worker does not decide by it. */
  private async take({ bytes, data, staleAt }: Given): Promise<void> {
    const policies = (await this.policies) as ReloadablePolicy;
    const error = bytes && (await policies.reload(bytes, { data })).error;
    if (error !== undefined) throw error;
    this.staleAt = staleAt;
    await policies.check();
  }

  /** Resolves when the worker is to end. `count`: the metrics of this worker alone. */
  async serve(url: string, count: () => string): Promise<void> {
    this.count = count;
    await this.peer.ask("serving", url);
    await this.ended;
  }

  /** Without the channel nothing keeps the process. */
  close(): void {
    cluster.worker?.disconnect();
  }
}

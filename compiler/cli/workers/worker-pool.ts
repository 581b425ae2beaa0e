/**
 * The primary process of `serve --workers`. It follows the policy and writes the log, and answers no request: that is for the workers,
 * which share one address.
 *
 *   bundle, keys, data ──▶ primary: verified ──what is in force──▶ worker ──▶ answers
 *               log ◀── one batch at a time ◀──batches, counts─── worker ◀── connections, in turns
 *
 * INVARIANT: a worker that does not take what is in force is killed before it is said that it is served. A worker whose primary ends
 * is ended by Node, at once.
 */

import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import type { Server } from "@portcullis/enforcement/serving";
import { BatchRefused, type EventSink } from "@portcullis/runtime";
import { CliError } from "../exit.ts";
import type { InForce } from "../policy/served-policy.ts";
import type { Terminal } from "../terminal.ts";
import { Peer } from "./peer.ts";
import { lasting, summed } from "./summed-metrics.ts";

export interface Joined {
  readonly token: string | undefined;
  readonly inForce: InForce;
}

/** A batch of events on its way to the sink. */
export interface SentBatch {
  readonly batch: Uint8Array;
  readonly events: number;
  readonly gzip: boolean;
  /** Milliseconds since 1970, from which on the worker does not wait for it. */
  readonly until: number;
}

/** What the primary has for workers, and counts itself. */
interface Served {
  readonly token: string | undefined;
  readonly inForce: () => InForce;
  readonly metrics: () => string;
}

interface Member {
  readonly worker: Worker;
  readonly peer: Peer;
  readonly exited: Promise<unknown>;
  /** What it was given last; `undefined` until it asks. */
  held: InForce | undefined;
  counted: string;
}

const TAKE_MS = 10_000;
/** A worker that does not count in this time is as it was when it was asked last. */
const COUNT_MS = 5_000;
/** For the requests under way, and for the log. */
const END_MS = 90_000;
const RESTART_MS = 1000;

export class WorkerPool {
  private readonly count: number;
  private readonly sink: EventSink | undefined;
  private readonly terminal: Terminal;
  private readonly members = new Set<Member>();
  private served: Served | undefined;
  /** What was counted by workers that have ended. */
  private past = "";
  private restarts = 0;
  private url = "";
  private hasBegun = false;
  private isEnding = false;
  private written: Promise<unknown> = Promise.resolve();
  private spreading = Promise.resolve();

  /** `sink`: the log of all. */
  constructor(count: number, sink: EventSink | undefined, terminal: Terminal) {
    this.count = count;
    this.sink = sink;
    this.terminal = terminal;
  }

  /** The server that all are. Throws CliError where a worker does not start, which has said why. */
  async begin(served: Served): Promise<Server> {
    this.served = served;
    // Otherwise one worker may get all connections.
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({ serialization: "advanced" });
    // One after the other: two would each take the other's socket for a dead one.
    try {
      for (let i = 0; i < this.count; i++) await this.start();
    } catch (error) {
      await this.close();
      throw error;
    }
    this.hasBegun = true;
    return { url: this.url, close: () => this.close() };
  }

  /** Resolves when every worker decides by what is in force; one that does not is gone. Never rejects. */
  readonly spread = (): Promise<void> => {
    this.spreading = this.spreading.then(async () => {
      await Promise.all([...this.members].map((member) => this.give(member)));
    });
    return this.spreading;
  };

  /** Ends all after the requests under way. Never rejects. */
  private async close(): Promise<void> {
    this.isEnding = true;
    const members = [...this.members];
    const kill = (): void => {
      for (const { worker } of members) worker.process.kill("SIGKILL");
    };
    const late = setTimeout(kill, END_MS);
    // One that has not asked yet hears nothing.
    for (const { peer, held, worker } of members)
      if (held === undefined) worker.process.kill("SIGKILL");
      else peer.ask("end").catch(() => undefined);
    await Promise.all(members.map(({ exited }) => exited));
    clearTimeout(late);
  }

  private async give(member: Member): Promise<void> {
    const { held, peer, worker, exited } = member;
    const now = this.inForce();
    // What has not asked will.
    if (held === undefined) return;
    const isHeld = now.bytes === held.bytes && now.data === held.data;
    if (isHeld && now.staleAt === held.staleAt) return;
    member.held = now;
    try {
      await peer.ask("take", isHeld ? { staleAt: now.staleAt } : now, TAKE_MS);
    } catch {
      worker.process.kill("SIGKILL");
      await exited;
    }
  }

  private inForce(): InForce {
    return (this.served as Served).inForce();
  }

  /** Resolves when it serves. */
  private start(): Promise<void> {
    const worker = cluster.fork();
    return new Promise((resolve, reject) => {
      let isServing = false;
      const peer = new Peer(worker, {
        join: (): Joined => {
          member.held = this.inForce();
          return { token: this.served?.token, inForce: member.held };
        },
        serving: (url: string) => {
          isServing = true;
          // With port 0, after all had ended.
          if (this.hasBegun && url !== this.url) this.terminal.err(`warning: the address is ${url} from now on\n`);
          this.url = url;
          resolve();
        },
        write: (sent: SentBatch) => this.write(sent),
        metrics: () => this.metrics(),
      });
      // One whose channel fails hears of no other bundle.
      const exited = once(worker, "exit").catch((error: Error) => {
        worker.process.kill("SIGKILL");
        return [error.message];
      });
      const member: Member = { worker, peer, exited, held: undefined, counted: "" };
      this.members.add(member);
      void exited.then(([code, signal]) => {
        this.members.delete(member);
        this.past = summed(this.past, [lasting(member.counted)]);
        if (this.isEnding || !(isServing || this.hasBegun)) return reject(new CliError("a worker did not start"));
        this.terminal.err(`warning: a worker ended (${signal ?? code}): another takes its place\n`);
        this.restarts++;
        setTimeout(() => void (this.isEnding || this.start().catch(() => undefined)), RESTART_MS);
      });
    });
  }

  /**
   * Writes to the log, one batch at a time, and none that its worker has given up: that is sent again. The answer says why it will
   * never be taken.
   */
  private write({ batch, events, gzip, until }: SentBatch): Promise<string | undefined> {
    const signal = AbortSignal.timeout(Math.max(0, until - Date.now()));
    const writing = this.written.then(async () => {
      // A process that stood still has not noticed yet.
      if (Date.now() >= until) throw new Error("the log is behind");
      try {
        await this.sink?.write(batch, { events, gzip, signal });
        return undefined;
      } catch (error) {
        if (error instanceof BatchRefused) return error.message;
        throw error;
      }
    });
    this.written = writing.catch(() => undefined);
    return writing;
  }

  /** What all workers that there are and were have counted. */
  private async metrics(): Promise<string> {
    const counting = [...this.members].map(async (member) => {
      member.counted = await member.peer.ask<string>("count", undefined, COUNT_MS).catch(() => member.counted);
    });
    await Promise.all(counting);
    // One that has ended meanwhile is in `past`.
    const counted = [...this.members].map((member) => member.counted);
    const own = `# HELP ${RESTARTS} Workers that ended and were replaced.\n# TYPE ${RESTARTS} counter\n${RESTARTS} ${this.restarts}\n`;
    return summed((this.served as Served).metrics() + own, [this.past, ...counted]);
  }
}

const RESTARTS = "portcullis_worker_restarts_total";

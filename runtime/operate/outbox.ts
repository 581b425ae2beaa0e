/**
 * What waits to be sent: a bounded buffer, one batch on its way at a time, retries that wait longer each time. No caller waits
 * for it, and it keeps no process alive.
 */

import { messageOf } from "../host/message-of.ts";
import type { OptionTable } from "../options.ts";
import type { PlatformAbortSignal } from "../platform.ts";
import { sizeLimit, timerLimit } from "./times.ts";

/** Limits of a buffer of events, and of the time that they wait. Times are milliseconds. */
export interface OutboxOptions {
  /** UTF-8 bytes that wait at most, about; beyond them the oldest are dropped and counted. Default 8 MiB. */
  readonly bufferBytes?: number | undefined;
  /** How long an event waits for others at most. Default 5,000. */
  readonly flushMs?: number | undefined;
  /** How long a sink may take for a batch. Default 30,000. */
  readonly timeoutMs?: number | undefined;
}

export const OUTBOX_OPTIONS: OptionTable = { bufferBytes: "number?", flushMs: "number?", timeoutMs: "number?" };

/** What a buffer of events holds, has delivered and has lost. */
export interface OutboxStatus {
  readonly pending: number;
  readonly delivered: number;
  /** Lost, oldest first, because the buffer was full or was given up in `close`. */
  readonly dropped: number;
  /** Attempts that failed. */
  readonly failures: number;
  readonly lastError: string | undefined;
}

/** A sink throws this for a batch that it will never take: the batch is dropped, and the next one is sent. */
export class BatchRefused extends Error {
  override readonly name = "BatchRefused";
}

const MOST_BATCH = 256 * 1024;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 30_000;
/** Where decisions are denied until the sink takes what waits. */
const LONGEST_KEPT_WAIT_MS = 1000;

/** What waits. */
interface Waiting<Item> {
  readonly item: Item;
  readonly size: number;
  readonly number: number;
  /** Somebody was promised that it is recorded: it does not make room for others. */
  readonly isKept: boolean;
}

/** Somebody who waits for all items up to a number. */
interface Waiter<Item> {
  readonly upTo: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  readonly onFail: (items: readonly Item[]) => void;
}

export class Outbox<Item> {
  private queue: Waiting<Item>[] = [];
  /** The number of the last item that was added. */
  private last = 0;
  private waiters: readonly Waiter<Item>[] = [];
  private size = 0;
  private counts = { delivered: 0, dropped: 0, failures: 0 };
  private lastError: string | undefined;
  /** Failures since the last success. */
  private failed = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private running: Promise<void> | undefined;
  private closed = false;
  private readonly bufferBytes: number;
  private readonly flushMs: number;
  private readonly timeoutMs: number;
  private readonly send: (items: readonly Item[], signal: PlatformAbortSignal) => Promise<void>;
  private readonly onDrop: (items: readonly Item[]) => void;
  /** Items at the head that are on their way: they are not dropped. */
  private sending = 0;

  constructor(
    options: OutboxOptions,
    send: (items: readonly Item[], signal: PlatformAbortSignal) => Promise<void>,
    onDrop: (items: readonly Item[]) => void,
  ) {
    this.bufferBytes = sizeLimit("bufferBytes", options.bufferBytes ?? 8 * 1024 * 1024);
    this.flushMs = timerLimit("flushMs", options.flushMs ?? 5000, 1);
    this.timeoutMs = timerLimit("timeoutMs", options.timeoutMs ?? 30_000, 1);
    this.send = send;
    this.onDrop = onDrop;
  }

  get status(): OutboxStatus {
    return { pending: this.queue.length, ...this.counts, lastError: this.lastError };
  }

  /** Whether an item of this size has room for sure: none is pushed out for it, and the sink takes what it is given. */
  hasRoom(size: number): boolean {
    return !this.closed && this.failed === 0 && (this.queue.length === 0 || this.size + size <= this.bufferBytes);
  }

  /** Why an item has no room. */
  get problem(): string {
    if (this.closed) return "the log is closed";
    return this.failed > 0 ? `the log's sink fails: ${this.lastError ?? ""}` : "the log has no room";
  }

  /** Adds an item. If the items have no room together, the oldest is dropped first, but never the only one. */
  add(item: Item, size: number, isKept = false): void {
    if (this.closed) return this.drop([item]);
    this.queue.push({ item, size, number: ++this.last, isKept });
    this.size += size;
    if (this.size > this.bufferBytes) this.makeRoom();
    if (this.size >= MOST_BATCH && this.failed === 0) this.start();
    else this.schedule(this.flushMs);
  }

  private makeRoom(): void {
    const from = this.sending;
    const dropped: Item[] = [];
    const kept: Waiting<Item>[] = [];
    let at = from;
    for (; at < this.queue.length - 1 && this.size > this.bufferBytes; at++) {
      const waiting = this.queue[at] as Waiting<Item>;
      if (waiting.isKept) kept.push(waiting);
      else {
        dropped.push(waiting.item);
        this.size -= waiting.size;
      }
    }
    this.queue.splice(from, at - from, ...kept);
    this.drop(dropped);
    this.wake();
  }

  private drop(items: readonly Item[]): void {
    if (items.length === 0) return;
    this.counts.dropped += items.length;
    this.onDrop(items);
  }

  /** Tells those whose items are all gone. */
  private wake(): void {
    const first = this.queue[0]?.number ?? Number.POSITIVE_INFINITY;
    const done = this.waiters.filter(({ upTo }) => upTo < first);
    this.waiters = this.waiters.filter(({ upTo }) => upTo >= first);
    for (const { resolve } of done) resolve();
  }

  private fail(error: unknown): void {
    const { waiters } = this;
    this.waiters = [];
    const items = this.queue.map(({ item }) => item);
    for (const { reject, onFail } of waiters) {
      onFail(items);
      reject(error);
    }
  }

  private schedule(milliseconds: number): void {
    if (this.timer !== undefined) return;
    this.timer = setTimeout(() => this.start(), milliseconds);
    // Node's timers keep a process alive unless told otherwise; other hosts give a number.
    (this.timer as { unref?: () => void }).unref?.();
  }

  /** Sends in the background; a failure is counted, and tried again. */
  private start(): void {
    this.pump().catch(() => {});
  }

  private pump(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.running ??= this.drain().finally(() => {
      this.running = undefined;
      // Items that came when the last batch was gone already.
      if (this.waiters.length > 0 && this.queue.length > 0) this.start();
    });
    return this.running;
  }

  private async drain(): Promise<void> {
    while (this.queue.length > 0) {
      const batch = this.nextBatch();
      this.sending = batch.length;
      try {
        await this.attempt(batch.map(({ item }) => item));
        this.counts.delivered += batch.length;
        this.failed = 0;
      } catch (error) {
        this.sending = 0;
        this.counts.failures++;
        this.lastError = messageOf(error);
        this.fail(error);
        if (!(error instanceof BatchRefused)) {
          const longest = batch.some(({ isKept }) => isKept) ? LONGEST_KEPT_WAIT_MS : LONGEST_WAIT_MS;
          const wait = Math.min(longest, FIRST_WAIT_MS * 2 ** this.failed++);
          if (!this.closed) this.schedule(wait * (0.5 + Math.random() / 2));
          throw error;
        }
        // The sink is there again: without an event to send it would not be asked.
        this.failed = 0;
        this.drop(batch.map(({ item }) => item));
      }
      this.sending = 0;
      this.queue.splice(0, batch.length);
      this.size -= batch.reduce((sum, { size }) => sum + size, 0);
      this.wake();
    }
  }

  private nextBatch(): Waiting<Item>[] {
    let size = 0;
    let count = 0;
    while (count < this.queue.length && (count === 0 || size + (this.queue[count]?.size ?? 0) <= MOST_BATCH))
      size += this.queue[count++]?.size ?? 0;
    return this.queue.slice(0, count);
  }

  /** A sink that never answers has failed when its time is over. */
  private async attempt(items: readonly Item[]): Promise<void> {
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        controller.abort();
        reject(new Error(`the sink took longer than ${this.timeoutMs} ms`));
      }, this.timeoutMs);
    });
    try {
      await Promise.race([this.send(items, controller.signal), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Sends the events that wait now. Rejects with the sink's error; events that were not sent stay, and are tried again, unless
   * the sink will never take them. `onFail` is called with what waits, before it is tried again.
   */
  flush(onFail: (items: readonly Item[]) => void = () => {}): Promise<void> {
    if (this.queue.length === 0) return Promise.resolve();
    const sent = new Promise<void>((resolve, reject) => {
      this.waiters = [...this.waiters, { upTo: this.last, resolve, reject, onFail }];
    });
    this.start();
    return sent;
  }

  /** Sends the waiting events in one last attempt; those that fail are dropped and counted. Never rejects. */
  async close(): Promise<OutboxStatus> {
    this.closed = true;
    while (this.queue.length > 0)
      try {
        await this.pump();
      } catch {
        break;
      }
    clearTimeout(this.timer);
    this.timer = undefined;
    const { queue } = this;
    this.queue = [];
    this.size = 0;
    this.drop(queue.map(({ item }) => item));
    this.fail(new Error("the log was closed"));
    return this.status;
  }
}

/**
 * Follows a source: asks, hands over a new bundle, waits, asks again. One check at a time; nothing of it keeps a process
 * alive, and `close` ends it.
 */

import { sha256 } from "../abi/index.ts";
import { LoadError } from "../errors.ts";
import { messageOf } from "../host/message-of.ts";
import type { PlatformAbortSignal } from "../platform.ts";
import { type BundleSource, type FetchedBundle, SourceError } from "./bundle-source.ts";
import type { Keeper } from "./keeper.ts";
import { after, sleep } from "./times.ts";
import { type Wake, Wakes } from "./wake.ts";

/** How a policy that follows a source stands after its last check. */
export interface FollowStatus {
  /** The revision of the policy in use. */
  readonly revision: string | undefined;
  /** When the source last gave a good bundle, or said that there is no other. */
  readonly lastCheck: Date | undefined;
  /** When the policy in use came into use. */
  readonly lastChange: Date;
  /** Why the last check failed; `undefined` after a good one. */
  readonly lastError: LoadError | SourceError | undefined;
  /** Checks in a row that have failed. */
  readonly failures: number;
  /** No good check for as long as the source says. */
  readonly stale: boolean;
}

/** Where the follower's findings go. */
export interface Followed {
  /** Takes a bundle, unless following ends meanwhile; the error when it is refused. */
  take(bytes: Uint8Array, signal: PlatformAbortSignal): Promise<LoadError | undefined>;
  revision(): string | undefined;
  /** The keys that bundles are verified with now. Throws where they cannot be read. */
  keys(): unknown;
  /** Called when the policy becomes stale, and when it is fresh again. */
  staleChanged(stale: boolean): void;
  /** Called for each check that failed. */
  failed(error: LoadError | SourceError): void;
}

/** How long to wait where the source's own pause fails, in milliseconds. */
const WITHOUT_PAUSE = 1000;
/** From the end of a check to the next one at least, in milliseconds: a source that does not wait must not keep the processor busy. */
const LEAST_PAUSE = 10;

export class Follower {
  private readonly source: BundleSource;
  private readonly followed: Followed;
  private readonly onStatus: ((status: FollowStatus) => unknown) | undefined;
  private readonly keeper: Keeper;
  private readonly closing = new AbortController();
  private tag: string | undefined;
  /** SHA-256 of the bundle in use: servers without tags send it again and again. */
  private digest: string | undefined;
  /** The keys that the bundle in use was verified with. */
  private keys: string | undefined;
  private lastCheck: Date | undefined;
  /** When the source vouched for what is in use: in this process, or before it. */
  private vouched = Number.NaN;
  private lastChange = new Date();
  private lastError: LoadError | SourceError | undefined;
  private failures = 0;
  private stale = false;
  private stopStaleTimer: () => void = () => {};
  /** Ends the pause under way. */
  private resting: AbortController | undefined;
  /** The next check does not wait for its time. */
  private isWanted = false;
  private lookers: (() => void)[] = [];
  private readonly wakes = new Wakes(() => {
    // A server that asked for a pause gets it: a message may be anybody's.
    if (!(this.lastError instanceof SourceError && this.lastError.retryAfter !== undefined)) this.checkNow();
  });

  constructor(
    source: BundleSource,
    followed: Followed,
    keeper: Keeper,
    onStatus: ((status: FollowStatus) => unknown) | undefined,
    keys: unknown,
  ) {
    this.source = source;
    this.followed = followed;
    this.keeper = keeper;
    this.onStatus = onStatus;
    this.keys = JSON.stringify(keys);
  }

  status(): FollowStatus {
    const { lastCheck, lastChange, lastError, failures, stale } = this;
    return { revision: this.followed.revision(), lastCheck, lastChange, lastError, failures, stale };
  }

  /** The source has just given what is in use. `problem`: why the kept bundle could not be used. */
  async beginFresh({ bytes, tag }: FetchedBundle, problem: unknown): Promise<void> {
    await this.remember(bytes, tag);
    if (bytes !== undefined) await this.keeper.write(bytes);
    this.succeeded();
    if (problem !== undefined) this.lastError = sourceErrorOf(problem);
    this.tell();
  }

  /** What is in use was kept from before; its source vouched for it `age` milliseconds ago. */
  async beginKept(bytes: Uint8Array, age = 0): Promise<void> {
    await this.remember(bytes, undefined);
    this.vouched = Date.now() - age;
    // A clock that went back says nothing about the age.
    this.watchStaleness(age < 0 ? Number.POSITIVE_INFINITY : age);
  }

  /** Never rejects. */
  async check(): Promise<void> {
    const { signal } = this.closing;
    try {
      const keys = JSON.stringify(this.followed.keys());
      // A key that was taken away vouches for nothing any more, also not for what is in use.
      if (keys !== this.keys) this.tag = this.digest = undefined;
      const { bytes, tag } = await this.source.fetch(this.tag, signal);
      if (signal.aborted) return;
      if (bytes !== undefined) {
        await this.use(bytes, tag);
        this.keys = keys;
      } else await this.keeper.checked();
      if (signal.aborted) return;
      this.succeeded();
    } catch (error) {
      if (signal.aborted) return;
      this.failed(error);
    }
    this.tell();
  }

  /** Throws LoadError for a bundle that is refused. */
  private async use(bytes: Uint8Array, tag: string | undefined): Promise<void> {
    if (this.digest === (await sha256(bytes))) {
      await this.keeper.checked();
    } else {
      const error = await this.followed.take(bytes, this.closing.signal);
      if (error !== undefined) throw error;
      this.lastChange = new Date();
      await this.remember(bytes, tag);
      await this.keeper.write(bytes);
    }
    this.tag = tag;
  }

  private async remember(bytes: Uint8Array | undefined, tag: string | undefined): Promise<void> {
    this.tag = tag;
    this.digest = bytes && (await sha256(bytes));
  }

  private succeeded(): void {
    this.lastCheck = new Date();
    this.vouched = this.lastCheck.getTime();
    this.failures = 0;
    this.lastError = this.keeper.error === undefined ? undefined : sourceErrorOf(this.keeper.error);
    this.setStale(false);
    this.watchStaleness(0);
  }

  private failed(error: unknown): void {
    // What was refused is asked for again: it may be better then.
    this.tag = undefined;
    this.failures++;
    this.lastError = sourceErrorOf(error);
    this.followed.failed(this.lastError);
    // Timers stand still while a machine sleeps; the clock does not.
    const { staleAfter = Number.POSITIVE_INFINITY } = this.source;
    if (Date.now() - this.vouched >= staleAfter) this.setStale(true);
  }

  /** `age`: milliseconds since the source vouched for what is in use. */
  private watchStaleness(age: number): void {
    this.stopStaleTimer();
    const { staleAfter } = this.source;
    if (staleAfter === undefined) return;
    if (age >= staleAfter) return this.setStale(true);
    this.stopStaleTimer = after(staleAfter - age, () => {
      this.setStale(true);
      this.tell();
    });
  }

  private setStale(stale: boolean): void {
    if (this.stale === stale) return;
    this.stale = stale;
    this.followed.staleChanged(stale);
  }

  /** Until `close`. Never rejects. */
  async run(): Promise<void> {
    const { signal } = this.closing;
    while (!signal.aborted) {
      await this.rest();
      const { lookers } = this;
      this.lookers = [];
      this.isWanted = false;
      if (!signal.aborted) await this.check();
      for (const done of lookers) done();
    }
  }

  /** Waits as the source says, until a check is wanted at once, or following ends. Never rejects. */
  private async rest(): Promise<void> {
    const { signal } = this.closing;
    const resting = new AbortController();
    const stop = (): void => resting.abort();
    signal.addEventListener("abort", stop);
    this.resting = resting;
    const began = performance.now();
    if (this.isWanted || signal.aborted) stop();
    try {
      if (!resting.signal.aborted) await this.source.pause(this.failures, this.lastError, resting.signal);
    } catch {
      // A source that cannot even wait must not end the following, nor keep the processor busy.
      await sleep(WITHOUT_PAUSE, resting.signal);
    }
    await sleep(LEAST_PAUSE - (performance.now() - began), signal);
    this.resting = undefined;
    signal.removeEventListener("abort", stop);
  }

  /** Resolves after a check that begins from now on, or when following ends. */
  look(): Promise<void> {
    const { signal } = this.closing;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        signal.removeEventListener("abort", done);
        resolve();
      };
      signal.addEventListener("abort", done);
      this.lookers.push(done);
      this.checkNow();
    });
  }

  private checkNow(): void {
    this.isWanted = true;
    this.resting?.abort();
  }

  /** Asks the source when messages say so. Never rejects. */
  async listen(wake: Wake): Promise<void> {
    await this.wakes.listen(wake);
  }

  close(): void {
    this.stopStaleTimer();
    this.wakes.close();
    this.closing.abort();
  }

  /** A listener's fault does not end the following, also where it comes later. */
  private tell(): void {
    try {
      Promise.resolve(this.onStatus?.(this.status())).catch(() => {});
    } catch {
      // As above.
    }
  }
}

function sourceErrorOf(error: unknown): LoadError | SourceError {
  if (error instanceof LoadError || error instanceof SourceError) return error;
  return new SourceError("unreachable", messageOf(error));
}

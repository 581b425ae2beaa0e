/**
 * Follows a source: asks, hands over a new bundle, waits, asks again. One check at a time; nothing of it keeps a process
 * alive, and `close` ends it.
 */

import { sha256 } from "../abi/index.ts";
import { LoadError } from "../errors.ts";
import { type BundleSource, type BundleStore, type FetchedBundle, SourceError } from "./bundle-source.ts";

export interface FollowStatus {
  /** Of the policy in use. */
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
  /** Takes a bundle; the error when it is refused. */
  take(bytes: Uint8Array): Promise<LoadError | undefined>;
  revision(): string | undefined;
  /** Called when the policy becomes stale, and when it is fresh again. */
  staleChanged(stale: boolean): void;
}

export class Follower {
  private readonly source: BundleSource;
  private readonly followed: Followed;
  private readonly onStatus: ((status: FollowStatus) => void) | undefined;
  private readonly store: BundleStore | undefined;
  private readonly closing = new AbortController();
  private tag: string | undefined;
  /** SHA-256 of the bundle in use: servers without tags send it again and again. */
  private digest: string | undefined;
  private lastCheck: Date | undefined;
  private lastChange = new Date();
  private lastError: LoadError | SourceError | undefined;
  private storeError: LoadError | SourceError | undefined;
  private failures = 0;
  private stale = false;
  private staleTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    source: BundleSource,
    followed: Followed,
    { onStatus, persist }: { onStatus?: (status: FollowStatus) => void; persist?: BundleStore },
  ) {
    this.source = source;
    this.followed = followed;
    this.onStatus = onStatus;
    this.store = persist;
  }

  status(): FollowStatus {
    const { lastCheck, lastChange, lastError, failures, stale } = this;
    return { revision: this.followed.revision(), lastCheck, lastChange, lastError, failures, stale };
  }

  /** What is in use already; `fresh`: the source has just given it. */
  async begin({ bytes, tag }: Partial<FetchedBundle> = {}, fresh: boolean): Promise<void> {
    await this.remember(bytes, tag);
    if (!fresh) return this.watchStaleness();
    if (bytes !== undefined) await this.keep(bytes);
    this.succeeded();
    this.tell();
  }

  /** Never rejects. */
  async check(): Promise<void> {
    try {
      const { bytes, tag } = await this.source.fetch(this.tag, this.closing.signal);
      if (this.closing.signal.aborted) return;
      if (bytes !== undefined) await this.use(bytes, tag);
      this.succeeded();
    } catch (error) {
      if (this.closing.signal.aborted) return;
      // What was refused is asked for again: it may be better then.
      this.tag = undefined;
      this.failures++;
      this.lastError = sourceErrorOf(error);
    }
    this.tell();
  }

  /** Throws LoadError for a bundle that is refused. */
  private async use(bytes: Uint8Array, tag: string | undefined): Promise<void> {
    if (this.digest !== (await sha256(bytes))) {
      const error = await this.followed.take(bytes);
      if (error !== undefined) throw error;
      this.lastChange = new Date();
      await this.remember(bytes, tag);
      await this.keep(bytes);
    }
    this.tag = tag;
  }

  /** A store that cannot be written is no reason against a good bundle; its error is told until the next check. */
  private async keep(bytes: Uint8Array): Promise<void> {
    this.storeError = undefined;
    await this.store?.write(bytes).catch((error: unknown) => {
      this.storeError = sourceErrorOf(error);
    });
  }

  private async remember(bytes: Uint8Array | undefined, tag: string | undefined): Promise<void> {
    this.tag = tag;
    this.digest = bytes && (await sha256(bytes));
  }

  private succeeded(): void {
    this.lastCheck = new Date();
    this.failures = 0;
    this.lastError = this.storeError;
    this.setStale(false);
    this.watchStaleness();
  }

  private watchStaleness(): void {
    clearTimeout(this.staleTimer);
    const { staleAfter } = this.source;
    if (staleAfter === undefined) return;
    this.staleTimer = setTimeout(() => {
      this.setStale(true);
      this.tell();
    }, staleAfter);
    (this.staleTimer as { unref?: () => void }).unref?.();
  }

  private setStale(stale: boolean): void {
    if (this.stale === stale) return;
    this.stale = stale;
    this.followed.staleChanged(stale);
  }

  /** Until `close`. */
  async run(): Promise<void> {
    const { signal } = this.closing;
    while (!signal.aborted) {
      await this.source.pause(this.failures, this.lastError, signal);
      if (!signal.aborted) await this.check();
    }
  }

  close(): void {
    clearTimeout(this.staleTimer);
    this.closing.abort();
  }

  private tell(): void {
    try {
      this.onStatus?.(this.status());
    } catch {
      // A listener's fault does not end the following.
    }
  }
}

function sourceErrorOf(error: unknown): LoadError | SourceError {
  if (error instanceof LoadError || error instanceof SourceError) return error;
  return new SourceError("unreachable", error instanceof Error ? error.message : String(error));
}

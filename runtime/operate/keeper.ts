/** Keeps the last good bundle in a store. What fails there is told, and is no reason against a good bundle. */

import { sha256 } from "../abi/index.ts";
import type { BundleStore } from "./bundle-source.ts";

export class Keeper {
  private readonly store: BundleStore | undefined;
  /** Whether a bundle of the store is newer than the one in use. */
  private readonly isNewer: (bytes: Uint8Array) => Promise<boolean>;
  /** SHA-256 of what this process read or wrote last. */
  private digest: string | undefined;
  /** What could not be written. */
  private waiting: Uint8Array | undefined;
  /** Why the store failed last; `undefined` when it works. */
  error: unknown;

  constructor(store: BundleStore | undefined, isNewer: (bytes: Uint8Array) => Promise<boolean>) {
    this.store = store;
    this.isNewer = isNewer;
  }

  /** What was kept, and how long ago its source vouched for it: `undefined` if unknown, negative where the clock went back. */
  async read(): Promise<{ readonly bytes: Uint8Array; readonly age: number | undefined } | undefined> {
    return this.attempt(async (store) => {
      const bytes = await store.read();
      if (bytes === undefined) return undefined;
      this.digest = await sha256(bytes);
      const time = (await store.lastCheck?.())?.getTime();
      return { bytes, age: time === undefined ? undefined : Date.now() - time };
    });
  }

  /** Never rejects. A newer bundle, which another process has kept meanwhile, stays. */
  async write(bytes: Uint8Array): Promise<void> {
    this.waiting = bytes;
    await this.attempt(async (store) => {
      const there = await store.read().catch(() => undefined);
      const isOthers = there !== undefined && (await sha256(there)) !== this.digest;
      if (!(isOthers && (await this.isNewer(there)))) {
        await store.write(bytes);
        this.digest = await sha256(bytes);
      }
      this.waiting = undefined;
    });
  }

  /** The source vouches for what is in use. Never rejects. */
  async checked(): Promise<void> {
    if (this.waiting !== undefined) return this.write(this.waiting);
    await this.attempt(async (store) => store.checked?.());
  }

  private async attempt<T>(work: (store: BundleStore) => Promise<T>): Promise<T | undefined> {
    this.error = undefined;
    try {
      return this.store && (await work(this.store));
    } catch (error) {
      this.error = error;
      return undefined;
    }
  }
}

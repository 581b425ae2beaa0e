/** Where bundles come from. A source gives bytes and says when to ask again; what is in them is for `load` to judge. */

import type { PlatformAbortSignal } from "../platform.ts";

/** The answer of a source: a bundle, or that nothing changed. */
export interface FetchedBundle {
  /** `undefined`: still the bundle of the tag that was asked with. */
  readonly bytes: Uint8Array | undefined;
  /** Tells this bundle from the next one. */
  readonly tag: string | undefined;
}

/**
 * Where bundles come from, for `ReloadablePolicy.follow`. Bytes are verified by `load`, so a source need not be
 * trusted.
 */
export interface BundleSource {
  /** For messages. */
  readonly name: string;
  /** Milliseconds without a successful check after which a policy is stale; never where it is absent. */
  readonly staleAfter?: number | undefined;
  /** Rejects, preferably with a SourceError, where there is no answer. */
  fetch(tag: string | undefined, signal: PlatformAbortSignal): Promise<FetchedBundle>;
  /** Resolves when it is time to ask again. `failures`: how many checks in a row have failed, and why the last one did. */
  pause(failures: number, error: Error | undefined, signal: PlatformAbortSignal): Promise<void>;
}

/** Keeps the last good bundle, so that it survives a restart. It is verified again when it is read. */
export interface BundleStore {
  /** `undefined` where nothing was kept. */
  read(): Promise<Uint8Array | undefined>;
  write(bytes: Uint8Array): Promise<void>;
  /** When the source last vouched for what is kept. Without it a restart counts as such a time. */
  lastCheck?(): Promise<Date | undefined>;
  /** Called when the source vouches for what is kept. */
  checked?(): Promise<void>;
}

/** Why a source gave no bundle. Stable: match on it, not on the message. */
export type SourceErrorCode =
  /** The server does not answer, or the answer breaks off. */
  | "unreachable"
  /** The answer takes longer than its limit. */
  | "timeout"
  /** An answer that is neither a bundle nor "unchanged". */
  | "status"
  /** More bytes than the limit. */
  | "too-large"
  /** Bytes that are not those of their digest, in a registry. */
  | "digest";

/** A source that gave no bundle. The policy in use stays in use. */
export class SourceError extends Error {
  override readonly name = "SourceError";
  readonly code: SourceErrorCode;
  /** Milliseconds that the other side asks to wait. */
  readonly retryAfter: number | undefined;

  constructor(code: SourceErrorCode, message: string, retryAfter?: number) {
    super(message);
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

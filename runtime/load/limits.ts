/** What a bundle may take before anybody trusts it. A larger one is a LoadError, and never takes the process down. */

import { LoadError } from "../errors.ts";
import { limitsTable, type OptionTable } from "../options.ts";

/** The most that `load` reads of a bundle. What exceeds one of them is refused before it is unpacked or parsed. */
export interface BundleLimits {
  /** Bytes of the archive as it arrives. */
  readonly packed: number;
  /** Bytes of the archive unpacked. */
  readonly unpacked: number;
  /** Files in it. */
  readonly entries: number;
  /** Bytes of `.manifest`, and of `.signatures.json`. */
  readonly manifest: number;
  /** Bytes of `policy.wasm`, or of a module alone. */
  readonly module: number;
  /** Bytes of any other file. */
  readonly file: number;
  /** How deep objects and arrays of a JSON document that `load` reads may be nested. */
  readonly nesting: number;
}

export const DEFAULT_BUNDLE_LIMITS: BundleLimits = {
  packed: 64 << 20,
  unpacked: 128 << 20,
  entries: 10_000,
  manifest: 1 << 20,
  module: 64 << 20,
  file: 96 << 20,
  nesting: 100,
};

/** `bundleLimits`, as `holdOptions` takes it. */
export const BUNDLE_LIMITS: OptionTable = limitsTable(DEFAULT_BUNDLE_LIMITS);

/** Throws LoadError where `size` is beyond the limit of that name. */
export function holdLimit(limits: BundleLimits, name: keyof BundleLimits, size: number, what: string): void {
  const limit = limits[name];
  // A limit of NaN lets nothing through.
  if (!(size <= limit))
    throw new LoadError("bundle-too-large", `${what}: ${size}, and the limit is ${limit} (\`bundleLimits.${name}\`)`);
}

/**
 * The one place that knows how a policy is loaded without a cache of decisions and with it. The runtime has none: `loadCached` is
 * `undefined`, and nothing is measured or shown of it.
 */

import { load, type Policy } from "@portcullis/runtime";

export function loadEvaluating(bytes: Uint8Array): Promise<Policy> {
  return load(bytes);
}

export const loadCached: ((bytes: Uint8Array) => Promise<Policy>) | undefined = undefined;

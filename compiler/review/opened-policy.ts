/** A bundle that was loaded, to be asked, and unpacked, to be read: the subject of every review. */

import { type LoadOptions, load, type Policy, readBundle } from "@portcullis/runtime";
import type { JsonObject } from "../base/json-object.ts";
import { failure, type Result } from "../base/result.ts";
import { bundleData } from "./bundle-data.ts";

export interface OpenedPolicy {
  /** Its name in messages: the path of its file, say. */
  readonly name: string;
  readonly policy: Policy;
  /** The bundle as it was given. */
  readonly bundle: Uint8Array;
  /** The options that it was loaded with; its Rego is loaded with the same. */
  readonly options: LoadOptions;
  /** By path, without a leading `/`. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The bundle's own data, an object. */
  readonly data: JsonObject;
}

/**
 * Loads a bundle and unpacks it. A bare module is a problem: it holds neither Rego nor data to look into.
 *
 * Cost: as `load`. Rejects with the runtime's LoadError for a bundle that the runtime refuses.
 */
export async function openBundle(
  name: string,
  bundle: Uint8Array,
  options: LoadOptions = {},
): Promise<Result<OpenedPolicy, "bare-module" | "broken-data">> {
  const policy = await load(bundle, options);
  if (bundle[0] === 0) {
    return failure(
      "bare-module",
      `\`${name}\` is a bare module: it holds neither Rego nor data`,
      "give the bundle.tar.gz that it came in, or the folder of its sources",
    );
  }
  const files = await readBundle(bundle);
  const data = bundleData(name, files);
  return data.ok ? { ok: true, value: { name, policy, bundle, options, files, data: data.value } } : data;
}

/** A bundle that was loaded, to be asked, and unpacked, to be read: the subject of every review. */

import { failure, type Result, success } from "@portcullis/rego/diagnostics";
import type { JsonObject } from "@portcullis/rego/value";
import { type LoadOptions, load, type Policy, type PolicySource, readBundle } from "@portcullis/runtime";
import { bundleData } from "./bundle-data.ts";
import { member, texts } from "./policy-ids.ts";

/** A loaded bundle with its files, ready to be asked and read. */
export interface OpenedPolicy {
  /** Its name in messages: the path of its file, say. */
  readonly name: string;
  readonly policy: Policy;
  /** The bundle as it was given. */
  readonly bundle: Uint8Array;
  /** Loads another module as this one was: with the same options, but for `data`. */
  readonly load: (source: PolicySource, data: JsonObject) => Promise<Policy>;
  /** By path, without a leading `/`. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The bundle's own data, an object. */
  readonly data: JsonObject;
}

/** The runtime's `load`, or one that gives it more options. */
export type PolicyLoader = (source: PolicySource, options: LoadOptions) => Promise<Policy>;

/**
 * Loads a bundle and unpacks it. A bare module is a problem: it holds neither Rego nor data to look into.
 *
 * Cost: as `load`. Rejects with the runtime's LoadError for a bundle that the runtime refuses.
 */
export async function openBundle(
  name: string,
  bundle: Uint8Array,
  options: LoadOptions = {},
  loader: PolicyLoader = load,
): Promise<Result<OpenedPolicy, "bare-module" | "broken-data">> {
  const policy = await loader(bundle, options);
  if (bundle[0] === 0) {
    return failure(
      "bare-module",
      `\`${name}\` is a bare module: it holds neither Rego nor data`,
      "give the bundle.tar.gz that it came in, or the folder of its sources",
    );
  }
  const files = await readBundle(bundle);
  const data = bundleData(name, files);
  if (!data.ok) return data;
  // What is reviewed is asked with no data of the host's: each of its parts is there, and empty.
  if (options.data === undefined) {
    const awaited = awaitedData(files);
    if (awaited !== undefined) policy.setData(awaited);
  }
  const again: OpenedPolicy["load"] = (source, other) => loader(source, { ...options, data: other });
  return success({ name, policy, bundle, load: again, files, data: data.value });
}

/** Empty objects at the paths that a bundle's manifest says its host supplies; `undefined` where it names none. */
function awaitedData(files: ReadonlyMap<string, Uint8Array>): JsonObject | undefined {
  const manifest: unknown = JSON.parse(new TextDecoder().decode(files.get(".manifest")) || "{}");
  const paths = texts(member(member(manifest, "metadata"), "portcullis_host_data"));
  if (paths.length === 0) return undefined;
  const data = Object.create(null) as { [name: string]: unknown };
  for (const path of paths) {
    let at = data;
    for (const name of path.split(".")) {
      at[name] ??= Object.create(null);
      at = at[name] as { [name: string]: unknown };
    }
  }
  return data as JsonObject;
}

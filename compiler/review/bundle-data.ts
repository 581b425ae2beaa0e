/** The data that a bundle carries: its `data.json` files, each below the path of its folder. */

import { isJsonObject, type JsonObject } from "../base/json-object.ts";
import { CliError } from "../cli/exit.ts";

/** Merged as OPA merges them; an empty object where there is none. Throws CliError for data that cannot be read. */
export function bundleData(bundle: string, files: ReadonlyMap<string, Uint8Array>): JsonObject {
  let data: JsonObject = {};
  for (const [path, bytes] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const folders = path.split("/");
    if (folders.pop() !== "data.json") continue;
    const value = parse(bundle, path, bytes);
    data = merge(
      data,
      folders.reduceRight<JsonObject>((inner, key) => ({ [key]: inner }), value),
    );
  }
  return data;
}

function parse(bundle: string, path: string, bytes: Uint8Array): JsonObject {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (isJsonObject(value)) return value;
  } catch {
    // Falls through: not UTF-8, not JSON and not an object are told alike.
  }
  throw new CliError(`the ${path} of \`${bundle}\` is not a JSON object`);
}

/** Objects member by member; anything else of `b` takes the place of what `a` has. */
export function merge(a: JsonObject, b: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const known = Object.hasOwn(merged, key) ? merged[key] : undefined;
    const both = isJsonObject(known) && isJsonObject(value) ? merge(known, value) : value;
    Object.defineProperty(merged, key, { value: both, enumerable: true, writable: true, configurable: true });
  }
  return merged;
}

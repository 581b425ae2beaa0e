/** The data that a bundle carries: its `data.json` files, each below the path of its folder. */

import { failure, type Result, success } from "@portcullis/rego/diagnostics";
import { isJsonObject, type JsonObject } from "@portcullis/rego/value";

/** The bundle's data files, merged as OPA merges them; an empty object without any. `bundle` is its name in messages. */
export function bundleData(bundle: string, files: ReadonlyMap<string, Uint8Array>): Result<JsonObject, "broken-data"> {
  let data: JsonObject = {};
  for (const [path, bytes] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const folders = path.split("/");
    if (folders.pop() !== "data.json") continue;
    const value = parse(bytes);
    if (value === undefined) return failure("broken-data", `the ${path} of \`${bundle}\` is not a JSON object`);
    data = merge(
      data,
      folders.reduceRight<JsonObject>((inner, key) => ({ [key]: inner }), value),
    );
  }
  return success(data);
}

/** `undefined` for a file that is not UTF-8, not JSON, or not an object. */
function parse(bytes: Uint8Array): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Merges objects member by member; any other value of `b` replaces that of `a`. */
export function merge(a: JsonObject, b: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const known = Object.hasOwn(merged, key) ? merged[key] : undefined;
    const both = isJsonObject(known) && isJsonObject(value) ? merge(known, value) : value;
    Object.defineProperty(merged, key, { value: both, enumerable: true, writable: true, configurable: true });
  }
  return merged;
}

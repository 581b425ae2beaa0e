/** The data that a bundle carries: its `data.json` files, each below the path of its folder. */

import { failure, type Result, success } from "@portcullis/rego/diagnostics";
import { isJsonObject, type JsonObject } from "@portcullis/rego/value";
import { compareNumbers, fromJson, HostNumber, isArray, isObject, type JsonLike } from "@portcullis/runtime/host";
import type { Path } from "./explain/edit.ts";

/**
 * The bundle's data files, merged as OPA merges them; an empty object without any. Files of YAML, and two that give one
 * value, are refused: OPA reads the former, and refuses the latter. `bundle` is its name in messages.
 */
export function bundleData(bundle: string, files: ReadonlyMap<string, Uint8Array>): Result<JsonObject, "broken-data"> {
  let data: JsonObject = {};
  for (const [path, bytes] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const folders = path.split("/");
    const name = folders.pop() as string;
    if (/^data\.ya?ml$/.test(name))
      return failure(
        "broken-data",
        `the ${path} of \`${bundle}\` is YAML, which is not read in a bundle`,
        "merge it into one data.json with `opa build`",
      );
    if (name !== "data.json") continue;
    const value = parse(bytes);
    if (value === undefined) return failure("broken-data", `the ${path} of \`${bundle}\` is not a JSON object`);
    const placed = folders.reduceRight<JsonObject>((inner, key) => ({ [key]: inner }), value);
    if (collide(data, placed))
      return failure("broken-data", `the ${path} of \`${bundle}\` gives a value that another of its files gives, too`);
    data = merge(data, placed);
  }
  return success(data);
}

/** A number of the data, as it is written, that JavaScript reads as another one. */
export interface Digits {
  readonly path: Path;
  readonly text: string;
}

/** Numbers of the data files that lose digits as doubles: modules and OPA have each of them. */
export function digitsIn(files: ReadonlyMap<string, Uint8Array>): Digits[] {
  const found: Digits[] = [];
  const visit = (value: JsonLike | undefined, path: Path): void => {
    if (value instanceof HostNumber) {
      const double = Number(value.text);
      if (!Number.isFinite(double) || compareNumbers(value.text, String(double)) !== 0)
        found.push({ path, text: value.text });
    } else if (isArray(value)) for (const [i, item] of value.entries()) visit(item, [...path, i]);
    else if (isObject(value)) for (const [key, member] of value) visit(member, [...path, String(key)]);
  };
  for (const [path, bytes] of files) {
    const folders = path.split("/");
    if (folders.pop() === "data.json") visit(fromJson(new TextDecoder().decode(bytes)), folders);
  }
  return found;
}

/** `undefined` for a file that is not UTF-8, not JSON, or not an object. */
function parse(bytes: Uint8Array): JsonObject | undefined {
  try {
    // To OPA a byte order mark is no JSON.
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether both have a value at one place, and not an object each. */
function collide(a: JsonObject, b: JsonObject): boolean {
  return Object.entries(b).some(([key, value]) => {
    const known = Object.hasOwn(a, key) ? a[key] : undefined;
    if (known === undefined) return false;
    return !(isJsonObject(known) && isJsonObject(value) && !collide(known, value));
  });
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

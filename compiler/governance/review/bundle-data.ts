/** The data that a bundle carries: its `data.json` files, each below the path of its folder. */

import { failure, type Result, success } from "@portcullis/rego/diagnostics";
import { isJsonObject, type JsonObject, type Value, valueOfJson } from "@portcullis/rego/value";
import { fromJson, HostNumber, isArray, isObject, type JsonLike } from "@portcullis/runtime/host";
import { isRounded } from "../lower/index.ts";
import type { Path } from "./explain/edit.ts";
import type { OpenedPolicy } from "./opened-policy.ts";

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
  return [...files].flatMap(([path, bytes]) => {
    const folders = path.split("/");
    return folders.pop() === "data.json" ? digitsOf(new TextDecoder().decode(bytes), folders) : [];
  });
}

function digitsOf(text: string, below: Path): Digits[] {
  const found: Digits[] = [];
  const visit = (value: JsonLike | undefined, path: Path): void => {
    if (value instanceof HostNumber) {
      if (isRounded(value.text)) found.push({ path, text: value.text });
    } else if (isArray(value)) for (const [i, item] of value.entries()) visit(item, [...path, i]);
    else if (isObject(value)) for (const [key, member] of value) visit(member, [...path, String(key)]);
  };
  visit(fromJson(text), below);
  return found;
}

/** The data with each number that JavaScript rounds as a `HostNumber`, which has its digits: for people, who are told what decides. */
export function writtenData({ data, files }: Pick<OpenedPolicy, "data" | "files">): JsonObject {
  return digitsIn(files).reduce((whole, { path, text }) => withDigits(whole, path, text) as JsonObject, data);
}

/** A JSON text as JavaScript reads it, with such numbers. */
export function writtenInput(text: string): unknown {
  return digitsOf(text, []).reduce(
    (whole, { path, text: digits }) => withDigits(whole, path, digits),
    JSON.parse(text),
  );
}

/** The data as a value, with every digit. */
export function exactData(told: Pick<OpenedPolicy, "data" | "files">): Value {
  const written = writtenData(told);
  // Where no number is rounded, parts that were converted before are shared.
  return written === told.data ? valueOfJson(written) : exactValue(written);
}

/** JSON with such numbers as a value. */
export function exactValue(json: unknown): Value {
  if (json instanceof HostNumber) return { kind: "number", text: json.text };
  if (Array.isArray(json)) return { kind: "array", items: json.map(exactValue) };
  if (!isJsonObject(json)) return valueOfJson(json);
  return {
    kind: "object",
    entries: Object.entries(json).map(([key, item]) => [{ kind: "string", value: key }, exactValue(item)]),
  };
}

function withDigits(value: unknown, [key, ...rest]: Path, text: string): unknown {
  if (key === undefined) return typeof value === "number" ? new HostNumber(text) : value;
  if (Array.isArray(value)) return value.map((item, i) => (i === key ? withDigits(item, rest, text) : item));
  if (!isJsonObject(value) || !Object.hasOwn(value, key)) return value;
  return { ...value, [key]: withDigits(value[key], rest, text) };
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

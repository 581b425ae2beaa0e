/**
 * Canonical JSON of the harness: UTF-8, no white space, keys in the order of their code points, numbers as Python's `json`
 * prints them. The same value gives the same bytes on every machine.
 */

import { compareStrings } from "../host/order.ts";
import { sha256 } from "../host/sha256.ts";
import type { ExactJson, ExactNumber } from "./exact-json.ts";

/** Values that the harness writes: exact JSON of others, and plain objects of its own. */
export type Writable =
  | ExactJson
  | number
  | readonly Writable[]
  | { readonly [key: string]: Writable }
  | ReadonlyMap<string, Writable>;

/** Throws RangeError for a number that no finite double is near. */
export function canonicalJson(value: Writable): string {
  return write(value, "", "");
}

/** The same, indented by 2, without a trailing newline. */
export function prettyJson(value: Writable): string {
  return write(value, "  ", "\n");
}

/** Lower-case hex SHA-256 of the canonical bytes. */
export function canonicalHash(value: Writable): string {
  return sha256(canonicalJson(value));
}

function write(value: Writable, indent: string, newline: string): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return pythonNumber(String(value));
  if (isNumber(value)) return pythonNumber(value.number);
  const inner = newline === "" ? "" : newline + indent;
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    return `[${inner}${value.map((item: Writable) => write(item, indent, inner)).join(`,${inner}`)}${newline}]`;
  }
  const entries = value instanceof Map ? [...value] : Object.entries(value as { readonly [key: string]: Writable });
  if (entries.length === 0) return "{}";
  const colon = newline === "" ? ":" : ": ";
  const members = entries
    .sort(([a], [b]) => compareStrings(a, b))
    .map(([key, item]) => `${JSON.stringify(key)}${colon}${write(item, indent, inner)}`);
  return `{${inner}${members.join(`,${inner}`)}${newline}}`;
}

function isNumber(value: Writable): value is ExactNumber {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Map) &&
    typeof (value as ExactNumber).number === "string"
  );
}

/** `json.dumps(json.loads(text))` of Python: integers exact, other numbers as the shortest text of their double. */
export function pythonNumber(text: string): string {
  if (!/[.eE]/.test(text)) return text === "-0" ? "0" : text;
  const value = Number(text);
  if (!Number.isFinite(value)) throw new RangeError(`the number ${text} is beyond what a double can hold`);
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const [mantissa, exponentText] = Math.abs(value).toExponential().split("e") as [string, string];
  const digits = mantissa.replace(".", "");
  const exponent = Number(exponentText);
  const sign = value < 0 ? "-" : "";
  if (exponent < -4 || exponent >= 16) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
    return `${sign}${digits[0]}${fraction}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return `${sign}${whole}.${digits.slice(exponent + 1) || "0"}`;
}

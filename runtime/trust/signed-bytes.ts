/**
 * What OPA hashes of a file: its bytes, but of data and manifest the document, so that white space and the order of keys do
 * not count. https://www.openpolicyagent.org/docs/management-bundles#signing
 */

import { compareStrings } from "../host/order.ts";
import { type ExactJson, type ExactNumber, MAX_JSON_DEPTH, parseExactJson } from "../json/index.ts";

/** Gives a YAML document as JSON text; the runtime itself has no reader for YAML. */
export type YamlReader = (text: string) => string | undefined;

/** `undefined` for a document that cannot be read, or that two readers could read differently. */
export function signedBytes(path: string, bytes: Uint8Array, readYaml?: YamlReader): Uint8Array | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const isYaml = name === "data.yaml" || name === "data.yml";
  if (!isYaml && name !== "data.json" && name !== ".manifest") return bytes;
  try {
    // A byte order mark is no JSON to OPA; YAML allows one.
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: !isYaml }).decode(bytes);
    const json = isYaml ? readYaml?.(text) : text;
    if (json === undefined || json.startsWith("\ufeff")) return undefined;
    return new TextEncoder().encode(writtenSo(json) ?? canonical(parseExactJson(json)));
  } catch {
    return undefined;
  }
}

/**
 * The text without the white space around it, if that is its canonical form: most are written so, and then no character of it
 * is looked at in JavaScript. A key that stands twice, an order of keys, a number or an escape of another form comes back as
 * another text. Throws SyntaxError.
 */
function writtenSo(json: string): string | undefined {
  const text = json.trim();
  // Escapes in digits and the two separators have forms of their own; among them is half of a surrogate pair.
  if (/\\u|[\u2028\u2029]/.test(text)) return undefined;
  const value: unknown = JSON.parse(json);
  return JSON.stringify(value) === text && isOrdered(value, 0) ? text : undefined;
}

/** Whether the keys of every object are in the order of their bytes, and nothing nests deeper than is read. */
function isOrdered(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depth >= MAX_JSON_DEPTH) return false;
  if (Array.isArray(value)) return value.every((item) => isOrdered(item, depth + 1));
  const keys = Object.keys(value);
  return (
    keys.every((key, i) => i === 0 || compareStrings(keys[i - 1] as string, key) < 0) &&
    Object.values(value).every((member) => isOrdered(member, depth + 1))
  );
}

/** Keys in the order of their bytes, numbers as they are written, strings as Go writes them without escapes for HTML. */
function canonical(value: ExactJson): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!(value instanceof Map)) return (value as ExactNumber).number;
  const members = [...(value as ReadonlyMap<string, ExactJson>)]
    .sort(([a], [b]) => compareStrings(a, b))
    .map(([key, member]) => `${quoted(key)}:${canonical(member)}`);
  return `{${members.join(",")}}`;
}

/** Go escapes the two line separators in every string. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(/[\u2028\u2029]/g, (c) => (c === "\u2028" ? "\\u2028" : "\\u2029"));
}

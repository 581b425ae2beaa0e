/** Digests of arguments, for logs: the arguments themselves may be secrets. */

import { createHash } from "node:crypto";

/** SHA-256 in hex of canonical JSON: keys in the order of their code points, no white space. Cost: linear but for the sorting. */
export function digestOf(value: unknown): string {
  return createHash("sha256").update(canonical(value)).digest("hex");
}

/** A value that was read from JSON. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, item]) => [Buffer.from(key), key, item] as const);
  members.sort(([a], [b]) => Buffer.compare(a, b));
  return `{${members.map(([, key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(",")}}`;
}

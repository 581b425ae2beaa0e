/**
 * The texts that are signed. Version 2 signs canonical JSON, so that no two lists of fields make one text. Version 1 is the
 * founding document's: fields joined by `|`, so one that holds a `|` has no payload: it could pose as two.
 */

import { sha256 } from "./session.ts";

/** Which text of a contract is signed; `v2` covers everything that decides. */
export type PayloadVersion = "v1" | "v2";

type Fields = { readonly [field: string]: unknown };

/** What a contract's signature covers. INVARIANT: in the order of their code points, as canonical JSON has them. */
const COVERED = [
  "baseline_sha",
  "contract_id",
  "contract_root",
  "created_at",
  "declared_operations",
  "declared_targets",
  "expires_at",
  "mode",
] as const;

/** The fields that the founding payload does not cover: a writer of the file can change them. */
export const UNCOVERED_BY_V1 = COVERED.filter((field) => field !== "contract_id" && field !== "created_at");

/** Members of a contract file that nothing reads and no signature covers. */
export function unreadMembers(contract: Fields): string[] {
  const read: ReadonlySet<string> = new Set([...COVERED, "status", "signature"]);
  return Object.keys(contract).filter((name) => !read.has(name));
}

/** The payload of a contract's signature. `undefined` for fields that cannot be signed. */
export function contractPayload(contract: Fields, version: PayloadVersion): string | undefined {
  if (version === "v1") {
    const { contract_id, created_at } = contract;
    return isField(contract_id) && isField(created_at) ? `contract:${contract_id}|${created_at}` : undefined;
  }
  const isSignable = COVERED.every((name) =>
    name.startsWith("declared_") ? isTextList(contract[name]) : isText(contract[name]),
  );
  return isSignable ? `contract2:${canonical(COVERED.map((name) => [name, contract[name]]))}` : undefined;
}

/** The payload of a packet's signature, by the packet's own version. `undefined` for fields that cannot be signed. */
export function hatPayload(packet: Fields): string | undefined {
  const { contract_id, script_sha256, mode, timestamp, declared_targets, declared_operations, version } = packet;
  if (!isField(contract_id) || !isField(script_sha256) || !isField(mode) || !isField(timestamp)) return undefined;
  if (!isTextList(declared_targets)) return undefined;
  const targets = sorted(declared_targets);
  if (version === undefined || version === 1) {
    return `hat-exec:${contract_id}|${script_sha256}|${mode}|${timestamp}|${sha256(JSON.stringify(targets))}`;
  }
  if (version !== 2 || !isTextList(declared_operations)) return undefined;
  const operations = sorted(declared_operations);
  return `hat-exec2:${canonical([
    ["contract_id", contract_id],
    ["declared_operations", operations],
    ["declared_targets", targets],
    ["mode", mode],
    ["script_sha256", script_sha256],
    ["timestamp", timestamp],
  ])}`;
}

/** Canonical JSON of an object of texts and lists of texts, whose members are in order. */
function canonical(members: readonly (readonly [string, unknown])[]): string {
  return JSON.stringify(Object.fromEntries(members));
}

/** By code points. */
function sorted(texts: readonly string[]): readonly string[] {
  return [...texts].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/** A string that can stand between `|`. */
function isField(value: unknown): value is string {
  return isText(value) && !value.includes("|");
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

/** A string that is not well-formed Unicode would be signed as something else. */
function isText(value: unknown): value is string {
  return typeof value === "string" && !/\p{Surrogate}/u.test(value);
}

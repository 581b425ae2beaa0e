/** The texts that are signed. Fields are joined by `|`, so a field that holds one has no payload: it could pose as two. */

import { sha256 } from "./session.ts";

/** The payload of a contract's signature. `undefined` for fields that cannot be signed. */
export function contractPayload(contract: {
  readonly contract_id?: unknown;
  readonly created_at?: unknown;
}): string | undefined {
  const { contract_id, created_at } = contract;
  if (!isField(contract_id) || !isField(created_at)) return undefined;
  return `contract:${contract_id}|${created_at}`;
}

/** The payload of a HAT packet's signature; the targets by a hash, in one order. `undefined` for fields that cannot be signed. */
export function hatPayload(packet: {
  readonly contract_id?: unknown;
  readonly script_sha256?: unknown;
  readonly mode?: unknown;
  readonly timestamp?: unknown;
  readonly declared_targets?: unknown;
}): string | undefined {
  const { contract_id, script_sha256, mode, timestamp, declared_targets } = packet;
  if (!isField(contract_id) || !isField(script_sha256) || !isField(mode) || !isField(timestamp)) return undefined;
  if (!isTextList(declared_targets)) return undefined;
  return `hat-exec:${contract_id}|${script_sha256}|${mode}|${timestamp}|${targetsHash(declared_targets)}`;
}

/** SHA-256 of the canonical JSON of the targets, sorted by code points. */
function targetsHash(targets: readonly string[]): string {
  const sorted = [...targets].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return sha256(JSON.stringify(sorted));
}

/** A string that can stand in a payload. One that is not well-formed Unicode would be signed as something else. */
function isField(value: unknown): value is string {
  return typeof value === "string" && !value.includes("|") && isWellFormed(value);
}

export function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string" && isWellFormed(item));
}

function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

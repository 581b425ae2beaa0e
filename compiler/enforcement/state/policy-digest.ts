/** What two sides have to agree on before one keeps the state of the other. */

import { createHash } from "node:crypto";
import type { FactPolicy } from "@portcullis/runtime";

/** SHA-256, in hex, of what the state of a policy depends on. Other builds of one policy have the same. */
export function policyDigest({ historyName, limits, approvals }: FactPolicy): string {
  const text = JSON.stringify([historyName ?? null, limits ?? null, approvals?.revision ?? null]);
  return createHash("sha256").update(text).digest("hex");
}

/** A key of the history, or the digest of a call or an approval. */
export function isDigest(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

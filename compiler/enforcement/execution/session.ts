/**
 * The session secret and its signatures: HMAC-SHA256 in lower-case hex over payloads that name every bound field. The secret
 * comes from the environment and is never written anywhere. Without one nothing is signed, and `verify` answers false.
 */

import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** Where the secret is: at least 16 bytes, in hex. */
export const SESSION_SECRET = "PORTCULLIS_SESSION_SECRET";

/** In bytes. */
export const SMALLEST_SECRET = 16;

declare const opaque: unique symbol;
/** The secret's bytes. INVARIANT: at least 16. */
export type SessionSecret = Uint8Array & { readonly [opaque]: true };

/** `undefined` when the variable is missing, no hex, or too short. */
export function sessionSecret(environment: { readonly [name: string]: string | undefined }): SessionSecret | undefined {
  const text = environment[SESSION_SECRET];
  if (text === undefined || !/^(?:[0-9a-fA-F]{2})+$/.test(text)) return undefined;
  const bytes = new Uint8Array(Buffer.from(text, "hex"));
  return bytes.length >= SMALLEST_SECRET ? (bytes as SessionSecret) : undefined;
}

/** In lower-case hex. */
export function sign(secret: SessionSecret, payload: string): string {
  return hmac(secret, payload).toString("hex");
}

/** Compares in constant time. False without a secret, and for anything but lower-case hex of the right length. */
export function verify(secret: SessionSecret | undefined, payload: string, signature: unknown): boolean {
  if (secret === undefined || typeof signature !== "string" || !/^[0-9a-f]{64}$/.test(signature)) return false;
  return timingSafeEqual(hmac(secret, payload), Buffer.from(signature, "hex"));
}

function hmac(secret: SessionSecret, payload: string): Buffer {
  return createHmac("sha256", secret).update(payload, "utf8").digest();
}

/** Lower-case hex. */
export function sha256(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** JSON Web Signatures in their compact form: https://www.rfc-editor.org/rfc/rfc7515#section-3.1 */

import { signatureHolds, type VerificationKey } from "@portcullis/runtime/trust";
import { isJsonObject } from "../value/index.ts";

/** Whether a token is signed with this key. The key's algorithm counts, never the token's. Never rejects over the token. */
export async function jwsHolds(token: string, key: VerificationKey): Promise<boolean> {
  const [, header64, payload64, signature64] = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(token) ?? [];
  if (header64 === undefined || payload64 === undefined || signature64 === undefined) return false;
  const header = parse(Buffer.from(header64, "base64url").toString("utf8"));
  if (!isJsonObject(header) || header["alg"] !== key.algorithm || header["crit"] !== undefined) return false;
  const signed = Buffer.from(`${header64}.${payload64}`);
  return signatureHolds(key, signed, Buffer.from(signature64, "base64url"), false).catch(() => false);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

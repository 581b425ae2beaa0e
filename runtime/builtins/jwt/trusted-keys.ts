/** The keys that a caller trusts: a certificate or public key in PEM, or JWKs. */

import { readPem } from "../asn1/pem.ts";
import type { Key } from "../crypto/keys.ts";
import { fail, need } from "../family.ts";
import { readCertificate } from "../x509/certificate.ts";
import { readPublicKeyInfo } from "../x509/public-key.ts";
import { schemes } from "./algorithms.ts";
import { readJwks } from "./jwk.ts";

export interface TrustedKey {
  readonly key: Key;
  /** Empty where the source does not say. */
  readonly alg: string;
  readonly kid: string;
}

function pemKey(type: string, bytes: Uint8Array): Key {
  switch (type) {
    case "CERTIFICATE":
      return need(readCertificate(bytes).publicKey, "certificate with an unknown kind of key");
    case "PUBLIC KEY":
      return readPublicKeyInfo(bytes);
    default:
      return fail("PEM block is neither a certificate nor a public key");
  }
}

/** Keys for algorithms that tokens are not signed with (encryption, say) are left out. */
export function readTrustedKeys(text: string): readonly TrustedKey[] {
  const block = readPem(text);
  if (block !== undefined) {
    if (block.rest !== "") fail("extra data after a PEM block");
    return [{ key: pemKey(block.type, block.bytes), alg: "", kid: "" }];
  }
  return readJwks(text)
    .filter(({ alg }) => alg === undefined || alg === "" || schemes.has(alg))
    .map(({ key, alg = "", kid = "" }) => ({ key, alg, kid }));
}

/**
 * Whether one of the keys verifies: the one with the token's key id if there is such a key, else any that does not
 * name another algorithm.
 */
export function anyKeyVerifies(
  keys: readonly TrustedKey[],
  header: { readonly alg: string; readonly kid: string },
  verify: (key: Key) => boolean,
): boolean {
  const named = header.kid === "" ? undefined : keys.find((key) => key.kid === header.kid);
  if (named !== undefined) return verify(named.key);
  return keys.some(({ key, alg }) => (alg === "" || alg === header.alg) && verify(key));
}

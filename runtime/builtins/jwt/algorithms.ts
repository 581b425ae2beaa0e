/** The signature algorithms of RFC 7518 section 3 and RFC 8037, over keys of every kind. */

import { hmac } from "@noble/hashes/hmac.js";
import { equalSecret, toBigInt } from "../bytes.ts";
import { signEcdsa, verifyEcdsa } from "../crypto/ecdsa.ts";
import { signEd25519, verifyEd25519 } from "../crypto/ed25519.ts";
import { type Hash, hashes } from "../crypto/hash.ts";
import { type Key, publicHalf } from "../crypto/keys.ts";
import { signPkcs1, signPss, verifyPkcs1, verifyPss } from "../crypto/rsa.ts";

export type Scheme =
  | { readonly kind: "Hmac" | "Pkcs1" | "Pss" | "Ecdsa"; readonly hash: Hash }
  | { readonly kind: "EdDsa" };

const kinds = { HS: "Hmac", RS: "Pkcs1", PS: "Pss", ES: "Ecdsa" } as const;
const sizes = { "256": hashes.sha256, "384": hashes.sha384, "512": hashes.sha512 } as const;

/** Every algorithm by its name in a token's header. `none` is not one. */
export const schemes: ReadonlyMap<string, Scheme> = new Map<string, Scheme>([
  ...Object.entries(kinds).flatMap(([prefix, kind]) =>
    Object.entries(sizes).map(([size, hash]): [string, Scheme] => [prefix + size, { kind, hash }]),
  ),
  ["EdDSA", { kind: "EdDsa" }],
]);

/** How strictly the encoding of a signature is judged. */
export interface Strictness {
  /** PSS: the salt must have the digest's size, as RFC 7518 asks; ECDSA: both halves must have the curve's size. */
  readonly exact: boolean;
}

/** Whether the signature is the key's over the message. A key of another kind than the scheme's never verifies. */
export function verifySignature(
  key: Key,
  scheme: Scheme,
  message: Uint8Array,
  signature: Uint8Array,
  { exact }: Strictness,
): boolean {
  if (key.kind === "SecretKey") {
    return (
      scheme.kind === "Hmac" && key.bytes.length > 0 && equalSecret(hmac(scheme.hash, key.bytes, message), signature)
    );
  }
  const half = publicHalf(key);
  switch (scheme.kind) {
    case "Hmac":
      return false;
    case "Pkcs1":
      return half?.kind === "RsaPublicKey" && verifyPkcs1(half, scheme.hash, message, signature);
    case "Pss": {
      const salt = exact ? scheme.hash.outputLen : "any";
      return half?.kind === "RsaPublicKey" && verifyPss(half, scheme.hash, message, signature, salt);
    }
    case "Ecdsa": {
      if (half?.kind !== "EcPublicKey") return false;
      const size = exact ? half.curve.size : signature.length >> 1;
      if (exact && signature.length !== 2 * size) return false;
      const [r, s] = [toBigInt(signature.subarray(0, size)), toBigInt(signature.subarray(size))];
      return verifyEcdsa(half, scheme.hash, message, r, s);
    }
    case "EdDsa":
      return half?.kind === "EdPublicKey" && verifyEd25519(half, message, signature);
  }
}

/** The signature of a message; undefined when the key does not suit the scheme. */
export function makeSignature(key: Key, scheme: Scheme, message: Uint8Array): Uint8Array | undefined {
  switch (scheme.kind) {
    case "Hmac":
      return key.kind === "SecretKey" && key.bytes.length > 0 ? hmac(scheme.hash, key.bytes, message) : undefined;
    case "Pkcs1":
      return key.kind === "RsaPrivateKey" ? signPkcs1(key, scheme.hash, message) : undefined;
    case "Pss":
      return key.kind === "RsaPrivateKey" ? signPss(key, scheme.hash, message) : undefined;
    case "Ecdsa":
      return key.kind === "EcPrivateKey" ? signEcdsa(key, scheme.hash, scheme.hash(message)) : undefined;
    case "EdDsa":
      return key.kind === "EdPrivateKey" ? signEd25519(key, message) : undefined;
  }
}

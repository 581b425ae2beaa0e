/** Signature algorithms of certificates, RFC 3279, 4055, 5758 and 8410. */

import { context, Der, isNull, sameOid, tag } from "../asn1/der.ts";
import { verifyEcdsa } from "../crypto/ecdsa.ts";
import { verifyEd25519 } from "../crypto/ed25519.ts";
import { type Hash, hashes } from "../crypto/hash.ts";
import type { PublicKey } from "../crypto/keys.ts";
import { verifyPkcs1, verifyPss } from "../crypto/rsa.ts";
import type { AlgorithmIdentifier } from "./public-key.ts";

interface SignatureAlgorithm {
  readonly oid: readonly number[];
  /** Go's constant. */
  readonly number: number;
  readonly kind: "Pkcs1" | "Ecdsa" | "Dsa" | "Ed25519";
  /** Undefined for digests that no longer prove anything. */
  readonly hash: Hash | undefined;
}

const rsa = [1, 2, 840, 113549, 1, 1];
const ecdsa = [1, 2, 840, 10045, 4];

const algorithms: readonly SignatureAlgorithm[] = [
  { oid: [...rsa, 4], number: 2, kind: "Pkcs1", hash: undefined },
  { oid: [...rsa, 5], number: 3, kind: "Pkcs1", hash: undefined },
  { oid: [1, 3, 14, 3, 2, 29], number: 3, kind: "Pkcs1", hash: undefined },
  { oid: [...rsa, 11], number: 4, kind: "Pkcs1", hash: hashes.sha256 },
  { oid: [...rsa, 12], number: 5, kind: "Pkcs1", hash: hashes.sha384 },
  { oid: [...rsa, 13], number: 6, kind: "Pkcs1", hash: hashes.sha512 },
  { oid: [1, 2, 840, 10040, 4, 3], number: 7, kind: "Dsa", hash: undefined },
  { oid: [2, 16, 840, 1, 101, 3, 4, 3, 2], number: 8, kind: "Dsa", hash: undefined },
  { oid: [...ecdsa, 1], number: 9, kind: "Ecdsa", hash: undefined },
  { oid: [...ecdsa, 3, 2], number: 10, kind: "Ecdsa", hash: hashes.sha256 },
  { oid: [...ecdsa, 3, 3], number: 11, kind: "Ecdsa", hash: hashes.sha384 },
  { oid: [...ecdsa, 3, 4], number: 12, kind: "Ecdsa", hash: hashes.sha512 },
  { oid: [1, 3, 101, 112], number: 16, kind: "Ed25519", hash: undefined },
];

const pssOid = [...rsa, 10];
const maskOid = [...rsa, 8];
const sha2 = [2, 16, 840, 1, 101, 3, 4, 2];
const pssHashes = [
  { oid: [...sha2, 1], number: 13, hash: hashes.sha256 },
  { oid: [...sha2, 2], number: 14, hash: hashes.sha384 },
  { oid: [...sha2, 3], number: 15, hash: hashes.sha512 },
];

/** PSS with one SHA-2 digest throughout, a salt of its size and the usual trailer: nothing else is known to Go. */
function pssOf(parameters: Uint8Array): (typeof pssHashes)[number] | undefined {
  try {
    const fields = new Der(parameters).nested(tag.sequence);
    const algorithm = (der: Der): readonly [readonly number[], Der] => {
      const sequence = der.nested(tag.sequence);
      return [sequence.oid(), sequence];
    };
    const [digest, rest] = algorithm(fields.nested(context(0, true)));
    const [mask, maskRest] = algorithm(fields.nested(context(1, true)));
    const [maskDigest, maskDigestRest] = algorithm(maskRest);
    const salt = fields.nested(context(2, true)).integer();
    const plainRests = [rest, maskDigestRest].every((der) => der.empty || isNull(der.rest));
    const trailer = fields.empty ? 1n : fields.nested(context(3, true)).integer();
    const found = pssHashes.find(({ oid }) => sameOid(oid, digest));
    const sound = sameOid(mask, maskOid) && sameOid(maskDigest, digest) && plainRests && trailer === 1n;
    return sound && found !== undefined && salt === BigInt(found.hash.outputLen) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Go's constant for an algorithm, 0 for an unknown one. */
export function signatureAlgorithmNumber({ oid, parameters }: AlgorithmIdentifier): number {
  if (sameOid(oid, pssOid)) return pssOf(parameters)?.number ?? 0;
  const found = algorithms.find((algorithm) => sameOid(algorithm.oid, oid));
  // Ed25519 must come without parameters.
  return found === undefined || (found.kind === "Ed25519" && parameters.length > 0) ? 0 : found.number;
}

function verifyDerEcdsa(key: PublicKey, hash: Hash, message: Uint8Array, signature: Uint8Array): boolean {
  if (key.kind !== "EcPublicKey") return false;
  const outer = new Der(signature);
  const pair = outer.nested(tag.sequence);
  const [r, s] = [pair.integer(), pair.integer()];
  return outer.empty && pair.empty && verifyEcdsa(key, hash, message, r, s);
}

/** Whether a signature is the key's. Digests before SHA-2 never verify. */
export function verifySigned(
  key: PublicKey,
  algorithm: AlgorithmIdentifier,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (sameOid(algorithm.oid, pssOid)) {
    const pss = pssOf(algorithm.parameters);
    if (pss === undefined || key.kind !== "RsaPublicKey") return false;
    return verifyPss(key, pss.hash, message, signature, pss.hash.outputLen);
  }
  const found = algorithms.find(({ oid }) => sameOid(oid, algorithm.oid));
  if (found?.kind === "Ed25519") return key.kind === "EdPublicKey" && verifyEd25519(key, message, signature);
  if (found?.hash === undefined) return false;
  if (found.kind === "Ecdsa") return verifyDerEcdsa(key, found.hash, message, signature);
  return found.kind === "Pkcs1" && key.kind === "RsaPublicKey" && verifyPkcs1(key, found.hash, message, signature);
}

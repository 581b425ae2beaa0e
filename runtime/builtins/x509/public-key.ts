/** SubjectPublicKeyInfo, RFC 5280 section 4.1.2.7 and RFC 3279. */

import { context, Der, isNull, rightAligned, sameOid, tag } from "../asn1/der.ts";
import { type Curve, p224, p256, p384, p521 } from "../crypto/curve.ts";
import { type EcPublicKey, pointOf } from "../crypto/ecdsa.ts";
import type { PublicKey } from "../crypto/keys.ts";
import type { RsaPublicKey } from "../crypto/rsa.ts";
import { fail, need } from "../family.ts";

export interface AlgorithmIdentifier {
  readonly oid: readonly number[];
  /** The parameters' element as it stands; empty without parameters. */
  readonly parameters: Uint8Array;
}

export const keyOids = {
  rsa: [1, 2, 840, 113549, 1, 1, 1],
  ec: [1, 2, 840, 10045, 2, 1],
  ed25519: [1, 3, 101, 112],
  x25519: [1, 3, 101, 110],
  dsa: [1, 2, 840, 10040, 4, 1],
} as const;

const curveOids: readonly (readonly [readonly number[], Curve])[] = [
  [[1, 3, 132, 0, 33], p224],
  [[1, 2, 840, 10045, 3, 1, 7], p256],
  [[1, 3, 132, 0, 34], p384],
  [[1, 3, 132, 0, 35], p521],
];

export function curveOf(oid: readonly number[]): Curve | undefined {
  return curveOids.find(([known]) => sameOid(known, oid))?.[1];
}

export function readAlgorithm(der: Der): AlgorithmIdentifier {
  const sequence = der.nested(tag.sequence);
  const oid = sequence.oid();
  return { oid, parameters: sequence.empty ? new Uint8Array() : sequence.any().raw };
}

export function readRsaPublicKey(bytes: Uint8Array): RsaPublicKey {
  const sequence = new Der(bytes).nested(tag.sequence);
  const n = sequence.integer();
  const e = sequence.integer();
  if (n <= 0n || e <= 0n || e >= 2n ** 63n) fail("RSA key out of range");
  return { kind: "RsaPublicKey", n, e };
}

/** A point in uncompressed form: 4, x, y. */
export function readPoint(curve: Curve, bytes: Uint8Array): EcPublicKey {
  return { kind: "EcPublicKey", curve, point: need(pointOf(curve, bytes), "malformed elliptic curve point") };
}

export function readKeyOf(algorithm: AlgorithmIdentifier, data: Uint8Array): PublicKey | undefined {
  const { oid, parameters } = algorithm;
  if (sameOid(oid, keyOids.rsa)) {
    if (!isNull(parameters)) fail("RSA key without NULL parameters");
    return readRsaPublicKey(data);
  }
  if (sameOid(oid, keyOids.ec)) {
    const curve = curveOf(new Der(parameters).oid());
    return readPoint(curve ?? fail("unsupported elliptic curve"), data);
  }
  if (sameOid(oid, keyOids.ed25519)) {
    if (parameters.length > 0 || data.length !== 32) fail("malformed Ed25519 key");
    return { kind: "EdPublicKey", bytes: data };
  }
  if (sameOid(oid, keyOids.x25519)) return { kind: "OtherKey", algorithm: "X25519" };
  if (sameOid(oid, keyOids.dsa)) return { kind: "OtherKey", algorithm: "DSA" };
  return undefined;
}

/** A whole SubjectPublicKeyInfo, as a `PUBLIC KEY` block holds it. */
export function readPublicKeyInfo(bytes: Uint8Array): PublicKey {
  const outer = new Der(bytes);
  const info = outer.nested(tag.sequence);
  if (!outer.empty) fail("data after a public key");
  const algorithm = readAlgorithm(info);
  return readKeyOf(algorithm, rightAligned(info.bitString())) ?? fail("unknown public key algorithm");
}

export const explicit = (number: number): number => context(number, true);

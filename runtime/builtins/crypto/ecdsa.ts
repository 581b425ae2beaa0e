/** ECDSA, FIPS 186-5, by `@noble/curves`; verified by OpenSSL where the host has it. Signatures are r and s. */

import { ecdsa } from "@noble/curves/abstract/weierstrass.js";
import { concat, fromBigInt, toBigInt } from "../bytes.ts";
import { type AffinePoint, type Curve, isOnCurve } from "./curve.ts";
import type { Hash } from "./hash.ts";
import { opensslVerifyEcdsa } from "./openssl.ts";

export interface EcPublicKey {
  readonly kind: "EcPublicKey";
  readonly curve: Curve;
  readonly point: AffinePoint;
}

export interface EcPrivateKey {
  readonly kind: "EcPrivateKey";
  readonly curve: Curve;
  readonly point: AffinePoint;
  readonly d: bigint;
}

/** The caller has the digest already, and Go takes either of the two s that a signature can have. */
const plainly = { prehash: false, lowS: false } as const;

export function verifyEcdsa(key: EcPublicKey, hash: Hash, message: Uint8Array, r: bigint, s: bigint): boolean {
  const { curve, point } = key;
  const { order, size, Point } = curve;
  if (r <= 0n || s <= 0n || r >= order || s >= order || !isOnCurve(curve, point)) return false;
  const signature = concat(fromBigInt(r, size), fromBigInt(s, size));
  return (
    opensslVerifyEcdsa(curve, point, hash, message, signature) ??
    ecdsa(Point, hash).verify(signature, hash(message), Point.fromAffine(point).toBytes(false), plainly)
  );
}

/**
 * r and s, one after the other, as long as the curve's coordinates. The nonce is that of RFC 6979: evaluating a policy twice
 * gives the same signature, and no random source is needed.
 */
export function signEcdsa({ curve, d }: EcPrivateKey, hash: Hash, digest: Uint8Array): Uint8Array | undefined {
  if (d <= 0n || d >= curve.order) return undefined;
  return ecdsa(curve.Point, hash).sign(digest, fromBigInt(d, curve.size), plainly);
}

/** The public point of a private scalar. */
export function publicPoint({ Point }: Curve, d: bigint): AffinePoint {
  return Point.BASE.multiply(d).toAffine();
}

/** A point in uncompressed form: 4, x, y. */
export function pointOf(curve: Curve, bytes: Uint8Array): AffinePoint | undefined {
  if (bytes.length !== 1 + 2 * curve.size || bytes[0] !== 4) return undefined;
  const point = { x: toBigInt(bytes.subarray(1, 1 + curve.size)), y: toBigInt(bytes.subarray(1 + curve.size)) };
  return isOnCurve(curve, point) ? point : undefined;
}

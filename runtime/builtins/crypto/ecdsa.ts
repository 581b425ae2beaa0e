/** ECDSA, FIPS 186-5; signatures are r and s. Signing is not constant-time: see the note in `rsa.ts`. */

import { concat, fromBigInt, toBigInt } from "../bytes.ts";
import { type AffinePoint, type Curve, combine, isOnCurve } from "./curve.ts";
import type { Hash } from "./hash.ts";
import { hmac } from "./hmac.ts";
import { bitLength, modInverse } from "./modular.ts";

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

/** The leftmost bits of a digest, as many as the order has. */
function truncate(digest: Uint8Array, curve: Curve): bigint {
  const excess = digest.length * 8 - bitLength(curve.n);
  const value = toBigInt(digest);
  return excess > 0 ? value >> BigInt(excess) : value;
}

export function verifyEcdsa(key: EcPublicKey, digest: Uint8Array, r: bigint, s: bigint): boolean {
  const { curve, point } = key;
  const { n } = curve;
  if (r <= 0n || s <= 0n || r >= n || s >= n || !isOnCurve(curve, point)) return false;
  const inverse = modInverse(s, n);
  if (inverse === undefined) return false;
  const sum = combine(curve, (truncate(digest, curve) * inverse) % n, (r * inverse) % n, point);
  return sum !== undefined && sum.x % n === r;
}

/**
 * The nonce of RFC 6979 section 3.2, derived from the key and the digest: https://www.rfc-editor.org/rfc/rfc6979
 * Evaluating a policy twice gives the same signature, and no random source is needed.
 */
function* nonces(curve: Curve, hash: Hash, d: bigint, digest: Uint8Array): Generator<bigint, never> {
  const bits = bitLength(curve.n);
  const length = Math.ceil(bits / 8);
  const seed = concat(fromBigInt(d, length), fromBigInt(truncate(digest, curve) % curve.n, length));
  let v = new Uint8Array(hash.size).fill(1);
  let k = new Uint8Array(hash.size);
  for (const separator of [0, 1]) {
    k = new Uint8Array(hmac(hash, k, concat(v, Uint8Array.of(separator), seed)));
    v = new Uint8Array(hmac(hash, k, v));
  }
  for (;;) {
    let t = new Uint8Array();
    while (t.length < length) {
      v = new Uint8Array(hmac(hash, k, v));
      t = new Uint8Array(concat(t, v));
    }
    yield toBigInt(t) >> BigInt(t.length * 8 - bits);
    k = new Uint8Array(hmac(hash, k, concat(v, Uint8Array.of(0))));
    v = new Uint8Array(hmac(hash, k, v));
  }
}

export function signEcdsa(
  key: EcPrivateKey,
  hash: Hash,
  digest: Uint8Array,
): { readonly r: bigint; readonly s: bigint } | undefined {
  const { curve, d } = key;
  const { n } = curve;
  if (d <= 0n || d >= n) return undefined;
  const e = truncate(digest, curve);
  for (const k of nonces(curve, hash, d, digest)) {
    if (k <= 0n || k >= n) continue;
    const point = combine(curve, k, 0n, curve.g);
    const r = point === undefined ? 0n : point.x % n;
    const inverse = modInverse(k, n);
    const s = inverse === undefined ? 0n : (inverse * (e + r * d)) % n;
    if (r !== 0n && s !== 0n) return { r, s };
  }
  return undefined;
}

/** Bytes of one coordinate, and of each half of a signature in JOSE. */
export function coordinateSize(curve: Curve): number {
  return Math.ceil(curve.bits / 8);
}

/** The public point of a private scalar. */
export function publicPoint(curve: Curve, d: bigint): AffinePoint | undefined {
  return combine(curve, d, 0n, curve.g);
}

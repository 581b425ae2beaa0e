/** Ed25519, RFC 8032 section 5.1, by `@noble/curves`. */

import { ed25519 } from "@noble/curves/ed25519.js";
import { bytesToNumberLE } from "@noble/curves/utils.js";
import { concat, equalBytes } from "../bytes.ts";
import { hashes } from "./hash.ts";

export interface EdPublicKey {
  readonly kind: "EdPublicKey";
  readonly bytes: Uint8Array;
}

export interface EdPrivateKey {
  readonly kind: "EdPrivateKey";
  readonly seed: Uint8Array;
  readonly bytes: Uint8Array;
}

/**
 * Go's equation, to the byte: [s]B - [k]A must encode as R. The library's own `verify` multiplies by the cofactor and refuses
 * keys of small order, so that the two would differ on keys which somebody made for that; its points do the arithmetic.
 */
export function verifyEd25519(key: EdPublicKey, message: Uint8Array, signature: Uint8Array): boolean {
  const { Point } = ed25519;
  if (key.bytes.length !== 32 || signature.length !== 64) return false;
  const [r, s] = [signature.subarray(0, 32), bytesToNumberLE(signature.subarray(32))];
  if (s >= Point.Fn.ORDER) return false;
  try {
    const a = Point.fromBytes(key.bytes, true);
    const k = Point.Fn.create(bytesToNumberLE(hashes.sha512(concat(r, key.bytes, message))));
    return equalBytes(Point.BASE.multiplyUnsafe(s).subtract(a.multiplyUnsafe(k)).toBytes(), r);
  } catch {
    return false;
  }
}

export function ed25519PublicKey(seed: Uint8Array): Uint8Array {
  return ed25519.getPublicKey(seed);
}

export function signEd25519(key: EdPrivateKey, message: Uint8Array): Uint8Array {
  return ed25519.sign(message, key.seed);
}

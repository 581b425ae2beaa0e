/**
 * RSA signatures, RFC 8017: https://www.rfc-editor.org/rfc/rfc8017
 *
 * Verifying handles public values only. Signing is not constant-time in the private key: a policy engine that signs
 * tokens for callers who can time it should use a signing service instead.
 */

import { concat, equalBytes, fromBigInt, toBigInt } from "../bytes.ts";
import type { Hash } from "./hash.ts";
import { hmac } from "./hmac.ts";
import { bitLength, modPow } from "./modular.ts";

export interface RsaPublicKey {
  readonly kind: "RsaPublicKey";
  readonly n: bigint;
  readonly e: bigint;
}

export interface RsaPrivateKey {
  readonly kind: "RsaPrivateKey";
  readonly n: bigint;
  readonly e: bigint;
  readonly d: bigint;
  readonly p: bigint;
  readonly q: bigint;
}

/** Smaller keys are refused as insecure, larger ones because they would stall an evaluation. */
const minBits = 1024;
const maxBits = 8192;

/** Whether the key may be used, by the rules of Go's crypto/rsa, and an upper bound on its cost. */
export function isUsableRsaKey({ n, e }: { readonly n: bigint; readonly e: bigint }): boolean {
  const bits = bitLength(n);
  return bits >= minBits && bits <= maxBits && (n & 1n) === 1n && (e & 1n) === 1n && e > 1n && e < 1n << 31n;
}

/** The DER prefix of DigestInfo, RFC 8017 section 9.2, by digest size. */
const digestInfo: Readonly<Record<number, readonly number[]>> = {
  20: [0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2b, 0x0e, 0x03, 0x02, 0x1a, 0x05, 0x00, 0x04, 0x14],
  32: [
    0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20,
  ],
  48: [
    0x30, 0x41, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02, 0x05, 0x00, 0x04, 0x30,
  ],
  64: [
    0x30, 0x51, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03, 0x05, 0x00, 0x04, 0x40,
  ],
};

const byteLength = (n: bigint): number => Math.ceil(bitLength(n) / 8);

/** EMSA-PKCS1-v1_5: the one encoding a signature of this digest can have. */
function encodePkcs1(digest: Uint8Array, length: number): Uint8Array | undefined {
  const prefix = digestInfo[digest.length];
  if (prefix === undefined) return undefined;
  const padding = length - 3 - prefix.length - digest.length;
  if (padding < 8) return undefined;
  return concat(
    Uint8Array.of(0, 1),
    new Uint8Array(padding).fill(0xff),
    Uint8Array.of(0),
    Uint8Array.from(prefix),
    digest,
  );
}

/** The message representative of a signature; undefined for a signature that this key cannot have made. */
function open(key: RsaPublicKey, signature: Uint8Array): bigint | undefined {
  if (!isUsableRsaKey(key) || signature.length !== byteLength(key.n)) return undefined;
  const s = toBigInt(signature);
  return s < key.n ? modPow(s, key.e, key.n) : undefined;
}

/** RSASSA-PKCS1-v1_5. */
export function verifyPkcs1(key: RsaPublicKey, digest: Uint8Array, signature: Uint8Array): boolean {
  const opened = open(key, signature);
  const expected = encodePkcs1(digest, signature.length);
  return opened !== undefined && expected !== undefined && equalBytes(fromBigInt(opened, signature.length), expected);
}

/** The mask generation function of PSS, appendix B.2.1. */
function mask(hash: Hash, seed: Uint8Array, length: number): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let counter = 0; counter * hash.size < length; counter++) {
    parts.push(hash.digest(concat(seed, fromBigInt(BigInt(counter), 4))));
  }
  return concat(...parts).slice(0, length);
}

const xor = (a: Uint8Array, b: Uint8Array): Uint8Array => a.map((byte, i) => byte ^ (b[i] as number));

/** RSASSA-PSS with the mask over the same hash. `saltLength` undefined accepts a salt of any length. */
export function verifyPss(
  key: RsaPublicKey,
  hash: Hash,
  digest: Uint8Array,
  signature: Uint8Array,
  saltLength: number | undefined,
): boolean {
  const opened = open(key, signature);
  const bits = bitLength(key.n) - 1;
  const length = Math.ceil(bits / 8);
  if (opened === undefined || bitLength(opened) > length * 8 || length < hash.size + 2) return false;
  const encoded = fromBigInt(opened, length);
  const masked = encoded.subarray(0, length - hash.size - 1);
  const h = encoded.subarray(length - hash.size - 1, length - 1);
  const unused = 8 * length - bits;
  if (encoded[length - 1] !== 0xbc || (masked[0] as number) >> (8 - unused) !== 0) return false;
  const block = xor(masked, mask(hash, h, masked.length));
  block[0] = (block[0] as number) & (0xff >> unused);
  const one = block.findIndex((byte) => byte !== 0);
  if (one < 0 || block[one] !== 1) return false;
  const salt = block.subarray(one + 1);
  if (saltLength !== undefined && salt.length !== saltLength) return false;
  return equalBytes(hash.digest(concat(new Uint8Array(8), digest, salt)), h);
}

/** The private operation, by the Chinese remainder theorem, and checked: a fault would leak a factor of the modulus. */
function sign(key: RsaPrivateKey, encoded: Uint8Array): Uint8Array | undefined {
  const m = toBigInt(encoded);
  const mp = modPow(m, key.d % (key.p - 1n), key.p);
  const mq = modPow(m, key.d % (key.q - 1n), key.q);
  const inverse = modPow(key.q, key.p - 2n, key.p);
  const h = ((((mp - mq) % key.p) + key.p) * inverse) % key.p;
  const s = mq + h * key.q;
  return modPow(s, key.e, key.n) === m % key.n ? fromBigInt(s, byteLength(key.n)) : undefined;
}

export function signPkcs1(key: RsaPrivateKey, digest: Uint8Array): Uint8Array | undefined {
  const encoded = isUsableRsaKey(key) ? encodePkcs1(digest, byteLength(key.n)) : undefined;
  return encoded && sign(key, encoded);
}

/**
 * RSASSA-PSS with a salt of the digest's size. The salt is derived from the key and the digest, so that evaluating a
 * policy twice gives the same token; it is as unpredictable as the key to everyone else.
 */
export function signPss(key: RsaPrivateKey, hash: Hash, digest: Uint8Array): Uint8Array | undefined {
  if (!isUsableRsaKey(key)) return undefined;
  const bits = bitLength(key.n) - 1;
  const length = Math.ceil(bits / 8);
  if (length < 2 * hash.size + 2) return undefined;
  const salt = hmac(hash, fromBigInt(key.d, byteLength(key.n)), digest);
  const h = hash.digest(concat(new Uint8Array(8), digest, salt));
  const block = new Uint8Array(length - hash.size - 1);
  block[block.length - salt.length - 1] = 1;
  block.set(salt, block.length - salt.length);
  const masked = xor(block, mask(hash, h, block.length));
  masked[0] = (masked[0] as number) & (0xff >> (8 * length - bits));
  return sign(key, concat(masked, h, Uint8Array.of(0xbc)));
}

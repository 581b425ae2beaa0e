/**
 * RSA signatures, RFC 8017: https://www.rfc-editor.org/rfc/rfc8017. OpenSSL makes and checks them where the host has it;
 * elsewhere `micro-rsa-dsa-dh` does, which is not constant-time in the private key: in a browser, sign elsewhere.
 *
 * Two things are by hand because the library lacks them: finding out how long a salt is, and a salt that is not drawn.
 */

import { invert, pow } from "@noble/curves/abstract/modular.js";
import { hmac } from "@noble/hashes/hmac.js";
import { mgf1, PKCS1_SHA1, PKCS1_SHA256, PKCS1_SHA384, PKCS1_SHA512, PSS } from "micro-rsa-dsa-dh/rsa.js";
import { bitLength, concat, fromBigInt, toBigInt } from "../bytes.ts";
import { type Hash, hashes } from "./hash.ts";
import { opensslPrivate, opensslSign, opensslVerify, type RsaSecrets } from "./openssl.ts";

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
function isUsable({ n, e }: { readonly n: bigint; readonly e: bigint }): boolean {
  const bits = bitLength(n);
  return bits >= minBits && bits <= maxBits && (n & 1n) === 1n && (e & 1n) === 1n && e > 1n && e < 1n << 31n;
}

const byteLength = (n: bigint): number => Math.ceil(bitLength(n) / 8);

const pkcs1 = new Map([
  [hashes.sha1, PKCS1_SHA1],
  [hashes.sha256, PKCS1_SHA256],
  [hashes.sha384, PKCS1_SHA384],
  [hashes.sha512, PKCS1_SHA512],
] as const);

/** The library throws where a key is too short for a digest, or a signature is not of this key. */
function holds(verify: () => boolean): boolean {
  try {
    return verify();
  } catch {
    return false;
  }
}

/** RSASSA-PKCS1-v1_5. */
export function verifyPkcs1(key: RsaPublicKey, hash: Hash, message: Uint8Array, signature: Uint8Array): boolean {
  if (!isUsable(key)) return false;
  return (
    opensslVerify(key, hash, message, signature) ??
    holds(() => pkcs1.get(hash)?.verify(key, message, signature) === true)
  );
}

/** RSASSA-PSS with the mask over the same hash. */
export function verifyPss(
  key: RsaPublicKey,
  hash: Hash,
  message: Uint8Array,
  signature: Uint8Array,
  salt: number | "any",
): boolean {
  if (!isUsable(key)) return false;
  return (
    opensslVerify(key, hash, message, signature, salt) ??
    holds(() => {
      const length = salt === "any" ? saltLength(key, hash, signature) : salt;
      return PSS(hash, mgf1(hash), length).verify(key, message, signature);
    })
  );
}

/** Bytes of an encoded PSS message, and the bits of the first one that stay zero: RFC 8017 section 9.1.1. */
function blockOf(n: bigint): { readonly length: number; readonly unused: number } {
  const bits = bitLength(n) - 1;
  const length = Math.ceil(bits / 8);
  return { length, unused: 8 * length - bits };
}

const xor = (a: Uint8Array, b: Uint8Array): Uint8Array => a.map((byte, i) => byte ^ (b[i] as number));

/** What stands behind the first one of the unmasked block. Only a hint: `verify` checks everything for this length. */
function saltLength(key: RsaPublicKey, hash: Hash, signature: Uint8Array): number {
  const { length, unused } = blockOf(key.n);
  const encoded = fromBigInt(pow(toBigInt(signature), key.e, key.n), length);
  const masked = encoded.subarray(0, length - hash.outputLen - 1);
  const block = xor(masked, mgf1(hash)(encoded.subarray(masked.length, length - 1), { dkLen: masked.length }));
  block[0] = (block[0] as number) & (0xff >> unused);
  return block.length - 1 - block.indexOf(1);
}

function secrets(key: RsaPrivateKey): RsaSecrets {
  const { n, e, d, p, q } = key;
  return { n, e, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: invert(q, p) };
}

export function signPkcs1(key: RsaPrivateKey, hash: Hash, message: Uint8Array): Uint8Array | undefined {
  if (!isUsable(key) || key.p * key.q !== key.n) return undefined;
  return checked(opensslSign(secrets(key), hash, message) ?? pkcs1.get(hash)?.sign(key, message), (signature) =>
    verifyPkcs1({ kind: "RsaPublicKey", n: key.n, e: key.e }, hash, message, signature),
  );
}

/**
 * RSASSA-PSS with a salt of the digest's size. The salt is derived from the key and the digest, so that evaluating a
 * policy twice gives the same token; it is as unpredictable as the key to everyone else.
 */
export function signPss(key: RsaPrivateKey, hash: Hash, message: Uint8Array): Uint8Array | undefined {
  if (!isUsable(key) || key.p * key.q !== key.n) return undefined;
  const { length, unused } = blockOf(key.n);
  const size = byteLength(key.n);
  if (length < 2 * hash.outputLen + 2) return undefined;
  const digest = hash(message);
  const salt = hmac(hash, fromBigInt(key.d, size), digest);
  const h = hash(concat(new Uint8Array(8), digest, salt));
  const block = new Uint8Array(length - h.length - 1);
  block[block.length - salt.length - 1] = 1;
  block.set(salt, block.length - salt.length);
  const masked = xor(block, mgf1(hash)(h, { dkLen: block.length }));
  masked[0] = (masked[0] as number) & (0xff >> unused);
  const encoded = concat(new Uint8Array(size - length), masked, h, Uint8Array.of(0xbc));
  const signature = opensslPrivate(secrets(key), encoded) ?? fromBigInt(pow(toBigInt(encoded), key.d, key.n), size);
  return checked(signature, (made) =>
    verifyPss({ kind: "RsaPublicKey", n: key.n, e: key.e }, hash, message, made, salt.length),
  );
}

/** A fault in a signature would leak a factor of the modulus: one that does not verify is not given out. */
function checked(
  signature: Uint8Array | undefined,
  verifies: (signature: Uint8Array) => boolean,
): Uint8Array | undefined {
  return signature !== undefined && verifies(signature) ? signature : undefined;
}

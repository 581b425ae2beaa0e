/**
 * Keys for WebCrypto. A key is bound to one algorithm when it is imported, so that a signature cannot choose: neither `none`,
 * nor a public key taken for a secret.
 */

import { base64 } from "./base64.ts";
import { pemKey } from "./pem.ts";
import type { SignatureAlgorithm, VerificationKey } from "./verification.ts";

/** Smaller ones are broken within a budget that attackers have. */
export const MIN_RSA_BITS = 2048;
/** As long as the shortest hash: https://www.rfc-editor.org/rfc/rfc7518#section-3.2. */
export const MIN_SECRET_BYTES = 32;

type Bytes = Uint8Array<ArrayBuffer>;

const CURVES: { readonly [algorithm: string]: string } = { ES256: "P-256", ES384: "P-384", ES512: "P-521" };
const KEY_TYPES: { readonly [family: string]: string } = { RS: "RSA", PS: "RSA", ES: "EC", HS: "oct" };

/** Why a key cannot be used. */
export class KeyError extends Error {}

/**
 * Whether a signature is one of these bytes under this key. Throws KeyError for a key that does not fit its algorithm, is too
 * weak, or is malformed.
 */
export async function signatureHolds(
  key: VerificationKey,
  signed: Uint8Array,
  signature: Uint8Array,
  allowWeak: boolean,
): Promise<boolean> {
  const imported = await importKey(key, allowWeak);
  const { name, hash } = importParameters(key.algorithm) as Parameters;
  const parameters = { name, hash, saltLength: Number(key.algorithm.slice(2)) / 8 };
  return crypto.subtle.verify(parameters, imported, signature as Bytes, signed as Bytes);
}

async function importKey({ algorithm, key }: VerificationKey, allowWeak: boolean): Promise<CryptoKey> {
  const parameters = importParameters(algorithm);
  if (parameters === undefined) throw new KeyError(`\`${String(algorithm)}\` is no algorithm for signatures`);
  if (parameters.name === "HMAC") {
    const secret = secretOf(key, algorithm);
    if (secret.length === 0) throw new KeyError("the secret is empty");
    if (secret.length < MIN_SECRET_BYTES && !allowWeak)
      throw new KeyError(`the secret has ${secret.length} bytes, and ${MIN_SECRET_BYTES} are the least`);
    return crypto.subtle.importKey("raw", secret, parameters, false, ["verify"]);
  }
  const imported = await importPublic(algorithm, key, parameters);
  const bits = (imported.algorithm as { readonly modulusLength?: number }).modulusLength;
  if (bits !== undefined && bits < MIN_RSA_BITS && !allowWeak)
    throw new KeyError(`the RSA key has ${bits} bits, and ${MIN_RSA_BITS} are the least`);
  return imported;
}

interface Parameters {
  readonly name: string;
  readonly hash: string;
  readonly namedCurve: string;
}

function importParameters(algorithm: string): Parameters | undefined {
  const [, family, bits] = /^(RS|PS|ES|HS)(256|384|512)$/.exec(algorithm) ?? [];
  const hash = `SHA-${bits}`;
  const namedCurve = CURVES[algorithm] ?? "";
  if (family === "RS") return { name: "RSASSA-PKCS1-v1_5", hash, namedCurve };
  if (family === "PS") return { name: "RSA-PSS", hash, namedCurve };
  if (family === "ES") return { name: "ECDSA", hash, namedCurve };
  return family === "HS" ? { name: "HMAC", hash, namedCurve } : undefined;
}

async function importPublic(
  algorithm: SignatureAlgorithm,
  key: VerificationKey["key"],
  parameters: Parameters,
): Promise<CryptoKey> {
  const unfit = (): KeyError => new KeyError(`the key is no public key for ${algorithm}`);
  try {
    if (typeof key === "string") {
      const spki = pemKey(key);
      if (spki === undefined) throw unfit();
      return await crypto.subtle.importKey("spki", spki, parameters, false, ["verify"]);
    }
    if (key instanceof Uint8Array || key.kty !== KEY_TYPES[algorithm.slice(0, 2)]) throw unfit();
    // The public members alone: who verifies needs no private key, and `alg` and `use` are not what chooses.
    const { kty, n, e, crv, x, y } = key as JsonWebKey;
    const jwk = kty === "RSA" ? { kty, n, e } : { kty, crv, x, y };
    return await crypto.subtle.importKey("jwk", jwk as JsonWebKey, parameters, false, ["verify"]);
  } catch (error) {
    throw error instanceof KeyError ? error : unfit();
  }
}

function secretOf(key: VerificationKey["key"], algorithm: string): Bytes {
  const bytes = secretBytes(key);
  // A public key that is taken for a secret would let everybody sign.
  if (bytes === undefined || isPublicKey(bytes)) throw new KeyError(`the key is no secret, which ${algorithm} takes`);
  return bytes;
}

function secretBytes(key: VerificationKey["key"]): Bytes | undefined {
  if (key instanceof Uint8Array) return key.slice();
  if (typeof key === "string") return new TextEncoder().encode(key);
  const { kty, k } = key;
  if (kty !== "oct" || typeof k !== "string" || !/^[\w-]*$/.test(k)) return undefined;
  return base64(k);
}

/** PEM, a JWK that is written as text, or DER, also in Base64: PEM without its first and last line. */
function isPublicKey(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes);
  return text.includes("-----BEGIN ") || /^\s*\{.*"kty"/s.test(text) || isDer(bytes) || isDer(fromBase64(text));
}

/**
 * A sequence that is just the rest: a long one, or a short one, of a small curve, that begins with another sequence and an
 * object identifier in it. A secret that begins so by chance is one in four billion.
 */
function isDer(bytes: Uint8Array): boolean {
  const [tag, length = 0, high = 0, low = 0, inner] = bytes;
  if (tag !== 0x30) return false;
  if (length === bytes.length - 2) return high === 0x30 && inner === 0x06;
  return (length === 0x81 && high === bytes.length - 3) || (length === 0x82 && high * 256 + low === bytes.length - 4);
}

function fromBase64(text: string): Uint8Array {
  try {
    return base64(text);
  } catch {
    return new Uint8Array();
  }
}

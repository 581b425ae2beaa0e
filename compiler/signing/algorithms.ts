/** The algorithms that OPA signs bundles with (https://www.rfc-editor.org/rfc/rfc7518#section-3.1), over Node's crypto. */

import {
  constants,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  type KeyObject,
  sign,
  timingSafeEqual,
  verify,
} from "node:crypto";
import { failure, type Result, success } from "../base/result.ts";

export const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "HS256",
  "HS384",
  "HS512",
] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

/** A key that was found to fit its algorithm. */
export interface Key {
  readonly algorithm: Algorithm;
  /** A `KeyObject` of Node's; the package's declarations need none of Node's types. */
  readonly key: object;
}

/** The families of algorithms, by the first two letters of their names. */
const KEY_TYPES: { readonly [family: string]: string } = { RS: "rsa", PS: "rsa", ES: "ec" };
const CURVES: { readonly [algorithm: string]: string } = {
  ES256: "prime256v1",
  ES384: "secp384r1",
  ES512: "secp521r1",
};

export type KeyProblem = "unfit-key";

/** A private key in PEM, or for HMAC the bytes of the secret. `name`: its name in messages, such as the path of its file. */
export function signingKey(name: string, bytes: Uint8Array, algorithm: Algorithm): Result<Key, KeyProblem> {
  return keyFor(name, bytes, algorithm, "private", createPrivateKey);
}

/** A public key or certificate in PEM, or for HMAC the bytes of the secret. */
export function verificationKey(name: string, bytes: Uint8Array, algorithm: Algorithm): Result<Key, KeyProblem> {
  return keyFor(name, bytes, algorithm, "public", createPublicKey);
}

function keyFor(
  name: string,
  given: Uint8Array,
  algorithm: Algorithm,
  kind: string,
  read: (pem: Buffer) => KeyObject,
): Result<Key, KeyProblem> {
  const bytes = Buffer.from(given);
  const unfit = (what: string) => failure("unfit-key", `\`${name}\` ${what}`, `the algorithm is ${algorithm}`);
  const isPem = bytes.includes("-----BEGIN ");
  if (algorithm.startsWith("HS")) {
    if (bytes.length === 0) return failure("unfit-key", `the secret in \`${name}\` is empty`);
    // A public key that is taken for a secret would let everybody sign.
    if (isPem) return unfit(`is a key in PEM, and ${algorithm} takes a secret`);
    return success({ algorithm, key: createSecretKey(bytes) });
  }
  if (!isPem) return unfit(`is no ${kind} key in PEM, which ${algorithm} needs`);
  const key = attempt(() => read(bytes));
  if (key === undefined) return unfit(`holds no ${kind} key that can be read without a passphrase`);
  const wanted = KEY_TYPES[algorithm.slice(0, 2)];
  const curve = key.asymmetricKeyDetails?.namedCurve;
  if (key.asymmetricKeyType !== wanted || (CURVES[algorithm] !== undefined && CURVES[algorithm] !== curve))
    return unfit(`is a key for ${[key.asymmetricKeyType, curve].filter(Boolean).join(" ")}`);
  return success({ algorithm, key });
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

export function signBytes({ algorithm, key: platformKey }: Key, data: Uint8Array): Uint8Array {
  const key = platformKey as KeyObject;
  if (key.type === "secret") return createHmac(digestOf(algorithm), key).update(data).digest();
  return sign(digestOf(algorithm), data, keyInput(algorithm, key));
}

/** Never throws: a signature that cannot be one does not hold. */
export function signatureHolds({ algorithm, key: platformKey }: Key, data: Uint8Array, signature: Uint8Array): boolean {
  const key = platformKey as KeyObject;
  if (key.type === "secret") {
    const expected = createHmac(digestOf(algorithm), key).update(data).digest();
    return expected.length === signature.length && timingSafeEqual(expected, signature);
  }
  return attempt(() => verify(digestOf(algorithm), data, keyInput(algorithm, key), signature)) ?? false;
}

function digestOf(algorithm: Algorithm): string {
  return `sha${algorithm.slice(2)}`;
}

function keyInput(algorithm: Algorithm, key: KeyObject) {
  if (algorithm.startsWith("ES")) return { key, dsaEncoding: "ieee-p1363" as const };
  if (!algorithm.startsWith("PS")) return { key };
  return { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
}

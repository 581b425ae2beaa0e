/** The algorithms that OPA signs bundles with (https://www.rfc-editor.org/rfc/rfc7518#section-3.1), over Node's crypto. */

import {
  constants,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  type KeyObject,
  sign,
} from "node:crypto";
import {
  holdOptions,
  MIN_RSA_BITS,
  MIN_SECRET_BYTES,
  SIGNATURE_ALGORITHMS,
  type SignatureAlgorithm,
  type TableOf,
  type VerificationKey,
} from "@portcullis/runtime/trust";
import { failure, type Result, success } from "../diagnostics/index.ts";

/** The signature algorithms of OPA's bundles that are taken: RS, PS, ES and HS. */
export const ALGORITHMS = SIGNATURE_ALGORITHMS;
export type Algorithm = SignatureAlgorithm;

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

/** Why a key is refused: it cannot be read, is another kind than its algorithm needs, or is too weak. */
export type KeyProblem = "unfit-key";

/** Options of reading a key. */
export interface KeyOptions {
  /** Takes RSA keys of fewer than 2048 bits and secrets of fewer than 32 bytes: for others' bundles, never for one's own. */
  readonly allowWeak?: boolean;
}

const KEY_OPTIONS: TableOf<KeyOptions> = { allowWeak: "boolean" };

/** A private key in PEM, or for HMAC the bytes of the secret. `name`: its name in messages, such as the path of its file. */
export function signingKey(
  name: string,
  bytes: Uint8Array,
  algorithm: Algorithm,
  options: KeyOptions = {},
): Result<Key, KeyProblem> {
  return keyFor(name, bytes, algorithm, "private", createPrivateKey, options);
}

/** A public key or certificate in PEM, or for HMAC the bytes of the secret. */
export function verificationKey(
  name: string,
  bytes: Uint8Array,
  algorithm: Algorithm,
  options: KeyOptions = {},
): Result<VerificationKey, KeyProblem> {
  const key = keyFor(name, bytes, algorithm, "public", createPublicKey, options);
  if (!key.ok) return key;
  const platformKey = key.value.key as KeyObject;
  const shared = platformKey.type === "secret";
  return success({ algorithm, key: shared ? bytes : String(platformKey.export({ type: "spki", format: "pem" })) });
}

function keyFor(
  name: string,
  given: Uint8Array,
  algorithm: Algorithm,
  kind: string,
  read: (pem: Buffer) => KeyObject,
  options: KeyOptions,
): Result<Key, KeyProblem> {
  holdOptions(options, KEY_OPTIONS);
  const { allowWeak = false } = options;
  const bytes = Buffer.from(given);
  const unfit = (what: string) => failure("unfit-key", `\`${name}\` ${what}`, `the algorithm is ${algorithm}`);
  const weak = (has: string, least: string) =>
    failure("unfit-key", `\`${name}\` has ${has}, and ${least} are the least`);
  const isPem = bytes.includes("-----BEGIN ");
  if (algorithm.startsWith("HS")) {
    if (bytes.length === 0) return failure("unfit-key", `the secret in \`${name}\` is empty`);
    // A public key that is taken for a secret would let everybody sign.
    if (isPem) return unfit(`is a key in PEM, and ${algorithm} takes a secret`);
    if (bytes.length < MIN_SECRET_BYTES && !allowWeak)
      return weak(`${bytes.length} bytes`, `${MIN_SECRET_BYTES} bytes`);
    return success({ algorithm, key: createSecretKey(bytes) });
  }
  if (!isPem) return unfit(`is no ${kind} key in PEM, which ${algorithm} needs`);
  const key = attempt(() => read(bytes));
  if (key === undefined) return unfit(`holds no ${kind} key that can be read without a passphrase`);
  const wanted = KEY_TYPES[algorithm.slice(0, 2)];
  const curve = key.asymmetricKeyDetails?.namedCurve;
  if (key.asymmetricKeyType !== wanted || (CURVES[algorithm] !== undefined && CURVES[algorithm] !== curve))
    return unfit(`is a key for ${[key.asymmetricKeyType, curve].filter(Boolean).join(" ")}`);
  const bits = key.asymmetricKeyDetails?.modulusLength ?? MIN_RSA_BITS;
  return bits < MIN_RSA_BITS && !allowWeak ? weak(`${bits} bits`, `${MIN_RSA_BITS} bits`) : success({ algorithm, key });
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

function digestOf(algorithm: Algorithm): string {
  return `sha${algorithm.slice(2)}`;
}

function keyInput(algorithm: Algorithm, key: KeyObject) {
  if (algorithm.startsWith("ES")) return { key, dsaEncoding: "ieee-p1363" as const };
  if (!algorithm.startsWith("PS")) return { key };
  return { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
}

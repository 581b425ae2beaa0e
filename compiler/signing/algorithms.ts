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
import { readBytes } from "../cli/commands/read.ts";
import { CliError, EXIT_USAGE } from "../cli/exit.ts";

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
  readonly key: KeyObject;
}

/** What the first two letters mean. */
const KEY_TYPES: { readonly [family: string]: string } = { RS: "rsa", PS: "rsa", ES: "ec" };
const CURVES: { readonly [algorithm: string]: string } = {
  ES256: "prime256v1",
  ES384: "secp384r1",
  ES512: "secp521r1",
};

/** A private key in PEM, or for HMAC a file whose bytes are the secret. Throws CliError. */
export function readSigningKey(path: string, algorithm: Algorithm): Key {
  return readKey(path, algorithm, "private", createPrivateKey);
}

/** A public key or certificate in PEM, or for HMAC a file whose bytes are the secret. Throws CliError. */
export function readVerificationKey(path: string, algorithm: Algorithm): Key {
  return readKey(path, algorithm, "public", createPublicKey);
}

function readKey(path: string, algorithm: Algorithm, kind: string, read: (pem: Buffer) => KeyObject): Key {
  const bytes = Buffer.from(readBytes(path));
  const isPem = bytes.includes("-----BEGIN ");
  if (algorithm.startsWith("HS")) {
    if (bytes.length === 0) throw new CliError(`the secret in \`${path}\` is empty`);
    // A public key that is taken for a secret would let everybody sign.
    if (isPem) throw refused(path, `is a key in PEM, and ${algorithm} takes a secret`, algorithm);
    return { algorithm, key: createSecretKey(bytes) };
  }
  if (!isPem) throw refused(path, `is no ${kind} key in PEM, which ${algorithm} needs`, algorithm);
  const key = attempt(() => read(bytes));
  if (key === undefined) throw refused(path, `holds no ${kind} key that can be read without a passphrase`, algorithm);
  const wanted = KEY_TYPES[algorithm.slice(0, 2)];
  const curve = key.asymmetricKeyDetails?.namedCurve;
  if (key.asymmetricKeyType !== wanted || (CURVES[algorithm] !== undefined && CURVES[algorithm] !== curve)) {
    throw refused(path, `is a key for ${[key.asymmetricKeyType, curve].filter(Boolean).join(" ")}`, algorithm);
  }
  return { algorithm, key };
}

function refused(path: string, what: string, algorithm: Algorithm): CliError {
  return new CliError(
    `\`${path}\` ${what}`,
    EXIT_USAGE,
    `the algorithm is ${algorithm}; \`--signing-alg\` chooses another`,
  );
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

export function signBytes({ algorithm, key }: Key, data: Uint8Array): Uint8Array {
  if (key.type === "secret") return createHmac(digestOf(algorithm), key).update(data).digest();
  return sign(digestOf(algorithm), data, keyInput(algorithm, key));
}

/** Never throws: a signature that cannot be one does not hold. */
export function signatureHolds({ algorithm, key }: Key, data: Uint8Array, signature: Uint8Array): boolean {
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

/**
 * RSA and ECDSA by the platform's OpenSSL, where there is one: Node, Bun and Deno hand it out by
 * `process.getBuiltinModule`, which bundlers and browsers do not take for an import. `undefined` if it is missing, or does not do the work.
 */

import { base64Url, fromBigInt } from "../bytes.ts";
import type { AffinePoint, Curve } from "./curve.ts";
import { type Hash, hashes } from "./hash.ts";

/** The functions of `node:crypto` that are used. */
interface Openssl {
  createPublicKey(key: object): object;
  createPrivateKey(key: object): object;
  verify(hash: string, message: Uint8Array, key: object, signature: Uint8Array): boolean;
  sign(hash: string, message: Uint8Array, key: object): Uint8Array;
  privateEncrypt(key: object, bytes: Uint8Array): Uint8Array;
  readonly constants: Readonly<Record<string, number>>;
}

const names = new Map<Hash, string>(Object.entries(hashes).map(([name, hash]) => [hash, name]));

function platform(): Openssl | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } };
  const found = process?.getBuiltinModule?.("node:crypto") as Partial<Openssl> | undefined;
  return typeof found?.createPublicKey === "function" ? (found as Openssl) : undefined;
}

/** A platform that lacks a part of it says so by throwing. */
function attempt<T>(work: (openssl: Openssl) => T): T | undefined {
  try {
    const openssl = platform();
    return openssl && work(openssl);
  } catch {
    return undefined;
  }
}

/** A JSON Web Key of numbers, RFC 7518 section 6.3. */
function jwk(numbers: Readonly<Record<string, bigint>>): object {
  const fields = Object.entries(numbers).map(([name, value]) => {
    return [name, base64Url(fromBigInt(value, Math.ceil(value.toString(16).length / 2)))];
  });
  return { key: { kty: "RSA", ...Object.fromEntries(fields) }, format: "jwk" };
}

export interface RsaNumbers {
  readonly n: bigint;
  readonly e: bigint;
}

/** With `salt`, a PSS signature: the salt's length, or any. */
export function opensslVerify(
  { n, e }: RsaNumbers,
  hash: Hash,
  message: Uint8Array,
  signature: Uint8Array,
  salt?: number | "any",
): boolean | undefined {
  return attempt(({ constants, createPublicKey, verify }) => {
    const key = createPublicKey(jwk({ n, e }));
    const pss = {
      padding: constants["RSA_PKCS1_PSS_PADDING"],
      saltLength: salt === "any" ? constants["RSA_PSS_SALTLEN_AUTO"] : salt,
    };
    return verify(names.get(hash) as string, message, salt === undefined ? key : { key, ...pss }, signature);
  });
}

/** `signature` is r and s, each as long as a coordinate. Not for P-224, for which JWK has no name. */
export function opensslVerifyEcdsa(
  { name, size }: Pick<Curve, "name" | "size">,
  { x, y }: AffinePoint,
  hash: Hash,
  message: Uint8Array,
  signature: Uint8Array,
): boolean | undefined {
  if (name === "P-224") return undefined;
  return attempt(({ createPublicKey, verify }) => {
    const [xText, yText] = [x, y].map((value) => base64Url(fromBigInt(value, size)));
    const key = createPublicKey({ key: { kty: "EC", crv: name, x: xText, y: yText }, format: "jwk" });
    return verify(names.get(hash) as string, message, { key, dsaEncoding: "ieee-p1363" }, signature);
  });
}

export type RsaSecrets = Readonly<Record<"n" | "e" | "d" | "p" | "q" | "dp" | "dq" | "qi", bigint>>;

/** A signature of PKCS #1 version 1.5. */
export function opensslSign(key: RsaSecrets, hash: Hash, message: Uint8Array): Uint8Array | undefined {
  return attempt(({ createPrivateKey, sign }) =>
    Uint8Array.from(sign(names.get(hash) as string, message, createPrivateKey(jwk(key)))),
  );
}

/** The private operation on a block as long as the modulus. */
export function opensslPrivate(key: RsaSecrets, block: Uint8Array): Uint8Array | undefined {
  return attempt(({ constants, createPrivateKey, privateEncrypt }) =>
    Uint8Array.from(privateEncrypt({ key: createPrivateKey(jwk(key)), padding: constants["RSA_NO_PADDING"] }, block)),
  );
}

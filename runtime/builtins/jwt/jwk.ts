/** JSON Web Keys, RFC 7517 and 7518: https://www.rfc-editor.org/rfc/rfc7517 */

import { fromJson, isArray, isObject, type JsonLike, type JsonObject } from "@portcullis/runtime/host";
import { equalBytes, fromBase64, toBigInt } from "../bytes.ts";
import { type Curve, isOnCurve, p256, p384, p521 } from "../crypto/curve.ts";
import { ed25519PublicKey } from "../crypto/ed25519.ts";
import type { Key } from "../crypto/keys.ts";
import { fail, need } from "../family.ts";
import { readCertificate } from "../x509/certificate.ts";
import { anyBase64 } from "./lenient-base64.ts";

export interface Jwk {
  readonly key: Key;
  readonly alg: string | undefined;
  readonly kid: string | undefined;
}

/** Every algorithm name a key may carry; a key with another one is refused as a whole. */
const algorithms = new Set(
  (
    "HS256 HS384 HS512 RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 ES256K EdDSA Ed25519 none " +
    "RSA1_5 RSA-OAEP RSA-OAEP-256 RSA-OAEP-384 RSA-OAEP-512 A128KW A192KW A256KW dir ECDH-ES ECDH-ES+A128KW " +
    "ECDH-ES+A192KW ECDH-ES+A256KW A128GCMKW A192GCMKW A256GCMKW PBES2-HS256+A128KW PBES2-HS384+A192KW " +
    "PBES2-HS512+A256KW A128GCM A192GCM A256GCM A128CBC-HS256 A192CBC-HS384 A256CBC-HS512"
  ).split(" "),
);

function textField(jwk: JsonObject, name: string): string | undefined {
  const value = jwk.get(name);
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : fail(`JWK field ${name} must be a string`);
}

function bytesField(jwk: JsonObject, name: string): Uint8Array | undefined {
  const value = textField(jwk, name);
  return value === undefined ? undefined : need(anyBase64(value), `JWK field ${name} must be base64`);
}

const requiredBytes = (jwk: JsonObject, name: string): Uint8Array => need(bytesField(jwk, name), `JWK without ${name}`);
function sized(bytes: Uint8Array, size: number, name: string): Uint8Array {
  return bytes.length === size ? bytes : fail(`JWK field ${name} must have ${size} bytes`);
}

const requiredInteger = (jwk: JsonObject, name: string): bigint => toBigInt(requiredBytes(jwk, name));

function rsaKey(jwk: JsonObject): Key {
  const n = requiredInteger(jwk, "n");
  const e = requiredInteger(jwk, "e");
  if (n === 0n) fail("JWK without n");
  if (e % 2n === 0n || e >= MOST_EXPONENT) fail("invalid RSA exponent");
  if (!jwk.has("d")) return { kind: "RsaPublicKey", n, e };
  const [d, p, q] = [requiredInteger(jwk, "d"), requiredInteger(jwk, "p"), requiredInteger(jwk, "q")];
  return { kind: "RsaPrivateKey", n, e, d, p, q };
}

/** As many as OPA's library takes. */
const MOST_CERTIFICATES = 10;

/** An exponent is a signed integer of 64 bits. */
const MOST_EXPONENT = 2n ** 63n;

const curves: ReadonlyMap<string, Curve> = new Map([p256, p384, p521].map((curve) => [curve.name, curve]));

function ecKey(jwk: JsonObject): Key {
  const curve = need(curves.get(need(textField(jwk, "crv"), "JWK without crv")), "unknown curve");
  const coordinate = (name: string): bigint => toBigInt(sized(requiredBytes(jwk, name), curve.size, name));
  const point = { x: coordinate("x"), y: coordinate("y") };
  if (!isOnCurve(curve, point)) fail("the point is not on the curve");
  if (!jwk.has("d")) return { kind: "EcPublicKey", curve, point };
  return { kind: "EcPrivateKey", curve, point, d: coordinate("d") };
}

/** Bytes of a key of Ed25519 or X25519. */
const OKP_SIZE = 32;

function okpKey(jwk: JsonObject): Key {
  const curve = need(textField(jwk, "crv"), "JWK without crv");
  const bytes = sized(requiredBytes(jwk, "x"), OKP_SIZE, "x");
  if (curve === "X25519") return { kind: "OtherKey", algorithm: curve };
  if (curve !== "Ed25519") return fail("unknown curve");
  if (!jwk.has("d")) return { kind: "EdPublicKey", bytes };
  const seed = requiredBytes(jwk, "d");
  if (seed.length !== 32 || !equalBytes(ed25519PublicKey(seed), bytes)) fail("x does not belong to d");
  return { kind: "EdPrivateKey", seed, bytes };
}

function secretKey(jwk: JsonObject): Key {
  const bytes = requiredBytes(jwk, "k");
  return bytes.length > 0 ? { kind: "SecretKey", bytes } : fail("JWK without k");
}

function readKey(jwk: JsonObject): Key {
  switch (textField(jwk, "kty")) {
    case "RSA":
      return rsaKey(jwk);
    case "EC":
      return ecKey(jwk);
    case "OKP":
      return okpKey(jwk);
    case "oct":
      return secretKey(jwk);
    default:
      return fail("unknown key type");
  }
}

function checkOperations(operations: JsonLike | undefined): void {
  if (operations === undefined || operations === null) return;
  if (!isArray(operations) || !operations.every((o) => typeof o === "string" || o === null))
    fail("JWK field key_ops must be a list of strings");
}

/** A chain of certificates in base64, which may have white space in it. */
function checkCertificates(chain: JsonLike | undefined): void {
  if (chain === undefined) return;
  if (!isArray(chain) || chain.length > MOST_CERTIFICATES) fail("JWK field x5c must be a list of certificates");
  for (const text of chain) {
    if (typeof text !== "string") fail("JWK field x5c must be a list of strings");
    readCertificate(need(fromBase64(text.replace(/[ \t\n\v\f\r]/g, "")), "JWK field x5c must be base64"));
  }
}

function readJwk(value: JsonLike): Jwk {
  if (!isObject(value)) fail("a JWK must be an object");
  const alg = value.get("alg") === null ? "" : textField(value, "alg");
  if (alg !== undefined && !algorithms.has(alg)) fail("unknown algorithm in a JWK");
  for (const name of ["use", "x5t", "x5t#S256", "x5u"]) textField(value, name);
  checkOperations(value.get("key_ops"));
  checkCertificates(value.get("x5c"));
  return { key: readKey(value), alg, kid: textField(value, "kid") };
}

/** The keys of a text that is one JWK or a set of them. Any key that cannot be read spoils the set. */
export function readJwks(text: string): readonly Jwk[] {
  const value = fromJson(text);
  if (!isObject(value)) fail("a JWK must be an object");
  const keys = value.get("keys");
  if (keys === undefined) return [readJwk(value)];
  return isArray(keys) ? keys.map(readJwk) : fail("keys of a JWK set must be an array");
}

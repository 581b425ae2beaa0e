/** Private keys: PKCS #1 (RFC 8017), PKCS #8 (RFC 5208) and SEC 1 (RFC 5915). */

import { context, Der, sameOid, tag } from "../asn1/der.ts";
import { readPem } from "../asn1/pem.ts";
import { bitLength, toBigInt } from "../bytes.ts";
import type { Curve } from "../crypto/curve.ts";
import { type EcPrivateKey, publicPoint } from "../crypto/ecdsa.ts";
import { ed25519PublicKey } from "../crypto/ed25519.ts";
import type { PrivateKey } from "../crypto/keys.ts";
import type { RsaPrivateKey } from "../crypto/rsa.ts";
import { fail, need } from "../family.ts";
import { curveOf, keyOids, readAlgorithm } from "./public-key.ts";

function whole(bytes: Uint8Array): Der {
  const outer = new Der(bytes);
  const sequence = outer.nested(tag.sequence);
  return outer.empty ? sequence : fail("data after a private key");
}

function optionalInteger(fields: Der): bigint | undefined {
  return fields.peek(tag.integer) ? fields.integer() : undefined;
}

export function readPkcs1(bytes: Uint8Array): RsaPrivateKey {
  const fields = whole(bytes);
  const version = fields.integer();
  const [n, e, d, p, q] = [fields.integer(), fields.integer(), fields.integer(), fields.integer(), fields.integer()];
  if (version !== 0n) fail("RSA keys of more than two primes are not supported");
  const [dp, dq, qi] = [optionalInteger(fields), optionalInteger(fields), optionalInteger(fields)];
  // Larger keys would take too long to check.
  if (n <= 0n || bitLength(n) > 16_384) fail("RSA key out of range");
  if (p <= 1n || q <= 1n || d <= 0n || e <= 1n || p * q !== n) fail("RSA key does not fit together");
  if ((d * e) % (p - 1n) !== 1n % (p - 1n) || (d * e) % (q - 1n) !== 1n % (q - 1n))
    fail("RSA exponents do not fit together");
  // Primes close to each other, or a small exponent, give the key away.
  const half = Math.floor(bitLength(n) / 2);
  if (bitLength(p > q ? p - q : q - p) <= half - 100 || bitLength(d) <= half) fail("RSA key is weak");
  if ([dp, dq, qi].some((value) => value !== undefined && value <= 0n)) fail("zero or negative value");
  // Go computes them anew where one is missing.
  if (dp !== undefined && dq !== undefined && qi !== undefined) {
    const fits = dp === d % (p - 1n) && dq === d % (q - 1n) && qi < p && (qi * q) % p === 1n;
    if (!fits) fail("RSA values for the Chinese remainder theorem do not fit together");
  }
  return { kind: "RsaPrivateKey", n, e, d, p, q };
}

/** The public key behind it counts for nothing, nor does the length around it, but Go wants its bits to be well formed. */
function checkShownPoint(rest: Uint8Array): void {
  const [first, length = 0] = rest;
  if (first !== context(1, true)) return;
  const shown = new Der(rest.subarray(length < 0x80 ? 2 : 2 + (length & 0x7f)));
  if (shown.peek(tag.bitString)) shown.bitString();
}

export function readSec1(bytes: Uint8Array, named: Curve | undefined): EcPrivateKey {
  const fields = whole(bytes);
  if (fields.integer() !== 1n) fail("unknown version of an elliptic curve key");
  const d = toBigInt(fields.read(tag.octetString));
  const parameters = fields.optional(context(0, true));
  checkShownPoint(fields.rest);
  const curve = need(named ?? (parameters && curveOf(new Der(parameters).oid())), "unknown elliptic curve");
  if (d <= 0n || d >= curve.order) fail("elliptic curve key out of range");
  return { kind: "EcPrivateKey", curve, d, point: publicPoint(curve, d) };
}

export function readPkcs8(bytes: Uint8Array): PrivateKey {
  const fields = whole(bytes);
  fields.integer();
  const { oid, parameters } = readAlgorithm(fields);
  const key = fields.read(tag.octetString);
  if (sameOid(oid, keyOids.rsa)) return readPkcs1(key);
  if (sameOid(oid, keyOids.ec)) return readSec1(key, curveOf(new Der(parameters).oid()));
  const seed = (): Uint8Array => {
    const bytesOfKey = new Der(key).read(tag.octetString);
    return parameters.length === 0 && bytesOfKey.length === 32 ? bytesOfKey : fail("malformed key");
  };
  if (sameOid(oid, keyOids.ed25519)) return { kind: "EdPrivateKey", seed: seed(), bytes: ed25519PublicKey(seed()) };
  if (sameOid(oid, keyOids.x25519)) {
    seed();
    return { kind: "OtherKey", algorithm: "X25519" };
  }
  return fail("unknown private key algorithm");
}

/** The private keys among the blocks of a text. */
export function readPrivateKeys(text: string): readonly PrivateKey[] {
  const keys: PrivateKey[] = [];
  for (let block = readPem(text); block !== undefined; block = readPem(block.rest)) {
    if (block.type === "RSA PRIVATE KEY") keys.push(readPkcs1(block.bytes));
    else if (block.type === "PRIVATE KEY") keys.push(readPkcs8(block.bytes));
    else if (block.type === "EC PRIVATE KEY") keys.push(readSec1(block.bytes, undefined));
  }
  return keys;
}

/** A key of whichever of the three forms it is in. */
export function readAnyKey(bytes: Uint8Array): PrivateKey {
  for (const read of [readPkcs1, readPkcs8, (der: Uint8Array) => readSec1(der, undefined)]) {
    try {
      return read(bytes);
    } catch {
      // Another form may fit.
    }
  }
  return fail("unknown form of a private key");
}

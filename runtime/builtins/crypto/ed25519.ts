/**
 * Ed25519, RFC 8032 section 5.1: https://www.rfc-editor.org/rfc/rfc8032. Points are extended, (X, Y, Z, T) for
 * x = X/Z, y = Y/Z, xy = T/Z, on -x² + y² = 1 + dx²y². Signing is not constant-time: see the note in `rsa.ts`.
 */

import { concat, equalBytes, fromBigInt, toBigInt } from "../bytes.ts";
import { mod, modInverse, modPow } from "./modular.ts";
import { sha512 } from "./sha512.ts";

export interface EdPublicKey {
  readonly kind: "EdPublicKey";
  readonly bytes: Uint8Array;
}

export interface EdPrivateKey {
  readonly kind: "EdPrivateKey";
  readonly seed: Uint8Array;
  readonly bytes: Uint8Array;
}

interface Point {
  readonly x: bigint;
  readonly y: bigint;
  readonly z: bigint;
  readonly t: bigint;
}

const p = 2n ** 255n - 19n;
const order = 2n ** 252n + 27742317777372353535851937790883648493n;
const d = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;
const rootOfMinusOne = 19681161376707505956807079304988542015446066515923890162744021073123829784752n;
const baseX = 15112221349535400772501151409588531511454012693041857206046113283949847762202n;
const baseY = 46316835694926478169428394003475163141307993866256225615783033603165251855960n;

const identity: Point = { x: 0n, y: 1n, z: 1n, t: 0n };
const base: Point = { x: baseX, y: baseY, z: 1n, t: (baseX * baseY) % p };

function add(a: Point, b: Point): Point {
  const m = ((a.y - a.x) * (b.y - b.x)) % p;
  const n = ((a.y + a.x) * (b.y + b.x)) % p;
  const c = (2n * a.t * b.t * d) % p;
  const s = (2n * a.z * b.z) % p;
  const [e, f, g, h] = [n - m, s - c, s + c, n + m];
  return { x: mod(e * f, p), y: mod(g * h, p), z: mod(f * g, p), t: mod(e * h, p) };
}

function multiply(scalar: bigint, point: Point): Point {
  let sum = identity;
  for (const bit of scalar.toString(2)) {
    sum = add(sum, sum);
    if (bit === "1") sum = add(sum, point);
  }
  return sum;
}

const littleEndian = (bytes: Uint8Array): bigint => toBigInt(bytes.slice().reverse());
const toLittleEndian = (value: bigint): Uint8Array => fromBigInt(value, 32).reverse();

function encode({ x, y, z }: Point): Uint8Array {
  const inverse = modInverse(z, p) ?? 0n;
  const affineX = (x * inverse) % p;
  return toLittleEndian(((y * inverse) % p) | ((affineX & 1n) << 255n));
}

function decode(bytes: Uint8Array): Point | undefined {
  const value = littleEndian(bytes);
  const sign = value >> 255n;
  const y = (value & ((1n << 255n) - 1n)) % p;
  const u = mod(y * y - 1n, p);
  const v = (d * y * y + 1n) % p;
  const candidate = (u * v ** 3n * modPow(u * v ** 7n, (p - 5n) / 8n, p)) % p;
  const check = (v * candidate * candidate) % p;
  let x = candidate;
  if (check !== u) {
    if (check !== mod(-u, p)) return undefined;
    x = (candidate * rootOfMinusOne) % p;
  }
  if ((x & 1n) !== sign) x = mod(-x, p);
  return { x, y, z: 1n, t: (x * y) % p };
}

export function verifyEd25519(key: EdPublicKey, message: Uint8Array, signature: Uint8Array): boolean {
  if (key.bytes.length !== 32 || signature.length !== 64) return false;
  const a = decode(key.bytes);
  const r = signature.subarray(0, 32);
  const s = littleEndian(signature.subarray(32));
  if (a === undefined || s >= order) return false;
  const k = littleEndian(sha512(concat(r, key.bytes, message))) % order;
  const negated: Point = { x: mod(-a.x, p), y: a.y, z: a.z, t: mod(-a.t, p) };
  return equalBytes(encode(add(multiply(s, base), multiply(k, negated))), r);
}

/** The secret scalar and the prefix for nonces, section 5.1.5. */
function expand(seed: Uint8Array): { readonly scalar: bigint; readonly prefix: Uint8Array } {
  const digest = sha512(seed);
  const half = digest.slice(0, 32);
  half[0] = (half[0] as number) & 248;
  half[31] = ((half[31] as number) & 127) | 64;
  return { scalar: littleEndian(half), prefix: digest.slice(32) };
}

export function ed25519PublicKey(seed: Uint8Array): Uint8Array {
  return encode(multiply(expand(seed).scalar, base));
}

export function signEd25519(key: EdPrivateKey, message: Uint8Array): Uint8Array {
  const { scalar, prefix } = expand(key.seed);
  const nonce = littleEndian(sha512(concat(prefix, message))) % order;
  const r = encode(multiply(nonce, base));
  const k = littleEndian(sha512(concat(r, key.bytes, message))) % order;
  return concat(r, toLittleEndian((nonce + k * scalar) % order));
}

/**
 * Short Weierstrass curves over prime fields, y² = x³ - 3x + b, as NIST names them: SEC 2 version 2, section 2.
 * Points are Jacobian, (X, Y, Z) for x = X/Z², y = Y/Z³; Z = 0 is the point at infinity.
 */

import { mod, modInverse } from "./modular.ts";

export interface Curve {
  readonly name: "P-224" | "P-256" | "P-384" | "P-521";
  readonly bits: number;
  readonly p: bigint;
  readonly b: bigint;
  /** The base point and its order. */
  readonly g: AffinePoint;
  readonly n: bigint;
}

export interface AffinePoint {
  readonly x: bigint;
  readonly y: bigint;
}

interface Jacobian {
  readonly x: bigint;
  readonly y: bigint;
  readonly z: bigint;
}

export const p224: Curve = {
  name: "P-224",
  bits: 224,
  p: 2n ** 224n - 2n ** 96n + 1n,
  b: 0xb4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4n,
  g: {
    x: 0xb70e0cbd6bb4bf7f321390b94a03c1d356c21122343280d6115c1d21n,
    y: 0xbd376388b5f723fb4c22dfe6cd4375a05a07476444d5819985007e34n,
  },
  n: 0xffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3dn,
};

export const p256: Curve = {
  name: "P-256",
  bits: 256,
  p: 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n,
  b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
  g: {
    x: 0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n,
    y: 0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n,
  },
  n: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
};

export const p384: Curve = {
  name: "P-384",
  bits: 384,
  p: 2n ** 384n - 2n ** 128n - 2n ** 96n + 2n ** 32n - 1n,
  b: 0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aefn,
  g: {
    x: 0xaa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7n,
    y: 0x3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5fn,
  },
  n: 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
};

export const p521: Curve = {
  name: "P-521",
  bits: 521,
  p: 2n ** 521n - 1n,
  b: 0x0051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00n,
  g: {
    x: 0x00c6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3dbaa14b5e77efe75928fe1dc127a2ffa8de3348b3c1856a429bf97e7e31c2e5bd66n,
    y: 0x011839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e662c97ee72995ef42640c550b9013fad0761353c7086a272c24088be94769fd16650n,
  },
  n: 0x1fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409n,
};

const infinity: Jacobian = { x: 1n, y: 1n, z: 0n };

export function isOnCurve(curve: Curve, point: AffinePoint): boolean {
  const { x, y } = point;
  if (x < 0n || y < 0n || x >= curve.p || y >= curve.p) return false;
  return mod(y * y - (x * x * x - 3n * x + curve.b), curve.p) === 0n;
}

function double({ p }: Curve, { x, y, z }: Jacobian): Jacobian {
  if (z === 0n || y === 0n) return infinity;
  const zz = (z * z) % p;
  const yy = (y * y) % p;
  const slope = (3n * (x - zz) * (x + zz)) % p;
  const beta = (x * yy) % p;
  const x3 = mod(slope * slope - 8n * beta, p);
  const y3 = mod(slope * (4n * beta - x3) - 8n * yy * yy, p);
  return { x: x3, y: y3, z: (2n * y * z) % p };
}

function add(curve: Curve, a: Jacobian, b: Jacobian): Jacobian {
  if (a.z === 0n) return b;
  if (b.z === 0n) return a;
  const { p } = curve;
  const aa = (a.z * a.z) % p;
  const bb = (b.z * b.z) % p;
  const u1 = (a.x * bb) % p;
  const s1 = (a.y * bb * b.z) % p;
  const h = mod(b.x * aa - u1, p);
  const r = mod(b.y * aa * a.z - s1, p);
  if (h === 0n) return r === 0n ? double(curve, a) : infinity;
  const hh = (h * h) % p;
  const hhh = (h * hh) % p;
  const v = (u1 * hh) % p;
  const x3 = mod(r * r - hhh - 2n * v, p);
  return { x: x3, y: mod(r * (v - x3) - s1 * hhh, p), z: (a.z * b.z * h) % p };
}

/** `u × base + v × point`, both read bit by bit together; undefined for the point at infinity. */
export function combine(curve: Curve, u: bigint, v: bigint, point: AffinePoint): AffinePoint | undefined {
  const base: Jacobian = { ...curve.g, z: 1n };
  const other: Jacobian = { ...point, z: 1n };
  const both = add(curve, base, other);
  const width = curve.n.toString(2).length;
  const uBits = u.toString(2).padStart(width, "0");
  const vBits = v.toString(2).padStart(width, "0");
  let sum = infinity;
  for (let i = 0; i < width; i++) {
    sum = double(curve, sum);
    if (uBits[i] === "1") sum = add(curve, sum, vBits[i] === "1" ? both : base);
    else if (vBits[i] === "1") sum = add(curve, sum, other);
  }
  const inverse = sum.z === 0n ? undefined : modInverse(sum.z, curve.p);
  if (inverse === undefined) return undefined;
  const square = (inverse * inverse) % curve.p;
  return { x: (sum.x * square) % curve.p, y: (sum.y * square * inverse) % curve.p };
}

/** The curves of NIST, of `@noble/curves`; P-224, which it does not name, by its constants (SEC 2 version 2, section 2.2.2). */

import { type WeierstrassPointCons, weierstrass } from "@noble/curves/abstract/weierstrass.js";
import { p256 as nist256, p384 as nist384, p521 as nist521 } from "@noble/curves/nist.js";

export interface Curve {
  readonly name: "P-224" | "P-256" | "P-384" | "P-521";
  /** Bytes of one coordinate, and of each half of a signature in JOSE. */
  readonly size: number;
  readonly order: bigint;
  readonly Point: WeierstrassPointCons<bigint>;
}

export interface AffinePoint {
  readonly x: bigint;
  readonly y: bigint;
}

const curve = (name: Curve["name"], size: number, Point: Curve["Point"]): Curve => ({
  name,
  size,
  order: Point.Fn.ORDER,
  Point,
});

export const p256 = /* @__PURE__ */ curve("P-256", 32, nist256.Point);
export const p384 = /* @__PURE__ */ curve("P-384", 48, nist384.Point);
export const p521 = /* @__PURE__ */ curve("P-521", 66, nist521.Point);
export const p224 = /* @__PURE__ */ curve(
  "P-224",
  28,
  weierstrass({
    p: 2n ** 224n - 2n ** 96n + 1n,
    n: 0xffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3dn,
    h: 1n,
    a: 2n ** 224n - 2n ** 96n - 2n,
    b: 0xb4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4n,
    Gx: 0xb70e0cbd6bb4bf7f321390b94a03c1d356c21122343280d6115c1d21n,
    Gy: 0xbd376388b5f723fb4c22dfe6cd4375a05a07476444d5819985007e34n,
  }),
);

export function isOnCurve({ Point }: Curve, point: AffinePoint): boolean {
  try {
    Point.fromAffine(point).assertValidity();
    return true;
  } catch {
    return false;
  }
}

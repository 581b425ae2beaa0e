/** Hashes of numbers by their exact text, as rtlib/number.ts computes them; change both. */

import { TAG_NUMBER } from "@portcullis/runtime/abi";
import { decimalOf, int64Of, MAX_INT64, MIN_INT64 } from "../value/index.ts";
import { finish, hashInt, mix } from "./hash.ts";

/** Equal numbers have equal hashes, however they are written. */
export function hashNumberText(text: string): number {
  const int = int64Of(text);
  if (int !== undefined) return hashInt(int);
  const d = decimalOf(text);
  if (d.sign === 0) return hashInt(0n);
  if (d.exponent >= BigInt(d.digits.length) && d.exponent <= 19n) {
    const value = BigInt(d.digits + "0".repeat(Number(d.exponent) - d.digits.length)) * BigInt(d.sign);
    if (value >= MIN_INT64 && value <= MAX_INT64) return hashInt(value);
  }
  const exponent = BigInt.asUintN(64, d.exponent);
  let h = mix(mix(mix(TAG_NUMBER, d.sign), Number(exponent & 0xffffffffn)), Number(exponent >> 32n));
  for (const digit of d.digits) h = mix(h, Number(digit));
  return finish(h);
}

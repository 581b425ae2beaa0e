// Floats as text, in Go's %e, %f and %g layouts.

import { Decimal, decimalOfFloat } from "./decimal";
import { Float, floatIsInt } from "./float";
import { natFrom } from "./nat";
import { scratch } from "./scratch";

/** Length of the text that the last function of this file wrote. */
export let textLength: i32 = 0;

/** With the fewest digits, %g changes to an exponent at this many digits before the point. */
export const SHORTEST_LIMIT = 6;

/** Bytes that any layout of `d` with `precision` digits after the point may need. */
function room(d: Decimal, precision: i32): usize {
  return <usize>(32 + d.count + precision + (d.exponent < 0 ? -d.exponent : d.exponent));
}

/** d.ddde+dd with `precision` digits after the point. */
export function layoutExponent(negative: bool, d: Decimal, precision: i32, letter: u8): usize {
  const text = scratch(room(d, precision));
  let at = text;
  if (negative) store<u8>(at++, 45);
  store<u8>(at++, d.at(0));
  if (precision > 0) {
    store<u8>(at++, 46);
    for (let i = 1; i <= precision; i++) store<u8>(at++, d.at(i));
  }
  store<u8>(at++, letter);
  let exponent = d.count == 0 ? 0 : d.exponent - 1;
  store<u8>(at++, exponent < 0 ? 45 : 43);
  if (exponent < 0) exponent = -exponent;
  if (exponent < 10) store<u8>(at++, 48);
  at = writeDigits(at, exponent);
  textLength = <i32>(at - text);
  return text;
}

/** ddd.ddd with `precision` digits after the point. */
export function layoutFixed(negative: bool, d: Decimal, precision: i32): usize {
  const text = scratch(room(d, precision));
  let at = text;
  if (negative) store<u8>(at++, 45);
  if (d.exponent > 0) {
    for (let i = 0; i < d.exponent; i++) store<u8>(at++, d.at(i));
  } else {
    store<u8>(at++, 48);
  }
  if (precision > 0) {
    store<u8>(at++, 46);
    for (let i = 0; i < precision; i++) store<u8>(at++, d.at(d.exponent + i));
  }
  textLength = <i32>(at - text);
  return text;
}

/** Exponent layout for exponents below -4 or from `limit` on, else fixed; no more digits than there are. */
export function layoutGeneral(negative: bool, d: Decimal, limit: i32, letter: u8): usize {
  const exponent = d.exponent - 1;
  if (d.count > 0 && (exponent < -4 || exponent >= limit)) return layoutExponent(negative, d, d.count - 1, letter);
  return layoutFixed(negative, d, max(d.count - d.exponent, 0));
}

function writeDigits(at: usize, value: i32): usize {
  if (value >= 10) at = writeDigits(at, value / 10);
  store<u8>(at, <u8>(48 + (value % 10)));
  return at + 1;
}

/** A float as OPA writes it: whole numbers in full, others as Go's %g. `precision` is that of the big float, 64 or more. */
export function floatText(a: Float, precision: i32): usize {
  const d = decimalOfFloat(natFrom(a.mantissa), a.exponent, precision);
  if (floatIsInt(a)) return layoutFixed(a.negative, d, 0);
  return layoutGeneral(a.negative, d, SHORTEST_LIMIT, 101);
}

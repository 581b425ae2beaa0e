// Decimal digits of a binary number, exact, and rounding of them: the middle step of printing floats.
//
// A Decimal is 0.d1d2d3... * 10**exponent without trailing zeros; zero has no digits.

import {
  Nat,
  natBits,
  natDigitCount,
  natDigits,
  natFrom,
  natLength,
  natLow,
  natMul,
  natMulAdd,
  natPow5,
  natShiftLeft,
  natShiftRight,
  natSub,
} from "./nat";
import { scratch } from "./scratch";

@unmanaged
export class Decimal {
  digits: usize;
  count: i32;
  exponent: i32;

  /** The digit at `i`, as ASCII; zeros beyond the end. */
  at(i: i32): u8 {
    return i >= 0 && i < this.count ? load<u8>(this.digits + <usize>i) : 48;
  }
}

/** The exact decimal of value * 2**exponent. */
export function decimalFrom(value: Nat, exponent: i32): Decimal {
  const d = changetype<Decimal>(scratch(offsetof<Decimal>()));
  if (natLength(value) == 0) {
    d.digits = 0;
    d.count = 0;
    d.exponent = 0;
    return d;
  }
  // Fewer bits to convert: 2**-s = 5**s / 10**s only for the bits that are really behind the point.
  while (exponent < 0 && (natLow(value) & 1) == 0) {
    const zeros = min(min(<i32>ctz<u64>(natLow(value) | (1 << 31)), 31), -exponent);
    value = natShiftRight(value, zeros);
    exponent += zeros;
  }
  const scaled = exponent >= 0 ? natShiftLeft(value, exponent) : natMul(value, natPow5(-exponent));
  d.digits = natDigits(scaled, 10);
  d.count = natDigitCount;
  d.exponent = d.count + (exponent < 0 ? exponent : 0);
  trim(d);
  return d;
}

function trim(d: Decimal): void {
  while (d.count > 0 && load<u8>(d.digits + <usize>(d.count - 1)) == 48) d.count--;
  if (d.count == 0) d.exponent = 0;
}

/** Keeps n digits, rounding to nearest, ties to even. */
export function decimalRound(d: Decimal, n: i32): void {
  if (n < 0 || n >= d.count) return;
  const next = load<u8>(d.digits + <usize>n);
  if (next == 53 && n + 1 == d.count) {
    // Exactly half.
    if (n > 0 && (load<u8>(d.digits + <usize>(n - 1)) & 1) != 0) decimalRoundUp(d, n);
    else decimalRoundDown(d, n);
    return;
  }
  if (next >= 53) decimalRoundUp(d, n);
  else decimalRoundDown(d, n);
}

export function decimalRoundDown(d: Decimal, n: i32): void {
  if (n < 0 || n >= d.count) return;
  d.count = n;
  trim(d);
}

export function decimalRoundUp(d: Decimal, n: i32): void {
  if (n < 0 || n >= d.count) return;
  while (n > 0 && load<u8>(d.digits + <usize>(n - 1)) == 57) n--;
  if (n == 0) {
    store<u8>(d.digits, 49);
    d.count = 1;
    d.exponent++;
    return;
  }
  store<u8>(d.digits + <usize>(n - 1), load<u8>(d.digits + <usize>(n - 1)) + 1);
  d.count = n;
}

/** The digits of `value` with one more bit than the precision, so that its lowest is half a unit in the last place. */
function halfUnits(value: Nat, precision: i32): Nat {
  halfUnitShift = natBits(value) - (precision + 1);
  return halfUnitShift < 0 ? natShiftLeft(value, -halfUnitShift) : natShiftRight(value, halfUnitShift);
}

let halfUnitShift: i32 = 0;

/**
 * The digits with which Go prints the big float value * 2**exponent of `precision` bits, meant to be the fewest that read
 * back as the same. Where the bounds have another count of digits before the point than the value, Go compares digits of
 * different places; so do we.
 */
export function decimalOfFloat(value: Nat, exponent: i32, precision: i32): Decimal {
  const d = decimalFrom(value, exponent);
  if (d.count == 0) return d;
  const mantissa = halfUnits(value, precision);
  const scale = exponent + halfUnitShift;
  const lower = decimalFrom(natSub(mantissa, natFrom(1)), scale);
  const upper = decimalFrom(natMulAdd(mantissa, 1, 1), scale);
  // The bounds themselves round to `value` only if its mantissa is even.
  const inclusive = (natLow(mantissa) & 2) == 0;
  for (let i = 0; i < d.count; i++) {
    const m = d.at(i);
    const u = upper.at(i);
    const down = lower.at(i) != m || (inclusive && i + 1 == lower.count);
    const up = m != u && (inclusive || m + 1 < u || i + 1 < upper.count);
    if (!down && !up) continue;
    if (down && up) decimalRound(d, i + 1);
    else if (down) decimalRoundDown(d, i + 1);
    else decimalRoundUp(d, i + 1);
    return d;
  }
  return d;
}

/** The fewest digits that read back as the double mantissa * 2**exponent (mantissa as in IEEE 754, hidden bit included). */
export function decimalOfDouble(mantissa: u64, exponent: i32): Decimal {
  const value = natFrom(mantissa);
  const d = decimalFrom(value, exponent);
  if (d.count == 0) return d;
  // The gap below a power of two is half as wide, except at the bottom of the exponents.
  const isPower = mantissa == (<u64>1) << 52 && exponent > -1074;
  const lower = isPower
    ? decimalFrom(natFrom(mantissa * 4 - 1), exponent - 2)
    : decimalFrom(natFrom(mantissa * 2 - 1), exponent - 1);
  const upper = decimalFrom(natFrom(mantissa * 2 + 1), exponent - 1);
  const inclusive = (mantissa & 1) == 0;
  // Digits are compared place by place, beginning where `upper` begins.
  const skip = upper.exponent - d.exponent;
  const lowerSkip = upper.exponent - lower.exponent;
  // 0: the digits so far are those of the upper bound; 1: one less in the last place; 2: further below.
  let gap = 0;
  for (let i = 0; i - skip < d.count; i++) {
    const m = d.at(i - skip);
    const l = lower.at(i - lowerSkip);
    const u = upper.at(i);
    const down = l != m || (inclusive && i - lowerSkip + 1 == lower.count);
    if (gap == 0) gap = m + 1 < u ? 2 : m != u ? 1 : 0;
    else if (gap == 1 && (m != 57 || u != 48)) gap = 2;
    const up = gap > 0 && (inclusive || gap > 1 || i + 1 < upper.count);
    if (!down && !up) continue;
    const keep = i - skip + 1;
    if (down && up) decimalRound(d, keep);
    else if (down) decimalRoundDown(d, keep);
    else decimalRoundUp(d, keep);
    return d;
  }
  return d;
}

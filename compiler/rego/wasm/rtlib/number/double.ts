// Decimal text as an IEEE 754 double, correctly rounded: what Go's float64 of a number is.

import { endAsTooLong, MAX_DIGITS } from "./float";
import { natAnyLowBit, natBits, natDivide, natFromDigits, natLength, natLow, natMul, natPow5, natRemainder, natShiftLeft, natShiftRight } from "./nat";
import { exponentOf } from "./view";

/** The last double that was read: mantissa * 2**exponent, the mantissa with 53 bits or, at the bottom, fewer. */
export let doubleMantissa: u64 = 0;
export let doubleExponent: i32 = 0;
export let doubleNegative: bool = false;

const LOWEST_EXPONENT = -1074;

/** Reads a JSON number text; false when it is out of range. */
export function readDouble(start: usize, end: usize): bool {
  doubleMantissa = 0;
  doubleExponent = LOWEST_EXPONENT;
  doubleNegative = start < end && load<u8>(start) == 45;
  if (doubleNegative) start++;
  let at = start;
  let point: usize = 0;
  let digits = 0;
  for (; at < end; at++) {
    const byte: u32 = load<u8>(at);
    if (byte == 46) point = at;
    else if (byte - 48 > 9) break;
    else if (digits > 0 || byte != 48) digits++;
  }
  if (digits == 0) return true;
  let power: i64 = point == 0 ? 0 : -<i64>(at - point - 1);
  if (at < end) power += exponentOf(at + 1, end);
  // The magnitude in digits is digits + power.
  if (<i64>digits + power > 310) return false;
  if (<i64>digits + power < -330) return true;
  if (digits > MAX_DIGITS) endAsTooLong();
  const whole = natFromDigits(start, at);
  let value = whole;
  let exponent = <i32>power;
  let sticky = false;
  if (power > 0) {
    value = natMul(whole, natPow5(<i32>power));
  } else if (power < 0) {
    const scale = natPow5(<i32>-power);
    const lift = max(0, natBits(scale) - natBits(whole) + 64);
    value = natDivide(natShiftLeft(whole, lift), scale);
    sticky = natLength(natRemainder) != 0;
    exponent -= lift;
  }
  const top = natBits(value) + exponent;
  const precision = min(53, top - LOWEST_EXPONENT);
  if (precision < 0) return true;
  const excess = natBits(value) - precision;
  if (excess <= 0) {
    // All bits fit, and then there is nothing behind them either.
    doubleMantissa = natLow(value) << -excess;
  } else {
    const kept = natLow(natShiftRight(value, excess));
    const half = (natLow(natShiftRight(value, excess - 1)) & 1) != 0;
    const more = sticky || natAnyLowBit(value, excess - 1);
    doubleMantissa = half && (more || (kept & 1) != 0) ? kept + 1 : kept;
  }
  doubleExponent = exponent + excess;
  if (doubleMantissa == (<u64>1) << 53) {
    doubleMantissa >>= 1;
    doubleExponent++;
  }
  return doubleExponent <= 971;
}

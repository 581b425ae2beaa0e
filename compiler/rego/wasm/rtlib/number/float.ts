// Binary floating point with a 64-bit mantissa, rounded to nearest even: the arithmetic that OPA does on numbers which
// are not small integers (Go's big.Float at its default precision). A value is +-mantissa * 2**exponent with the top bit
// of the mantissa set, or zero.
//
// Only decimal text and printing need more bits; they go through Nats (nat.ts).

import { abortWith } from "../host";
import {
  Nat,
  natAnyLowBit,
  natBits,
  natDivide,
  natFrom,
  natFromDigits,
  natLength,
  natLow,
  natMul,
  natMulAdd,
  natPow5,
  natRemainder,
  natShiftLeft,
  natShiftRight,
} from "./nat";
import { scratch } from "./scratch";
import { exponentOf } from "./view";

/** Decimal exponents beyond this are refused: no author means them, and 5**n would be long. */
export const MAX_EXPONENT: i64 = 16384;
/** More digits than this are refused in arithmetic (never in comparison): conversion takes quadratic time. */
export const MAX_DIGITS: i32 = 16384;

@unmanaged
export class Float {
  mantissa: u64;
  exponent: i32;
  negative: bool;

  get zero(): bool {
    return this.mantissa == 0;
  }
}

/** Ends the evaluation: were the result undefined, `not` would make an answer of it. */
export function endAsTooLong(): void {
  abortWith("a number is too long to calculate with");
}

function make(negative: bool, mantissa: u64, exponent: i32): Float {
  const f = changetype<Float>(scratch(offsetof<Float>()));
  const shift = <i32>clz<u64>(mantissa);
  f.negative = negative;
  f.mantissa = mantissa == 0 ? 0 : mantissa << shift;
  f.exponent = mantissa == 0 ? 0 : exponent - shift;
  return f;
}

export function floatFromInt(value: i64): Float {
  return make(value < 0, value < 0 ? 0 - <u64>value : <u64>value, 0);
}

export function floatHalf(): Float {
  return make(false, 1, -1);
}

/** Rounds the 128-bit number high:low * 2**exponent (and a bit more, if sticky) to 64 bits. */
function round128(negative: bool, high: u64, low: u64, exponent: i32, sticky: bool): Float {
  if (high == 0) {
    if (low == 0) return make(negative, 0, 0);
    // INVARIANT: sticky bits are only ever below a number with a nonzero high half.
    return make(negative, low, exponent);
  }
  const shift = <i32>clz<u64>(high);
  if (shift > 0) {
    high = (high << shift) | (low >> (64 - shift));
    low <<= shift;
    exponent -= shift;
  }
  const half: u64 = 1 << 63;
  const up = low > half || (low == half && (sticky || (high & 1) != 0));
  exponent += 64;
  if (up) {
    high++;
    if (high == 0) return make(negative, half, exponent + 1);
  }
  return make(negative, high, exponent);
}

/** Rounds value * 2**exponent to 64 bits. */
export function floatFromNat(negative: bool, value: Nat, exponent: i32, sticky: bool): Float {
  const excess = natBits(value) - 128;
  if (excess <= 0) {
    const wide = natShiftLeft(value, -excess);
    return natLength(value) == 0
      ? make(negative, 0, 0)
      : round128(negative, natLow(natShiftRight(wide, 64)), natLow(wide), exponent + excess, sticky);
  }
  const kept = natShiftRight(value, excess);
  return round128(
    negative,
    natLow(natShiftRight(kept, 64)),
    natLow(kept),
    exponent + excess,
    sticky || natAnyLowBit(value, excess),
  );
}

export function floatNegate(a: Float): Float {
  return make(!a.negative, a.mantissa, a.exponent);
}

export function floatAbs(a: Float): Float {
  return make(false, a.mantissa, a.exponent);
}

/** Compares magnitudes. */
function compareMagnitude(a: Float, b: Float): i32 {
  if (a.zero || b.zero) return a.zero ? (b.zero ? 0 : -1) : 1;
  if (a.exponent != b.exponent) return a.exponent < b.exponent ? -1 : 1;
  return a.mantissa == b.mantissa ? 0 : a.mantissa < b.mantissa ? -1 : 1;
}

export function floatAdd(a: Float, b: Float): Float {
  if (a.zero) return b.zero && a.negative != b.negative ? make(false, 0, 0) : b;
  if (b.zero) return a;
  if (compareMagnitude(a, b) < 0) {
    const swap = a;
    a = b;
    b = swap;
  }
  // `a` stands in the high half, `b` is moved right below it.
  const distance = a.exponent - b.exponent;
  let high: u64 = 0;
  let low: u64 = 0;
  let sticky = false;
  if (distance == 0) {
    high = b.mantissa;
  } else if (distance < 64) {
    high = b.mantissa >> distance;
    low = b.mantissa << (64 - distance);
  } else if (distance < 128) {
    low = b.mantissa >> (distance - 64);
    sticky = distance > 64 && b.mantissa << (128 - distance) != 0;
  } else {
    sticky = true;
  }
  if (a.negative == b.negative) {
    const sum = a.mantissa + high;
    if (sum < a.mantissa) {
      // One bit too many: halve, the lost bit sticks.
      sticky = sticky || (low & 1) != 0;
      return round128(a.negative, (sum >> 1) | (1 << 63), (low >> 1) | (sum << 63), a.exponent - 63, sticky);
    }
    return round128(a.negative, sum, low, a.exponent - 64, sticky);
  }
  // Subtraction of something a little more than high:low leaves a little more than one less.
  let lowDifference = <u64>0 - low;
  let highDifference = a.mantissa - high - (low != 0 ? 1 : 0);
  if (sticky) {
    if (lowDifference == 0) highDifference--;
    lowDifference--;
  }
  if (highDifference == 0 && lowDifference == 0) return make(false, 0, 0);
  return round128(a.negative, highDifference, lowDifference, a.exponent - 64, sticky);
}

export function floatSub(a: Float, b: Float): Float {
  return floatAdd(a, floatNegate(b));
}

export function floatMul(a: Float, b: Float): Float {
  const negative = a.negative != b.negative;
  if (a.zero || b.zero) return make(negative, 0, 0);
  const low = multiply(a.mantissa, b.mantissa);
  return round128(negative, productHigh, low, a.exponent + b.exponent, false);
}

/** The product rounded to the 53 bits of a double (of any exponent). */
export function floatMulAsDouble(a: Float, b: Float): Float {
  const negative = a.negative != b.negative;
  if (a.zero || b.zero) return make(negative, 0, 0);
  let low = multiply(a.mantissa, b.mantissa);
  let high = productHigh;
  let exponent = a.exponent + b.exponent + 64;
  if (high >> 63 == 0) {
    high = (high << 1) | (low >> 63);
    low <<= 1;
    exponent--;
  }
  const rest = high & 0x7ff;
  const kept = high ^ rest;
  const up = rest > 0x400 || (rest == 0x400 && (low != 0 || (high & 0x800) != 0));
  if (!up) return make(negative, kept, exponent);
  const next = kept + 0x800;
  return next == 0 ? make(negative, 1 << 63, exponent + 1) : make(negative, next, exponent);
}

let productHigh: u64 = 0;

/** The low half of a product of 128 bits; the high one is left in productHigh. */
function multiply(a: u64, b: u64): u64 {
  const a1 = a >> 32;
  const a0 = a & 0xffffffff;
  const b1 = b >> 32;
  const b0 = b & 0xffffffff;
  const bottom = a0 * b0;
  const middle = a1 * b0 + (bottom >> 32);
  const middle2 = a0 * b1 + (middle & 0xffffffff);
  productHigh = a1 * b1 + (middle >> 32) + (middle2 >> 32);
  return (middle2 << 32) | (bottom & 0xffffffff);
}

/** a / b, for b not zero. */
export function floatQuo(a: Float, b: Float): Float {
  const negative = a.negative != b.negative;
  if (a.zero) return make(negative, 0, 0);
  // Long division: one bit before the point, 127 after it.
  let high: u64 = 0;
  let low: u64 = 0;
  let rest = a.mantissa;
  let carry = false;
  for (let i = 0; i < 128; i++) {
    const bit = carry || rest >= b.mantissa;
    if (bit) rest -= b.mantissa;
    high = (high << 1) | (low >> 63);
    low = (low << 1) | (bit ? 1 : 0);
    carry = rest >> 63 != 0;
    rest <<= 1;
  }
  return round128(negative, high, low, a.exponent - b.exponent - 127, carry || rest != 0);
}

export function floatIsInt(a: Float): bool {
  return a.zero || a.exponent >= 0 || (a.exponent > -64 && a.mantissa << (64 + a.exponent) == 0);
}

/** Bits before the point. */
export function floatMagnitudeBits(a: Float): i32 {
  return a.zero ? 0 : max(0, a.exponent + 64);
}

/** The magnitude, rounded towards zero. */
export function floatToNat(a: Float): Nat {
  if (a.exponent >= 0) return natShiftLeft(natFrom(a.mantissa), a.exponent);
  return natFrom(a.exponent > -64 ? a.mantissa >> -a.exponent : 0);
}

/** 5**n rounded as Go rounds it when it reads decimal text: the result to 128 bits, its factors to 192. */
function roundedPow5(n: i32): Nat {
  if (n <= 27) return natPow5(n);
  let result = natPow5(27);
  let exponent = 0;
  let factor = natFrom(5);
  let factorExponent = 0;
  n -= 27;
  while (n > 0) {
    if ((n & 1) != 0) {
      result = roundNat(natMul(result, factor), 128);
      exponent += factorExponent + roundedExponent;
    }
    factor = roundNat(natMul(factor, factor), 192);
    factorExponent = factorExponent * 2 + roundedExponent;
    n >>= 1;
  }
  pow5Exponent = exponent;
  return result;
}

let pow5Exponent: i32 = 0;
let roundedExponent: i32 = 0;

/** `value` rounded to `precision` bits, shifted down by roundedExponent. */
function roundNat(value: Nat, precision: i32): Nat {
  const excess = natBits(value) - precision;
  if (excess <= 0) {
    roundedExponent = 0;
    return value;
  }
  const kept = natShiftRight(value, excess - 1);
  const half = (natLow(kept) & 1) != 0;
  const odd = (natLow(kept) & 2) != 0;
  const up = half && (odd || natAnyLowBit(value, excess - 1));
  roundedExponent = excess;
  const floor = natShiftRight(kept, 1);
  return up ? natMulAdd(floor, 1, 1) : floor;
}

/** Reads JSON number text: [-]digits[.digits][e[+-]digits]. Ends the evaluation beyond the limits. */
export function floatFromText(start: usize, end: usize): Float {
  let negative = false;
  if (start < end && load<u8>(start) == 45) {
    negative = true;
    start++;
  }
  // The mantissa: digits with at most one point; leading zeros do not count.
  let at = start;
  let point: usize = 0;
  let small: u64 = 0;
  let digits = 0;
  for (; at < end; at++) {
    const byte = load<u8>(at);
    if (byte == 46) {
      point = at;
      continue;
    }
    const digit = <u32>byte - 48;
    if (digit > 9) break;
    if (digits == 0 && digit == 0) continue;
    if (digits < 19) small = small * 10 + digit;
    digits++;
  }
  let power = point == 0 ? 0 : -(<i32>(at - point - 1));
  if (digits == 0) return make(negative, 0, 0);
  if (digits > MAX_DIGITS || power < -MAX_DIGITS) endAsTooLong();
  if (at < end) {
    const exponent = exponentOf(at + 1, end);
    if (exponent > MAX_EXPONENT || exponent < -MAX_EXPONENT) endAsTooLong();
    power += <i32>exponent;
  }
  if (digits <= 19 && power >= -27 && power <= 27) {
    const mantissa = make(negative, small, 0);
    if (power == 0) return mantissa;
    const scale = make(false, natLow(natPow5(power < 0 ? -power : power)), 0);
    const scaled = power < 0 ? floatQuo(mantissa, scale) : floatMul(mantissa, scale);
    scaled.exponent += power;
    return scaled;
  }
  const whole = natFromDigits(start, at);
  if (power == 0) return floatFromNat(negative, whole, 0, false);
  pow5Exponent = 0;
  const scale = roundedPow5(power < 0 ? -power : power);
  const scaleExponent = pow5Exponent;
  if (power > 0) return floatFromNat(negative, natMul(whole, scale), scaleExponent + power, false);
  // Enough bits in the dividend for a quotient of 66, the rest sticks.
  const lift = max(0, natBits(scale) - natBits(whole) + 130);
  const quotient = natDivide(natShiftLeft(whole, lift), scale);
  return floatFromNat(negative, quotient, power - lift - scaleExponent, natLength(natRemainder) != 0);
}

/** Exact arithmetic that schemas need of numbers. */

import { type Decimal, parseDecimal } from "@portcullis/runtime/host";
import { fail, need } from "../family.ts";

/** Numbers that differ by more digits are not divided: the answer would not be worth its time. */
const maxDigits = 4000;

function scaled(value: Decimal, zero: number): bigint {
  return BigInt(value.digits || "0") * 10n ** BigInt(value.point - value.digits.length - zero);
}

export function isMultiple(text: string, of: string): boolean {
  const value = need(parseDecimal(text), "not a number");
  const unit = need(parseDecimal(of), "not a number");
  if (value.digits === "") return true;
  const [a, b] = [value.point - value.digits.length, unit.point - unit.digits.length];
  if (Math.abs(a - b) > maxDigits || value.digits.length + unit.digits.length > 2 * maxDigits)
    fail("numbers too far apart");
  const zero = Math.min(a, b);
  return scaled(value, zero) % scaled(unit, zero) === 0n;
}

/** A number as Go prints a big.Float: with an exponent below 0.0001 and from a million on. */
export function display(text: string): string {
  const value = need(parseDecimal(text), "not a number");
  if (value.digits === "") return "0";
  const sign = value.negative ? "-" : "";
  const exponent = value.point - 1;
  const { digits, point } = value;
  if (exponent < -4 || exponent >= 6) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
    const size = String(Math.abs(exponent)).padStart(2, "0");
    return `${sign}${digits[0]}${fraction}e${exponent < 0 ? "-" : "+"}${size}`;
  }
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  const whole = digits.slice(0, point).padEnd(point, "0");
  return sign + whole + (digits.length > point ? `.${digits.slice(point)}` : "");
}

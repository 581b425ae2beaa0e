/** Numbers by their exact text: order, and whether an int64 says the same. */

/** `sign` * 0.`digits` * 10^`exponent`; digits without zeros at either end. */
export interface Decimal {
  readonly sign: -1 | 0 | 1;
  readonly digits: string;
  readonly exponent: bigint;
}

export const MIN_INT64 = -(2n ** 63n);
export const MAX_INT64 = 2n ** 63n - 1n;
const EXPONENT_DIGITS = 18;

/** The int64 whose decimal text this is; not for `1.0` or `-0`, which must keep their text. */
export function int64Of(text: string): bigint | undefined {
  if (!/^(?:0|-?[1-9][0-9]{0,18})$/.test(text)) return undefined;
  const value = BigInt(text);
  return value >= MIN_INT64 && value <= MAX_INT64 ? value : undefined;
}

export function decimalOf(text: string): Decimal {
  const parts = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?)([0-9]+))?$/.exec(text);
  if (parts === null) throw new RangeError(`not a number: ${text}`);
  const whole = parts[2] as string;
  const all = whole + (parts[3] ?? "");
  const leading = /^0*/.exec(all)?.[0].length ?? 0;
  const digits = all.slice(leading).replace(/0+$/, "");
  if (digits === "") return { sign: 0, digits, exponent: 0n };
  // Takes EXPONENT_DIGITS digits of the exponent and no more, as rtlib/number.ts does.
  const written = BigInt((parts[5] ?? "0").replace(/^0+/, "").slice(0, EXPONENT_DIGITS) || "0");
  const exponent = BigInt(whole.length - leading) + (parts[4] === "-" ? -written : written);
  return { sign: parts[1] === "-" ? -1 : 1, digits, exponent };
}

/** Integers that doubles and their differences have exactly. Most numbers are, and reading another takes ten times as long. */
const SHORT_INTEGER = /^-?[0-9]{1,15}$/;

/** A text that two numbers have in common just where they are equal. */
export function numberKey(text: string): string {
  if (SHORT_INTEGER.test(text)) return String(Number(text));
  const { sign, digits, exponent } = decimalOf(text);
  const zeros = Number(exponent) - digits.length;
  if (sign === 0) return "0";
  const isShort = zeros >= 0 && exponent <= 15n;
  return `${sign < 0 ? "-" : ""}${isShort ? digits + "0".repeat(zeros) : `${digits}e${exponent}`}`;
}

/** Negative, 0 or positive. */
export function compareNumberText(a: string, b: string): number {
  if (a === b) return 0;
  if (SHORT_INTEGER.test(a) && SHORT_INTEGER.test(b)) return Number(a) - Number(b);
  const m = int64Of(a);
  const n = int64Of(b);
  if (m !== undefined && n !== undefined) return m < n ? -1 : Number(m > n);
  const x = decimalOf(a);
  const y = decimalOf(b);
  if (x.sign !== y.sign) return x.sign - y.sign;
  if (x.exponent !== y.exponent) return x.exponent > y.exponent ? x.sign : -x.sign;
  return x.digits === y.digits ? 0 : x.digits > y.digits ? x.sign : -x.sign;
}

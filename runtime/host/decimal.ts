/** Exact questions about numbers given as JSON text. Nothing here expands an exponent: `1e999999999` costs nothing. */

export interface Decimal {
  readonly negative: boolean;
  /** Significant digits without leading or trailing zeros; empty for zero. */
  readonly digits: string;
  /** The value is `0.digits × 10^point`. */
  readonly point: number;
}

const numberPattern = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** The parts of a JSON number text; `undefined` for any other text. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = numberPattern.exec(text);
  if (match === null) return undefined;
  const whole = match[2] ?? "";
  const all = whole + (match[3] ?? "");
  const leading = leadingZeros(all);
  const digits = stripTrailingZeros(all.slice(leading));
  if (digits === "") return { negative: match[1] === "-", digits, point: 0 };
  return { negative: match[1] === "-", digits, point: whole.length - leading + Number(match[4] ?? 0) };
}

function leadingZeros(text: string): number {
  let at = 0;
  while (at < text.length && text.charCodeAt(at) === 48) at++;
  return at;
}

function stripTrailingZeros(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 48) end--;
  return text.slice(0, end);
}

/** Orders two number texts by value. */
export function compareNumbers(a: string, b: string): number {
  const x = parseDecimal(a);
  const y = parseDecimal(b);
  if (x === undefined || y === undefined) return a < b ? -1 : a > b ? 1 : 0;
  const xSign = x.digits === "" ? 0 : x.negative ? -1 : 1;
  const ySign = y.digits === "" ? 0 : y.negative ? -1 : 1;
  if (xSign !== ySign) return xSign < ySign ? -1 : 1;
  if (x.point !== y.point) return x.point < y.point ? -xSign : xSign;
  return x.digits === y.digits ? 0 : x.digits < y.digits ? -xSign : xSign;
}

/** Whether the value has no fractional part. */
export function isInteger(text: string): boolean {
  const d = parseDecimal(text);
  return (d !== undefined && d.digits.length <= d.point) || d?.digits === "";
}

/** The value as a bigint when it is an integer of at most `maxDigits` digits. */
export function toBigInt(text: string, maxDigits = 4096): bigint | undefined {
  const d = parseDecimal(text);
  if (d === undefined) return undefined;
  if (d.digits === "") return 0n;
  if (d.digits.length > d.point || d.point > maxDigits) return undefined;
  const magnitude = BigInt(d.digits.padEnd(d.point, "0"));
  return d.negative ? -magnitude : magnitude;
}

const minInt64 = -(2n ** 63n);
const maxInt64 = 2n ** 63n - 1n;

/** Whether a signed integer of 64 bits holds the value. */
export function inInt64(value: bigint): boolean {
  return value >= minInt64 && value <= maxInt64;
}

/**
 * The value of an operand that must be an integer, as OPA 1.22 reads one: 19 characters at most behind the sign, of which those
 * behind a point are zeros.
 */
export function operandInt64(text: string): bigint | undefined {
  const [, integer] = /^(?=-?[\d.]{1,19}$)(-?\d+)(?:\.0*)?$/.exec(text) ?? [];
  return integer === undefined ? undefined : plainInt64(integer);
}

/** The value when the text is a plain integer (no point, no exponent) that fits 64 bits, as Go's ParseInt reads it. */
export function plainInt64(text: string): bigint | undefined {
  if (!/^-?\d{1,32}$/.test(text)) return undefined;
  const value = BigInt(text);
  return inInt64(value) ? value : undefined;
}

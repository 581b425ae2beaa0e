/** Durations as Go writes them, `1h15m30.918273645s`, and with OPA's days, weeks and years: `1w2d12h`. */

import { fail } from "../family.ts";

const units: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["µs", 1_000n],
  ["μs", 1_000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);

const limit = 2n ** 63n;

/** Nanoseconds of a fraction of a unit; through a double, as Go does, which keeps them whole. */
function fractionOf(digits: string, unit: bigint): bigint {
  let value = 0n;
  let scale = 1;
  for (const digit of digits) {
    const next = value * 10n + BigInt(digit);
    // Digits beyond what 63 bits hold are dropped.
    if (value > (limit - 1n) / 10n || next > limit) break;
    value = next;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
}

/** Units of OPA's own, in hours. */
const hoursOf: Readonly<Record<string, number>> = { d: 24, w: 7 * 24, y: 365 * 24 };
/** With one of them, all that OPA's grammar takes. */
const EXTENDED = /^[-+]?(?:[0-9.]+(?:ms|us|µs|ns|[a-z]))+$/;
/** More digits than a number of hours that fits has. */
const MANY_DIGITS = 1e21;

/** Nanoseconds. */
export function parseDuration(text: string): bigint {
  if (!/[dwy]/.test(text)) return parseGoDuration(text);
  if (!EXTENDED.test(text)) fail("malformed duration");
  return parseGoDuration(
    text.replace(/([0-9.]+)(ms|us|µs|ns|[a-z])/g, (part, digits: string, unit: string) => {
      const hours = hoursOf[unit];
      return hours === undefined ? part : `${inHours(digits, hours)}h`;
    }),
  );
}

/** As a double, which OPA makes of it, written without an exponent. */
function inHours(digits: string, hours: number): string {
  if (!/^(?:\d+\.?\d*|\.\d+)$/.test(digits)) fail("malformed duration");
  const value = Number(digits) * hours;
  if (value >= MANY_DIGITS) fail("duration out of range");
  const [mantissa = "", exponent = "0"] = String(value).split("e-");
  return Number(exponent) === 0 ? mantissa : `0.${"0".repeat(Number(exponent) - 1)}${mantissa.replace(".", "")}`;
}

function parseGoDuration(text: string): bigint {
  const negative = text.startsWith("-");
  const body = /^[-+]/.test(text) ? text.slice(1) : text;
  if (body === "0") return 0n;
  const part = /([0-9]*)(?:\.([0-9]*))?([^0-9.]+)/y;
  let total = 0n;
  while (part.lastIndex < body.length) {
    const [, whole = "", fraction = "", name = ""] = part.exec(body) ?? fail("malformed duration");
    const unit = units.get(name) ?? fail("unknown unit");
    if (whole.length > 32 || whole + fraction === "") fail("malformed duration");
    total += BigInt(whole || 0) * unit + (fraction === "" ? 0n : fractionOf(fraction, unit));
    if (total > limit) fail("duration out of range");
  }
  if (body === "" || (!negative && total === limit)) fail("duration out of range");
  return negative ? -total : total;
}

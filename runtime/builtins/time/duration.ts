/** Durations as Go writes them: `1h15m30.918273645s`. */

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

/** Nanoseconds. */
export function parseDuration(text: string): bigint {
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

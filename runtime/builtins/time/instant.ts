/** Instants as OPA takes them: nanoseconds since 1970 in 64 bits, with a time zone to read a clock in. */

import { HostNumber, inInt64, int, isArray, type JsonLike, toBigInt } from "@portcullis/runtime/host";
import { fail } from "../family.ts";
import { type CivilDate, civilFromDays } from "./civil.ts";
import { loadZone, utc, type Zone } from "./zone.ts";

export interface Instant {
  readonly nanoseconds: bigint;
  readonly zone: Zone;
}

/** A date and a clock, as people of a zone read them. */
export interface Civil extends CivilDate {
  /** Since 1970-01-01, for the day of the week. */
  readonly days: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly nanosecond: number;
  /** Seconds ahead of UTC. */
  readonly offset: number;
}

const second = 1_000_000_000n;

/** Whole seconds, towards the past, and the nanoseconds that are left. */
export function splitSeconds(nanoseconds: bigint): { readonly seconds: number; readonly rest: number } {
  const rest = ((nanoseconds % second) + second) % second;
  return { seconds: Number((nanoseconds - rest) / second), rest: Number(rest) };
}

export function toNanoseconds(seconds: number, nanosecond: number): bigint {
  return BigInt(seconds) * second + BigInt(nanosecond);
}

function nanosecondsOf(value: JsonLike | undefined): bigint {
  const nanoseconds = value instanceof HostNumber ? toBigInt(value.text, 32) : undefined;
  if (nanoseconds === undefined || !inInt64(nanoseconds)) return fail("timestamp must be an integer of 64 bits");
  return nanoseconds;
}

/** `ns`, `[ns]`, `[ns, zone]` or `[ns, zone, layout]`. */
export function readInstant(value: JsonLike | undefined): Instant & { readonly layout: string } {
  if (!isArray(value)) return { nanoseconds: nanosecondsOf(value), zone: utc, layout: "" };
  const [time, name = "", layout = ""] = value;
  const nanoseconds = nanosecondsOf(time);
  if (typeof name !== "string" || typeof layout !== "string") return fail("zone and layout must be strings");
  return { nanoseconds, zone: loadZone(name), layout };
}

export function civilOf({ nanoseconds, zone }: Instant): Civil {
  const { seconds, rest } = splitSeconds(nanoseconds);
  const offset = zone.offsetAt(seconds);
  const shown = seconds + offset;
  const days = Math.floor(shown / 86400);
  const ofDay = shown - days * 86400;
  const { year, month, day } = civilFromDays(days);
  // Written out: a spread takes V8 ten microseconds.
  return {
    year,
    month,
    day,
    days,
    hour: Math.floor(ofDay / 3600),
    minute: Math.floor(ofDay / 60) % 60,
    second: ofDay % 60,
    nanosecond: rest,
    offset,
  };
}

/** Nanoseconds as a result, within what 64 bits hold. */
export function timestamp(nanoseconds: bigint): HostNumber {
  return inInt64(nanoseconds) ? int(nanoseconds) : fail("time outside of valid range");
}

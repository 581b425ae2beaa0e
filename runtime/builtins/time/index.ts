/** time.*: calendars and clocks of given instants; `time.now_ns` where the host has a clock. */

import { type HostBuiltin, HostNumber, int, type JsonLike, operandInt64 } from "@portcullis/runtime/host";
import { fail, family, text } from "../family.ts";
import { daysFromCivil, daysInMonth, weekdayOf } from "./civil.ts";
import { parseDuration } from "./duration.ts";
import { formatInstant } from "./format.ts";
import { civilOf, readInstant, timestamp, toNanoseconds } from "./instant.ts";
import { namedLayouts, rfc3339, rfc3339Nano, weekdayNames } from "./layout.ts";
import { parseInstant } from "./parse.ts";
import { toInstant } from "./zone.ts";

const integers = (...values: readonly number[]): JsonLike => values.map(int);

/** A count of years, months or days; beyond these, any result is out of range. */
function count(value: JsonLike | undefined): number {
  const given = value instanceof HostNumber ? operandInt64(value.text) : undefined;
  if (given === undefined) return fail("operand must be an integer");
  return given > -(10n ** 9n) && given < 10n ** 9n ? Number(given) : fail("time outside of valid range");
}

/** Adds to the fields of the calendar, which carry over: January 31 and a month is March 3 or 2. */
function addDate([time, years, months, days]: readonly JsonLike[]): JsonLike {
  const instant = readInstant(time);
  const [y, m, d] = [count(years), count(months), count(days)];
  const from = civilOf(instant);
  const day = daysFromCivil(from.year + y, from.month + m, from.day + d);
  const civil = day * 86400 + from.hour * 3600 + from.minute * 60 + from.second;
  // Years that a Date cannot hold are out of range by far; Intl must not be asked about them.
  if (Math.abs(civil) > 10 ** 11) fail("time outside of valid range");
  return timestamp(toNanoseconds(toInstant(instant.zone, civil), from.nanosecond));
}

/** Years, months, days, hours, minutes and seconds between two instants, in the zone of the first. */
function difference(args: readonly JsonLike[]): JsonLike {
  const a = readInstant(args[0]);
  const b = readInstant(args[1]);
  const [earlier, later] = a.nanoseconds <= b.nanoseconds ? [a, b] : [b, a];
  const from = civilOf({ nanoseconds: earlier.nanoseconds, zone: a.zone });
  const to = civilOf({ nanoseconds: later.nanoseconds, zone: a.zone });
  let [year, month, day] = [to.year - from.year, to.month - from.month, to.day - from.day];
  let [hour, minute, second] = [to.hour - from.hour, to.minute - from.minute, to.second - from.second];
  if (second < 0) [second, minute] = [second + 60, minute - 1];
  if (minute < 0) [minute, hour] = [minute + 60, hour - 1];
  if (hour < 0) [hour, day] = [hour + 24, day - 1];
  if (day < 0) [day, month] = [day + daysInMonth(from.year, from.month), month - 1];
  if (month < 0) [month, year] = [month + 12, year - 1];
  return integers(year, month, day, hour, minute, second);
}

/** A builtin that may read a clock of a zone: Intl's first takes it 50 ms, and code that never ran one more. */
const zoned = (builtin: HostBuiltin): HostBuiltin =>
  Object.assign(builtin, { sample: ['[0,"Europe/London","15:04"]'] });

export const time = family(({ now }) => ({
  ...(now && { "time.now_ns": () => int(now()) }),
  "time.parse_ns": (args) => {
    const layout = text(args, 0);
    return timestamp(parseInstant(namedLayouts.get(layout) ?? layout, text(args, 1)));
  },
  "time.parse_rfc3339_ns": (args) => timestamp(parseInstant(rfc3339, text(args, 0))),
  "time.parse_duration_ns": (args) => int(parseDuration(text(args, 0))),
  "time.format": zoned(([value]) => {
    const instant = readInstant(value);
    const layout = instant.layout === "" ? rfc3339Nano : instant.layout;
    return formatInstant(instant, namedLayouts.get(layout) ?? layout);
  }),
  "time.date": zoned(([value]) => {
    const { year, month, day } = civilOf(readInstant(value));
    return integers(year, month, day);
  }),
  "time.clock": zoned(([value]) => {
    const { hour, minute, second } = civilOf(readInstant(value));
    return integers(hour, minute, second);
  }),
  "time.weekday": zoned(([value]) => weekdayNames[weekdayOf(civilOf(readInstant(value)).days)]),
  "time.add_date": zoned(addDate),
  "time.diff": zoned(difference),
}));

/** Writing an instant in a layout. */

import { dayOfYear, weekdayOf } from "./civil.ts";
import { type Civil, civilOf, type Instant } from "./instant.ts";
import { type LayoutToken, monthNames, type OffsetStyle, readLayout, weekdayNames } from "./layout.ts";
import type { Zone } from "./zone.ts";

const padded = (value: number, width: number, fill = "0"): string => String(value).padStart(width, fill);
const twelve = (hour: number): number => hour % 12 || 12;

function formatOffset(offset: number, style: OffsetStyle): string {
  if (style.zulu && offset === 0) return "Z";
  const size = Math.abs(offset);
  // Go rounds to minutes towards zero before it writes hours and minutes; the sign is that of the minutes.
  const sign = Math.trunc(offset / 60) < 0 ? "-" : "+";
  const parts = [padded(Math.floor(size / 3600), 2)];
  if (style.minutes) parts.push(padded(Math.floor(size / 60) % 60, 2));
  if (style.seconds) parts.push(padded(size % 60, 2));
  return sign + parts.join(style.colons ? ":" : "");
}

function formatFraction(nanosecond: number, token: LayoutToken & { readonly kind: "Fraction" }): string {
  const digits = padded(nanosecond, 9).slice(0, token.digits);
  const kept = token.trims ? digits.replace(/0+$/, "") : digits;
  return kept === "" ? "" : token.separator + kept;
}

function formatToken(token: LayoutToken, c: Civil, zone: Zone): string {
  switch (token.kind) {
    case "Literal":
      return token.text;
    case "Fraction":
      return formatFraction(c.nanosecond, token);
    case "Offset":
      return formatOffset(c.offset, token.style);
    case "LongYear":
      return padded(c.year, 4);
    case "Year":
      return padded(c.year % 100, 2);
    case "LongMonth":
      return monthNames[c.month - 1] as string;
    case "Month":
      return (monthNames[c.month - 1] as string).slice(0, 3);
    case "NumMonth":
      return String(c.month);
    case "ZeroMonth":
      return padded(c.month, 2);
    case "LongWeekday":
      return weekdayNames[weekdayOf(c.days)] as string;
    case "Weekday":
      return (weekdayNames[weekdayOf(c.days)] as string).slice(0, 3);
    case "Day":
      return String(c.day);
    case "UnderDay":
      return padded(c.day, 2, " ");
    case "ZeroDay":
      return padded(c.day, 2);
    case "UnderYearDay":
      return padded(dayOfYear(c), 3, " ");
    case "ZeroYearDay":
      return padded(dayOfYear(c), 3);
    case "Hour":
      return padded(c.hour, 2);
    case "Hour12":
      return String(twelve(c.hour));
    case "ZeroHour12":
      return padded(twelve(c.hour), 2);
    case "Minute":
      return String(c.minute);
    case "ZeroMinute":
      return padded(c.minute, 2);
    case "Second":
      return String(c.second);
    case "ZeroSecond":
      return padded(c.second, 2);
    case "UpperHalf":
      return c.hour >= 12 ? "PM" : "AM";
    case "LowerHalf":
      return c.hour >= 12 ? "pm" : "am";
    case "ZoneName":
      return zone.abbreviation(c.offset);
  }
}

export function formatInstant(instant: Instant, layout: string): string {
  const civil = civilOf(instant);
  return readLayout(layout)
    .map((token) => formatToken(token, civil, instant.zone))
    .join("");
}

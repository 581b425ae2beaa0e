/**
 * Layouts: how the moment 2006-01-02 15:04:05 -0700 MST would be written, after Go's time package
 * (https://pkg.go.dev/time#pkg-constants). By hand: no library for JavaScript knows layouts by example, or nanoseconds
 * beside the zones of Intl.
 */

export type LayoutToken =
  | { readonly kind: "Literal"; readonly text: string }
  | { readonly kind: "Fraction"; readonly digits: number; readonly separator: string; readonly trims: boolean }
  | { readonly kind: "Offset"; readonly style: OffsetStyle }
  | { readonly kind: Exclude<(typeof fields)[string], undefined> };

export interface OffsetStyle {
  /** Writes `Z` for UTC. */
  readonly zulu: boolean;
  readonly colons: boolean;
  readonly minutes: boolean;
  readonly seconds: boolean;
}

const fields: Readonly<
  Record<
    string,
    | "LongMonth"
    | "Month"
    | "NumMonth"
    | "ZeroMonth"
    | "LongWeekday"
    | "Weekday"
    | "Day"
    | "UnderDay"
    | "ZeroDay"
    | "UnderYearDay"
    | "ZeroYearDay"
    | "Hour"
    | "Hour12"
    | "ZeroHour12"
    | "Minute"
    | "ZeroMinute"
    | "Second"
    | "ZeroSecond"
    | "LongYear"
    | "Year"
    | "UpperHalf"
    | "LowerHalf"
    | "ZoneName"
    | undefined
  >
> = {
  January: "LongMonth",
  Jan: "Month",
  "1": "NumMonth",
  "01": "ZeroMonth",
  Monday: "LongWeekday",
  Mon: "Weekday",
  "2": "Day",
  _2: "UnderDay",
  "02": "ZeroDay",
  __2: "UnderYearDay",
  "002": "ZeroYearDay",
  "15": "Hour",
  "3": "Hour12",
  "03": "ZeroHour12",
  "4": "Minute",
  "04": "ZeroMinute",
  "5": "Second",
  "05": "ZeroSecond",
  "2006": "LongYear",
  "06": "Year",
  PM: "UpperHalf",
  pm: "LowerHalf",
  MST: "ZoneName",
};

/** Longer names first where one begins another; a month or day name must not run on in lower case. */
const element = new RegExp(
  "January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|002|0[1-6]|15|1|2006|2|__2|_2(?!006)|3|4|5|PM|pm" +
    "|[-Z](?:070000|07:00:00|0700|07:00|07)|[.,](?:0+|9+)(?![0-9])",
  "g",
);

function tokenOf(text: string): LayoutToken {
  const kind = fields[text];
  if (kind !== undefined) return { kind };
  const first = text[0] as string;
  if (first === "." || first === ",") {
    return { kind: "Fraction", digits: text.length - 1, separator: first, trims: text[1] === "9" };
  }
  const style = { zulu: first === "Z", colons: text.includes(":"), minutes: text.length > 3, seconds: text.length > 6 };
  return { kind: "Offset", style };
}

export function readLayout(layout: string): readonly LayoutToken[] {
  const tokens: LayoutToken[] = [];
  let at = 0;
  for (const match of layout.matchAll(element)) {
    if (match.index > at) tokens.push({ kind: "Literal", text: layout.slice(at, match.index) });
    tokens.push(tokenOf(match[0]));
    at = match.index + match[0].length;
  }
  if (at < layout.length) tokens.push({ kind: "Literal", text: layout.slice(at) });
  return tokens;
}

export const rfc3339 = "2006-01-02T15:04:05Z07:00";
export const rfc3339Nano = "2006-01-02T15:04:05.999999999Z07:00";

/** Layouts that have a name. */
export const namedLayouts: ReadonlyMap<string, string> = new Map([
  ["ANSIC", "Mon Jan _2 15:04:05 2006"],
  ["UnixDate", "Mon Jan _2 15:04:05 MST 2006"],
  ["RubyDate", "Mon Jan 02 15:04:05 -0700 2006"],
  ["RFC822", "02 Jan 06 15:04 MST"],
  ["RFC822Z", "02 Jan 06 15:04 -0700"],
  ["RFC850", "Monday, 02-Jan-06 15:04:05 MST"],
  ["RFC1123", "Mon, 02 Jan 2006 15:04:05 MST"],
  ["RFC1123Z", "Mon, 02 Jan 2006 15:04:05 -0700"],
  ["RFC3339", rfc3339],
  ["RFC3339Nano", rfc3339Nano],
]);

export const monthNames = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
] as const;

export const weekdayNames = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;

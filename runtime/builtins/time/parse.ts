/** Reading an instant in a layout, as strictly and as leniently as Go's time.Parse. */

import { fail } from "../family.ts";
import { daysFromCivil, daysInMonth, isLeapYear } from "./civil.ts";
import { toNanoseconds } from "./instant.ts";
import { type LayoutToken, monthNames, type OffsetStyle, readLayout, weekdayNames } from "./layout.ts";

/** The parts read so far. Go's year is 0 where a layout has none. */
interface Fields {
  year: number;
  month: number | undefined;
  day: number | undefined;
  yearDay: number | undefined;
  hour: number;
  minute: number;
  second: number;
  nanosecond: number;
  half: "am" | "pm" | undefined;
  /** Seconds ahead of UTC. */
  offset: number;
}

const isDigit = (char: string | undefined): boolean => char !== undefined && char >= "0" && char <= "9";

class Parser {
  private value: string;
  readonly fields: Fields = {
    year: 0,
    month: undefined,
    day: undefined,
    yearDay: undefined,
    hour: 0,
    minute: 0,
    second: 0,
    nanosecond: 0,
    half: undefined,
    offset: 0,
  };

  constructor(value: string) {
    this.value = value;
  }

  end(): void {
    if (this.value !== "") fail("extra text after a time");
  }

  private take(count: number): string {
    if (this.value.length < count) fail("time too short");
    const taken = this.value.slice(0, count);
    this.value = this.value.slice(count);
    return taken;
  }

  /** A space in a layout stands for any number of them, but not for something else. */
  literal(text: string): void {
    let rest = text;
    while (rest !== "") {
      if (rest.startsWith(" ")) {
        if (this.value !== "" && !this.value.startsWith(" ")) fail("space expected");
        rest = rest.replace(/^ +/, "");
        this.value = this.value.replace(/^ +/, "");
      } else {
        if (!this.value.startsWith(rest[0] as string)) fail("text differs from the layout");
        rest = rest.slice(1);
        this.value = this.value.slice(1);
      }
    }
  }

  /** One or two digits; exactly two when `fixed`. */
  private number(fixed: boolean, low: number, high: number): number {
    if (!isDigit(this.value[0]) || (fixed && !isDigit(this.value[1]))) fail("digit expected");
    const number = Number(this.take(isDigit(this.value[1]) ? 2 : 1));
    return number >= low && number <= high ? number : fail("number out of range");
  }

  private yearDay(fixed: boolean): number {
    const digits = /^[0-9]{0,3}/.exec(this.value)?.[0] ?? "";
    if (digits === "" || (fixed && digits.length !== 3)) fail("day of the year expected");
    return Number(this.take(digits.length));
  }

  private skipSpaces(most: number): void {
    for (let i = 0; i < most && this.value.startsWith(" "); i++) this.value = this.value.slice(1);
  }

  private name(names: readonly string[], length: number | undefined): number {
    const index = names.findIndex((name) => {
      const wanted = name.slice(0, length);
      return this.value.slice(0, wanted.length).toLowerCase() === wanted.toLowerCase();
    });
    if (index < 0) fail("name expected");
    this.take((names[index] as string).slice(0, length).length);
    return index;
  }

  private half(upper: boolean): "am" | "pm" {
    const text = this.take(2);
    const lower = text.toLowerCase();
    const cased = upper ? text === text.toUpperCase() : text === lower;
    return cased && (lower === "am" || lower === "pm") ? lower : fail("AM or PM expected");
  }

  private offset(style: OffsetStyle): number {
    if (style.zulu && this.value.startsWith("Z")) {
      this.take(1);
      return 0;
    }
    const pattern = ["", "([0-9]{2})", style.minutes ? "([0-9]{2})" : "", style.seconds ? "([0-9]{2})" : ""]
      .filter((part) => part !== "")
      .join(style.colons ? ":" : "");
    const match = new RegExp(`^([-+])${pattern}`).exec(this.value) ?? fail("offset expected");
    this.take(match[0].length);
    const [hours, minutes, seconds] = [Number(match[2]), Number(match[3] ?? 0), Number(match[4] ?? 0)];
    if (hours > 24 || minutes > 60 || seconds > 60) fail("offset out of range");
    return (match[1] === "-" ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds);
  }

  /** A separator and digits, cut off after the ninth. */
  private fraction(length: number): number {
    const text = this.take(length);
    const digits = text.slice(1, 10);
    if (!/^[.,]/.test(text) || !/^[0-9]+$/.test(digits)) fail("fraction expected");
    return Number(digits.padEnd(9, "0"));
  }

  /** Seconds may have a fraction that the layout does not mention. */
  private unmentionedFraction(next: LayoutToken | undefined): void {
    const digits = /^[.,][0-9]+/.exec(this.value)?.[0];
    if (next?.kind !== "Fraction" && digits !== undefined) this.fields.nanosecond = this.fraction(digits.length);
  }

  private optionalFraction(): void {
    const digits = /^[.,][0-9]{1,9}/.exec(this.value)?.[0];
    if (digits !== undefined) this.fields.nanosecond = this.fraction(digits.length);
  }

  /**
   * An abbreviation. It says nothing without a place, and so counts as UTC; Go would look it up in the host's own zone,
   * which would make the answer depend on the host.
   */
  private zoneName(): void {
    const name = /^(?:UTC|ChST|MeST|GMT(?:[-+][0-9]+)?|[-+][0-9]+|(?:WITA|[A-Z]{4}T|[A-Z]{3}T|[A-Z]{3})(?![A-Z]))/;
    const match = name.exec(this.value)?.[0] ?? fail("zone expected");
    const tooFar = Number(/[0-9]+$/.exec(match)?.[0] ?? 0) > 23;
    if (tooFar && !match.startsWith("GMT")) fail("offset out of range");
    this.take(tooFar ? 3 : match.length);
  }

  token(token: LayoutToken, next: LayoutToken | undefined): void {
    const f = this.fields;
    switch (token.kind) {
      case "Literal":
        return this.literal(token.text);
      case "Year": {
        const text = this.take(2);
        const year = /^[0-9]{2}$/.test(text)
          ? Number(text)
          : /^[-+][0-9]$/.test(text)
            ? Number(text)
            : fail("year expected");
        f.year = year + (year >= 69 ? 1900 : 2000);
        return;
      }
      case "LongYear": {
        const text = this.take(4);
        f.year = /^[0-9]{4}$/.test(text) ? Number(text) : fail("year expected");
        return;
      }
      case "Month":
        f.month = this.name(monthNames, 3) + 1;
        return;
      case "LongMonth":
        f.month = this.name(monthNames, undefined) + 1;
        return;
      case "NumMonth":
      case "ZeroMonth":
        f.month = this.number(token.kind === "ZeroMonth", 1, 12);
        return;
      case "Weekday":
        this.name(weekdayNames, 3);
        return;
      case "LongWeekday":
        this.name(weekdayNames, undefined);
        return;
      case "Day":
      case "UnderDay":
      case "ZeroDay":
        if (token.kind === "UnderDay") this.skipSpaces(1);
        f.day = this.number(token.kind === "ZeroDay", 0, 99);
        return;
      case "UnderYearDay":
      case "ZeroYearDay":
        if (token.kind === "UnderYearDay") this.skipSpaces(2);
        f.yearDay = this.yearDay(token.kind === "ZeroYearDay");
        return;
      case "Hour":
        f.hour = this.number(false, 0, 23);
        return;
      case "Hour12":
      case "ZeroHour12":
        f.hour = this.number(token.kind === "ZeroHour12", 0, 12);
        return;
      case "Minute":
      case "ZeroMinute":
        f.minute = this.number(token.kind === "ZeroMinute", 0, 59);
        return;
      case "Second":
      case "ZeroSecond":
        f.second = this.number(token.kind === "ZeroSecond", 0, 59);
        return this.unmentionedFraction(next);
      case "UpperHalf":
      case "LowerHalf":
        f.half = this.half(token.kind === "UpperHalf");
        return;
      case "Offset":
        f.offset = this.offset(token.style);
        return;
      case "ZoneName":
        return this.zoneName();
      case "Fraction":
        if (token.trims) this.optionalFraction();
        else f.nanosecond = this.fraction(1 + token.digits);
        return;
    }
  }
}

function hourOf({ half, hour }: Fields): number {
  if (half === "pm" && hour < 12) return hour + 12;
  return half === "am" && hour === 12 ? 0 : hour;
}

/** The number of the day since 1970, with every field that was given in agreement. */
function dayOf({ year, month, day, yearDay }: Fields): number {
  if (yearDay !== undefined) {
    if (yearDay < 1 || yearDay > (isLeapYear(year) ? 366 : 365)) fail("day of the year out of range");
    const days = daysFromCivil(year, 1, 1) + yearDay - 1;
    const agrees =
      month === undefined || (days >= daysFromCivil(year, month, 1) && days < daysFromCivil(year, month + 1, 1));
    const dayAgrees =
      day === undefined ||
      [...Array(12).keys()].some((m) => daysFromCivil(year, m + 1, day) === days && day <= daysInMonth(year, m + 1));
    return agrees && dayAgrees ? days : fail("day of the year does not match");
  }
  const [m, d] = [month ?? 1, day ?? 1];
  return d >= 1 && d <= daysInMonth(year, m) ? daysFromCivil(year, m, d) : fail("day out of range");
}

/** Nanoseconds since 1970, not yet checked to fit 64 bits. */
export function parseInstant(layout: string, value: string): bigint {
  const parser = new Parser(value);
  const tokens = readLayout(layout);
  for (const [i, token] of tokens.entries()) {
    parser.token(
      token,
      tokens.slice(i + 1).find(({ kind }) => kind !== "Literal"),
    );
  }
  parser.end();
  const f = parser.fields;
  const seconds = dayOf(f) * 86400 + hourOf(f) * 3600 + f.minute * 60 + f.second - f.offset;
  return toNanoseconds(seconds, f.nanosecond);
}

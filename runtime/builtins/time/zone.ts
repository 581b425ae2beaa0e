/** Offsets of time zones, from Intl: the only time zone database that every host has. */

import { fail } from "../family.ts";
import { daysFromCivil } from "./civil.ts";
import { abbreviationOf, isZoneSpelling } from "./zone-names.ts";

export interface Zone {
  /** Seconds ahead of UTC at an instant given in seconds since 1970. */
  readonly offsetAt: (seconds: number) => number;
  /** The abbreviation that `MST` in a layout writes, at an offset. */
  readonly abbreviation: (offset: number) => string;
}

export const utc: Zone = { offsetAt: () => 0, abbreviation: () => "UTC" };

/** Formatters are costly to make; there are no more of them than the host knows zones. */
const known = new Map<string, Zone>();

/** A zone by OPA's rules for names: `""` and `UTC` are UTC, `Local` is the host's own. */
export function loadZone(name: string): Zone {
  if (name === "" || name === "UTC") return utc;
  const cached = known.get(name);
  if (cached !== undefined) return cached;
  const local = name === "Local";
  if (!local && !(/^[A-Z][A-Za-z0-9/_+-]*$/.test(name) && isZoneSpelling(name))) fail("unknown time zone");
  const zone = fromIntl(local ? undefined : name);
  known.set(name, zone);
  return zone;
}

function fromIntl(name: string | undefined): Zone {
  // An unknown name makes the constructor throw, which is a builtin error.
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: name,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    era: "short",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const resolved = name ?? format.resolvedOptions().timeZone;
  return {
    offsetAt: byHour((seconds) => civilSeconds(format.formatToParts(seconds * 1000)) - seconds),
    abbreviation: (offset) => abbreviationOf(resolved, offset / 60) ?? numeric(offset),
  };
}

const HOUR = 3600;
/** Hours that are kept, a zone: six weeks. */
const MOST_HOURS = 1024;

/**
 * The same, remembered for each hour in which it does not change. Intl takes a hundred times as long as all else that reads a
 * clock. No zone has changed its clocks twice within an hour of UTC, so that equal ends say it.
 */
function byHour(offsetAt: (seconds: number) => number): (seconds: number) => number {
  const kept = new Map<number, number | undefined>();
  return (seconds) => {
    const hour = Math.floor(seconds / HOUR);
    if (!kept.has(hour)) {
      if (kept.size >= MOST_HOURS) kept.clear();
      const first = offsetAt(hour * HOUR);
      kept.set(hour, first === offsetAt(hour * HOUR + HOUR - 1) ? first : undefined);
    }
    return kept.get(hour) ?? offsetAt(seconds);
  };
}

/** The seconds since 1970 that a clock of the zone would show, were it a clock of UTC. */
function civilSeconds(parts: readonly Intl.DateTimeFormatPart[]): number {
  const field = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.find((part) => part.type === type)?.value);
  const days = daysFromCivil(field("year"), field("month"), field("day"));
  return days * 86400 + field("hour") * 3600 + field("minute") * 60 + field("second");
}

/** `+08`, `-0330`: how the database abbreviates a time without a name. */
function numeric(offset: number): string {
  const minutes = Math.floor(Math.abs(offset) / 60);
  const two = (n: number): string => String(n).padStart(2, "0");
  const rest = minutes % 60 === 0 ? "" : two(minutes % 60);
  return (offset < 0 ? "-" : "+") + two(Math.floor(minutes / 60)) + rest;
}

/** The instant at which a clock of the zone shows the given civil seconds. */
export function toInstant(zone: Zone, civil: number): number {
  const guess = zone.offsetAt(civil);
  return guess === 0 ? civil : civil - zone.offsetAt(civil - guess);
}

/** The table of time zones: what it says of some zones, and of all of them as this engine's own data has it, where that is of the same release. */

import { describe, expect, it } from "vitest";
import { ZONE_RELEASE } from "../../../compiler/governance/model/zone-table.ts";
import { isZone, zoneNames, zoneOffsets } from "../../../compiler/governance/model/zones.ts";
import { isZoneSpelling } from "../../../runtime/builtins/time/zone-names.ts";

const END = Date.UTC(2050, 0, 1);
const isSame = process.versions["tz"] === ZONE_RELEASE;
if (!isSame)
  console.warn(`SKIPPED: time zones here are of ${process.versions["tz"]}, and the table is of ${ZONE_RELEASE}`);

/** Hours ahead of UTC until each time of a year. */
function changes(zone: string, year: number): (readonly [string, number])[] {
  return zoneOffsets(zone).flatMap(([until, offset]) => {
    const at = new Date(until).toISOString();
    return at.startsWith(String(year)) ? [[at, offset / 3_600_000] as const] : [];
  });
}

describe("the table of time zones", () => {
  it("knows when clocks change", () => {
    expect(changes("Europe/Berlin", 2026)).toEqual([
      ["2026-03-29T01:00:00.000Z", 1],
      ["2026-10-25T01:00:00.000Z", 2],
    ]);
    expect(changes("America/New_York", 2049)).toEqual([
      ["2049-03-14T07:00:00.000Z", -5],
      ["2049-11-07T06:00:00.000Z", -4],
    ]);
    expect(changes("Australia/Lord_Howe", 2027)).toEqual([
      ["2027-04-03T15:00:00.000Z", 11],
      ["2027-10-02T15:30:00.000Z", 10.5],
    ]);
    expect(zoneOffsets("UTC")).toEqual([[END, 0]]);
    expect(zoneOffsets("Asia/Kathmandu")).toEqual([[END, 5.75 * 3_600_000]]);
  });

  it("tells names apart by case, and knows those that the builtins know", () => {
    const names = [...zoneNames()];
    expect(names.length).toBeGreaterThan(590);
    expect(names.filter((name) => !isZoneSpelling(name))).toEqual([]);
    expect(["europe/berlin", "Europe/Berlinn", "", "Local", "constructor"].filter(isZone)).toEqual([]);
    expect(zoneOffsets("Europe/Berlinn")).toEqual([]);
  });

  it("has the years from 2025 to 2049, in the order of time", () => {
    for (const name of zoneNames()) {
      const untils = zoneOffsets(name).map(([until]) => until);
      expect(untils.at(-1), name).toBe(END);
      expect(
        untils.every((until, i) => until > (untils[i - 1] ?? Date.UTC(2025, 0, 1))),
        name,
      ).toBe(true);
    }
  });

  it.skipIf(!isSame)("is what this engine knows", () => {
    const met = new Set<string>();
    for (const name of zoneNames()) {
      const offsets = zoneOffsets(name);
      const key = JSON.stringify(offsets);
      const clock = clockOf(name);
      // Names of one zone differ in nothing: of the others a year is enough.
      const asked = met.has(key) ? offsets.slice(-3) : offsets;
      met.add(key);
      for (const [until, offset] of asked) expect([name, until, clock(until - 1)]).toEqual([name, until, offset]);
      for (let month = 0; month < 300; month += 7) {
        const at = Date.UTC(2025, month, 15);
        const [, offset] = offsets.find(([until]) => at < until) ?? [0, Number.NaN];
        expect([name, at, clock(at)]).toEqual([name, at, offset]);
      }
    }
  });
});

/** Milliseconds ahead of UTC, by the parts of a local time. */
function clockOf(timeZone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    ...{ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" },
  });
  return (at) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) as number;
    const [year, month, day] = [part("year"), part("month") - 1, part("day")];
    return Date.UTC(year, month, day, part("hour"), part("minute"), part("second")) - Math.floor(at / 1000) * 1000;
  };
}

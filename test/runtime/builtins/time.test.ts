import { type HostBuiltin, HostNumber, int, type JsonLike } from "@portcullis/runtime/host";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { civilFromDays, daysFromCivil, weekdayOf } from "../../../runtime/builtins/time/civil.ts";
import { time } from "../../../runtime/builtins/time/index.ts";
import { namedLayouts } from "../../../runtime/builtins/time/layout.ts";
import { campaign } from "../../campaign.ts";
import { builtinsOf, recordedCalls, replay, title } from "./recorded.ts";

const builtins = builtinsOf(time);
const builtin = (name: string): HostBuiltin => builtins[name] as HostBuiltin;

describe("time", () => {
  it.each(recordedCalls("time").map((call, i) => [title(call, i), call] as const))("as OPA: %s", (_, call) => {
    const { got, want } = replay(builtins, call);
    expect(got).toBe(want);
  });

  it("numbers days as Date does", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1_000_000, max: 1_000_000 }), (days) => {
        const date = new Date(days * 86_400_000);
        const { year, month, day } = civilFromDays(days);
        expect([year, month, day]).toEqual([date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]);
        expect(daysFromCivil(year, month, day)).toBe(days);
        expect(weekdayOf(days)).toBe(date.getUTCDay());
      }),
      campaign(2000),
    );
  });

  it.each([
    ["Europe/Berlin", "2026-03-29T01:00:00Z"],
    ["Europe/Berlin", "2026-10-25T01:00:00Z"],
    // Until 2011 Newfoundland changed its clocks at a minute past midnight.
    ["America/St_Johns", "2005-04-03T03:31:00Z"],
    ["America/St_Johns", "2010-11-07T02:31:00Z"],
    ["Australia/Lord_Howe", "2026-04-04T15:00:00Z"],
    ["Asia/Kathmandu", "1985-12-31T18:30:00Z"],
    ["Africa/Monrovia", "1972-01-07T00:44:30Z"],
    ["Europe/Amsterdam", "1937-06-30T22:40:28Z"],
  ])("reads the clocks of %s as Intl does around %s, in any order", (zone, change) => {
    const intl = new Intl.DateTimeFormat("en-GB", { timeZone: zone, hourCycle: "h23", timeStyle: "medium" });
    const at = Date.parse(change) / 1000;
    const near = Array.from({ length: 4 * 3600 + 1 }, (_, i) => at - 7200 + i).filter(
      (s) => s % 7 === 0 || Math.abs(s - at) < 3,
    );
    for (const seconds of [...near, ...near.reverse()]) {
      const read = builtin("time.clock")([[int(BigInt(seconds) * 1_000_000_000n), zone]]) as HostNumber[];
      const shown = read.map((n) => n.text.padStart(2, "0")).join(":");
      expect(shown, `at ${seconds}`).toBe(intl.format(seconds * 1000));
    }
  });

  it("parses back to the nanosecond what it formats with an offset", () => {
    const zones = fc.constantFrom("UTC", "Asia/Kolkata", "America/New_York", "Pacific/Chatham");
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), zones, (ns, zone) => {
        const text = builtin("time.format")([[int(ns), zone]]) as string;
        // Offsets of the time before zones have seconds, which this layout leaves out.
        fc.pre(ns > (-1_000_000_000n * 2_000_000_000n) / 2n);
        expect((builtin("time.parse_rfc3339_ns")([text]) as HostNumber).text).toBe(String(ns));
      }),
      campaign(500),
    );
  });

  it("never throws, whatever it is given", () => {
    const layouts = fc.oneof(
      fc.constantFrom(...namedLayouts.keys()),
      fc.stringMatching(/^[0-9.,:_ZTJanMonPS -]{0,30}$/),
    );
    const numbers = fc.oneof(
      fc.integer().map(int),
      fc.constantFrom("1e999999999", "-0", "1.5").map((t) => new HostNumber(t)),
    );
    const scalar: fc.Arbitrary<JsonLike> = fc.oneof(fc.constant(null), layouts, numbers);
    const anything = fc.oneof(scalar, fc.array(scalar, { maxLength: 4 }));
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 4 }), (args) => {
        for (const call of Object.values(time)) call(args);
      }),
      campaign(2000),
    );
  });
});

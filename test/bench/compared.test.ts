/** What a run says of one before: only what is slower beyond noise. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { compared } from "../../bench/compared.ts";
import { type Results, resultsText } from "../../bench/results.ts";
import { slowerThan } from "../../compiler/cli/bench/baseline.ts";

const latest = JSON.parse(
  readFileSync(fileURLToPath(new URL("../../bench/results/latest.json", import.meta.url)), "utf8"),
) as Results;

describe("slowerThan", () => {
  const before = [{ name: "a", value: 100, low: 95, high: 105 }];

  it.each([
    ["the same", { value: 100, low: 95, high: 105 }, 0],
    ["faster", { value: 50, low: 45, high: 55 }, 0],
    ["more by less than a tenth, however little it moved", { value: 109, low: 108, high: 110 }, 0],
    ["more, but within what it moved", { value: 130, low: 104, high: 150 }, 0],
    ["more, and never as little as before", { value: 130, low: 106, high: 150 }, 1],
  ])("%s", (_name, now, found) => {
    expect(slowerThan(before, [{ name: "a", ...now }]).length).toBe(found);
  });

  it("leaves out what only one of the runs has", () => {
    expect(slowerThan(before, [{ name: "b", value: 1e9, low: 1e9, high: 1e9 }])).toEqual([]);
    expect(slowerThan([], before)).toEqual([]);
  });
});

describe("a run beside itself", () => {
  it("is not slower", () => {
    expect(compared(latest, latest)).toEqual({ found: 0, text: expect.stringContaining("Nothing is slower") });
  });

  it("is slower where it takes double: ratios and single decisions", () => {
    const [row] = latest.latency;
    if (row === undefined) throw new Error("no decision was timed");
    const { ns, high } = row.p50;
    const later = { ...latest, latency: [{ ...row, p50: { ns: ns * 3, low: high * 2, high: high * 4 } }] };
    const { found, text } = compared(latest, later);
    expect(found).toBe(1);
    expect(text).toContain("median of single decisions");
  });

  it("compares only ratios with another machine, and says so", () => {
    const other = { ...latest, machine: { ...latest.machine, cpu: "another" } };
    const doubled = {
      ...latest,
      headline: latest.headline.map((row) => ({
        ...row,
        measured: row.measured.map((m) =>
          m.ratio === undefined
            ? m
            : { ...m, ratio: { median: m.ratio.high * 3, low: m.ratio.high * 2, high: m.ratio.high * 4 } },
        ),
      })),
      latency: latest.latency.map((row) => ({ ...row, p50: { ns: 1e9, low: 1e9, high: 1e9 } })),
    };
    const { found, text } = compared(other, doubled);
    expect(found).toBe(latest.headline.length);
    expect(text).toContain("only ratios are compared");
    expect(text).not.toContain("single decisions");
  });
});

describe("the results' text", () => {
  it("holds what it is made from, rounded, a row a line, and is made from itself again", () => {
    const text = resultsText(latest);
    expect(JSON.parse(text)).toEqual(latest);
    const { headline, workingSets, latency, services } = latest;
    const rows = headline.length + workingSets.length + latency.length + (services?.rows.length ?? 0);
    expect(text.split("\n").length).toBeLessThan(rows + 100);
  });
});

/** The README's numbers are those of the last recorded run, whatever anyone writes by hand. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DECISION_KINDS } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { chartOf } from "../../bench/chart.ts";
import { markdownOf } from "../../bench/markdown.ts";
import { withBenchmark } from "../../bench/readme.ts";
import type { Results } from "../../bench/results.ts";

const file = (path: string): string => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");
const readme = file("README.md");
const latest = JSON.parse(file("bench/results/latest.json")) as Results;

describe("the README's benchmark", () => {
  it("is that of bench/results/latest.json: run `make bench`", () => {
    expect(withBenchmark(readme, latest)).toBe(readme);
  });

  it("changes with the results, between its marks and nowhere else", () => {
    const changed = withBenchmark(readme, { ...latest, revision: "0000000", quick: false });
    expect(changed).toContain("Revision 0000000");
    const [head, tail] = [readme.indexOf("<!-- benchmark"), readme.indexOf("<!-- end of benchmark")];
    expect(changed.startsWith(readme.slice(0, head))).toBe(true);
    expect(changed.endsWith(readme.slice(tail))).toBe(true);
    expect(withBenchmark(changed, latest)).toBe(readme);
  });

  it("says when nothing of a part was measured, by leaving it out, and when the machine was busy", () => {
    const machine = { ...latest.machine, loadAtStart: 0.1, loadAtEnd: 9 };
    const none = { ...latest, headline: [], latency: [], machine, quick: true };
    const section = withBenchmark(readme, none).split("<!-- benchmark")[1] as string;
    expect(section.split("<!-- end of benchmark")[0]).not.toContain("|");
    expect(section).toContain("The machine was busy (load 9)");
    expect(section).toContain("a quick look, not a record");
  });

  it("names what is above its bound", () => {
    const within = { ns: 1, low: 1, high: 1 };
    const above = { ns: 1e6, low: 1e6, high: 1e6 };
    const shown = latest.latency.map((row) => ({
      ...{ ...row, p999: within, first: { processes: 1, medianMs: 0, maxMs: 0 } },
      p99: row.kind === "close" && row.size === "large" ? above : within,
    }));
    const changed = withBenchmark(readme, { ...latest, latency: shown });
    expect(changed).toContain("| exceeded: 99 % |");
    const section = changed.slice(changed.indexOf("<!-- benchmark"), changed.indexOf("<!-- end of benchmark"));
    expect(section.match(/\| holds \|/g)?.length).toBe(DECISION_KINDS.length - 1);
  });

  it("needs its marks", () => {
    expect(() => withBenchmark("# A README", latest)).toThrow(/lacks the lines/);
  });
});

describe("bench/results/latest.md and latest.svg", () => {
  it("are those of latest.json: run `make bench`", () => {
    expect(file("bench/results/latest.md")).toBe(markdownOf(latest));
    expect(file("bench/results/latest.svg")).toBe(chartOf(latest));
  });

  it("has a line in the chart for every kind and size, with its bound", () => {
    const chart = chartOf(latest);
    for (const { kind, what } of latest.latency)
      expect(chart).toContain(what === "" ? `>${kind}<` : `>${kind}, ${what}<`);
    expect(chart).toContain("its bound");
  });
});

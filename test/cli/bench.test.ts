/** `portcullis bench`: figures against a bound, and exit codes that a pipeline can rely on. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Policy } from "@portcullis/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { machineNow } from "../../compiler/cli/bench/machine.ts";
import type { Percentile } from "../../compiler/cli/bench/percentiles.ts";
import { printReport, reportOf as reportFor } from "../../compiler/cli/bench/report.ts";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

const bundle = fileURLToPath(new URL("../../generated/bundle.tar.gz", import.meta.url));
const LANE = ["-e", "portcullis/lane/decision", "--decisions", "500"];
const GENEROUS = ["--p99", "1000000000", "--p999", "1000000000"];
const TIGHT = ["--p99", "1", "--p999", "1"];

let folder = "";
let request = "";
beforeAll(() => {
  folder = temporaryFolder();
  request = write(join(folder, "request.json"), { role: "WRITER", lane: "DRAFTING" });
});
afterAll(() => removeFolder(folder));

interface Report {
  readonly inputs: readonly { readonly name: string; readonly answer: { readonly gate: string } }[];
  readonly machine: object;
  readonly percentiles: Readonly<
    Record<"median" | "p99" | "p999", { readonly ns: number; readonly low: number; readonly high: number }>
  >;
  readonly slowestNs: number;
  readonly firstNs: number;
  readonly clockNs: number;
  readonly histogram: readonly { readonly decisions: number }[];
}

async function reportOf(...args: string[]): Promise<Report> {
  const { code, out, err } = await portcullis("bench", bundle, ...LANE, ...args, ...GENEROUS, "--format", "json");
  expect([code, err]).toEqual([0, ""]);
  return JSON.parse(out) as Report;
}

/** The words beside the bounds, for figures and their passes; a bound is 100 ns, and the clock takes 10 of each figure. */
function verdicts(p99: Percentile, p999: Percentile): (string | undefined)[] {
  const text: string[] = [];
  const plain = (cell: string): string => cell;
  const paint = { bold: plain, green: plain, red: plain, yellow: plain, dim: plain };
  const bound = { p99: 100, p999: 100 };
  const policy = { revision: "r" } as Policy;
  const measured = { answers: [], histogram: [], decisions: 5, slowestNs: 1, firstNs: 1, clockNs: 10 };
  const percentiles = { median: p99, p99, p999 };
  const report = reportFor(policy, "a/b", [], { ...measured, percentiles }, machineNow(0), bound);
  printReport({ paint, out: (said: string) => text.push(said) } as never, report, undefined);
  return [...text.join("").matchAll(/<= 100 ns +(.*?) *$/gm)].map(([, word]) => word);
}

describe("portcullis bench", () => {
  it("says that a bound holds where the figure is within it, and else whether all passes are above it", () => {
    const figure = (ns: number, low: number, high: number): Percentile => ({ ns, low, high });
    expect(verdicts(figure(110, 50, 500), figure(111, 50, 500))).toEqual(["holds", "exceeded in some passes"]);
    expect(verdicts(figure(400, 110, 500), figure(400, 111, 500))).toEqual(["exceeded in some passes", "exceeded"]);
  });

  it("prints the decision, what was measured beside the bounds, and how it spreads", async () => {
    const { code, out, err } = await portcullis("bench", bundle, ...LANE, "-i", request, ...GENEROUS);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^portcullis\/lane\/decision, revision \S+$/m);
    expect(out).toContain('"gate":"ALLOW"');
    expect(out).toMatch(/^ +measured +passes +bound/m);
    expect(out).toMatch(/^median +\d+ ns +\d+ to \d+ *$/m);
    for (const label of ["99 %", "99.9 %"])
      expect(out).toMatch(new RegExp(`^${label} +\\d+ ns +\\d+ to \\d+ +<= 1000000000 ns +holds`, "m"));
    expect(out).toMatch(/^slowest +\d+ ns/m);
    expect(out).toMatch(/^first +\d+ ns/m);
    expect(out).toMatch(/^<= [\d,]+ ns +\d+\.\d\d % +#+$/m);
    expect(out).toContain("reading the clock takes");
    expect(out).toContain(process.version);
  });

  it("prints one JSON document for machines, with figures that are in order", async () => {
    const report = await reportOf("-i", request);
    expect(report).toMatchObject({
      entrypoint: "portcullis/lane/decision",
      revision: expect.any(String),
      decisions: 500,
      inputs: [{ name: request, answer: { allowed: true, gate: "ALLOW" } }],
      machine: { cpu: expect.any(String), cores: expect.any(Number), node: process.version },
      bound: { p99: 1e9, p999: 1e9 },
      exceeded: [],
    });
    const { median, p99, p999 } = report.percentiles;
    const figures = [median.ns, p99.ns, p999.ns, report.slowestNs];
    expect(figures).toEqual([...figures].sort((x, y) => x - y));
    for (const { low, high } of [median, p99, p999]) expect(low).toBeLessThanOrEqual(high);
    expect(median.ns).toBeGreaterThan(0);
    expect(report.firstNs).toBeGreaterThan(0);
    expect(report.clockNs).toBeGreaterThanOrEqual(0);
    expect(report.histogram.reduce((sum, bar) => sum + bar.decisions, 0)).toBe(500);
  });

  it("takes several inputs, a file each or a line each", async () => {
    const denied = JSON.stringify({ role: "INTERN", lane: "DRAFTING" });
    const single = write(join(folder, "denied.json"), { role: "INTERN", lane: "DRAFTING" });
    const lines = join(folder, "requests.ndjson");
    writeFileSync(lines, `${JSON.stringify({ role: "WRITER", lane: "DRAFTING" })}\n\n${denied}\n`);
    const { inputs } = await reportOf("-i", single, "-i", lines);
    expect(inputs.map(({ name }) => name)).toEqual([single, `${lines}:1`, `${lines}:3`]);
    expect(inputs.map(({ answer }) => answer.gate)).toEqual(["ROLE", "ALLOW", "ROLE"]);
    writeFileSync(lines, `${denied}\n{"role":\n`);
    const { code, err } = await portcullis("bench", bundle, ...LANE, "-i", lines);
    expect([code, err]).toEqual([2, expect.stringContaining("requests.ndjson:2")]);
  });

  it("says what is slower than in a report of before, and with --check exits with 1", async () => {
    const report = await reportOf("-i", request);
    const scaled = (times: number): string => {
      const figures = Object.entries(report.percentiles).map(([name, { ns, low, high }]) => [
        name,
        { ns: ns * times, low: low * times, high: high * times },
      ]);
      return write(join(folder, `times-${times}.json`), { ...report, percentiles: Object.fromEntries(figures) });
    };
    const against = (file: string, ...more: string[]): ReturnType<typeof portcullis> =>
      portcullis("bench", bundle, ...LANE, "-i", request, ...GENEROUS, "--baseline", file, ...more);
    const slower = await against(scaled(0.0001), "--check");
    expect(slower.code).toBe(1);
    expect(slower.out).toMatch(/Slower beyond noise than revision \S+: median \S+ ns before, \d+ ns now/);
    const json = await against(scaled(0.0001), "--format", "json");
    expect(json.code).toBe(0);
    expect((JSON.parse(json.out) as { slower: unknown[] }).slower.length).toBe(2);
    const faster = await against(scaled(10_000), "--check");
    expect([faster.code, faster.out.includes("Nothing is slower beyond noise")]).toEqual([0, true]);
  });

  it("refuses a baseline that is not one, or is of another entrypoint", async () => {
    const report = await reportOf("-i", request);
    const other = write(join(folder, "other.json"), { ...report, entrypoint: "portcullis/tool/decision" });
    const wrong = await portcullis("bench", bundle, ...LANE, "--baseline", other);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("`portcullis/tool/decision`")]);
    for (const content of [null, [], { machine: report.machine }]) {
      const none = await portcullis("bench", bundle, ...LANE, "--baseline", write(join(folder, "none.json"), content));
      expect([none.code, none.err]).toEqual([2, expect.stringContaining("no report of")]);
    }
  });

  it("takes the bounds of REQ-14 where none are given, by decision and size", async () => {
    const chain = Array.from({ length: 10 }, (_, depth) => ({ agent_type: "a", spawn_depth: depth }));
    const small = write(join(folder, "small.json"), { lineage: chain.slice(1) });
    const large = write(join(folder, "large.json"), { lineage: chain });
    const bound = async (kind: string, input: string): Promise<unknown> => {
      const asked = ["-e", `portcullis/${kind}/decision`, "-i", input, "--decisions", "10", "--format", "json"];
      const { out } = await portcullis("bench", bundle, ...asked);
      return (JSON.parse(out) as { readonly bound: unknown }).bound;
    };
    expect(await bound("lane", request)).toEqual({ p99: 10_000, p999: 100_000 });
    expect(await bound("lineage", small)).toEqual({ p99: 10_000, p999: 100_000 });
    expect(await bound("lineage", large)).toEqual({ p99: 25_000, p999: 100_000 });
    expect(await bound("close", request)).toEqual({ p99: 100_000, p999: 250_000 });
  });

  it("exits with 1 when a bound is exceeded and --check asks, and else with 0", async () => {
    const exceeded = await portcullis("bench", bundle, ...LANE, "-i", request, ...TIGHT);
    expect(exceeded.code).toBe(0);
    expect(exceeded.out).toMatch(/^99 % .*exceeded/m);
    const checked = await portcullis("bench", bundle, ...LANE, "-i", request, ...TIGHT, "--check", "--format", "json");
    expect(checked.code).toBe(1);
    expect(JSON.parse(checked.out)).toMatchObject({ exceeded: ["p99", "p999"] });
    expect((await portcullis("bench", bundle, ...LANE, "-i", request, ...GENEROUS, "--check")).code).toBe(0);
  });

  it("compiles a folder first, and takes host data", async () => {
    const rules = join(folder, "rules");
    write(
      join(rules, "t.rego"),
      "package t\n\nallow if input.n < data.host.limit\n\nbroken := 1 if input.n\n\nbroken := 2 if input.n > 0\n",
    );
    const input = write(join(folder, "n.json"), { n: 1 });
    const data = write(join(folder, "data.json"), { host: { limit: 2 } });
    const found = await portcullis("bench", rules, "-e", "t/allow", "-i", input, "-d", data, "--decisions", "100");
    expect([found.code, found.err]).toEqual([0, ""]);
    const broken = await portcullis("bench", rules, "-e", "t/broken", "-i", input, "--decisions", "100");
    expect(broken.code).toBe(2);
    expect(broken.err).toContain("`t/broken` cannot be measured");
    write(join(rules, "u.rego"), "package u\n\np := nowhere(1)\n");
    expect((await portcullis("bench", rules, "-e", "t/allow", "-i", input)).code).toBe(1);
  });

  it("measures a decision without an input", async () => {
    expect((await portcullis("bench", bundle, ...LANE, ...GENEROUS)).code).toBe(0);
  });

  it.each([
    ["no entrypoint", [bundle], "--entrypoint"],
    ["an unknown entrypoint", [bundle, "-e", "portcullis/nowhere"], "no entrypoint `portcullis/nowhere`"],
    ["no bundle", ["nowhere.tar.gz", ...LANE], "nowhere.tar.gz"],
    ["no decisions", [bundle, "-e", "portcullis/lane/decision", "--decisions", "0"], "a whole number above zero"],
    [
      "more decisions than fit",
      [bundle, "-e", "portcullis/lane/decision", "--decisions", "1000000000000"],
      "at most 100,000,000",
    ],
    ["a budget that is not a number", [bundle, ...LANE, "--p99", "fast"], "`--p99 fast`"],
    ["a baseline that is not there", [bundle, ...LANE, "--baseline", "nowhere.json"], "nowhere.json"],
    ["an input that is not there", [bundle, ...LANE, "-i", "nowhere.json"], "nowhere.json"],
    ["a format that there is not", [bundle, ...LANE, "--format", "xml"], "xml"],
  ])("exits with 2 for %s, and says so", async (_name, args, message) => {
    const { code, out, err } = await portcullis("bench", ...args);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(message);
  });

  it("explains itself", async () => {
    const { code, out } = await portcullis("bench", "--help");
    expect(code).toBe(0);
    for (const text of ["--entrypoint", "--input", "--baseline", "--check", "--format", "Examples:", "Exit codes:"])
      expect(out).toContain(text);
  });
});

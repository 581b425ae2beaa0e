/** `portcullis bench`: figures against a budget, and exit codes that a pipeline can rely on. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { portcullis, removeFolder, temporaryFolder, write } from "./terminal.ts";

const bundle = fileURLToPath(new URL("../../generated/bundle.tar.gz", import.meta.url));
const LANE = ["-e", "portcullis/lane/decision", "--decisions", "500"];
const GENEROUS = ["--median", "1000000000", "--p99", "1000000000", "--p999", "1000000000"];
const TIGHT = ["--median", "1", "--p99", "1", "--p999", "1"];

let folder = "";
let request = "";
beforeAll(() => {
  folder = temporaryFolder();
  request = write(join(folder, "request.json"), { role: "WRITER", lane: "DRAFTING" });
});
afterAll(() => removeFolder(folder));

describe("portcullis bench", () => {
  it("prints what was measured beside the budget", async () => {
    const { code, out, err } = await portcullis("bench", bundle, ...LANE, "-i", request, ...GENEROUS);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^ +measured +budget/);
    for (const label of ["median", "99 %", "99.9 %"])
      expect(out).toMatch(new RegExp(`^${label} +\\d+ ns +<= 1000000000 ns +holds`, "m"));
    expect(out).toMatch(/^slowest +\d+ ns/m);
    expect(out).toMatch(/^first +\d+ ns/m);
    expect(out).toContain("reading the clock takes");
  });

  it("prints one JSON document for machines, with figures that are in order", async () => {
    const { code, out } = await portcullis("bench", bundle, ...LANE, "-i", request, ...GENEROUS, "--format", "json");
    expect(code).toBe(0);
    const report = JSON.parse(out) as { readonly figures: Record<string, number> };
    expect(report).toMatchObject({
      entrypoint: "portcullis/lane/decision",
      revision: expect.any(String),
      decisions: 500,
      unit: "ns",
      budget: { median: 1e9, p99: 1e9, p999: 1e9 },
      exceeded: [],
    });
    const { median = 0, p99 = 0, p999 = 0, slowest = 0, first = 0, clock = -1 } = report.figures;
    expect([median, p99, p999, slowest]).toEqual([median, p99, p999, slowest].sort((a, b) => a - b));
    expect(median).toBeGreaterThan(0);
    expect(first).toBeGreaterThan(0);
    expect(clock).toBeGreaterThanOrEqual(0);
  });

  it("exits with 1 when a budget is exceeded and --check asks, and else with 0", async () => {
    const exceeded = await portcullis("bench", bundle, ...LANE, "-i", request, ...TIGHT);
    expect(exceeded.code).toBe(0);
    expect(exceeded.out).toMatch(/^median .*exceeded/m);
    const checked = await portcullis("bench", bundle, ...LANE, "-i", request, ...TIGHT, "--check", "--format", "json");
    expect(checked.code).toBe(1);
    expect(JSON.parse(checked.out)).toMatchObject({ exceeded: ["median", "p99", "p999"] });
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
    ["a budget that is no number", [bundle, ...LANE, "--p99", "fast"], "`--p99 fast`"],
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
    for (const text of ["--entrypoint", "--check", "--format", "Examples:", "Exit codes:"]) expect(out).toContain(text);
  });
});

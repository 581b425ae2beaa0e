/** Waivers of portcullis.yaml: they hide one warning that somebody has judged, and never more than that. */

import { expect, it } from "vitest";
import { check } from "../../../compiler/governance/pipeline.ts";
import { virtualHost } from "../sources/virtual-host.ts";
import { brief, HOSPITAL } from "./author.ts";

/** `chart.write` is in no lane, and so is `chart.print`: two warnings in one file. */
const TOOLS = `${HOSPITAL["tool_registry.yaml"]}  - { tool_name: chart.write, enabled: true, implementation_status: implemented, allowed_lanes: [WARD] }
  - { tool_name: chart.print, enabled: true, implementation_status: implemented, allowed_lanes: [WARD] }
`;

async function found(
  waive: string,
  options: { strict?: boolean; today?: string; tools?: string } = {},
): Promise<string[]> {
  const { tools = TOOLS, ...rest } = options;
  const files = { ...HOSPITAL, "tool_registry.yaml": tools, "portcullis.yaml": `waive:\n${waive}` };
  const { diagnostics } = await check({ host: virtualHost({ p: files }), dirs: ["p"], ...rest });
  return diagnostics.filter((d) => d.code !== "model/absent-part").map((d) => brief(d).replace(/:\d+:\d+.*/, ""));
}

const waiver = (at: string, more = ""): string =>
  `  - { code: model/tool-without-lane, at: "${at}", reason: planned for spring${more} }\n`;
const UNUSED = "model/tool-without-lane tool_registry.yaml";

it("hide what they name, in a file or for one name, also with --strict", async () => {
  expect(await found("  []\n")).toEqual([UNUSED, UNUSED]);
  expect(await found(waiver("tool_registry.yaml"))).toEqual([]);
  expect(await found(waiver("p/tool_registry.yaml"), { strict: true })).toEqual([]);
  expect(await found(waiver("tool_registry.yaml#chart.write"))).toEqual([UNUSED]);
});

it("hide nothing elsewhere, and say so", async () => {
  for (const at of ["registry.yaml", "lanes.yaml", "tool_registry.yaml#chart.rite", "tool_registry.yaml#", "", "."])
    expect(await found(waiver(at)), at).toEqual([UNUSED, UNUSED, "pipeline/unused-waiver portcullis.yaml"]);
  expect(await found(waiver("tool_registry.yaml") + waiver("tool_registry.yaml#chart.write"))).toEqual([
    "pipeline/unused-waiver portcullis.yaml",
  ]);
});

it("hide what is said of Rego, as a comment of Regal's does", async () => {
  const rego = (comment = ""): Record<string, string> => ({
    "own.rego": `package own\n\nallow if not deny${comment}\n\ndeny contains 1 if input.x\n`,
  });
  const set = async (files: Record<string, string>, waive = "  []\n"): Promise<string[]> => {
    const host = virtualHost({ p: { ...HOSPITAL, ...files, "portcullis.yaml": `waive:\n${waive}` } });
    const { diagnostics } = await check({ host, dirs: ["p"] });
    return diagnostics.filter((d) => d.code !== "model/absent-part").map((d) => `${d.code} ${d.span?.file.name}`);
  };
  expect(await set(rego())).toEqual(["bugs/impossible-not p/own.rego"]);
  expect(await set(rego(" # regal ignore:impossible-not"))).toEqual([]);
  expect(await set(rego(), "  - { code: bugs/impossible-not, at: own.rego, reason: never asked }\n")).toEqual([]);
});

it("end with their day, and do not hold where the day is not known", async () => {
  const until = waiver("tool_registry.yaml", ", until: 2027-02-28");
  expect(await found(until, { today: "2027-02-28" })).toEqual([]);
  const expired = [UNUSED, UNUSED, "pipeline/expired-waiver portcullis.yaml"];
  expect(await found(until, { today: "2027-03-01" })).toEqual(expired);
  expect(await found(until)).toEqual(expired);
  for (const day of ["2027-02-30", "tomorrow", "2027-2-3", "9999"])
    expect(await found(waiver("tool_registry.yaml", `, until: "${day}"`), { today: "2027-01-01" })).toEqual([
      UNUSED,
      UNUSED,
      "pipeline/waiver-date portcullis.yaml",
    ]);
});

it("never hide an error, nor what is said of waivers, and give their reason", async () => {
  const one = (code: string, reason = "r"): string => `  - { code: ${code}, at: lanes.yaml, reason: "${reason}" }\n`;
  const twice = `${TOOLS}  - { tool_name: chart.read }\n`;
  const broken = await found(one("model/duplicate-id").replace("lanes.yaml", "tool_registry.yaml"), { tools: twice });
  expect(broken).toContain("pipeline/waiver-of-error portcullis.yaml");
  expect(broken).toContain("model/duplicate-id tool_registry.yaml");
  expect(await found(one("pipeline/unused-waiver"))).toContain("pipeline/waiver-of-error portcullis.yaml");
  expect(await found(one("model/tool-without-lan"))).toContain("pipeline/unknown-waiver portcullis.yaml");
  expect(await found(one("model/tool-without-lane", " "))).toContain("pipeline/waiver-without-reason portcullis.yaml");
  expect(await found("  - { code: model/tool-without-lane, at: tool_registry.yaml }\n")).toContain(
    "sources/missing-key portcullis.yaml",
  );
});

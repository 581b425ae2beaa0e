/** Authors' gates against what the model knows: ids that are not known, members that no request has, data that is not there. */

import { describe, expect, it } from "vitest";
import { brief, findings, HOSPITAL } from "./author.ts";

const tool = (body: string): string => `package portcullis.ext.tool

deny contains {"gate": "DOSE", "reason": "dose_needs_physician"} if {
${body}
}
`;

async function errors(rego: string, more: Record<string, string> = {}): Promise<string[]> {
  const found = await findings({ ...HOSPITAL, ...more, "a.rego": rego });
  return found
    .filter((d) => d.severity === "error")
    .map((d) => `${brief(d)}${d.help?.startsWith("did you mean") ? ` | ${d.help}` : ""}`);
}

describe("what can never hold", () => {
  it.each([
    ['\tinput.tol == "dose.release"', "pipeline/unknown-input a.rego:4:8 tol | did you mean `tool`?"],
    [
      '\tinput.tool == "dose.relaese"',
      'pipeline/impossible-comparison a.rego:4:16 "dose.relaese" | did you mean `dose.release`?',
    ],
    [
      '\tinput.tool == "dose.release"\n\tinput.role != "PHYSICAN"',
      'pipeline/impossible-comparison a.rego:5:16 "PHYSICAN" | did you mean `PHYSICIAN`?',
    ],
    [
      '\tinput.tool == "dose.release"\n\tnot input.role in {"PHYSICAN", "NURSE"}',
      'pipeline/impossible-comparison a.rego:5:21 "PHYSICAN" | did you mean `PHYSICIAN`?',
    ],
    [
      '\tsome t in ["dose.release", "dose.relaese"]\n\tinput.tool == t',
      'pipeline/impossible-comparison a.rego:4:29 "dose.relaese" | did you mean `dose.release`?',
    ],
    [
      '\tt := input.tool\n\t"dose.relaese" = t',
      'pipeline/impossible-comparison a.rego:5:2 "dose.relaese" | did you mean `dose.release`?',
    ],
    [
      '\tevery l in ["WARD"] { input.lane != l }\n\tinput.lane == "ward"',
      'pipeline/impossible-comparison a.rego:5:16 "ward" | did you mean `WARD`?',
    ],
    ["\tnot input.role in data.hospital.signers", "pipeline/undefined-data a.rego:4:25 hospital"],
    ["\tinput.scope.patient == input.args.patient", undefined],
    ['\tinput.tool in {"dose.release", "chart.read"}', undefined],
    ['\tinput.lane == "WARD"\n\tinput.scope.ward == "dose.relaese"', undefined],
    ["\tdata.portcullis.lane.decision.allowed\n\tinput.tool", undefined],
  ])("%s", async (body, expected) => {
    expect(await errors(tool(body))).toEqual(expected === undefined ? [] : [expected]);
  });

  it("follows helpers, functions, tables and imports", async () => {
    const helpers = `package hospital

releases if input.tool == "dose.relaese"

is_physician(role) if role == "PHYSICAN"

limit("dose.relese") := 3

limits := {"dose.release": 3, "dose.requst": 4}

caps["chart.raed"] := 1

caps["chart.read"] := 2
`;
    const rego = `package portcullis.ext.tool

import data.hospital

deny contains {"gate": "DOSE", "reason": "no"} if {
	hospital.releases
	not hospital.is_physician(input.role)
	hospital.limit(input.tool) > 2
	hospital.limits[input.tool] > 2
	hospital.caps[input.tool] > 2
}
`;
    expect((await errors(rego, { "hospital/b.rego": helpers })).sort()).toEqual([
      'pipeline/impossible-comparison hospital/b.rego:11:6 "chart.raed" | did you mean `chart.read`?',
      'pipeline/impossible-comparison hospital/b.rego:3:27 "dose.relaese" | did you mean `dose.release`?',
      'pipeline/impossible-comparison hospital/b.rego:5:31 "PHYSICAN" | did you mean `PHYSICIAN`?',
      'pipeline/impossible-comparison hospital/b.rego:7:7 "dose.relese" | did you mean `dose.release`?',
      'pipeline/impossible-comparison hospital/b.rego:9:31 "dose.requst" | did you mean `dose.request`?',
    ]);
  });

  it("looks into data, and knows what the host promises", async () => {
    const rego = tool("\tinput.tool in data.hospital.dosing.tools\n\tdata.hospital.shifts.night");
    const data = { "hospital/data.yaml": "dosing:\n  tools: [dose.release, dose.relaese]\n" };
    expect((await errors(rego, data)).sort()).toEqual([
      "pipeline/impossible-comparison hospital/data.yaml:2:25 dose.relaese | did you mean `dose.release`?",
      "pipeline/undefined-data a.rego:5:16 shifts",
    ]);
    const own = { "hospital/data.yaml": "dosing:\n  tools: [dose.release]\n" };
    const promised = (path: string) => ({ ...own, "portcullis.yaml": `rego:\n  host_data: [${path}]\n` });
    expect(await errors(rego.replace("hospital.shifts", "shifts"), promised("shifts"))).toEqual([]);
    expect(await errors(rego, promised("hospital.shifts"))).toEqual([
      "lower/host-data-in-bundle portcullis.yaml:2:15 hospital.shifts",
    ]);
  });

  it("leaves a rule alone whose input may be anything", async () => {
    const rego = `package hospital

# METADATA
# entrypoint: true
allow if input.whatever == "x"

replaced if other with input as {"tol": 1}

other if input.tol == 1
`;
    expect(await errors(rego)).toEqual([]);
  });

  it("takes the input from a schema annotation", async () => {
    const rego = `# METADATA
# schemas:
#   - input: { type: object, properties: { tool: { type: string }, shift: { type: string } } }
package portcullis.ext.tool

deny contains {"gate": "NIGHT", "reason": "night"} if input.shift == "night"
`;
    expect(await errors(rego)).toEqual([]);
    expect(await errors(rego.replace("input.shift", "input.shfit"))).toEqual([
      expect.stringContaining("analyze/undefined-ref"),
    ]);
  });

  it("knows the texts of a schema, and other decisions", async () => {
    const exec = `package portcullis.ext.exec

deny contains {"gate": "G", "reason": "r"} if input.kind == "scrpt"

deny contains {"gate": "H", "reason": "r"} if input.hat.mode == "mode-x"
`;
    const files = { "exec.yaml": "modes: [mode-y]\nstaging_root: /q\n" };
    expect(await errors(exec, files)).toEqual([
      'pipeline/impossible-comparison a.rego:3:61 "scrpt" | did you mean `script`?',
      'pipeline/impossible-comparison a.rego:5:65 "mode-x" | did you mean `mode-y`?',
    ]);
  });
});

describe("a value that is not a denial", () => {
  it.each([
    ['deny contains {"reason": "r"} if input.scope', "has no `gate`"],
    ['deny contains {"gate": "G"} if input.scope', "has no `reason`"],
    ['deny contains {"gate": " ", "reason": "r"} if input.scope', "has a blank `gate`"],
    ['deny contains {"gate": "ALLOW", "reason": "r"} if input.scope', "has the gate `ALLOW`"],
    ['deny contains {"gate": "G", "reason": 3} if input.scope', "has a `reason` that is not a text"],
    ['deny contains "no" if input.scope', "is no object"],
    ['deny contains sprintf("no %s", [input.tool]) if input.scope', "is no object"],
    ['deny contains msg if {\n\tinput.scope\n\tmsg := {"message": "no"}\n}', "has no `gate`"],
  ])("%s", async (rule, problem) => {
    const found = await findings({ ...HOSPITAL, "a.rego": `package portcullis.ext.tool\n\n${rule}\n` });
    expect(found.map(brief)).toEqual([expect.stringMatching(/^pipeline\/denial-without-gate a\.rego:3:1 /)]);
    expect(found[0]?.message).toContain(problem);
  });

  it("names the decision that a misspelt package means", async () => {
    const found = await findings({
      ...HOSPITAL,
      "a.rego": 'package portcullis.ext.tools\n\ndeny contains {"gate": "G", "reason": "r"} if input.tool\n',
    });
    expect(found.map(brief)).toEqual([expect.stringContaining("pipeline/unknown-extension a.rego:3:1")]);
    expect(found[0]?.help).toBe("did you mean `portcullis.ext.tool`?");
  });
});

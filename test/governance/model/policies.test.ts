/** The example organisation compiles without a finding, shows every part of the formats, and its own tests hold in a real OPA. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { nodeHost } from "../../../compiler/documents/node.ts";
import { boundApprovals } from "../../../compiler/governance/lower/index.ts";
import { buildTests } from "../../../compiler/governance/model/index.ts";
import { jsonText } from "../../../compiler/rego/value/index.ts";
import { brief, compileHost } from "./findings.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const compiled = compileHost(nodeHost, [`${root}policies`]);
const { tests } = buildTests(compiled.load.set.tests, compiled.model, {
  revision: boundApprovals(compiled.model, compiled.lowered.data)?.revision,
});

describe("the example policies", () => {
  it("compile without an error or a warning", () => {
    expect(compiled.diagnostics.map(brief)).toEqual([]);
  });

  it("are large and mixed enough to show every gate", () => {
    const { roles, lanes, tools, agents, manifests } = compiled.model;
    expect(roles.size).toBeGreaterThanOrEqual(8);
    expect(lanes.size).toBeGreaterThanOrEqual(8);
    expect(tools.size).toBeGreaterThanOrEqual(20);
    expect(new Set([...tools.values()].map((t) => `${t.enabled} ${t.implementationStatus}`))).toEqual(
      new Set([
        "true implemented",
        "true not_implemented",
        "true partial",
        "false implemented",
        "false not_implemented",
      ]),
    );
    expect(new Set([...agents.values()].map((a) => a.type))).toEqual(new Set([0, 1, 2]));
    expect(manifests.size).toBeGreaterThanOrEqual(6);
    expect(new Set(compiled.load.set.manifests.map((m) => m.path.replace(/.*\./, "")))).toEqual(
      new Set(["yaml", "toml"]),
    );
    expect(new Set(tests.map((t) => t.decision))).toEqual(
      new Set(["lane", "tool", "subagent", "lineage", "handoff", "exec", "close", "call"]),
    );
    expect(compiled.load.set.samples.filter((s) => s.positive).length).toBeGreaterThanOrEqual(3);
    expect(compiled.load.set.samples.filter((s) => !s.positive).length).toBeGreaterThanOrEqual(20);
  });

  it("expect a denial of every combination that a matrix does not list", () => {
    const matrix = tests.filter((t) => t.name.startsWith("roles in lanes ["));
    expect(matrix.length).toBe(16 * 16);
    const allowed = matrix.filter((t) => jsonText(t.expect).includes('"allowed":true'));
    expect(allowed.length).toBe(15);
    expect(jsonText(matrix.find((t) => t.name.includes('role="WRITER", lane="PUBLISHING"'))?.expect as never)).toBe(
      '{"allowed":false}',
    );
  });
});

/** OPA, where it is installed: the oracle for what the library decides with these tables. */
const opa = [...(process.env["PATH"] ?? "").split(":"), `${process.env["HOME"]}/go/bin`]
  .map((p) => `${p}/opa`)
  .find((p) => existsSync(p));
const library = `${root}compiler/governance/library/`;

describe.skipIf(opa === undefined || !existsSync(`${library}tool.rego`))("the example policies in OPA", () => {
  it("pass their own decision tests", () => {
    const dir = mkdtempSync(`${tmpdir()}/portcullis-`);
    try {
      for (const folder of ["library", "authored"]) mkdirSync(`${dir}/${folder}`);
      for (const name of readdirSync(library).filter((n) => n.endsWith(".rego") && !n.endsWith("_test.rego"))) {
        writeFileSync(`${dir}/library/${name}`, readFileSync(library + name));
      }
      compiled.load.set.rego
        .filter((r) => !r.test)
        .forEach((r, i) => void writeFileSync(`${dir}/authored/${i}.rego`, r.file.text));
      writeFileSync(`${dir}/data.json`, compiled.lowered.text);
      writeFileSync(
        `${dir}/cases.json`,
        `{"cases":[${tests.map((t) => `{"decision":"${t.decision}","input":${jsonText(t.input)}}`).join(",")}]}`,
      );
      const decisions = [...new Set(tests.map((t) => t.decision))];
      const rules = decisions.map(
        (d) =>
          `decide(t) := d if {\n\tt.decision == "${d}"\n\td := data.portcullis.${d}.decision with input as t.input\n}\n`,
      );
      writeFileSync(
        `${dir}/run.rego`,
        `package run\n\n${rules.join("\n")}\nresults := [d | some t in data.cases; d := decide(t)]\n`,
      );
      const args = [
        "eval",
        "-s",
        `${library}schemas`,
        "-d",
        `${dir}/library`,
        "-d",
        `${dir}/authored`,
        "-d",
        `${dir}/data.json`,
      ];
      const out = execFileSync(
        opa as string,
        [...args, "-d", `${dir}/cases.json`, "-d", `${dir}/run.rego`, "-f", "raw", "data.run.results"],
        { maxBuffer: 1e9 },
      );
      const results = JSON.parse(out.toString()) as unknown[];
      expect(results.length).toBe(tests.length);
      const wrong = tests.filter((t, i) => !contains(results[i], JSON.parse(jsonText(t.expect)))).map((t) => t.name);
      expect(wrong).toEqual([]);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});

function contains(actual: unknown, expected: unknown): boolean {
  if (typeof expected !== "object" || expected === null || Array.isArray(expected))
    return JSON.stringify(actual) === JSON.stringify(expected);
  if (typeof actual !== "object" || actual === null) return false;
  return Object.entries(expected).every(([key, value]) => contains((actual as { [k: string]: unknown })[key], value));
}

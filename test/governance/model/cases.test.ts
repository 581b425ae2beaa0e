/**
 * The project's case files: every policy that they give must load, or be refused, as they say. The suite skips itself where
 * the documents are not beside the repository.
 */

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { nodeHost } from "../../../compiler/documents/node.ts";
import type { Files } from "../sources/virtual-host.ts";
import { brief, compileFiles, compileHost } from "./findings.ts";

const shared = fileURLToPath(new URL("../../../../shared/", import.meta.url));

interface Case {
  readonly id: string;
  readonly tag: string;
  readonly policy: {
    readonly corpus?: string;
    readonly agents?: { readonly [file: string]: string };
    readonly manifests?: { readonly [type: string]: unknown };
    readonly roles?: string;
    readonly lanes?: string;
    readonly registry?: string;
    readonly exec?: unknown;
    readonly subagents?: unknown;
  };
  readonly expected: { readonly compile_error?: boolean };
}

/** The sources that a case's policy stands for. JSON is YAML, so settings that are given as values can be written so. */
function filesOf({ policy }: Case): Files {
  const files: { [path: string]: string } = {};
  for (const [name, text] of Object.entries(policy.agents ?? {})) files[`agents/${name}`] = text;
  for (const [type, manifest] of Object.entries(policy.manifests ?? {}))
    files[`manifests/${type}.yaml`] = JSON.stringify(manifest);
  if (policy.roles !== undefined) files["roles.yaml"] = policy.roles;
  if (policy.lanes !== undefined) files["lanes.yaml"] = policy.lanes;
  if (policy.registry !== undefined) files["tool_registry.yaml"] = policy.registry;
  if (policy.exec !== undefined) files["exec.yaml"] = JSON.stringify(policy.exec);
  if (policy.subagents !== undefined) files["portcullis.yaml"] = JSON.stringify({ subagents: policy.subagents });
  return files;
}

describe.skipIf(!existsSync(`${shared}cases`))("policies of the case files", () => {
  for (const name of ["subagent", "lineage", "harness", "exec"]) {
    it(`${name}.jsonl`, () => {
      const cases = readFileSync(`${shared}cases/${name}.jsonl`, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Case);
      const wrong: string[] = [];
      for (const c of cases) {
        const { corpus } = c.policy;
        const { diagnostics } =
          corpus === undefined ? compileFiles(filesOf(c)) : compileHost(nodeHost, [`${shared}corpora/${corpus}`]);
        const errors = diagnostics.filter((d) => d.severity === "error");
        if (errors.length > 0 !== (c.expected.compile_error === true))
          wrong.push(`${c.id} ${c.tag}: ${errors.map(brief).join(", ")}`);
      }
      expect(wrong).toEqual([]);
    });
  }

  it("the corpus loads with the findings that it is known for", () => {
    const { diagnostics, lowered } = compileHost(nodeHost, [`${shared}corpora/contract-v1`]);
    const counts: { [code: string]: number } = {};
    for (const d of diagnostics) counts[d.code] = (counts[d.code] ?? 0) + 1;
    expect(diagnostics.every((d) => d.severity === "warning")).toBe(true);
    expect(counts).toEqual({
      "model/absent-part": 3,
      "model/lane-excluded-by-tool": 9,
      "model/lane-write-of-no-tool": 4,
      "model/role-without-lane": 1,
      "model/tool-without-enabled": 14,
      "model/undefined-allowed-lane": 9,
    });
    const { policy } = JSON.parse(lowered.text).portcullis;
    expect(policy.settings.versions).toEqual({ lanes: "v1", roles: "v1" });
    expect([
      Object.keys(policy.roles).length,
      Object.keys(policy.lanes).length,
      Object.keys(policy.tools).length,
    ]).toEqual([6, 6, 14]);
    expect(policy.lanes.TOOL_INTERVIEW_CAPTURE.roles).toEqual({ INTERVIEW_AGENT: true });
    expect(policy.tools["dictation.start"]).toMatchObject({ implementation_status: "not_implemented" });
  });
});

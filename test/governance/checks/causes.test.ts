/** One fault is one finding, and an error stays one: a set that must not compile does not compile because a warning explains why. */

import { describe, expect, it } from "vitest";
import { causesOf } from "../../../compiler/governance/checks/index.ts";
import { check } from "../../../compiler/governance/pipeline.ts";
import { virtualHost } from "../sources/virtual-host.ts";
import { HOSPITAL } from "./author.ts";

const PERSONA = "---\nsubagents: [CHARTER]\n---\nAGENT_TYPE: 1\nAGENT_CLASS: PERSONA\n";
const TASK = "AGENT_TYPE: 2\nAGENT_CLASS: TASK\n";

/** Severities and codes, but for parts that are not there. */
async function found(files: Readonly<Record<string, string>>): Promise<string[]> {
  const { diagnostics } = await check({ host: virtualHost({ p: { ...HOSPITAL, ...files } }), dirs: ["p"] });
  const named = diagnostics.filter((d) => d.code !== "model/absent-part" && d.code !== "model/lineage-not-required");
  return named.map((d) => `${d.severity} ${d.code} ${d.span?.file.name.replace(/.*\//, "")}`);
}

describe("a warning that stands for an error", () => {
  it("is an error: a delegate whose type cannot be read", async () => {
    const error = ["error model/unreadable-agent-type AGENT_CHARTER.md"];
    for (const type of ["AGENT_TYPE: 3", " | **AGENT_TYPE** | TYPE 2 |", "| **AGENT_TYPE** | TYPE 2 (specialist) |"])
      expect(await found({ "AGENT_DESK.md": PERSONA, "AGENT_CHARTER.md": `${type}\nAGENT_CLASS: TASK\n` })).toEqual(
        error,
      );
  });

  it("is an error: a delegate whose file has another name", async () => {
    expect(await found({ "AGENT_DESK.md": PERSONA, "agent_CHARTER.md": TASK })).toEqual([
      "error sources/misnamed-file agent_CHARTER.md",
    ]);
  });

  it("cannot be waived then", async () => {
    const waive = "waive:\n  - { code: model/unreadable-agent-type, at: AGENT_CHARTER.md, reason: later }\n";
    const files = { "AGENT_DESK.md": PERSONA, "AGENT_CHARTER.md": "AGENT_TYPE: 3\n", "portcullis.yaml": waive };
    expect(await found(files)).toContain("error model/unreadable-agent-type AGENT_CHARTER.md");
  });
});

describe("a number that JSON does not have", () => {
  it("is no finding of its type as well", async () => {
    for (const [path, text] of [
      ["a.manifest.toml", "max_spawn_depth = inf\n"],
      ["a.manifest.yaml", "max_spawn_depth: .nan\n"],
    ] as const)
      expect((await found({ [path]: text })).filter((f) => f.startsWith("error"))).toEqual([
        `error sources/number-not-finite ${path}`,
      ]);
  });
});

describe("an error", () => {
  it("is left out for no warning, whatever the table of causes says", () => {
    const span = undefined;
    const missing = {
      code: "sources/missing-key",
      severity: "error",
      message: "",
      span,
      params: { key: "roles" },
      causedBy: [{ code: "sources/unknown-key", by: "meant", parameter: "key" }],
    } as const;
    const other = {
      code: "sources/unknown-key",
      severity: "warning",
      message: "",
      span,
      meant: ["roles"],
    } as const;
    expect(causesOf([missing, other])).toEqual([{ ...other, severity: "error" }]);
    expect(causesOf([missing, { ...other, meant: ["lanes"] }])).toContain(missing);
    // Two that follow from each other leave both.
    const back = { ...other, causedBy: [{ code: "sources/missing-key", by: "any" }] } as const;
    expect(causesOf([missing, back])).toEqual([missing, back]);
  });
});

describe("a warning that stands for none", () => {
  it("stays one", async () => {
    const files = { "AGENT_DESK.md": PERSONA, "AGENT_CHARTER.md": TASK, "AGENT_OTHER.md": "AGENT_TYPE: 3\n" };
    expect(await found(files)).toContain("warning model/unreadable-agent-type AGENT_OTHER.md");
  });

  it("hides no error of another file", async () => {
    const seen = await found({
      "AGENT_DESK.md": PERSONA,
      "AGENT_CHARTER.md": "AGENT_TYPE: 0\n",
      "AGENT_OTHER.md": "AGENT_TYPE: 3\n",
    });
    expect(seen).toContain("error model/subagent-not-type-2 AGENT_DESK.md");
    expect(seen).toContain("warning model/unreadable-agent-type AGENT_OTHER.md");
  });
});

/** `make demo` shows every answer that the example organisation can bring about, and so every gate of the library. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nodeHost } from "../../../compiler/documents/node.ts";
import { compile } from "../../../compiler/governance/pipeline.ts";
import { type DecisionName, decisionNames } from "../../statements/index.ts";
import { gates } from "./gates.ts";
import { libraryModules } from "./library-modules.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** What the library or the specification knows and the demo does not show, each with the reason. */
const unshown: Readonly<Record<string, string>> = {
  "lineage AGENT_MANIFEST manifest_missing":
    "the last agent passed its parent's `can_spawn`, and a target of `can_spawn` without a manifest does not compile",
  "tool TOOL_ENABLED tool_not_enabled":
    "needs a tool that does not say `enabled`, which is a warning; policies/ compiles under --strict",
  "call TOOL_ENABLED tool_not_enabled": "as for the tool decision",
  "call TOOL_LANE lane_not_allowed_for_tool":
    "needs a lane that lists a tool which excludes it, which is a warning; policies/ compiles under --strict",
  "lineage LINEAGE lineage_missing":
    "policies/ lets the lineage decision be asked without a lineage; its calls need one",
};

/** Gates of the library that are on no page's table: they answer for faults, not for what was asked. */
const faults: Readonly<Record<string, string>> = {
  INTERNAL_ERROR: "the default answer of every decision, for when nothing was decided",
  EXTENSION: "an author's `deny` that answers no denial; those of policies/ are well-formed",
};

/** Modules that hold gates of a decision. */
const PARTS: { readonly [decision in DecisionName]?: readonly string[] } = {
  call: ["approval.rego", "arguments.rego", "limits.rego"],
  handoff: ["handoff_artifacts.rego", "handoff_mutations.rego", "handoff_next_action.rego", "handoff_outcome.rego"],
};

/** Upper-case words of the library that are not gates. */
const values = new Set(["PASS", "FAIL", "BLOCKED", "S", "D", "I", "CREATE", "WRITE", "DELETE", "RENAME", "MODE"]);

/** `cut` of bench/demo.ts. */
const REASON_WIDTH = 44;
const shortened = (text: string): string =>
  text.length <= REASON_WIDTH ? text : `${text.slice(0, REASON_WIDTH - 1)}…`;

let scratch = "";
let shown: ReadonlySet<string> = new Set();
let text = "";
beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), "portcullis-demo-"));
  const { compiled, diagnostics } = await compile({ host: nodeHost, dirs: [join(root, "policies")], strict: true });
  expect(diagnostics).toEqual([]);
  const bundle = join(scratch, "bundle.tar.gz");
  writeFileSync(bundle, compiled!.bundle);
  const script = ["--import", "tsx", join(root, "bench/demo.ts"), bundle, join(root, "policies")];
  text = execFileSync(process.execPath, script, {
    encoding: "utf8",
    cwd: root,
    env: { ...process.env, NO_COLOR: "1" },
  });
  const rows = text.split("\n").map((line) => line.split(/ {2,}/));
  shown = new Set(
    rows.flatMap(([decision, answer, gate, reason]) =>
      answer === "ALLOW" || answer === "DENY" ? [`${decision} ${gate} ${named(reason)}`] : [],
    ),
  );
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function named(reason: string | undefined): string {
  return (reason ?? "").replace(/^Persona '.*' was not found$/, "Persona '<as given>' was not found");
}

const isShown = (key: string): boolean => shown.has(shortenedReason(key));

function shortenedReason(key: string): string {
  const [decision, gate, ...reason] = key.split(" ");
  return `${decision} ${gate} ${shortened(reason.join(" "))}`;
}

describe("make demo", () => {
  it.each(decisionNames)("shows every answer of %s, or says why not", (decision) => {
    const known = gates[decision].map((gate) => `${decision} ${gate}`);
    const missing = known.filter((key) => !isShown(key) && unshown[key] === undefined);
    expect(missing).toEqual([]);
  });

  it("shows nothing that is listed as impossible", () => {
    expect(Object.keys(unshown).filter(isShown)).toEqual([]);
    const known = decisionNames.flatMap((decision) => gates[decision].map((gate) => `${decision} ${gate}`));
    expect(Object.keys(unshown).filter((key) => !known.includes(key))).toEqual([]);
  });

  it("shows an allow and a denial of every decision, and an author's own gate", () => {
    for (const decision of decisionNames) {
      const rows = text.split("\n").filter((line) => line.startsWith(`${decision} `));
      expect(
        rows.some((line) => / ALLOW {2,}/.test(line)),
        decision,
      ).toBe(true);
      expect(
        rows.some((line) => / DENY {2,}/.test(line)),
        decision,
      ).toBe(true);
    }
    expect(isShown("tool PAYOUT_LIMIT payout_above_limit")).toBe(true);
  });

  it.each(libraryModules().map(({ name, text: rego }) => [name, rego] as const))(
    "knows every gate that stands in %s",
    (name, rego) => {
      const code = rego.replace(/^\s*#.*$/gm, "");
      const words = new Set([...code.matchAll(/"([A-Z]+(?:_[A-Z]+)*)"/g)].map((m) => m[1] as string));
      const decision = name.replace(".rego", "") as DecisionName;
      // A module that is not a decision may have a part in one of them.
      const of = decisionNames.includes(decision)
        ? [decision]
        : decisionNames.filter((one) => PARTS[one]?.includes(name));
      const listed = ["ALLOW", ...of.flatMap((one) => gates[one].map((gate) => gate.split(" ")[0] as string))];
      const unknown = [...words].filter((w) => !values.has(w) && !listed.includes(w) && faults[w] === undefined);
      expect(unknown).toEqual([]);
    },
  );
});

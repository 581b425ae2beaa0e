/** METADATA of the library is the only place that knows a gate: no TypeScript of the product names one, or one of its reasons. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { GATES } from "../../runtime/index.ts";
import { filesBelow, root } from "./import-graph.ts";

/** What `make build` writes from the library. */
const WRITTEN = /\.embedded\.ts$|^runtime\/governance\/(?:answers|gates)\.ts$/;
/** AssemblyScript, and what was built. */
const OTHER = /\/(?:rtlib|dist|node_modules)\//;

/** Texts that look like a gate or a reason but are not, by file. */
const NO_GATES: Readonly<Record<string, readonly string[]>> = {
  // Gives the answer where nothing was decided its reason.
  "compiler/build/answers.ts": ["invalid input"],
  // What no gate of an author may be called.
  "compiler/governance/checks/requirements.ts": ["INTERNAL_ERROR"],
  // A change of a file's mode.
  "compiler/enforcement/execution/repository/operations.ts": ["MODE"],
  "compiler/enforcement/execution/sign-contract.ts": ["MODE"],
  "compiler/governance/review/search/templates.ts": ["MODE"],
  "runtime/governance/requests.ts": ["MODE"],
  // Names of the harness' events.
  "runtime/governance/harness/ledger.ts": ["lane_authorized", "tool_allowed"],
};

const all = Object.values(GATES).flat();
const names = new Set([...all.map(({ gate }) => gate), ...all.flatMap(({ says }) => Object.keys(says))]);

/** Texts of a file that are a gate or a reason, whole. */
function named(file: string, text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) && names.has(node.text)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return [...new Set(found)].filter((name) => NO_GATES[file]?.includes(name) !== true);
}

it("no file of the product names a gate or a reason", () => {
  const files = ["compiler", "runtime"].flatMap(filesBelow).filter((f) => !WRITTEN.test(f) && !OTHER.test(f));
  expect(files.length).toBeGreaterThan(300);
  const found = files.flatMap((file) =>
    named(file, readFileSync(join(root, file), "utf8")).map((name) => `${file}: ${name}`),
  );
  expect(found).toEqual([]);
  expect(Object.keys(NO_GATES).filter((file) => !files.includes(file))).toEqual([]);
});

it("a text that names one is found", () => {
  expect(named("a.ts", 'const gates = new Set(["TOOL_LANE"]); type G = "SCOPE"; const s = `flag_prohibited`;')).toEqual(
    [...["TOOL_LANE", "SCOPE", "flag_prohibited"]],
  );
});

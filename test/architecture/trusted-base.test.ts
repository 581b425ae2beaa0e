/** The part of the runtime that has to be right for an answer to be right stays small enough to be read in a day. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { filesBelow, type Import, importsOf, root } from "./import-graph.ts";

const MOST_LINES = 3_000;

/**
 * The trusted base is the way of one request: the folders from the request's value to its decision, and whatever they import
 * when they run. Not in it are builtins (packages of their own), `load` (before the first request), and what only asks for a
 * decision and passes it on, or tells of it: guards and the facts that they find out, audits, the harness, what is known of gates.
 */
const FOLDERS = /^runtime\/((platform|errors|policy)\.ts$|(json|abi|encode|decode|evaluate|governance)\/)/;
const ASKS_ONLY =
  /^runtime\/(json\/(canonical|strict)-json|governance\/(harness\/|guard|audit|call-audit|gates|denial-sentence|overruled|spawn))/;

/** Lines with code: not blank ones, and not those of comments alone. */
function codeLines(file: string): number {
  const text = readFileSync(join(root, file), "utf8").replace(/^\s*\/\*[\s\S]*?\*\//gm, "");
  return text.split("\n").filter((line) => !/^\s*(\/\/|$)/.test(line)).length;
}

const isDoor = (file: string): boolean => /^runtime\/\w+\/index\.ts$/.test(file);

/** Whether a line of a door exports one of the names. One that exports everything may. */
function opens({ names: exported }: Import, names: readonly string[]): boolean {
  return exported.length === 0 || exported.some((name) => names.includes(name));
}

function trustedBase(): string[] {
  const files = filesBelow("runtime");
  const imports = files.flatMap(importsOf).filter((i) => !i.typesOnly && i.target.startsWith("runtime/"));
  const found = new Set(files.filter((file) => FOLDERS.test(file) && !isDoor(file) && !ASKS_ONLY.test(file)));
  // A room's door is passed, and not all that it opens to is needed: the names say which files are.
  const behind = (i: Import): string[] =>
    !isDoor(i.target) || i.names.length === 0
      ? [i.target]
      : imports.filter((from) => from.file === i.target && opens(from, i.names)).map((from) => from.target);
  // A set goes on to what is added on the way.
  for (const file of found) for (const i of imports) if (i.file === file) for (const next of behind(i)) found.add(next);
  return [...found];
}

it(`the trusted base has at most ${MOST_LINES.toLocaleString("en")} lines of code`, () => {
  const files = trustedBase();
  expect(files).toContain("runtime/policy.ts");
  expect(files).toContain("runtime/evaluate/instance.ts");
  expect(files.filter((file) => /\/(load|builtins|operate|trust|observe|testing)\//.test(file))).toEqual([]);
  const lines = files.map((file) => codeLines(file)).reduce((sum, count) => sum + count, 0);
  expect(lines).toBeGreaterThan(1_000);
  expect(lines, files.join("\n")).toBeLessThanOrEqual(MOST_LINES);
});

/** The programs of a package's page, run in a folder where the package is installed, by Node alone. */

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { blocksOf } from "../pages/page.ts";
import { withClaims } from "../pages/program.ts";

/** Objects may have more members than a claim shows; lists may not. */
const BY_NODE = `import { deepEqual } from "node:assert/strict";
const part = (is, shown) => Object.fromEntries(Object.keys(shown).map((key) => [key, holds(is?.[key], shown[key])]));
const holds = (is, shown) =>
  typeof shown !== "object" || shown === null || Array.isArray(shown) ? is : part(is, shown);
const claim = (is, shown) => deepEqual(holds(is, shown), shown);
`;

/** Types of ids, and test runners, are what a reader brings. */
const BROUGHT = /from "(\.\/|vitest")/;

export interface RunPrograms {
  readonly programs: number;
  readonly claims: number;
  /** What went wrong, by the line of its block. */
  readonly failures: readonly string[];
}

/** Runs the page's programs with this label: none, or `types-only` for those that need a host. `changed` is what runs of a text. */
export function runReadme(
  folder: string,
  page: string,
  ofLabel = "",
  changed = (text: string): string => text,
): RunPrograms {
  const blocks = blocksOf(readFileSync(page, "utf8")).filter(
    ({ language, label, text }) => language === "ts" && label === ofLabel && !BROUGHT.test(text),
  );
  const failures: string[] = [];
  let sum = 0;
  for (const { line, text } of blocks) {
    const { text: program, claims } = withClaims(changed(text), BY_NODE);
    sum += claims;
    const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
    const file = join(folder, `line-${line}.mjs`);
    writeFileSync(file, ts.transpileModule(program, { compilerOptions }).outputText);
    const { status, stderr } = spawnSync(process.execPath, [file], { cwd: folder, encoding: "utf8" });
    if (status !== 0) failures.push(`line ${line}: ${stderr}`);
  }
  return { programs: blocks.length, claims: sum, failures };
}

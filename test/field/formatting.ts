/** `opa fmt` against `portcullis fmt`: every module of a folder that OPA takes, byte for byte. */

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { SourceFile } from "../../compiler/rego/diagnostics/source-file.ts";
import { formatModule } from "../../compiler/rego/syntax/index.ts";

export interface Formatted {
  readonly files: number;
  /** Below the checkout. */
  readonly different: readonly string[];
}

/** One call of `opa` takes this many files; where it refuses one, each is asked for alone. */
const BATCH = 40;

export function compareFormatting(checkout: string, scratch: string): Formatted {
  const names = readdirSync(checkout, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".rego") && !name.startsWith(".git/"))
    .sort();
  const copy = join(scratch, "formatted");
  rmSync(copy, { recursive: true, force: true });
  for (const name of names) {
    mkdirSync(dirname(join(copy, name)), { recursive: true });
    cpSync(join(checkout, name), join(copy, name));
  }
  const taken: string[] = [];
  for (let i = 0; i < names.length; i += BATCH) taken.push(...formatted(copy, names.slice(i, i + BATCH)));
  const different = taken.filter((name) => {
    const { text } = formatModule(new SourceFile(name, readFileSync(join(checkout, name), "utf8")));
    return text !== readFileSync(join(copy, name), "utf8");
  });
  return { files: taken.length, different };
}

/** Formats in place; gives those that OPA could read. */
function formatted(cwd: string, names: readonly string[]): readonly string[] {
  if (spawnSync("opa", ["fmt", "-w", ...names], { cwd }).status === 0) return names;
  return names.filter((name) => spawnSync("opa", ["fmt", "-w", name], { cwd }).status === 0);
}

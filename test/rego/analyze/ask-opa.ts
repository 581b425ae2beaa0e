/** Asks a real `opa` about a case of the corpus. `npx tsx test/rego/analyze/ask-opa.ts` records all answers in `errors/opa.json`. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type ErrorCase, folder, nameOf, readCases } from "./corpus.ts";

interface OpaError {
  readonly code: string;
  readonly message: string;
  readonly location?: { readonly file: string; readonly row: number; readonly col: number };
}

/** The executable, where there is one. */
export const opa = [process.env.OPA ?? "", join(homedir(), "go/bin/opa"), "/usr/local/bin/opa"].find(
  (p) => p !== "" && existsSync(p),
);

/** What OPA reports of a case, sorted: `code file:row:column message`. */
export function askOpa(c: ErrorCase): string[] {
  const dir = mkdtempSync(join(tmpdir(), "analyze-"));
  try {
    for (const { name, text } of c.modules) writeFileSync(join(dir, name), text);
    const strict = c.strict ? ["--strict"] : [];
    const { stdout, stderr } = spawnSync(
      opa as string,
      ["check", "--format", "json", "--max-errors", "1000", ...strict, "."],
      { cwd: dir, encoding: "utf8" },
    );
    const answer = stdout.trim() === "" ? stderr.trim() : stdout;
    const { errors = [] } = (answer === "" ? {} : JSON.parse(answer)) as { errors?: OpaError[] };
    return errors
      .map(
        (e) => `${e.code} ${e.location ? `${e.location.file}:${e.location.row}:${e.location.col}` : "-"} ${e.message}`,
      )
      .sort();
  } finally {
    rmSync(dir, { recursive: true });
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const answers = Object.fromEntries(readCases().map((c) => [nameOf(c), askOpa(c)]));
  writeFileSync(`${folder}opa.json`, `${JSON.stringify(answers, undefined, 1)}\n`);
}

/** The solvers of this machine, for tests: the program `z3`, and npm's `z3-solver` in the project or in the folder PORTCULLIS_Z3. */

import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { npmSolver } from "../../../compiler/cli/solver.ts";
import type { Solver } from "../../../compiler/governance/review/index.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Older ones leave open what these tests want to see refuted: 4.8 and 4.12 do. */
const OLDEST = [4, 13] as const;

function isNew(): boolean {
  const told = spawnSync("z3", ["--version"]).stdout?.toString() ?? "";
  const [, major = 0, minor = 0] = (/version (\d+)\.(\d+)/.exec(told) ?? []).map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/** `z3 -in`; `undefined` without it, which the run tells. */
export const native: Solver | undefined = isNew()
  ? async (text) => spawnSync("z3", ["-in"], { input: text, encoding: "utf8", maxBuffer: 1 << 28 }).stdout
  : undefined;

export const npm: string | undefined = npmSolver(process.env["PORTCULLIS_Z3"] ?? root);

for (const [name, found] of Object.entries({
  [`z3 of version ${OLDEST.join(".")} or later`]: native,
  "z3-solver": npm,
}))
  if (found === undefined) process.stdout.write(`proofs are SKIPPED here: there is no ${name}\n`);

const ALL = `
const { init } = require(process.argv[1]);
const texts = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
init().then(async ({ Z3 }) => {
  const answers = [];
  for (const text of texts) {
    const context = Z3.mk_context(Z3.mk_config());
    answers.push(await Z3.eval_smtlib2_string(context, text));
    Z3.del_context(context);
  }
  process.stdout.write(JSON.stringify(answers), () => process.exit(0));
});
`;

/** What npm's solver writes for each of the texts. One process: it takes more than a second to begin. */
export function npmAnswers(path: string, texts: readonly string[]): string[] {
  const input = JSON.stringify(texts);
  return JSON.parse(execFileSync(process.execPath, ["-e", ALL, path], { input, encoding: "utf8", maxBuffer: 1 << 28 }));
}

/** The solver of this machine: `z3` on the PATH, or the package `z3-solver` of npm. Neither comes with portcullis. */

import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Solver } from "@portcullis/governance/review";
import { CliError } from "./exit.ts";

/** Reads a text from stdin as `z3 -in` does, by the package whose path is its argument. */
const NPM_Z3 = `
const { init } = require(process.argv[1]);
const text = require("node:fs").readFileSync(0, "utf8");
init().then(async ({ Z3 }) => {
  const context = Z3.mk_context(Z3.mk_config());
  const answer = await Z3.eval_smtlib2_string(context, text);
  process.stdout.write(answer, () => process.exit(0));
});
`;

/** Throws CliError where there is no solver. `folder`: where the package is looked for first. */
export async function findSolver(folder: string): Promise<Solver> {
  const native: Solver = (text) => run("z3", ["-in"], text);
  if (
    await native("(check-sat)").then(
      (answer) => answer.startsWith("sat"),
      () => false,
    )
  )
    return native;
  const path = npmSolver(folder);
  if (path !== undefined) return solverOfNpm(path);
  throw new CliError(
    "no solver: a proof needs z3",
    undefined,
    "install z3 (`apt-get install z3`, `brew install z3`), or `npm install --save-dev z3-solver`",
  );
}

/** The package at a path, a process for each text. */
export function solverOfNpm(path: string): Solver {
  return (text) => run(process.execPath, ["-e", NPM_Z3, path], text);
}

/** The path of npm's package: the user's, or one beside portcullis itself. */
export function npmSolver(folder: string): string | undefined {
  for (const from of [join(folder, "package.json"), import.meta.url]) {
    try {
      return createRequire(from).resolve("z3-solver");
    } catch {
      // It is not there; the other place may have it.
    }
  }
  return undefined;
}

function run(program: string, args: readonly string[], text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"] });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    // What a program that ended early did not read is told by its answer.
    child.stdin.on("error", () => {});
    child.on("error", reject);
    child.on("close", () => resolve(Buffer.concat(chunks).toString("utf8")));
    child.stdin.end(text);
  });
}

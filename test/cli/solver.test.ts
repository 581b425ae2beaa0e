/** Proofs need a solver: without one the command says so, and how to get one. */

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { CliError } from "../../compiler/cli/exit.ts";
import { findSolver } from "../../compiler/cli/solver.ts";
import { native, npm } from "../governance/review/solvers.ts";

const PATH = process.env["PATH"];
afterEach(() => {
  process.env["PATH"] = PATH;
});

const folder = (): Promise<string> => mkdtemp(join(tmpdir(), "portcullis-solver-"));

it.skipIf(npm !== undefined && process.env["PORTCULLIS_Z3"] === undefined)(
  "no solver is an error that says what to install",
  async () => {
    process.env["PATH"] = await folder();
    const finding = findSolver(await folder());
    await expect(finding).rejects.toBeInstanceOf(CliError);
    await expect(finding).rejects.toMatchObject({
      message: "no solver: a proof needs z3",
      exitCode: 2,
      help: expect.stringContaining("apt-get install z3"),
    });
  },
);

const UNSAT = "(declare-fun a () Bool)(assert (and a (not a)))(check-sat)";

it.skipIf(native === undefined)("z3 on the PATH answers", async () => {
  const solver = await findSolver(await folder());
  expect(await solver(UNSAT)).toMatch(/^unsat/);
});

it.skipIf(process.env["PORTCULLIS_Z3"] === undefined)("npm's package answers where z3 is absent", async () => {
  process.env["PATH"] = await folder();
  const solver = await findSolver(process.env["PORTCULLIS_Z3"] ?? "");
  expect(await solver(UNSAT)).toMatch(/^unsat/);
  expect(await solver("(declare-fun a () Int)(assert (= a 2))(check-sat)(get-value (a))")).toContain("((a 2))");
});

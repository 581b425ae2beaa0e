/** The type checker against OPA's: 20,000 programs, each taken by both or refused by both. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { analyze } from "../../compiler/analyze/index.ts";
import { SourceFile } from "../../compiler/base/source-file.ts";
import { parseModule } from "../../compiler/rego/index.ts";
import { typedProgram } from "../analyze/typed-programs.ts";
import { runs, SEED } from "../campaign.ts";
import { Random } from "../plan/generate/random.ts";
import { opa } from "../rego/oracle.ts";

const PROGRAMS = 20_000;

interface OpaError {
  readonly code: string;
  readonly message: string;
  readonly location?: { readonly file: string };
}

/** What OPA finds in each file, all in one run: programs have packages of their own. */
function theirErrors(programs: ReadonlyMap<string, string>): ReadonlyMap<string, OpaError> {
  const dir = mkdtempSync(join(tmpdir(), "types-"));
  try {
    for (const [name, text] of programs) writeFileSync(join(dir, `${name}.rego`), text);
    const { stderr } = spawnSync(opa as string, ["check", "--format", "json", "--max-errors", "1000000", "."], {
      cwd: dir,
      encoding: "utf8",
      maxBuffer: 1 << 30,
    });
    const { errors = [] } = (stderr.trim() === "" ? {} : JSON.parse(stderr)) as { errors?: OpaError[] };
    return new Map(errors.map((e) => [(e.location?.file ?? "").replace(/\.rego$/, ""), e]));
  } finally {
    rmSync(dir, { recursive: true });
  }
}

function ourError(name: string, text: string): string | undefined {
  const { module, diagnostics } = parseModule(new SourceFile(`${name}.rego`, text));
  if (module === undefined) return diagnostics[0]?.message;
  return analyze([module]).diagnostics.find((d) => d.severity === "error")?.message;
}

/** `make test-opa` asks for it: thousands of programs take longer than a suite of every day may. */
describe.skipIf(!opa || process.env["PORTCULLIS_OPA"] === undefined)("the type checker", () => {
  it("takes what OPA takes, and refuses what OPA refuses", { timeout: 600_000 }, () => {
    const random = new Random(SEED);
    const programs = new Map(
      Array.from({ length: runs(PROGRAMS) }, (_, i) => [`p${i}`, typedProgram(random, `p${i}`)] as const),
    );
    const theirs = theirErrors(programs);
    const others = [...theirs.values()].filter((e) => e.code !== "rego_type_error");
    expect(others, "the programs have no other faults").toEqual([]);
    expect(theirs.size).toBeGreaterThan(programs.size / 10);
    expect(theirs.size).toBeLessThan((programs.size * 9) / 10);
    const differing = [...programs].flatMap(([name, text]) => {
      const [them, us] = [theirs.get(name)?.message, ourError(name, text)];
      return (them === undefined) === (us === undefined) ? [] : [{ text, opa: them, portcullis: us }];
    });
    expect(differing).toEqual([]);
  });
});

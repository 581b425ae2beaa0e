/** Strict mode against OPA's: 5,000 programs, in each of which both find the same, code, place and message. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { check } from "../../compiler/rego/index.ts";
import { runs, SEED } from "../campaign.ts";
import { strictProgram } from "../rego/analyze/strict-programs.ts";
import { Random } from "../rego/plan/generate/random.ts";
import { opa } from "../rego/syntax/oracle.ts";

const PROGRAMS = 5_000;

interface OpaError {
  readonly code: string;
  readonly message: string;
  readonly location: { readonly file: string; readonly row: number; readonly col: number };
}

/** What OPA finds in each file, all in one run: programs have packages of their own. */
function theirErrors(programs: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  const dir = mkdtempSync(join(tmpdir(), "strict-"));
  try {
    for (const [name, text] of programs) writeFileSync(join(dir, name), text);
    const flags = ["check", "--strict", "--format", "json", "--max-errors", "1000000", "."];
    const { stderr } = spawnSync(opa as string, flags, { cwd: dir, encoding: "utf8", maxBuffer: 1 << 30 });
    const { errors = [] } = (stderr.trim() === "" ? {} : JSON.parse(stderr)) as { errors?: readonly OpaError[] };
    const found = new Map<string, string[]>();
    for (const { code, message, location: at } of errors)
      found.set(at.file, [...(found.get(at.file) ?? []), `${code} ${at.row}:${at.col} ${message}`]);
    return found;
  } finally {
    rmSync(dir, { recursive: true });
  }
}

function ourErrors(name: string, text: string): string[] {
  return check({ modules: { [name]: text }, strict: true }).diagnostics.flatMap(
    ({ severity, opa: code, span, message }) => {
      const at = span?.file.positionAt(span.start);
      return severity === "error" ? [`${code} ${at?.line}:${at?.column} ${message}`] : [];
    },
  );
}

describe.skipIf(!opa || process.env["PORTCULLIS_OPA"] === undefined)("strict mode", () => {
  it("finds in each program what OPA finds, code, place and message", () => {
    const random = new Random(SEED);
    const programs = new Map(
      Array.from({ length: runs(PROGRAMS) }, (_, i) => [`p${i}.rego`, strictProgram(random, `p${i}`)] as const),
    );
    const theirs = theirErrors(programs);
    const kinds = ["assigned var", "declared var", "unused argument", " unused", "must not shadow", "deprecated"];
    const said = [...theirs.values()].flat();
    for (const kind of kinds) expect(said.filter((line) => line.includes(kind)).length, kind).toBeGreaterThan(0);
    expect(theirs.size).toBeLessThan(programs.size);
    const differing = [...programs].flatMap(([name, text]) => {
      const them = [...(theirs.get(name) ?? [])].sort();
      const us = ourErrors(name, text).sort();
      return JSON.stringify(them) === JSON.stringify(us) ? [] : [{ text, opa: them, portcullis: us }];
    });
    expect(differing.slice(0, 5)).toEqual([]);
    expect(differing.length).toBe(0);
  });
});

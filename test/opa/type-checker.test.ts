/** The type checker against OPA's: 20,000 programs, each taken by both, or refused by both with the same findings. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { analyze } from "../../compiler/rego/analyze/index.ts";
import { SourceFile } from "../../compiler/rego/diagnostics/source-file.ts";
import { parseModule } from "../../compiler/rego/syntax/index.ts";
import { runs, SEED } from "../campaign.ts";
import { typedProgram } from "../rego/analyze/typed-programs.ts";
import { Random } from "../rego/plan/generate/random.ts";
import { opa } from "../rego/syntax/oracle.ts";

const PROGRAMS = 20_000;

interface OpaError {
  readonly code: string;
  readonly message: string;
  readonly location?: { readonly file: string; readonly row: number; readonly col: number };
}

/**
 * A finding as both tools have it: code, place and message, without the types that ours adds to the message and OPA keeps in
 * `details`. Generated names are `_`, and rules have no package.
 */
function finding(code: string | undefined, at: { row: number; col: number }, message: string): string {
  const said = message
    .replace(/^(match error|\S+: (?:invalid argument\(s\)|arity mismatch)): .*$/s, "$1")
    .replace(/^(undefined ref: .*?): .*$/s, "$1")
    .replace(/__local\d+__/g, "_")
    .replace(/data\.p\d+\./g, "");
  // OPA gives an undefined reference the place of any other with the same beginning.
  const place = said.startsWith("undefined ref") ? "" : ` ${at.row}:${at.col}`;
  return `${code}${place} ${said}`;
}

/** Some few programs have types for which OPA's checker calls itself until its stack is full. */
const OVERFLOW = "runtime: goroutine stack exceeds";
const MOST_OVERFLOWS = 5;

/** What OPA finds in each file, all in one run: programs have packages of their own. Names of those that end it go to `ended`. */
function theirErrors(
  programs: ReadonlyMap<string, string>,
  ended: Set<string>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const dir = mkdtempSync(join(tmpdir(), "types-"));
  try {
    for (const [name, text] of programs) writeFileSync(join(dir, `${name}.rego`), text);
    const { stderr } = spawnSync(opa as string, ["check", "--format", "json", "--max-errors", "1000000", "."], {
      cwd: dir,
      encoding: "utf8",
      maxBuffer: 1 << 30,
    });
    if (stderr.startsWith(OVERFLOW)) {
      const half = Math.ceil(programs.size / 2);
      if (half === programs.size) {
        for (const name of programs.keys()) ended.add(name);
        return new Map();
      }
      const halves = [[...programs].slice(0, half), [...programs].slice(half)];
      return new Map(halves.flatMap((some) => [...theirErrors(new Map(some), ended)]));
    }
    const { errors = [] } = (stderr.trim() === "" ? {} : JSON.parse(stderr)) as { errors?: OpaError[] };
    const found = new Map<string, Set<string>>();
    for (const { code, message, location: at } of errors) {
      const name = (at?.file ?? "").replace(/\.rego$/, "");
      found.set(name, (found.get(name) ?? new Set()).add(finding(code, at ?? { row: 0, col: 0 }, message)));
    }
    return found;
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** What we find, with the lines where it stands. */
function ourErrors(name: string, text: string): ReadonlyMap<string, ReadonlySet<number>> {
  const file = new SourceFile(`${name}.rego`, text);
  const { module, diagnostics } = parseModule(file);
  const found = module === undefined ? diagnostics : analyze([module]).diagnostics;
  const lines = new Map<string, Set<number>>();
  for (const { severity, opa: code, span, message } of found) {
    if (severity !== "error") continue;
    const { line: row, column: col } = file.positionAt(span?.start ?? 0);
    const what = finding(code, { row, col }, message);
    lines.set(what, (lines.get(what) ?? new Set()).add(row));
  }
  return lines;
}

/**
 * Whether both find the same. Of several faults in one statement OPA tells of some: of the last comprehension that has one, say. We
 * tell of all. A statement of these programs is a line.
 */
function agree(theirs: ReadonlySet<string>, ours: ReadonlyMap<string, ReadonlySet<number>>): boolean {
  const told = new Set([...ours].flatMap(([what, lines]) => (theirs.has(what) ? [...lines] : [])));
  const isTold = (lines: ReadonlySet<number>): boolean => [...lines].every((line) => told.has(line));
  return (
    [...theirs].every((what) => ours.has(what)) && [...ours].every(([what, lines]) => theirs.has(what) || isTold(lines))
  );
}

/** `make test-opa` asks for it: thousands of programs take longer than a suite of every day may. */
describe.skipIf(!opa || process.env["PORTCULLIS_OPA"] === undefined)("the type checker", () => {
  it("finds in each program what OPA finds, code, place and message", () => {
    const random = new Random(SEED);
    const programs = new Map(
      Array.from({ length: runs(PROGRAMS) }, (_, i) => [`p${i}`, typedProgram(random, `p${i}`)] as const),
    );
    const ended = new Set<string>();
    const theirs = theirErrors(programs, ended);
    expect(ended.size).toBeLessThanOrEqual(MOST_OVERFLOWS);
    const others = [...theirs.values()].flatMap((e) => [...e].filter((line) => !line.startsWith("rego_type_error ")));
    expect(others, "the programs have no other faults").toEqual([]);
    expect(theirs.size).toBeGreaterThan(programs.size / 10);
    expect(theirs.size).toBeLessThan((programs.size * 9) / 10);
    const differing = [...programs].flatMap(([name, text]) => {
      if (ended.has(name)) return [];
      const [them, us] = [theirs.get(name) ?? new Set<string>(), ourErrors(name, text)];
      return agree(them, us) ? [] : [{ text, opa: [...them].sort(), portcullis: [...us.keys()].sort() }];
    });
    expect(differing).toEqual([]);
  });
});

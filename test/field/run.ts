/**
 * `make field DIR=…`: public repositories through both tools. `opa test` and `portcullis test` have to give the same verdict
 * for every test, `opa fmt` and `portcullis fmt` the same bytes for every file; the CPU seconds of both are told. DIR has a
 * checkout of each repository under its name, at its commit; what is not there is cloned, and skipped aloud where there is no
 * network. Custom builtins are Go's: OPA runs with them and their calls are recorded, and ours is given the same answers;
 * stand-ins for builtins that no checkout has are written for both. Modules of v0 are converted by both tools. The totals are
 * written to `test/field/results.md` and `conversions.md` where nothing was skipped. `opa check --strict` and ours have to find the same
 * in every module (`strict.md`), and each warning of ours was read (`warnings.ts`).
 */

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { checkedOut as checkedOutIn, type Pinned } from "../checkout.ts";
import { compareConversion, conversionTable } from "./conversion.ts";
import { exceptions } from "./exceptions.ts";
import { compareFormatting } from "./formatting.ts";
import { opaFor } from "./oracle.ts";
import { type Repository, repositories, v0Repositories } from "./repositories.ts";
import { type Checked, compareStrict, strictTable } from "./strict.ts";
import { type Row, table } from "./table.ts";
import { type Timed, timed } from "./timed.ts";
import { differences, opaVerdicts, ourVerdicts } from "./verdicts.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tests: { type: "boolean", default: false },
    format: { type: "boolean", default: false },
    convert: { type: "boolean", default: false },
    strict: { type: "boolean", default: false },
  },
});
const [given, ...only] = positionals;
const dir = resolve(given ?? join(root, "out/field/checkouts"));
/** Without a choice all. Tests and formatting share a table: one of them alone is a part of a run, whose totals are not kept. */
const all = !values.tests && !values.format && !values.convert && !values.strict;
const wants = {
  tests: all || values.tests,
  format: all || values.format,
  convert: all || values.convert,
  strict: all || values.strict,
};
const scratch = join(root, "out/field");
const portcullis = ["node", join(root, "compiler/bin/portcullis.js")];

const isWanted = ({ name }: { readonly name: string }): boolean => only.length === 0 || only.includes(name);
const wanted = wants.tests || wants.format ? repositories.filter(isWanted) : [];
mkdirSync(scratch, { recursive: true });
const rows = wanted.flatMap((repository) => {
  const checkout = checkedOut(repository);
  return checkout === undefined ? [] : [compare(repository, checkout)];
});
if (rows.length > 0) console.log(table(rows));
for (const row of rows) for (const line of row.problems) console.log(`DIFFERS ${row.name}: ${line}`);
const untested = new Set(repositories.filter(({ runs }) => runs.length === 0).map(({ name }) => name));
const failed = rows.some(
  ({ name, problems, tests }) => problems.length > 0 || (wants.tests && tests === 0 && !untested.has(name)),
);
if (rows.length === repositories.length && !failed && wants.tests && wants.format)
  writeFileSync(fileURLToPath(new URL("./results.md", import.meta.url)), table(rows));
const converting = [...repositories.filter((r) => r.converted === true), ...v0Repositories];
const conversions = (wants.convert ? converting.filter(isWanted) : []).flatMap((repository) => {
  const checkout = checkedOut(repository);
  return checkout === undefined ? [] : [compareConversion(repository.name, repository.commit, checkout)];
});
if (wants.convert) console.log(conversionTable(conversions));
for (const row of conversions) for (const line of row.problems) console.log(`DIFFERS ${row.name}: ${line}`);
const unlike = conversions.some(({ problems, files }) => problems.length > 0 || files === 0);
if (conversions.length === converting.length && !unlike)
  writeFileSync(fileURLToPath(new URL("./conversions.md", import.meta.url)), conversionTable(conversions));
const strict = (wants.strict ? [...repositories, ...v0Repositories].filter(isWanted) : []).flatMap((repository) => {
  const checkout = checkedOut(repository);
  return checkout === undefined ? [] : [compareStrictly(repository, checkout)];
});
if (wants.strict) console.log(strictTable(strict));
for (const row of strict) for (const line of row.problems) console.log(`DIFFERS ${row.name}: ${line}`);
const lax = strict.some(({ problems, modules }) => problems.length > 0 || modules === 0);
if (strict.length === repositories.length + v0Repositories.length && !lax)
  writeFileSync(fileURLToPath(new URL("./strict.md", import.meta.url)), strictTable(strict));
process.exitCode = failed || unlike || lax ? 1 : 0;

function checkedOut(repository: Pinned): string | undefined {
  return checkedOutIn(repository, dir);
}

function compare(repository: Repository, published: string): Row {
  const checkout = repository.converted === true ? converted(repository, published) : published;
  const opa = wants.tests ? opaFor(repository, checkout, scratch) : "opa";
  const problems: string[] = [];
  let tests = 0;
  let passed = 0;
  const cpu = { opa: 0, ours: 0 };
  for (const paths of wants.tests ? repository.runs.flatMap((run) => expanded(checkout, run)) : []) {
    const run = runBoth(repository, { checkout, opa, paths });
    tests += run.tests;
    passed += run.passed;
    problems.push(...run.problems);
    cpu.opa += run.opa;
    cpu.ours += run.ours;
  }
  const { files, different } = wants.format ? compareFormatting(checkout, scratch) : { files: 0, different: [] };
  const known = different.filter((file) => exceptions.has(`${repository.name}/${file}`));
  problems.push(...different.filter((file) => !known.includes(file)).map((file) => `${file} is formatted otherwise`));
  const { name, commit } = repository;
  const alike = [...exceptions.keys()].filter(
    (k) => k.startsWith(`${name}/`) && !known.includes(k.slice(name.length + 1)),
  );
  if (wants.format) problems.push(...alike.map((file) => `${file} is listed as formatted otherwise, and is not`));
  return { name, commit, tests, passed, cpu, files, known: known.length, problems };
}

/** All modules of each run; of a repository that is only formatted, or of v0, all that it has. */
function compareStrictly(
  repository: Pick<Repository, "name" | "commit"> & Partial<Repository>,
  published: string,
): Checked {
  const { name, commit, runs = [["."]], builtins } = repository;
  const isOld = repository.converted === true || repository.runs === undefined;
  const folders = runs.length === 0 ? [["."]] : runs;
  const checkout = isOld ? strictlyConverted(name, folders, published) : published;
  const opa = builtins === undefined ? "opa" : opaFor({ ...repository, runs, url: "", builtins }, checkout, scratch);
  const found = folders
    .flatMap((run) => expanded(checkout, run))
    .map((paths) => compareStrict(opa, checkout, paths.flatMap((path) => modulesBelow(checkout, path)).sort()));
  const sum = (of: (row: Omit<Checked, "name" | "commit">) => number): number =>
    found.reduce((n, row) => n + of(row), 0);
  const totals = { modules: sum((r) => r.modules), strict: sum((r) => r.strict), warnings: sum((r) => r.warnings) };
  return { name, commit, ...totals, problems: found.flatMap((row) => row.problems) };
}

function modulesBelow(checkout: string, path: string): string[] {
  return readdirSync(join(checkout, path), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".rego") && !file.startsWith(".git/"))
    .map((file) => join(path, file));
}

/** A copy of the modules in Rego v1, without those that OPA fails to convert. */
function strictlyConverted(name: string, runs: readonly (readonly string[])[], published: string): string {
  const copy = join(scratch, "strict", name);
  rmSync(copy, { recursive: true, force: true });
  for (const folder of new Set(runs.flat().map((path) => path.replace(/\/\*$/, "")))) {
    for (const file of modulesBelow(published, folder)) {
      const { status, stdout } = spawnSync("opa", ["fmt", "--v0-v1", file], { cwd: published, encoding: "utf8" });
      if (status !== 0) continue;
      mkdirSync(join(copy, file, ".."), { recursive: true });
      writeFileSync(join(copy, file), stdout);
    }
  }
  return copy;
}

/** `src/*` as a run for every folder below `src`; anything else is one run. */
function expanded(checkout: string, run: readonly string[]): (readonly string[])[] {
  const [only = ""] = run;
  if (!only.endsWith("/*")) return [run];
  const parent = only.slice(0, -"/*".length);
  return readdirSync(join(checkout, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => [`${parent}/${name}`]);
}

interface Run {
  readonly tests: number;
  readonly passed: number;
  readonly opa: number;
  readonly ours: number;
  readonly problems: readonly string[];
}

function runBoth(
  { name, ignore, builtins, namesData }: Repository,
  { checkout, opa, paths }: { readonly checkout: string; readonly opa: string; readonly paths: readonly string[] },
): Run {
  const flags = ["--format", "json", ...(ignore ?? []).flatMap((name) => ["--ignore", name])];
  const env = { FIELD_RECORD: join(scratch, `${name}.calls`), FIELD_OPA: opa };
  const own = builtins === undefined ? [] : ownBuiltins(opa, name);
  const theirs = timed(scratch, checkout, [opa, "test", ...flags, ...paths], builtins === undefined ? {} : env);
  const named = namesData === true ? paths.flatMap((path) => jsonIn(checkout, path)) : [];
  const command = [...portcullis, "test", ...flags, ...own, ...paths, ...named];
  const ours = timedOurs(() => timed(scratch, checkout, command, env), env);
  const failed = (problem: string): Run => ({ tests: 0, passed: 0, opa: 0, ours: 0, problems: [problem] });
  const [a, b] = [verdicts(theirs, opaVerdicts), verdicts(ours, ourVerdicts)];
  if (typeof a === "string" && typeof b === "string") {
    console.log(`refused by both: ${name}/${paths.join(" ")}: ${a.split("\n")[1] ?? a}`);
    return { tests: 0, passed: 0, opa: 0, ours: 0, problems: [] };
  }
  if (typeof a === "string") return failed(`opa test ${paths.join(" ")}: ${a}`);
  if (typeof b === "string") return failed(`portcullis test ${paths.join(" ")}: ${b}`);
  const all = [...a.values()].flat();
  return {
    tests: all.length,
    passed: all.filter((verdict) => verdict.startsWith("pass")).length,
    opa: theirs.cpu,
    ours: ours.cpu,
    problems: differences(a, b),
  };
}

/** The JSON of a folder itself, not of those below it. */
function jsonIn(checkout: string, folder: string): string[] {
  return readdirSync(join(checkout, folder))
    .filter((name) => name.endsWith(".json"))
    .map((name) => join(folder, name));
}

/** What the recording lacked is asked for in a first run; the second is timed, less what is asked for even then. */
function timedOurs(run: () => Timed, { FIELD_RECORD: record }: { readonly FIELD_RECORD: string }): Timed {
  const [asked, cpu] = [`${record}.asked`, `${record}.cpu`];
  for (const file of [asked, cpu]) rmSync(file, { force: true });
  const first = run();
  const done = existsSync(asked) ? run() : first;
  return existsSync(cpu) ? { ...done, cpu: done.cpu - Number(readFileSync(cpu, "utf8")) } : done;
}

/** Declared as OPA knows them, and answered as OPA was. */
function ownBuiltins(opa: string, name: string): string[] {
  const file = join(scratch, `${name}.capabilities.json`);
  writeFileSync(file, execFileSync(opa, ["capabilities", "--current"], { maxBuffer: 1 << 26 }));
  return ["--capabilities", file, "--builtin", fileURLToPath(new URL("./replay.mjs", import.meta.url))];
}

function verdicts<T>(done: Timed, read: (json: string) => T): T | string {
  try {
    return read(done.stdout);
  } catch {
    return `exit ${done.status}: ${(done.stderr || done.stdout).slice(0, 2000)}`;
  }
}

/** A copy of the folders that are tested, in Rego v1, without the modules that OPA fails to convert: their tests fail in both tools. */
function converted({ name, runs }: Repository, published: string): string {
  const copy = join(scratch, "converted", name);
  rmSync(copy, { recursive: true, force: true });
  for (const folder of new Set(runs.flat().map((path) => path.replace(/\/\*$/, "")))) {
    cpSync(join(published, folder), join(copy, folder), { recursive: true });
    for (const file of readdirSync(join(copy, folder), { recursive: true, encoding: "utf8" }))
      if (
        file.endsWith(".rego") &&
        spawnSync("opa", ["fmt", "--v0-v1", "-w", join(folder, file)], { cwd: copy }).status !== 0
      )
        rmSync(join(copy, folder, file));
  }
  return copy;
}

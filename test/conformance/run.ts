/**
 * `npm run conformance`: runs the evaluation cases of the OPA release that the project follows, in the folder of its Go
 * module, and those of other engines, regorus and rego-cpp, from their repositories; prints totals by category, failures, and
 * the count. `npm run conformance -- DIR` runs the cases of a folder alone. SUITES is a folder with checkouts of the engines.
 */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { difference, type NamedCase, readCases } from "./cases.ts";
import { compileDifference, readCompileCases } from "./compile-cases.ts";
import { evaluateCase } from "./evaluate-case.ts";
import { exceptions, releaseExceptions } from "./exceptions.ts";
import { hasOpa } from "./languages/opa.ts";
import { runSuites } from "./languages/suites.ts";
import { compileCases, evaluationCases, fetchOpaModule, OPA_VERSION } from "./opa-release.ts";

const given = process.argv[2];
const module = given === undefined ? fetchOpaModule() : undefined;
const dir = given ?? (module && evaluationCases(module));
const isThere = dir !== undefined && existsSync(dir);
if (isThere) console.log(module === undefined ? `cases of ${dir}` : `cases of OPA ${OPA_VERSION}`);
else
  console.log(
    dir === undefined
      ? `skipped: the cases of OPA ${OPA_VERSION} come with its Go module, and \`go mod download\` gave none; give a folder with DIR=…`
      : `skipped: no case files at ${dir}`,
  );

const failures: string[] = [];
const totals = new Map<string, { passed: number; all: number }>();
let passed = 0;
let skipped = 0;
for (const named of isThere ? readCases(dir) : []) {
  const total = totals.get(named.category) ?? { passed: 0, all: 0 };
  totals.set(named.category, total);
  total.all++;
  const problem = await problemOf(named);
  const exception = exceptions.get(named.case.note) ?? releaseExceptions.get(named.case.note);
  if (problem === undefined && exception === undefined) {
    passed++;
    total.passed++;
  } else if (problem !== undefined && exception !== undefined) {
    skipped++;
  } else {
    failures.push(`${named.case.note}: ${problem ?? `passes, but is listed as an exception (${exception})`}`);
  }
}
for (const [category, { passed: good, all }] of [...totals].sort())
  console.log(`${category.padEnd(36)} ${good}/${all}`);
if (module !== undefined) {
  const all = readCompileCases(compileCases(module));
  const wrong = all.flatMap((c) => compileDifference(c)?.replace(/^/, `${c.note}: `) ?? []);
  console.log(`${"compile cases".padEnd(36)} ${all.length - wrong.length}/${all.length}`);
  passed += all.length - wrong.length;
  failures.push(...wrong);
}
const checkouts = process.env["SUITES"] ?? fileURLToPath(new URL("../../out/conformance", import.meta.url));
for (const suite of given === undefined ? await runSuites(resolve(checkouts), hasOpa()) : []) {
  const all = suite.passed + suite.listed + suite.failures.length;
  console.log(`${`cases of ${suite.name}`.padEnd(36)} ${suite.passed}/${all}, ${suite.listed} listed`);
  passed += suite.passed;
  skipped += suite.listed;
  failures.push(...suite.failures);
}
for (const failure of failures) console.log(`FAILED ${failure.slice(0, 500)}`);
console.log(`${passed} passed, ${failures.length} failed, ${skipped} skipped`);
process.exitCode = failures.length === 0 ? 0 : 1;

async function problemOf({ case: c }: NamedCase): Promise<string | undefined> {
  try {
    return difference(c, await evaluateCase(c));
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}

/**
 * `npm run conformance`: runs the evaluation cases of the OPA release that the project follows, in the folder of its Go
 * module, and prints totals by category, failures, and the count. `npm run conformance -- DIR` runs the cases of a folder.
 */

import { existsSync } from "node:fs";
import { difference, type NamedCase, readCases } from "./cases.ts";
import { compileDifference, readCompileCases } from "./compile-cases.ts";
import { evaluateCase } from "./evaluate-case.ts";
import { exceptions, releaseExceptions } from "./exceptions.ts";
import { compileCases, evaluationCases, fetchOpaModule, OPA_VERSION } from "./opa-release.ts";

const given = process.argv[2];
const module = given === undefined ? fetchOpaModule() : undefined;
const dir = given ?? (module && evaluationCases(module));
if (dir === undefined || !existsSync(dir)) {
  console.log(
    dir === undefined
      ? `skipped: the cases of OPA ${OPA_VERSION} come with its Go module, and \`go mod download\` gave none; give a folder with DIR=…`
      : `skipped: no case files at ${dir}`,
  );
  console.log("0 passed, 0 failed, 0 skipped");
  process.exit(0);
}
console.log(module === undefined ? `cases of ${dir}` : `cases of OPA ${OPA_VERSION}`);

const failures: string[] = [];
const totals = new Map<string, { passed: number; all: number }>();
let passed = 0;
let skipped = 0;
for (const named of readCases(dir)) {
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

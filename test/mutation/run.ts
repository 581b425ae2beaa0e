/**
 * Drops, inverts and changes every gate of the decision library, one at a time, and asks the suite of statements to notice.
 * Prints what was killed and what survived, and on stderr every few seconds how far it is; exit 1 when a mutant survives that `equivalents.ts` does not explain.
 */
import { adapterModules, type LibraryModule, libraryModules } from "../governance/library/library-modules.ts";
import { judge, type Verdict } from "./battery.ts";
import { explanationOf, unused } from "./equivalents.ts";
import { type Mutant, mutantsOf } from "./mutants.ts";
import { operatorMutantsOf } from "./operator-mutants.ts";
import { subjectOf } from "./questions.ts";
import { isChosen } from "./share.ts";

const PROGRESS_MS = 5000;

function changed(mutant: Mutant): LibraryModule[] {
  return modules.map((module) => (module.name === mutant.module ? { name: module.name, text: mutant.text } : module));
}

/** Names of modules with a comma between (none: all), and of how many changes one is tried (1: all). */
const [wanted = "", share = "1"] = process.argv.slice(2);
const names = wanted.split(",");
const modules = [...libraryModules(), ...adapterModules()];
const unknown = names.filter((one) => one !== "" && !modules.some(({ name }) => name === one));
if (unknown.length > 0) {
  console.error(`no such module: ${unknown.join(", ")}; there are ${modules.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}
const mutants = modules
  .filter(({ name }) => wanted === "" || names.includes(name))
  .flatMap((module) => [...mutantsOf(module), ...operatorMutantsOf(module)])
  .filter((mutant) => isChosen(mutant.module, mutant, Number(share)));
const totals = { killed: 0, survived: 0, refused: 0, equivalent: 0 };
let failed = false;
const started = performance.now();
let told = started;

function tellProgress(): void {
  if (performance.now() - told < PROGRESS_MS) return;
  told = performance.now();
  const done = Object.values(totals).reduce((sum, n) => sum + n, 0);
  const seconds = (told - started) / 1000;
  const left = (seconds / done) * (mutants.length - done);
  console.error(
    `${done} of ${mutants.length} mutants, ${totals.survived} survived, ${seconds.toFixed(0)} s, about ${left.toFixed(0)} s left`,
  );
}

function report(mutant: Mutant, verdict: Verdict): void {
  const isEquivalent = explanationOf(mutant) !== undefined;
  const result = verdict === "survived" && isEquivalent ? "equivalent" : verdict;
  totals[result] += 1;
  const isWrong = result === "survived" || (result === "killed" && isEquivalent);
  const why = result === "killed" && isEquivalent ? ", though listed as equivalent" : "";
  if (isWrong || process.env["VERBOSE"] !== undefined) {
    console.log(
      `${result}${why}  ${mutant.module}:${mutant.line}  ${mutant.operation}  ${mutant.written.slice(0, 90)}`,
    );
  }
  failed ||= isWrong;
  tellProgress();
}

for (const mutant of mutants) report(mutant, await judge(mutant.module, subjectOf(changed(mutant))));

for (const entry of unused(share === "1" ? mutants.map((mutant) => mutant.module) : [])) {
  console.log(`listed as equivalent, but no such mutant  ${entry}`);
  failed = true;
}
console.log(
  `${mutants.length} mutants: ${totals.killed} killed, ${totals.survived} survived, ` +
    `${totals.equivalent} equivalent, ${totals.refused} refused by the compiler, ` +
    `${((performance.now() - started) / 1000).toFixed(0)} s`,
);
process.exit(failed ? 1 : 0);

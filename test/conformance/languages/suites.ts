/** The cases of other engines of Rego: fetched at one commit each, asked, and compared with what they want. */

import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkedOut, type Pinned } from "../../checkout.ts";
import { type Answer, type Asked, difference, ourAnswer, text } from "./asked.ts";
import { exceptions } from "./exceptions.ts";
import { opaAnswer } from "./opa.ts";
import { regoCppCases } from "./rego-cpp.ts";
import { regorusCases } from "./regorus.ts";

interface Suite extends Pinned {
  readonly cases: (checkout: string) => readonly Asked[];
}

const suites: readonly Suite[] = [
  {
    name: "regorus",
    url: "https://github.com/microsoft/regorus",
    commit: "39f535e91392bc77a5f8367e35466be2366a2738",
    cases: regorusCases,
  },
  {
    name: "rego-cpp",
    url: "https://github.com/microsoft/rego-cpp",
    commit: "6e5470221ecaa11f4f9cf9b9666c5bbb0be4ce4a",
    cases: regoCppCases,
  },
];

export interface SuiteResult {
  readonly name: string;
  readonly passed: number;
  /** Listed: want what OPA does not say. */
  readonly listed: number;
  readonly failures: readonly string[];
}

/** Suites whose checkout is below `dir`, or can be cloned there; others are skipped, and said. `hasOpa`: listed cases are asked of it. */
export async function runSuites(dir: string, hasOpa: boolean): Promise<SuiteResult[]> {
  const results: SuiteResult[] = [];
  for (const suite of suites) {
    const checkout = checkedOut(suite, dir);
    if (checkout !== undefined) results.push(await runSuite(suite.name, suite.cases(checkout), hasOpa));
  }
  return results;
}

async function runSuite(name: string, cases: readonly Asked[], hasOpa: boolean): Promise<SuiteResult> {
  const failures: string[] = [];
  let [passed, listed] = [0, 0];
  for (const asked of cases) {
    const answer = await answerOf(asked);
    const problem = difference(asked, answer);
    const exception = exceptions.get(asked.note);
    if (problem === undefined && exception === undefined) passed++;
    else if (problem === undefined) failures.push(`${asked.note}: passes, but is listed (${exception})`);
    else if (exception === undefined) failures.push(`${asked.note}: ${problem}`);
    else if (hasOpa && !isAlike(opaAnswer(asked, join(tmpdir(), `cases-${process.pid}`)), answer))
      failures.push(`${asked.note}: listed, but OPA answers otherwise than we do: ${problem}`);
    else listed++;
  }
  const notes = new Set(cases.map(({ note }) => note));
  for (const note of exceptions.keys())
    if (note.startsWith(`${name}/`) && !notes.has(note)) failures.push(`${note}: listed, and there is no such case`);
  return { name, passed, listed, failures };
}

/** Anything thrown is a failure of the product. */
async function answerOf(asked: Asked): Promise<Answer> {
  try {
    return await ourAnswer(asked);
  } catch (error) {
    return { kind: "solutions", solutions: [`thrown: ${String(error)}`] };
  }
}

function isAlike(a: Answer, b: Answer): boolean {
  if (a.kind === "error" || b.kind === "error") return a.kind === b.kind;
  return text(a.solutions) === text(b.solutions);
}

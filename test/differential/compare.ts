/**
 * Generated programs, three ways: the reference interpreter on the plan, our module with the data from the host, and (for
 * one program in `FOLDED`) our module with the data compiled in. All must agree on the value, or that there is a conflict.
 * Programs of other seeds are asked many questions in a row: see `sequences.ts`.
 */

import { load } from "@portcullis/runtime";
import { parseJson as parseSource, toValue } from "../../compiler/governance/sources/index.ts";
import { type Diagnostic, hasErrors } from "../../compiler/rego/diagnostics/diagnostic.ts";
import { SourceFile } from "../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../compiler/rego/pipeline/compile-modules.ts";
import { parseJson } from "../interpreter/term.ts";
import { type Generated, generate } from "../rego/plan/generate/index.ts";
import { answerText, canonical, interpretedAnswer } from "./answer-text.ts";
import { askTogether, askUngrouped, CONFLICT, meetsConflict, type Opinion } from "./opa.ts";
import { OPA_REFUSES } from "./opa-refuses.ts";
import { mend } from "./repair.ts";
import { compareSequence, isSequence } from "./sequences.ts";
import { type Difference, NOTHING, sum, type Tally } from "./tally.ts";
import { compareTurns } from "./turns.ts";

/** Programs to a module: linking costs more than a program does. */
const BATCH = 100;
/** One program in this many is compiled with its data, too. */
const FOLDED = 4;

/** Compares the programs of `count` seeds from `first` on. */
export async function compareSeeds(
  first: number,
  count: number,
  { opa = false }: { readonly opa?: boolean } = {},
): Promise<Tally> {
  let tally = NOTHING;
  for (let start = first; start < first + count; start += BATCH)
    tally = sum(tally, await compareSome(start, Math.min(BATCH, first + count - start), opa));
  return tally;
}

async function compareSome(first: number, count: number, opa: boolean): Promise<Tally> {
  const batch: Expected[] = [];
  const differences: Difference[] = [];
  let asked = NOTHING;
  for (let seed = first; seed < first + count; seed++) {
    try {
      if (isSequence(seed)) {
        asked = sum(asked, await compareSequence(seed));
        continue;
      }
      const expected = expectation(seed);
      if (typeof expected === "string") asked = sum(asked, { ...NOTHING, refused: { [expected]: 1 } });
      else batch.push(expected);
    } catch (error) {
      differences.push({ seed, text: `before the module: ${String(error)}` });
    }
  }
  differences.push(...(await guarded(batch, compareTogether)));
  if (opa) asked = sum(sum(asked, compareOpa(batch)), await compareTurns(first, count));
  const folded = batch.filter((e) => e.seed % FOLDED === 0);
  differences.push(...(await guarded(folded, compareFolded)));
  return sum(asked, { ...NOTHING, compared: batch.length, differences });
}

interface Expected {
  readonly seed: number;
  readonly program: Generated;
  /** Canonical text of the value, or `conflict`. */
  readonly answer: string;
}

/** Text says why there is nothing to compare. */
function expectation(seed: number): Expected | string {
  const mended = mend(generate(seed, `f${seed}`));
  if (mended.policy === undefined) return mended.code;
  const { program, policy } = mended;
  const input = parseJson(JSON.stringify(program.input));
  const data = parseJson(JSON.stringify(program.data));
  const { answer, refused } = interpretedAnswer(policy, program.package, input, data);
  return refused ?? { seed, program, answer };
}

type Compare = (batch: readonly Expected[]) => Promise<Difference[]>;

/** What is thrown is a difference; a batch that fails as a whole is compared one by one, to know whose fault it is. */
async function guarded(batch: readonly Expected[], compare: Compare): Promise<Difference[]> {
  const [only, ...others] = batch;
  if (only === undefined) return [];
  try {
    return await compare(batch);
  } catch (error) {
    if (others.length === 0) return [{ seed: only.seed, text: String(error) }];
    const found = [];
    for (const expected of batch) found.push(...(await guarded([expected], compare)));
    if (found.length > 0) return found;
    return [{ seed: only.seed, text: `with ${others.length} after it in one module: ${String(error)}` }];
  }
}

async function compareTogether(batch: readonly Expected[]): Promise<Difference[]> {
  const modules = batch.flatMap(({ seed, program }) =>
    program.modules.map((text, i) => new SourceFile(`${seed}-${i}.rego`, text)),
  );
  const { compiled, diagnostics } = await compileModules({
    modules,
    entrypoints: batch.map((e) => e.program.package),
    reclaimFrom: 0,
  });
  if (compiled === undefined || hasErrors(diagnostics))
    throw new Error(`does not compile: ${diagnostics.find((d) => d.severity === "error")?.message}`);
  const policy = await load(compiled.wasm);
  return batch.flatMap((expected) => {
    policy.setData(expected.program.data);
    return differenceOf(
      expected,
      policy.evaluate(expected.program.package, expected.program.input),
      policy.lastFault?.code,
      "module",
    );
  });
}

/** Conflicts are asked one by one: each ends the evaluation of all that are asked with it. */
function compareOpa(batch: readonly Expected[]): Tally {
  const decided = batch.filter((e) => e.answer !== "conflict");
  const opinions = askTogether(decided.map((e) => e.program));
  const found = decided.map((expected) => compareOpinion(expected, opinions.get(expected.program.package)));
  for (const expected of batch.filter((e) => e.answer === "conflict"))
    found.push(compareConflict(expected, askTogether([expected.program]).get(expected.program.package)));
  return found.reduce(sum, NOTHING);
}

function compareOpinion({ seed, answer, program }: Expected, opinion: Opinion = { kind: "undefined" }): Tally {
  if (opinion.kind === "error") {
    if (opinion.code in OPA_REFUSES) return refusal(seed, opinion.code);
    if (opinion.code === CONFLICT && answer !== "conflict") {
      const without = askUngrouped(program);
      if (opinionText(without) === answer) return { ...NOTHING, unasked: [seed] };
      // It ended by the contradiction before it came to what it cannot decide.
      if (without.kind === "error" && without.code in OPA_REFUSES) return refusal(seed, without.code);
    }
  }
  const text = opinionText(opinion);
  return text === answer ? NOTHING : differs(seed, `${text}, but the interpreter says ${answer}`);
}

function refusal(seed: number, code: string): Tally {
  return { ...NOTHING, refusedByOpa: { [code]: [seed] } };
}

function opinionText(opinion: Opinion): string {
  if (opinion.kind === "error") return `${opinion.code}, ${opinion.message}`;
  return opinion.kind === "value" ? canonical(opinion.value) : "undefined";
}

function compareConflict(expected: Expected, opinion: Opinion = { kind: "undefined" }): Tally {
  if (opinion.kind === "error" && opinion.code === CONFLICT) return { ...NOTHING, conflicts: 1 };
  if (opinion.kind !== "error" && meetsConflict(expected.program)) return { ...NOTHING, passedOver: [expected.seed] };
  return compareOpinion(expected, opinion);
}

function differs(seed: number, text: string): Tally {
  return { ...NOTHING, differences: [{ seed, text: `opa eval: ${text}` }] };
}

/** The data of all is one document, in which each program's `data.base` has a name of its own. */
async function compareFolded(batch: readonly Expected[]): Promise<Difference[]> {
  const own = batch.map(({ seed, program }) => {
    const { base, ...rest } = program.data;
    return { ...rest, [`base${seed}`]: base };
  });
  const source = parseSource(new SourceFile("data.json", JSON.stringify(Object.assign({}, ...own))));
  if (source.root === undefined) throw new Error("its data cannot be read");
  const seeds = new Map<SourceFile, number>();
  for (const { seed, program } of batch)
    for (const [i, text] of program.modules.entries())
      seeds.set(new SourceFile(`${seed}-${i}.rego`, text.replaceAll(/\bdata\.base\b/g, `data.base${seed}`)), seed);
  const { compiled, diagnostics } = await compileModules({
    modules: [...seeds.keys()],
    entrypoints: batch.map((e) => e.program.package),
    data: toValue(source.root),
    reclaimFrom: 0,
  });
  if (compiled === undefined) {
    const refused = new Set(diagnostics.map((d) => (isOfData(d) ? d.span && seeds.get(d.span.file) : undefined)));
    const others = batch.filter((e) => !refused.has(e.seed));
    if (others.length === 0) return [];
    if (others.length < batch.length) return compareFolded(others);
    throw new Error(`does not compile with its data: ${diagnostics.find((d) => d.severity === "error")?.message}`);
  }
  const policy = await load(compiled.wasm);
  return batch.flatMap((expected) => {
    const { package: entrypoint, input } = expected.program;
    const found = policy.evaluate(entrypoint, input);
    return differenceOf(expected, found, policy.lastFault?.code, "module with its data compiled in");
  });
}

/** Data where a rule stands is an error for a bundle, and hidden by the rule where the host supplies it; data has types, too. */
function isOfData({ severity, code, opa }: Diagnostic): boolean {
  return severity === "error" && (code === "analyze/data-conflict" || opa !== undefined);
}

function differenceOf(
  { seed, answer }: Expected,
  found: unknown,
  fault: string | undefined,
  where: string,
): Difference[] {
  const text = answerText(found, fault);
  return text === answer ? [] : [{ seed, text: `${where}: ${text}, but the interpreter says ${answer}` }];
}

/**
 * Generated programs, three ways: the reference interpreter on the plan, our module with the data from the host, and (for
 * one program in `FOLDED`) our module with the data compiled in. All must agree on the value, or that there is a conflict.
 */

import { load } from "@portcullis/runtime";
import { hasErrors } from "../../compiler/base/diagnostic.ts";
import { SourceFile } from "../../compiler/base/source-file.ts";
import { compileModules } from "../../compiler/compile-modules.ts";
import { parseJson as parseSource, toValue } from "../../compiler/sources/index.ts";
import { BudgetExceeded, interpret, PolicyError } from "../interpreter/interpreter.ts";
import { parseJson } from "../interpreter/term.ts";
import { Arr, Obj, print, SetVal, toJson, type Val } from "../interpreter/value.ts";
import { type Generated, generate } from "../plan/generate/index.ts";
import { askTogether } from "./opa.ts";
import { mend } from "./repair.ts";

/** Programs to a module: linking costs more than a program does. */
const BATCH = 40;
const FOLDED = 20;

export interface Comparison {
  readonly compared: number;
  /** Programs that are no valid Rego. */
  readonly refused: number;
  readonly differences: readonly string[];
}

/** Compares the programs of `count` seeds from `first` on. */
export async function compareSeeds(
  first: number,
  count: number,
  { opa = false }: { readonly opa?: boolean } = {},
): Promise<Comparison> {
  const differences: string[] = [];
  let compared = 0;
  let refused = 0;
  for (let start = first; start < first + count; start += BATCH) {
    const batch: Expected[] = [];
    for (let seed = start; seed < Math.min(start + BATCH, first + count); seed++) {
      const expected = expectation(seed);
      if (expected === undefined) refused++;
      else if (typeof expected === "string") differences.push(expected);
      else batch.push(expected);
    }
    differences.push(...(await compareBatch(batch)));
    if (opa) differences.push(...compareOpa(batch));
    for (const expected of batch.filter((e) => e.seed % FOLDED === 0))
      differences.push(...(await guarded([expected], () => compareFolded(expected))));
    compared += batch.length;
  }
  return { compared, refused, differences };
}

interface Expected {
  readonly seed: number;
  readonly program: Generated;
  /** Canonical text of the value, or `conflict`. */
  readonly answer: string;
}

/** `undefined` for no valid Rego, text for a fault. */
function expectation(seed: number): Expected | string | undefined {
  try {
    return interpreted(seed);
  } catch (error) {
    return `seed ${seed}, before the module: ${String(error)}`;
  }
}

function interpreted(seed: number): Expected | undefined {
  const mended = mend(generate(seed, `f${seed}`));
  if (mended === undefined) return undefined;
  const { program, policy } = mended;
  const input = parseJson(JSON.stringify(program.input));
  const data = parseJson(JSON.stringify(program.data));
  try {
    const [row] = interpret(policy, program.package, { input, data, strict: true, budget: 2_000_000 }).items();
    const value = (row as Obj | undefined)?.get("result") as Val | undefined;
    if (value !== undefined && hasAmbiguousKeys(value)) return undefined;
    return { seed, program, answer: value === undefined ? "undefined" : canonical(JSON.parse(print(toJson(value)))) };
  } catch (error) {
    if (error instanceof PolicyError) return { seed, program, answer: "conflict" };
    if (error instanceof BudgetExceeded) return undefined;
    throw error;
  }
}

/** Whether two keys of an object have the same JSON text, as `[]` and the empty set have: JSON cannot tell what it is then. */
function hasAmbiguousKeys(value: Val): boolean {
  if (value instanceof Arr) return value.items.some(hasAmbiguousKeys);
  if (value instanceof SetVal) return value.items().some(hasAmbiguousKeys);
  if (!(value instanceof Obj)) return false;
  const texts = new Set(value.keys().map((k) => (typeof k === "string" ? k : print(toJson(k)))));
  return texts.size < value.size || value.entries().some(([k, v]) => hasAmbiguousKeys(k) || hasAmbiguousKeys(v));
}

/** What is thrown is a difference; a batch that fails as a whole is compared one by one, to know whose fault it is. */
async function guarded(batch: readonly Expected[], compare: () => Promise<string[]>): Promise<string[]> {
  try {
    return await compare();
  } catch (error) {
    const [only, ...others] = batch;
    if (only === undefined) return [];
    if (others.length === 0) return [`seed ${only.seed}: ${String(error)}`];
    const found = [];
    for (const expected of batch) found.push(...(await compareBatch([expected])));
    return found.length > 0 ? found : [`seed ${only.seed}, with those after it in one module: ${String(error)}`];
  }
}

function compareBatch(batch: readonly Expected[]): Promise<string[]> {
  return guarded(batch, () => compareTogether(batch));
}

async function compareTogether(batch: readonly Expected[]): Promise<string[]> {
  if (batch.length === 0) return [];
  const modules = batch.flatMap(({ seed, program }) =>
    program.modules.map((text, i) => new SourceFile(`${seed}-${i}.rego`, text)),
  );
  const { compiled, diagnostics } = await compileModules({ modules, entrypoints: batch.map((e) => e.program.package) });
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

/** Whether a conflict is met depends on what is evaluated first, and OPA's rule index looks ahead: only values are held. */
function compareOpa(batch: readonly Expected[]): string[] {
  const decided = batch.filter((e) => e.answer !== "conflict");
  const opinions = askTogether(decided.map((e) => e.program));
  return decided.flatMap(({ seed, program, answer }) => {
    const opinion = opinions.get(program.package);
    if (opinion?.kind === "error" && opinion.message.startsWith("eval_conflict_error")) return [];
    const text =
      opinion?.kind === "value" ? canonical(opinion.value) : opinion?.kind === "error" ? opinion.message : "undefined";
    return text === answer ? [] : [`seed ${seed}, opa eval: ${text}, but the interpreter says ${answer}`];
  });
}

async function compareFolded(expected: Expected): Promise<string[]> {
  const { program, seed } = expected;
  const source = parseSource(new SourceFile("data.json", JSON.stringify(program.data)));
  if (source.root === undefined) return [`seed ${seed}: its data cannot be read`];
  const modules = program.modules.map((text, i) => new SourceFile(`${seed}-${i}.rego`, text));
  const { compiled, diagnostics } = await compileModules({
    modules,
    entrypoints: [program.package],
    data: toValue(source.root),
  });
  // Data where a rule stands is an error for a bundle, and hidden by the rule where the host supplies it.
  if (compiled === undefined)
    return diagnostics.some((d) => d.code === "analyze/data-conflict" || d.opa !== undefined)
      ? []
      : [`seed ${seed}: ${diagnostics[0]?.message}`];
  const policy = await load(compiled.wasm);
  return differenceOf(
    expected,
    policy.evaluate(program.package, program.input),
    policy.lastFault?.code,
    "module with its data compiled in",
  );
}

function differenceOf({ seed, answer }: Expected, found: unknown, fault: string | undefined, where: string): string[] {
  const text =
    fault === "conflict"
      ? "conflict"
      : fault !== undefined
        ? `fault ${fault}`
        : found === undefined
          ? "undefined"
          : canonical(found);
  return text === answer ? [] : [`seed ${seed}, ${where}: ${text}, but the interpreter says ${answer}`];
}

/**
 * Sorted at every level: in which order documents are iterated is nobody's promise. Keys are the JSON texts of what they
 * were: of equal numbers in different spellings either may have come first.
 */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([k, v]) => `${canonicalKey(k)}:${canonical(v)}`);
    return `{${entries.sort().join(",")}}`;
  }
  return JSON.stringify(value);
}

function canonicalKey(key: string): string {
  if (!/^[-\d[{]/.test(key)) return JSON.stringify(key);
  try {
    return canonical(JSON.parse(key));
  } catch {
    return JSON.stringify(key);
  }
}

/**
 * Generated programs whose rules compare parts of the input, each asked a sequence of questions of one loaded policy, which
 * learns what requests look like and reuses memory. To every question each entrypoint must answer what the reference interpreter says.
 */

import { load, type Policy } from "@portcullis/runtime";
import { hasErrors } from "../../compiler/rego/diagnostics/diagnostic.ts";
import { SourceFile } from "../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../compiler/rego/pipeline/compile-modules.ts";
import type { Policy as Plans } from "../../compiler/rego/plan/ir.ts";
import { parseJson } from "../interpreter/term.ts";
import { type Comparing, generateComparing } from "../rego/plan/generate/comparing.ts";
import { answerText, type Interpreted, interpretedAnswer } from "./answer-text.ts";
import { mend } from "./repair.ts";
import { NOTHING, type Tally } from "./tally.ts";

/** One seed in this many has such a program: each needs a module of its own. */
const SHARE = 4;

export function isSequence(seed: number): boolean {
  return seed % SHARE === 0;
}

export function sequenceOf(seed: number): Comparing {
  return generateComparing(seed, `f${seed}`);
}

/** `loadModule`: makes the policy that is asked of its module. */
export async function compareSequence(
  seed: number,
  loadModule: (wasm: Uint8Array) => Promise<Policy> = load,
): Promise<Tally> {
  const generated = sequenceOf(seed);
  const mended = mend(generated, generated.entrypoints);
  if (mended.policy === undefined) return { ...NOTHING, refused: { [mended.code]: 1 } };
  const { program, policy: plans } = mended;
  try {
    const policy = await loadModule(await moduleOf(program));
    const text = differenceIn(program, plans, policy);
    return { ...NOTHING, compared: 1, differences: text === undefined ? [] : [{ seed, text }] };
  } catch (error) {
    return { ...NOTHING, compared: 1, differences: [{ seed, text: String(error) }] };
  }
}

export async function moduleOf({ modules, package: name, entrypoints }: Comparing): Promise<Uint8Array> {
  const sources = modules.map((text, i) => new SourceFile(`${name}-${i}.rego`, text));
  const { compiled, diagnostics } = await compileModules({ modules: sources, entrypoints, reclaimFrom: 0 });
  if (compiled === undefined || hasErrors(diagnostics))
    throw new Error(`does not compile: ${diagnostics.find((d) => d.severity === "error")?.message}`);
  return compiled.wasm;
}

/** The first one; what comes after it may only be what it left behind. */
function differenceIn(program: Comparing, plans: Plans, policy: Policy): string | undefined {
  const known = new Map<string, Interpreted>();
  let current: unknown;
  for (const [i, { input, host, hasHandles }] of program.questions.entries()) {
    if (host !== current) policy.setData({ host });
    current = host;
    const given = hasHandles ? withHandles(input, policy) : input;
    const [inputText, dataText] = [JSON.stringify(input), JSON.stringify({ host })];
    for (const entrypoint of program.entrypoints) {
      const key = `${entrypoint} of ${inputText} with ${dataText}`;
      const wanted = known.get(key) ?? interpretedAnswer(plans, entrypoint, parseJson(inputText), parseJson(dataText));
      known.set(key, wanted);
      const found = answerText(policy.evaluate(entrypoint, given), policy.lastFault?.code);
      if (wanted.answer !== undefined && found !== wanted.answer)
        return `question ${i}${hasHandles ? " (with handles)" : ""}, ${key}: ${found}, but the interpreter says ${wanted.answer}`;
    }
  }
  return undefined;
}

/** Every other text as a handle of the policy's. */
function withHandles(input: unknown, policy: Policy): unknown {
  let texts = 0;
  const visit = (value: unknown): unknown => {
    if (typeof value === "string") return texts++ % 2 === 0 ? policy.intern(value) : value;
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, visit(member)]));
  };
  return visit(input);
}

/** Programs whose loops make values and let some of them out: our module against an installed OPA. */

import { load } from "@portcullis/runtime";
import { SourceFile } from "../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../compiler/rego/pipeline/compile-modules.ts";
import type { Generated } from "../rego/plan/generate/index.ts";
import { Random } from "../rego/plan/generate/random.ts";
import { turns } from "../rego/plan/generate/turns.ts";
import { answerText, canonical } from "./answer-text.ts";
import { askTogether } from "./opa.ts";
import { type Difference, NOTHING, type Tally } from "./tally.ts";

/** Compares the programs of `count` seeds from `first` on. OPA has to be there. */
export async function compareTurns(first: number, count: number): Promise<Tally> {
  const programs = Array.from({ length: count }, (_, i): Generated => {
    const name = `t${first + i}`;
    const { module, data } = turns(new Random(first + i), name);
    return { modules: [module], package: name, input: {}, data: { base: {}, ...data } };
  });
  const { compiled, diagnostics } = await compileModules({
    modules: programs.map((p) => new SourceFile(`${p.package}.rego`, p.modules[0] as string)),
    entrypoints: programs.map((p) => p.package),
    reclaimFrom: 0,
  });
  if (compiled === undefined) throw new Error(diagnostics.map((d) => d.message).join("\n"));
  const data = Object.assign({}, ...programs.map((p) => p.data));
  const policy = await load(compiled.wasm, { data });
  const answers = programs.map((p) => answerText(policy.evaluate(p.package, p.input), policy.lastFault?.code));
  const isConflict = (i: number): boolean => answers[i] === "conflict";
  const opinions = askTogether(programs.filter((_, i) => !isConflict(i)));
  const differences = programs.flatMap((program, i): Difference[] => {
    const asked = isConflict(i) ? askTogether([program]) : opinions;
    const opinion = asked.get(program.package) ?? { kind: "undefined" };
    const text =
      opinion.kind === "value" ? canonical(opinion.value) : opinion.kind === "error" ? "conflict" : "undefined";
    return text === answers[i]
      ? []
      : [{ seed: first + i, text: `opa eval: ${text}, but the module says ${answers[i]}` }];
  });
  return { ...NOTHING, compared: count, differences };
}

/** What lies between the sources and the module, as texts for people and tools: `portcullis build --emit`. */

import { unreachable } from "../diagnostics/index.ts";
import { type Policy, policyToText, writePlanJson } from "../plan/index.ts";
import { type Module, moduleToJson } from "../syntax/index.ts";
import { jsonText } from "../value/index.ts";

/**
 * `ast.json`: the syntax trees of all modules, by file, as `opa parse --format json` gives them, a module a line.
 * `plan.json`: OPA's plan JSON (`opa build -t plan`) of the entrypoints, before the optimiser; https://www.openpolicyagent.org/docs/ir.
 * `plan.txt`: the optimised plan, a statement a line. `wat`: the module in the text format of WebAssembly, without its custom sections.
 */
export type EmitName = "ast.json" | "plan.json" | "plan.txt" | "wat";
export const EMIT_NAMES: readonly EmitName[] = ["ast.json", "plan.json", "plan.txt", "wat"];

/** An intermediate form as text. */
export interface EmittedText {
  /** The name of the file that it is written to: `ast.json`, `plan.json`, `plan.txt`, `policy.wat`. */
  readonly name: string;
  readonly text: string;
}

/** The results of the stages that texts are made of. */
export interface Stages {
  readonly modules: readonly Module[];
  /** As the planner gives it without a rule index: plan JSON has no form for that, nor for the optimiser's constants. */
  readonly planForOpa: () => Policy;
  readonly optimized: Policy;
  readonly wasm: Uint8Array;
}

/** The texts, each once, in the order of EMIT_NAMES. */
export async function emitTexts(names: readonly EmitName[], stages: Stages): Promise<readonly EmittedText[]> {
  return Promise.all(EMIT_NAMES.filter((name) => names.includes(name)).map((name) => emitText(name, stages)));
}

async function emitText(name: EmitName, { modules, planForOpa, optimized, wasm }: Stages): Promise<EmittedText> {
  switch (name) {
    case "ast.json": {
      const byFile = modules.map((m) => `${JSON.stringify(m.span.file.name)}:${jsonText(moduleToJson(m))}`);
      return { name, text: `{\n${byFile.sort().join(",\n")}\n}\n` };
    }
    case "plan.json":
      return { name, text: `${JSON.stringify(writePlanJson(planForOpa()), null, 2)}\n` };
    case "plan.txt":
      return { name, text: policyToText(optimized) };
    case "wat": {
      const { moduleText } = await import("../wasm/index.ts");
      return { name: "policy.wat", text: await moduleText(wasm) };
    }
    default:
      return unreachable(name);
  }
}

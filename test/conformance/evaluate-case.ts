/** One case through the whole product: modules and query to a module of ours, that module through our runtime. */

import { builtins } from "@portcullis/builtins";
import { SourceFile } from "../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../compiler/rego/pipeline/compile-modules.ts";
import type { ModuleEvaluator } from "../../runtime/evaluate/evaluate.ts";
import { evaluatorOf } from "../../runtime/load/load.ts";
import { policySectionOf } from "../../runtime/load/verify.ts";
import type { Case, Outcome } from "./cases.ts";

const QUERY = "eval";

/** Builtins that are compile errors unless the author allows them, as these cases do: of the last there are mocks alone. */
export const ALLOWED = ["time.now_ns", "rand.intn", "uuid.rfc4122", "opa.runtime", "http.send"];
/** No case reaches the network: the call that its mock stands in for would end the evaluation. */
const offline = {
  "http.send": (): never => {
    throw new Error("a case called http.send");
  },
};
const sources = {
  now: () => BigInt(Date.now()) * 1_000_000n,
  random: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
  runtime: new Map(),
};

/** Compile errors and faults are outcomes; anything thrown is a failure of the product. */
export async function evaluateCase(c: Case): Promise<Outcome> {
  const compiled = await compileCase(c);
  return compiled.kind === "error" ? compiled : evaluateModule(compiled.wasm, c);
}

/** A module's answer to a case, in our runtime. */
export async function evaluateModule(wasm: Uint8Array, c: Case): Promise<Outcome> {
  const module = await WebAssembly.compile(wasm as Uint8Array<ArrayBuffer>);
  const section = policySectionOf(module);
  if (section === undefined) throw new Error("the module has no section of ours");
  const evaluator = await evaluatorOf({ module, wasmBytes: wasm }, section, {
    builtins: [...builtins, offline],
    sources,
  });
  if (c.data !== undefined) evaluator.setData(c.data);
  return outcomeOf(evaluator, c);
}

export type CompiledCase = { readonly kind: "module"; readonly wasm: Uint8Array } | Extract<Outcome, { kind: "error" }>;

export async function compileCase(c: Case): Promise<CompiledCase> {
  const modules = (c.modules ?? []).map((text, i) => new SourceFile(`module-${i}.rego`, text));
  const { compiled, diagnostics } = await compileModules({
    modules,
    allowBuiltins: ALLOWED,
    // Every rule that can have an index has one here; test/rego/plan/conformance.test.ts asks the same without.
    indexFrom: 2,
    reclaimFrom: 0,
    queries: [{ name: QUERY, file: new SourceFile("query", c.query) }],
  });
  if (compiled !== undefined) return { kind: "module", wasm: compiled.wasm };
  const first = diagnostics.find((d) => d.severity === "error");
  return {
    kind: "error",
    code: first?.opa ?? first?.code ?? "unknown",
    message: first?.message ?? "no module and no error",
  };
}

function outcomeOf(evaluator: ModuleEvaluator, c: Case): Outcome {
  const solutions =
    c.input_term === undefined ? evaluator.query(QUERY, c.input) : evaluator.queryTerm(QUERY, c.input_term);
  if (solutions !== undefined) return { kind: "solutions", solutions };
  const fault = evaluator.lastFault;
  return {
    kind: "error",
    code: fault?.code === "conflict" ? "eval_conflict_error" : (fault?.code ?? "unknown"),
    message: fault?.message ?? "",
  };
}

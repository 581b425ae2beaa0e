/**
 * The product over the library's files: compiled by our compiler, and decided by our runtime's typed calls, by its
 * `evaluate`, or by the stock `opa-wasm` on our module.
 */
import { loadPolicy } from "@open-policy-agent/opa-wasm";
import { dataValue } from "../../../compiler/governance/lower/policy-data.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../../../compiler/rego/pipeline/compile-modules.ts";
import { parseModule } from "../../../compiler/rego/syntax/index.ts";
import { load } from "../../../runtime/index.ts";
import type { DecisionName } from "../../statements/index.ts";
import { type Batch, type Evaluator, RefusedModules } from "./evaluator.ts";
import { type LibraryModule, libraryModules, librarySchemas } from "./library-modules.ts";
import { demanding } from "./with-folds.ts";

/** Who decides with the module. */
export type Caller = "typed" | "evaluate" | "opa-wasm";

/** Where the policy is: compiled in, as in a bundle, or given to the module as data, which needs one compilation only. */
export type PolicyIs = "constant" | "data";

type Ask = (input: unknown) => unknown;

/** Modules of the library itself, by what they hold: evaluators that differ in who calls compile each policy once. */
const compiledLibrary = new Map<string, Promise<Uint8Array>>();

/** As many as take some 100 MB. */
const MOST_COMPILED = 600;

export interface Options {
  readonly caller: Caller;
  readonly policyIs: PolicyIs;
  readonly policies: number;
  readonly requests: number;
  readonly modules?: readonly LibraryModule[];
}

export function portcullisEvaluator(options: Options): Evaluator {
  const { caller, policyIs, policies, requests, modules = libraryModules() } = options;
  const compiled = options.modules === undefined ? compiledLibrary : new Map<string, Promise<Uint8Array>>();

  /** Modules that do not hold their policy serve all batches; the others serve those with the same policy. */
  function moduleFor(decision: DecisionName, batch: Batch): Promise<Uint8Array> {
    const inside = policyIs === "constant" ? documentOf(decision, batch) : {};
    const authored = authoredModules(decision, batch);
    const key = `${decision} ${authored.map(({ text }) => text).join()} ${JSON.stringify(inside)}`;
    const known = compiled.get(key) ?? compileFor(modules, decision, authored, inside);
    compiled.set(key, known);
    return known;
  }

  return {
    name: `${caller}, policy as ${policyIs}`,
    policies,
    requests,
    compilesEach: policyIs === "constant",
    async decide(decision, batches) {
      if (compiled.size > MOST_COMPILED) compiled.clear();
      const answers: unknown[][] = [];
      for (const batch of batches) {
        const wasm = await moduleFor(decision, batch);
        const ask = await askerOf(
          caller,
          wasm,
          decision,
          policyIs === "data" ? documentOf(decision, batch) : undefined,
        );
        answers.push(batch.inputs.map(ask));
      }
      return answers;
    },
  };
}

/** What the module finds in `data`: the policy, what the extension answers, and what of its demands is met. */
function documentOf(decision: DecisionName, batch: Batch): object {
  const { extension, requirements } = batch;
  return {
    portcullis: { policy: demanding(decision, batch) },
    ...(extension === undefined ? {} : { extension }),
    ...(requirements === undefined ? {} : { met: requirements.met }),
  };
}

async function compileFor(
  modules: readonly LibraryModule[],
  decision: DecisionName,
  authored: readonly LibraryModule[],
  data: object,
): Promise<Uint8Array> {
  const wanted = withImports(modules, `${decision}.rego`);
  return compiledFrom([...wanted, ...authored], data);
}

/** Throws RefusedModules for what does not compile. */
export async function compiledFrom(modules: readonly LibraryModule[], data: object): Promise<Uint8Array> {
  const { compiled, diagnostics } = await compileModules({
    modules: modules.map(({ name, text }) => new SourceFile(name, text)),
    schemas: librarySchemas(),
    data: dataValue(data),
  });
  if (compiled === undefined) throw new RefusedModules(diagnostics.map(({ message }) => message).join("\n"));
  return compiled.wasm;
}

/** An author's module that answers what the data holds. */
function authoredModules(decision: DecisionName, { extension, requirements }: Batch): LibraryModule[] {
  const denying =
    extension?.kind === "Set"
      ? "deny contains answer if some answer in data.extension.answers"
      : "deny := data.extension.value";
  const rules = [
    ...(extension === undefined ? [] : [denying]),
    ...(requirements === undefined ? [] : ["must contains gate if some gate in data.met"]),
  ];
  if (rules.length === 0) return [];
  const text = `package portcullis.ext.${decision}\n\n${rules.join("\n\n")}\n`;
  return [{ name: "extension-of-the-author.rego", text }];
}

/** A module of the library with all that it imports: packages are `portcullis.<file>`. */
export function withImports(
  modules: readonly LibraryModule[],
  name: string,
  into = new Set<LibraryModule>(),
): Set<LibraryModule> {
  const module = modules.find((one) => one.name === name);
  if (module === undefined || into.has(module)) return into;
  into.add(module);
  const { module: parsed } = parseModule(new SourceFile(module.name, module.text));
  for (const { path } of parsed?.imports ?? []) {
    const [, imported] = path.args;
    if (imported?.kind === "String") withImports(modules, `${imported.value}.rego`, into);
  }
  return into;
}

async function askerOf(
  caller: Caller,
  wasm: Uint8Array,
  decision: DecisionName,
  data: object | undefined,
): Promise<Ask> {
  const entrypoint = `portcullis/${decision}/decision`;
  if (caller === "opa-wasm") {
    const policy = await loadPolicy(wasm);
    if (data !== undefined) policy.setData(data);
    return (input) => policy.evaluate(input, entrypoint)[0]?.result;
  }
  const policy = await load(wasm, data === undefined ? {} : { data });
  if (caller === "evaluate") return (input) => policy.evaluate(entrypoint, input);
  return (input) => policy[decision](input as never);
}

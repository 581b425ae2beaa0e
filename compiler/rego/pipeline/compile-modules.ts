/** The Rego half of the pipeline: module texts and data to a WebAssembly module. Also for Rego without governance sources. */

import { holdOptions, type TableOf } from "@portcullis/runtime/trust";
import { type CheckedPolicy, chooseEntrypoints, denialsOf } from "../analyze/index.ts";
import { coveringRoots } from "../bundle/index.ts";
import { type Diagnostic, hasErrors, SourceFile } from "../diagnostics/index.ts";
import { optimize } from "../optimize/index.ts";
import { INDEX_FROM, type Policy, planPolicy } from "../plan/index.ts";
import type { Module } from "../syntax/index.ts";
import type { Value } from "../value/index.ts";
import { callBuiltin, loadBackEnd, sealModule } from "../wasm/index.ts";
import { type AnalyzedModules, analyzeModules, type ModuleSources } from "./analyze-modules.ts";
import { type EmitName, type EmittedText, emitTexts } from "./emitted.ts";

/** Rego to be compiled, which rules the module exports, and how far to go. */
export interface ModulesInput extends ModuleSources {
  /** `pkg/rule` names that must be entrypoints, beside the annotated ones. */
  readonly entrypoints?: readonly string[];
  /** Names that become entrypoints if there is such a rule. */
  readonly ensure?: readonly string[];
  /** Compile only these entrypoints. */
  readonly only?: readonly string[] | undefined;
  /** A rule with at least this many definitions gets an index. Answers do not depend on it; default: where it saves time. */
  readonly indexFrom?: number;
  /** Bytes that an evaluation makes before turns of its loops give memory back. Answers do not depend on it; default: 8 MiB. */
  readonly reclaimFrom?: number | undefined;
  /** Texts of what lies between the sources and the module. */
  readonly emit?: readonly EmitName[] | undefined;
  /** Ends before code is generated: all findings but those on the limits of a module. */
  readonly checkOnly?: boolean;
  /** Changes what is planned, for modules that report what they do. */
  readonly instrument?: ((checked: CheckedPolicy) => CheckedPolicy) | undefined;
}

const INPUT: TableOf<ModulesInput> = {
  modules: "array",
  parsed: "array?",
  data: "object?",
  queries: "array?",
  allowBuiltins: "array?",
  builtins: "object?",
  language: "object?",
  schemas: "object?",
  requireSchemas: "boolean",
  checkWritten: "function?",
  check: "function?",
  reword: "function?",
  onStage: "function?",
  strict: "boolean",
  bugs: "function?",
  tests: "boolean",
  heard: "boolean",
  entrypoints: "array?",
  ensure: "array?",
  only: "array?",
  indexFrom: "number",
  reclaimFrom: "number",
  emit: "array?",
  checkOnly: "boolean",
  instrument: "function?",
};

/** A module and what its manifest says of it. */
export interface CompiledModules {
  readonly wasm: Uint8Array;
  readonly entrypoints: readonly string[];
  /** The paths that packages and data cover, for the manifest. */
  readonly roots: readonly string[];
  /** What `emit` asked for, each once. */
  readonly emitted: readonly EmittedText[];
}

/** The module, or the findings that stand in its way. */
export interface ModulesResult {
  /** `undefined` when there are errors, and with `checkOnly`. */
  readonly compiled: CompiledModules | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

const EMPTY: Value = { kind: "object", entries: [] };

/**
 * Parses, analyses, plans, optimises and emits. Faults of modules are diagnostics. Rejects with a TypeError for an option that is
 * unknown or of another type.
 */
export async function compileModules(input: ModulesInput): Promise<ModulesResult> {
  holdOptions(input, INPUT);
  return emitPlanned(planModules(input), input);
}

/** Optimises and emits what was planned of the same input. */
export async function emitPlanned(planned: PlannedModules, input: ModulesInput): Promise<ModulesResult> {
  const { diagnostics } = planned;
  const failed = (): ModulesResult => ({ compiled: undefined, diagnostics });
  if (planned.policy === undefined || input.checkOnly === true) return failed();
  const data = input.data ?? EMPTY;
  const { emitModule } = await loadBackEnd();
  const optimized = optimize(planned.policy, { data, callBuiltin });
  input.onStage?.("generating code");
  const generated = emitModule(optimized, {
    denials: denialsOf(planned.checked, planned.entrypoints),
    reclaimFrom: input.reclaimFrom,
  });
  if (generated.bytes === undefined) {
    diagnostics.push(...generated.diagnostics);
    return failed();
  }
  const roots = coveringRoots([...planned.modules.map(packagePath), ...dataRoots(data)]);
  const wasm = await sealModule(generated.bytes);
  const planForOpa = (): Policy => planPolicy(planned.checked, planned.entrypoints).policy;
  const emitted = await emitTexts(input.emit ?? [], { modules: planned.modules, planForOpa, optimized, wasm });
  return { compiled: { wasm, entrypoints: planned.entrypoints, roots, emitted }, diagnostics };
}

export type PlannedModules = { readonly diagnostics: Diagnostic[] } & (
  | { readonly policy: undefined }
  | {
      readonly policy: Policy;
      readonly checked: CheckedPolicy;
      readonly modules: readonly Module[];
      readonly entrypoints: readonly string[];
    }
);

/** Parses, analyses and plans: all that finds faults of an author's, and no code. */
export function planModules(input: ModulesInput): PlannedModules {
  const first = analyzeModules(input);
  if (first.policy === undefined) return { policy: undefined, diagnostics: first.diagnostics };
  const chosen = chooseEntrypoints(first.policy, input.entrypoints ?? [], input.ensure ?? [], input.only);
  const { policy: checked, modules, diagnostics } = withMembers(input, first, chosen.members);
  if (checked === undefined) return { policy: undefined, diagnostics };
  // A library has no entrypoint of its own, and can be checked all the same.
  if (input.checkOnly !== true) diagnostics.push(...chosen.diagnostics);
  if (hasErrors(diagnostics)) return { policy: undefined, diagnostics };
  input.onStage?.("planning and optimising");
  const planned = planPolicy(input.instrument?.(checked) ?? checked, chosen.entrypoints, {
    indexFrom: input.indexFrom ?? INDEX_FROM,
    keyed: true,
    traced: input.heard === true,
  });
  diagnostics.push(...planned.diagnostics);
  if (hasErrors(diagnostics)) return { policy: undefined, diagnostics };
  const entrypoints = [...chosen.entrypoints, ...chosen.members].sort();
  return { policy: planned.policy, checked, modules, entrypoints, diagnostics };
}

/** The analysis with a query for each member of a rule's value that is an entrypoint: a path that the rule cannot have is a finding. */
function withMembers(input: ModulesInput, first: AnalyzedModules, members: readonly string[]): AnalyzedModules {
  if (members.length === 0) return first;
  const queries = members.map((name) => {
    const path = name.split("/").map((part) => `[${JSON.stringify(part)}]`);
    return { name, file: new SourceFile(`<entrypoint ${name}>`, `result = data${path.join("")}`) };
  });
  return analyzeModules({ ...input, onStage: undefined, queries: [...(input.queries ?? []), ...queries] });
}

function packagePath(module: Module): string[] {
  return module.package.path.args.map((arg) => (arg.kind === "String" ? arg.value : ""));
}

function dataRoots(data: Value): string[][] {
  if (data.kind !== "object") return [];
  return data.entries.map(([key]) => [key.kind === "string" ? key.value : ""]);
}

/** The Rego half of the pipeline: module texts and data to a WebAssembly module. Also for Rego without governance sources. */

import type { CheckedPolicy } from "./analyze/checked.ts";
import { type AnalyzeOptions, analyze } from "./analyze/index.ts";
import { type Diagnostic, hasErrors } from "./base/diagnostic.ts";
import type { SourceFile } from "./base/source-file.ts";
import { type Span, span } from "./base/span.ts";
import type { Value } from "./base/value.ts";
import { coveringRoots } from "./bundle/index.ts";
import { type EmitName, type EmittedText, emitTexts } from "./emitted.ts";
import { memberOf } from "./optimize/constants.ts";
import { optimize } from "./optimize/index.ts";
import { COVERED, coverRules } from "./plan/cover-rules.ts";
import { planPolicy } from "./plan/planner.ts";
import { chooseEntrypoints, denialsOf } from "./policy/index.ts";
import type { Module, Rule } from "./rego/ast.ts";
import { builtins } from "./rego/builtins.ts";
import { parseModule, parseQuery } from "./rego/index.ts";
import { availableBuiltins } from "./wasm/available-builtins.ts";
import { callBuiltin } from "./wasm/call-builtin.ts";
import { loadBackEnd } from "./wasm/load.ts";
import { sealModule } from "./wasm/sections.ts";

export interface ModulesInput {
  readonly modules: readonly SourceFile[];
  /** Compiled in: references to it are constants. An object. */
  readonly data?: Value;
  /** `pkg/rule` names that must be entrypoints, beside the annotated ones. */
  readonly entrypoints?: readonly string[];
  /** Names that become entrypoints if there is such a rule. */
  readonly ensure?: readonly string[];
  /** Queries compiled beside the modules; each becomes an entrypoint of its name that reports its variables. */
  readonly queries?: readonly { readonly name: string; readonly file: SourceFile }[];
  readonly allowBuiltins?: readonly string[];
  /** JSON Schemas that annotations name as `schema.<name>`. */
  readonly schemas?: AnalyzeOptions["schemas"];
  readonly requireSchemas?: boolean;
  /** Findings of the caller's own on the analysed modules. */
  readonly check?: (policy: CheckedPolicy) => readonly Diagnostic[];
  /** Called with the next step, in words for a person. */
  readonly onStage?: (stage: string) => void;
  /** Makes a second module besides, which reports every success of a rule that this chooses; see `cover-rules.ts`. */
  readonly cover?: (rule: Rule) => boolean;
  /** Texts of what lies between the sources and the module. */
  readonly emit?: readonly EmitName[];
  /** Ends before code is generated: all findings but those on the limits of a module. */
  readonly checkOnly?: boolean;
}

export interface CompiledModules {
  readonly wasm: Uint8Array;
  readonly entrypoints: readonly string[];
  /** The paths that packages and data cover, for the manifest. */
  readonly roots: readonly string[];
  /** With `cover`: the module that records covered rules. */
  readonly covering: CoveringModule | undefined;
  /** What `emit` asked for, each once. */
  readonly emitted: readonly EmittedText[];
}

/** A module that calls a builtin with the index of a rule in `rules` whenever that rule's body succeeds. */
export interface CoveringModule {
  readonly wasm: Uint8Array;
  /** Its name; the host supplies it, and answers `true`. */
  readonly builtin: string;
  readonly rules: readonly Span[];
}

export interface ModulesResult {
  /** `undefined` when there are errors, and with `checkOnly`. */
  readonly compiled: CompiledModules | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** OPA counts these as non-deterministic; their answers follow from their operands when the time is one of them. */
const EXPLICIT_TIME = ["io.jwt.decode_verify", "io.jwt.encode_sign", "io.jwt.encode_sign_raw"];

const EMPTY: Value = { kind: "object", entries: [] };

/** Parses, analyses, plans, optimises and emits. Never throws over a module: faults are diagnostics. */
export async function compileModules(input: ModulesInput): Promise<ModulesResult> {
  input.onStage?.("parsing Rego");
  const parsed = input.modules.map(parseModule);
  const queries = (input.queries ?? []).map(({ name, file }) => ({
    name,
    span: span(file, 0, file.text.length),
    ...parseQuery(file),
  }));
  const diagnostics = [...parsed, ...queries].flatMap((p) => p.diagnostics);
  const failed = (): ModulesResult => ({ compiled: undefined, diagnostics });
  const modules = parsed.flatMap((p) => p.module ?? []);
  const data = input.data ?? EMPTY;

  input.onStage?.("analysing");
  const analyzed = analyze(modules, {
    queries: queries.flatMap(({ name, body, span }) => (body === undefined ? [] : [{ name, body, span }])),
    allowNondeterministic: [...EXPLICIT_TIME, ...(input.allowBuiltins ?? [])],
    dataExists: (path) => valueAt(data, path) !== undefined,
    availableBuiltins: availableBuiltins(builtins().keys(), input.allowBuiltins ?? []),
    ...(input.schemas === undefined ? {} : { schemas: input.schemas }),
    requireSchemas: input.requireSchemas ?? false,
  });
  diagnostics.push(...analyzed.diagnostics);
  if (analyzed.policy === undefined || hasErrors(diagnostics)) return failed();
  diagnostics.push(...(input.check?.(analyzed.policy) ?? []));

  const chosen = chooseEntrypoints(analyzed.policy, input.entrypoints ?? [], input.ensure ?? []);
  diagnostics.push(...chosen.diagnostics);
  if (hasErrors(diagnostics)) return failed();

  input.onStage?.("planning and optimising");
  const planned = planPolicy(analyzed.policy, chosen.entrypoints);
  diagnostics.push(...planned.diagnostics);
  if (hasErrors(diagnostics) || input.checkOnly === true) return failed();

  const { emitModule } = await loadBackEnd();
  const optimized = optimize(planned.policy, { data, callBuiltin });
  input.onStage?.("generating code");
  const generated = emitModule(optimized, {
    denials: denialsOf(analyzed.policy, chosen.entrypoints),
  });
  if (generated.bytes === undefined) {
    diagnostics.push(...generated.diagnostics);
    return failed();
  }
  const roots = coveringRoots([...modules.map(packagePath), ...dataRoots(data)]);
  const covering =
    input.cover === undefined
      ? undefined
      : await emitCovering(analyzed.policy, chosen.entrypoints, data, input.cover, diagnostics);
  if (hasErrors(diagnostics)) return failed();
  const wasm = await sealModule(generated.bytes);
  const emitted = await emitTexts(input.emit ?? [], { planned: planned.policy, optimized, wasm });
  return { compiled: { wasm, entrypoints: chosen.entrypoints, roots, covering, emitted }, diagnostics };
}

async function emitCovering(
  policy: CheckedPolicy,
  entrypoints: readonly string[],
  data: Value,
  isWanted: (rule: Rule) => boolean,
  diagnostics: Diagnostic[],
): Promise<CoveringModule | undefined> {
  const covered = coverRules(policy, isWanted);
  const planned = planPolicy(covered.policy, entrypoints);
  const { emitModule } = await loadBackEnd();
  const emitted = emitModule(optimize(planned.policy, { data }));
  // Warnings have been given for the module itself.
  diagnostics.push(...[...planned.diagnostics, ...(emitted.diagnostics ?? [])].filter((d) => d.severity === "error"));
  return emitted.bytes === undefined
    ? undefined
    : { wasm: await sealModule(emitted.bytes), builtin: COVERED, rules: covered.rules };
}

function valueAt(data: Value, path: readonly string[]): Value | undefined {
  return path.reduce<Value | undefined>((value, key) => (value === undefined ? undefined : memberOf(value, key)), data);
}

function packagePath(module: Module): string[] {
  return module.package.path.args.map((arg) => (arg.kind === "String" ? arg.value : ""));
}

function dataRoots(data: Value): string[][] {
  if (data.kind !== "object") return [];
  return data.entries.map(([key]) => [key.kind === "string" ? key.value : ""]);
}

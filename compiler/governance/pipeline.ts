/**
 * A policy set from its files to a bundle, every stage in order. Read this first. Stages of policy files are rooms of this
 * package; those from analyze to bundle are rooms of @portcullis/rego, behind `planModules`, `emitPlanned` and `assembleBundle`.
 *
 *   sources → model → lower ─────────┐
 *   the library, the author's Rego ──┴→ rego → analyze → plan → optimize → wasm → bundle
 */

import type { Host } from "@portcullis/documents";
import type { CheckedPolicy } from "@portcullis/rego/analyze";
import { assembleBundle, BUNDLE_TARGETS, type BundleFile, type BundleTarget } from "@portcullis/rego/bundle";
import { type Diagnostic, hasErrors, type SourceFile } from "@portcullis/rego/diagnostics";
import {
  analyzeModules,
  type CompiledModules,
  type EmitName,
  type EmittedText,
  emitPlanned,
  type ModulesInput,
  nondeterministicBuiltins,
  type PlannedModules,
  planModules,
} from "@portcullis/rego/pipeline";
import { type Builtins, type Language, parseModule } from "@portcullis/rego/syntax";
import type { Value } from "@portcullis/rego/value";
import { holdOptions, type TableOf } from "@portcullis/runtime/trust";
import { rememberBuilt } from "./built-here.ts";
import {
  applyWaivers,
  authoredFacts,
  causesOf,
  checkAuthoredRules,
  checkBundlePaths,
  expectedAnswers,
  namingOtherDenials,
  reservedPackages,
  testInputs,
} from "./checks/index.ts";
import {
  boundApprovals,
  pathArguments,
  policyLimits,
  SOURCE_MAP_FILE,
  sourceMapOf,
  toolTables,
} from "./lower/index.ts";
import { buildTests, type Model } from "./model/index.ts";
import { knownFacts, type PolicySet, readPolicySet } from "./policy-set.ts";
import type { SampleSource } from "./sources/index.ts";
import { generateTypes, type PolicyNames } from "./types.ts";

/** What to compile, and for whom. Only `host` and `dirs` are needed. */
export interface CompileOptions {
  /** The only way to the files. */
  readonly host: Host;
  /** Folders of one policy set. */
  readonly dirs: readonly string[];
  /** `pkg/rule` names that must be entrypoints, beside those that the sources declare. */
  readonly entrypoints?: readonly string[];
  /** Whether the result goes into this folder: what an older build wrote there may then differ from the set. */
  readonly isReplaced?: (folder: string) => boolean;
  /** Names that become entrypoints if there is such a rule. */
  readonly ensure?: readonly string[];
  /** Default: that of portcullis.yaml, or else a hash of the content, so that the same sources give the same revision. */
  readonly revision?: string | undefined;
  /** Against rollback: hosts do not go back to a bundle with a lower one. A whole number. */
  readonly sequence?: number;
  /** What the bundle holds; default `both`. The module is made in any case, since it is the proof that the Rego compiles. */
  readonly target?: BundleTarget;
  /** The day by which waivers end, `YYYY-MM-DD`. Without it no waiver with a last day holds. */
  readonly today?: string;
  /** OPA's strict mode (unused imports, assignments and arguments are errors), and warnings are errors. */
  readonly strict?: boolean;
  /** Non-deterministic builtins that the embedding host promises to supply. */
  readonly allowBuiltins?: readonly string[] | undefined;
  /** The builtins that there are, from `readCapabilities`; the host supplies those that are not OPA's. Default: OPA's. */
  readonly builtins?: Builtins | undefined;
  /** The parts of the language that may be used, from `readLanguage`. Default: all. */
  readonly language?: Language | undefined;
  /**
   * JSON Schemas that annotations name as `schema.<name>`: `acme/input` is `schema.acme.input`, and `` is the schema of every
   * rule's input. With any, an annotation that names one which is not among them is an error.
   */
  readonly schemas?: ReadonlyMap<string, unknown> | undefined;
  /** Called with the next step, in words for a person. */
  readonly onStage?: ((stage: string) => void) | undefined;
  /**
   * For evaluation on the spot, not for a bundle that ships: `print` and `trace` call the host, and every non-deterministic
   * builtin is allowed. The module has to be loaded with `evaluationHost`.
   */
  readonly heard?: boolean;
  /** Texts of what lies between the sources and the module. */
  readonly emit?: readonly EmitName[] | undefined;
  /** The bundle is for this process alone: its archive is stored, not packed. Its revision is the same. */
  readonly stored?: boolean;
  /** Ends before code is generated: all findings but those on the limits of a module, and nothing compiled. */
  readonly checkOnly?: boolean;
}

const COMPILE_OPTIONS: TableOf<CompileOptions> = {
  host: "object",
  dirs: "array",
  entrypoints: "array?",
  isReplaced: "function",
  ensure: "array?",
  revision: "string?",
  sequence: "number",
  target: BUNDLE_TARGETS,
  today: "string",
  strict: "boolean",
  allowBuiltins: "array?",
  builtins: "object?",
  language: "object?",
  schemas: "object?",
  onStage: "function?",
  heard: "boolean",
  emit: "array?",
  stored: "boolean",
  checkOnly: "boolean",
};

/** A compiled policy set. INVARIANT: the same sources give the same bytes, in whatever order files are read. */
export interface Compiled {
  /** The bundle's files, unpacked; `bundle` is the archive of them. */
  readonly files: readonly BundleFile[];
  readonly bundle: Uint8Array;
  readonly wasm: Uint8Array;
  readonly data: Value;
  readonly entrypoints: readonly string[];
  readonly revision: string;
  /** `generated/types.ts` for a policy set with governance sources. */
  readonly types: string | undefined;
  /** What `emit` asked for, each once; no part of the bundle. */
  readonly emitted: readonly EmittedText[];
}

/** The compiled set, or the findings that stand in its way. */
export interface CompileResult {
  /** `undefined` when there are errors, and with `checkOnly`. */
  readonly compiled: Compiled | undefined;
  /** `compiled.types`, also with `checkOnly`; `undefined` when there are errors. */
  readonly types: string | undefined;
  /** All findings of the run. */
  readonly diagnostics: readonly Diagnostic[];
  /** Files that were ignored, and why. */
  readonly notes: readonly string[];
}

/**
 * Compiles a policy set. Faults of sources are diagnostics. Rejects with a TypeError for an option that is unknown or of another
 * type: `{ strickt: true }` would hold nothing.
 */
export async function compile(options: CompileOptions): Promise<CompileResult> {
  const { planned: _, ...result } = await compileSet(options);
  return result;
}

/** A set without errors, before there is code. */
export interface PlannedSet {
  readonly checked: CheckedPolicy;
  readonly data: Value;
  readonly samples: readonly SampleSource[];
}

/** Like `compile`, but also returns the plan, for callers that evaluate a few questions without a module. */
export async function compileSet(
  options: CompileOptions,
): Promise<CompileResult & { readonly planned: PlannedSet | undefined }> {
  holdOptions(options, COMPILE_OPTIONS);
  options.onStage?.("reading sources");
  const policySet = readPolicySet(options.host, options.dirs, options);
  const { set, model, lowered } = policySet;
  const input = modulesInput(policySet, options);
  const plannedModules = planModules(input);
  const modules = await emitPlanned(plannedModules, input);
  const { diagnostics, notes } = findingsOf(policySet, plannedModules, modules.diagnostics, options);
  if (hasErrors(diagnostics)) return { compiled: undefined, types: undefined, diagnostics, notes, planned: undefined };
  const types = model.governed ? generateTypes(typedNames(model), factsOf(policySet)) : undefined;
  const planned =
    plannedModules.policy === undefined
      ? undefined
      : { checked: plannedModules.checked, data: lowered.data, samples: set.samples };
  if (modules.compiled === undefined) return { compiled: undefined, types, diagnostics, notes, planned };
  options.onStage?.("packing the bundle");
  const packed = await packSet(policySet, modules.compiled, options);
  return { compiled: { ...packed, types }, types, diagnostics, notes, planned };
}

/** The model's names, with what tools say of their arguments as the data has it: a bundle gives the same types. */
function typedNames(model: Model): PolicyNames {
  const { tools } = toolTables(model);
  return { ...model, tools: new Map([...model.tools].map(([id, tool]) => [id, { ...tool, said: tools[id] }])) };
}

/** The authors' Rego. Tests are no part of a bundle. */
const authoredOf = ({ set }: PolicySet): PolicySet["set"]["rego"] => set.rego.filter((r) => !r.test);

/** The Rego of a bundle: the library's, then the authors'. */
const packedRego = (policySet: PolicySet): { readonly path: string; readonly file: SourceFile }[] => [
  ...policySet.library.map((file) => ({ path: file.name, file })),
  ...authoredOf(policySet).map(({ path, file }) => ({ path, file })),
];

/** What the authors' own rules deny with. */
const factsOf = (policySet: PolicySet): ReturnType<typeof authoredFacts> =>
  authoredFacts(authoredOf(policySet).flatMap(({ file }) => parseModule(file).module ?? []));

/** The library, the authors' Rego, and the data that they read. */
export function modulesInput(policySet: PolicySet, options: CompileOptions): ModulesInput {
  const { model, lowered, library, schemas } = policySet;
  const facts = knownFacts(policySet);
  return {
    modules: [...library, ...authoredOf(policySet).map((r) => r.file)],
    schemas: new Map([...schemas, ...(options.schemas ?? [])]),
    requireSchemas: options.schemas !== undefined,
    data: lowered.data,
    entrypoints: options.entrypoints ?? [],
    ensure: options.ensure ?? [],
    heard: options.heard === true,
    allowBuiltins: [
      ...(options.heard === true ? nondeterministicBuiltins() : []),
      ...(options.allowBuiltins ?? []),
      ...model.settings.rego.allowBuiltins.map((b) => b.name),
    ],
    builtins: options.builtins,
    language: options.language,
    onStage: options.onStage,
    strict: options.strict === true,
    bugs: options.heard === true ? undefined : (file) => !library.includes(file),
    reword: namingOtherDenials,
    checkWritten: (modules) => reservedPackages(modules, (file) => !library.includes(file)),
    check: (policy) => checkAuthoredRules(policy, (rule) => !library.includes(rule.span.file), facts),
    emit: options.emit,
    checkOnly: options.checkOnly === true,
  };
}

/** The findings of all stages: causes alone, without what the authors have waived. */
export function findingsOf(
  policySet: PolicySet,
  planned: PlannedModules | undefined,
  ofModules: readonly Diagnostic[],
  options: CompileOptions,
): Pick<CompileResult, "diagnostics" | "notes"> {
  const { strict, today } = options;
  // Where there is nothing to compile because nothing could be read, only that is worth saying.
  const isEmpty = policySet.library.length + authoredOf(policySet).length === 0;
  const causes = causesOf([
    ...policySet.diagnostics,
    ...(options.checkOnly === true && planned !== undefined
      ? [...testFindings(policySet, planned), ...testModules(policySet, options)]
      : []),
    ...checkBundlePaths(packedRego(policySet)),
    ...(isEmpty && hasErrors(policySet.loading)
      ? ofModules.filter((d) => d.code !== "pipeline/no-entrypoint")
      : ofModules),
  ]);
  const { diagnostics, notes } = applyWaivers(causes, policySet.model.settings.waive, today);
  return {
    diagnostics: strict === true ? diagnostics.map((d) => ({ ...d, severity: "error" as const })) : diagnostics,
    notes: [...policySet.notes, ...notes],
  };
}

/** The bundle of a set without errors. */
async function packSet(
  policySet: PolicySet,
  { wasm: module, entrypoints, roots, emitted }: CompiledModules,
  options: CompileOptions,
): Promise<Omit<Compiled, "types">> {
  const { set, model, lowered, library } = policySet;
  const { files, bundle, manifest, wasm } = await assembleBundle({
    target: options.target ?? "both",
    stored: options.stored === true,
    dataText: `${lowered.text}\n`,
    rego: packedRego(policySet),
    regoVersion: library.length === 0 ? set.regoVersion : 1,
    sourceMap: model.governed
      ? { path: SOURCE_MAP_FILE, text: `${JSON.stringify(sourceMapOf(set, model))}\n` }
      : undefined,
    wasm: module,
    entrypoints,
    roots,
    sequence: options.sequence,
    revision: options.revision ?? model.settings.bundle.revision,
    versions: model.versions,
    pathArguments: pathArguments(model),
    limits: policyLimits(model),
    historyName: model.settings.bundle.name,
    approvals: boundApprovals(model, lowered.data),
    hostData: model.settings.rego.hostData.map(({ name }) => name.replace(/^data\./, "")),
  });
  rememberBuilt(bundle);
  return { files, bundle, wasm, data: lowered.data, entrypoints, revision: manifest.revision, emitted };
}

/** What is wrong with decision tests before they run. No part of a bundle, so that nothing is built without them. */
function testFindings(policySet: PolicySet, planned: PlannedModules): Diagnostic[] {
  const { set, model, schemas } = policySet;
  if (set.tests.length === 0) return [];
  const found = [...buildTests(set.tests, model, { expand: false }).diagnostics, ...testInputs(set.tests, schemas)];
  if (planned.policy === undefined) return found;
  return [...found, ...expectedAnswers(set.tests, planned.modules, factsOf(policySet))];
}

/** What is wrong with the Rego that tests: it stands in files of its own, which no bundle has. */
function testModules(policySet: PolicySet, options: CompileOptions): Diagnostic[] {
  const ofTests = new Set(policySet.set.rego.filter((r) => r.test).map((r) => r.file));
  if (ofTests.size === 0) return [];
  const input = modulesInput(policySet, options);
  const { diagnostics } = analyzeModules({
    ...input,
    modules: [...input.modules, ...ofTests],
    allowBuiltins: [...(input.allowBuiltins ?? []), ...nondeterministicBuiltins()],
    bugs: (file) => ofTests.has(file),
    checkWritten: () => [],
    check: () => [],
    tests: true,
    heard: true,
  });
  return diagnostics.filter(({ span }) => span !== undefined && ofTests.has(span.file));
}

/** The findings of a set, and whether it may be built. */
export interface CheckResult {
  /** No errors (no findings at all when `strict`). */
  readonly ok: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The findings of a policy set, without a bundle. Entrypoints are planned too, since some faults show only then; that a
 * policy is too large for a module is found by `compile` alone.
 */
export async function check(options: CompileOptions): Promise<CheckResult> {
  const { diagnostics } = await compile({ ...options, checkOnly: true });
  return { ok: !hasErrors(diagnostics), diagnostics };
}

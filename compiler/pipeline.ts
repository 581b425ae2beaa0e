/**
 * The whole compiler, every stage in order, one call each. Read this first: each stage is the folder of its name.
 *
 *   sources → model → lower ─────────┐
 *   the library, the author's Rego ──┴→ rego → analyze → plan → optimize → wasm → bundle
 */

import { type Diagnostic, hasErrors } from "./base/diagnostic.ts";
import type { Host } from "./base/host.ts";
import { SourceFile } from "./base/source-file.ts";
import type { Value } from "./base/value.ts";
import { assembleBundle, type BundleFile, type BundleTarget, generateTypes } from "./bundle/index.ts";
import { type CoveringModule, compileModules } from "./compile-modules.ts";
import type { EmitName, EmittedText } from "./emitted.ts";
import { libraryModules, librarySchemas } from "./library/library.embedded.ts";
import { lowerToData } from "./lower/index.ts";
import { buildModel, buildTests, checkModel, type DecisionTest, type Model, vocabulariesOf } from "./model/index.ts";
import { memberOf } from "./optimize/constants.ts";
import { checkAuthoredRules, type KnownFacts } from "./policy/index.ts";
import type { Rule } from "./rego/ast.ts";
import { parseModule } from "./rego/index.ts";
import { loadSources } from "./sources/index.ts";

export interface CompileOptions {
  /** The door to the files. */
  readonly host: Host;
  /** Folders of one policy set. */
  readonly dirs: readonly string[];
  /** `pkg/rule` names that must be entrypoints, beside those that the sources declare. */
  readonly entrypoints?: readonly string[];
  /** Names that become entrypoints if there is such a rule. */
  readonly ensure?: readonly string[];
  /** Default: that of portcullis.yaml, or else a hash of the content, so that the same sources give the same revision. */
  readonly revision?: string;
  /** Against rollback: hosts do not go back to a bundle with a lower one. A whole number. */
  readonly sequence?: number;
  /** What the bundle holds; default `both`. The module is made in any case, since it is the proof that the Rego compiles. */
  readonly target?: BundleTarget;
  /** Turns warnings into errors. */
  readonly strict?: boolean;
  /** Non-deterministic builtins that the embedding host promises to supply. */
  readonly allowBuiltins?: readonly string[];
  /** Compiles `*_test.rego` in as well, their `test_` rules as entrypoints, and reads `tests/*.yaml`. Not for production. */
  readonly tests?: boolean;
  /** Called with the next step, in words for a person. */
  readonly onStage?: (stage: string) => void;
  /** With `tests`: makes a second module that reports which rules succeed, tests' own rules aside. */
  readonly coverage?: boolean;
  /** Texts of what lies between the sources and the module. */
  readonly emit?: readonly EmitName[];
  /** Ends before code is generated: all findings but those on the limits of a module, and nothing compiled. */
  readonly checkOnly?: boolean;
}

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
  /** What `tests` asked for. */
  readonly tests: PolicyTests | undefined;
  /** What `emit` asked for, each once; no part of the bundle. */
  readonly emitted: readonly EmittedText[];
}

export interface PolicyTests {
  readonly decisions: readonly DecisionTest[];
  /** Entrypoints of `test_` rules. */
  readonly rules: readonly string[];
  /** What `coverage` asked for; of the spans' files, `isAuthored` tells the author's from the library's. */
  readonly covering: (CoveringModule & { readonly isAuthored: (file: SourceFile) => boolean }) | undefined;
}

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

/** Compiles a policy set. Never throws over a source: faults are diagnostics. */
export async function compile(options: CompileOptions): Promise<CompileResult> {
  options.onStage?.("reading sources");
  const { set, diagnostics: loading, notes } = loadSources(options.host, options.dirs);
  const { model, diagnostics: building } = buildModel(set);
  const lowered = lowerToData(model, set.data);
  const library = model.governed ? libraryFiles() : [];
  const authored = set.rego.filter((r) => options.tests === true || !r.test);
  const testRules = options.tests === true ? set.rego.filter((r) => r.test).flatMap((r) => testRulesOf(r.file)) : [];
  const testFiles = new Set(set.rego.filter((r) => r.test).map((r) => r.file));
  const isAuthored = (rule: Rule): boolean => !library.includes(rule.span.file) && !testFiles.has(rule.span.file);
  const decisions = options.tests === true ? buildTests(set.tests, model) : { tests: [], diagnostics: [] };
  const schemas = inputSchemas();
  const facts = model.governed ? knownFacts(model, lowered.data, schemas) : undefined;
  const modules = await compileModules({
    modules: [...library, ...authored.map((r) => r.file)],
    schemas,
    data: lowered.data,
    entrypoints: options.entrypoints ?? [],
    ensure: [...(options.ensure ?? []), ...testRules],
    allowBuiltins: [...(options.allowBuiltins ?? []), ...model.settings.rego.allowBuiltins.map((b) => b.name)],
    ...(options.onStage === undefined ? {} : { onStage: options.onStage }),
    check: (policy) => checkAuthoredRules(policy, isAuthored, facts),
    ...(options.emit === undefined ? {} : { emit: options.emit }),
    checkOnly: options.checkOnly === true,
    ...(options.coverage === true ? { cover: (rule) => !testFiles.has(rule.span.file) } : {}),
  });
  // Where there is nothing to compile because nothing could be read, only that is worth saying.
  const isEmpty = library.length + authored.length === 0;
  const found = [
    ...loading,
    ...building,
    ...checkModel(model),
    ...lowered.diagnostics,
    ...decisions.diagnostics,
    ...(isEmpty && hasErrors(loading)
      ? modules.diagnostics.filter((d) => d.code !== "pipeline/no-entrypoint")
      : modules.diagnostics),
  ];
  const diagnostics = options.strict === true ? found.map((d) => ({ ...d, severity: "error" as const })) : found;
  const shown = notes.map((n) => `${n.path}: ${n.message}`);
  const types = model.governed && !hasErrors(diagnostics) ? generateTypes(model) : undefined;
  if (modules.compiled === undefined || hasErrors(diagnostics))
    return { compiled: undefined, types, diagnostics, notes: shown };
  options.onStage?.("packing the bundle");
  const { entrypoints, roots, covering: module, emitted } = modules.compiled;
  const { files, bundle, manifest, wasm } = await assembleBundle({
    target: options.target ?? "both",
    dataText: `${lowered.text}\n`,
    rego: [
      ...library.map((file) => ({ path: file.name, text: file.text })),
      ...authored.map((r) => ({ path: r.path, text: r.file.text })),
    ],
    wasm: modules.compiled.wasm,
    entrypoints,
    roots,
    sequence: options.sequence,
    revision: options.revision ?? model.settings.bundle.revision,
    versions: model.versions,
  });
  const covering = module && { ...module, isAuthored: (file: SourceFile) => !library.includes(file) };
  const tests = options.tests === true ? { decisions: decisions.tests, rules: testRules, covering } : undefined;
  return {
    compiled: {
      files,
      bundle,
      wasm,
      data: lowered.data,
      entrypoints,
      revision: manifest.revision,
      types,
      tests,
      emitted,
    },
    types,
    diagnostics,
    notes: shown,
  };
}

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

/** The schemas of the decisions' inputs, by decision. */
function inputSchemas(): Map<string, unknown> {
  return new Map(librarySchemas.map(({ name, text }) => [name.replace(/\.json$/, ""), JSON.parse(text) as unknown]));
}

function knownFacts(model: Model, data: Value, schemas: ReadonlyMap<string, unknown>): KnownFacts {
  return {
    schemas,
    vocabularies: vocabulariesOf(model),
    data: (path) => path.reduce<Value | undefined>((value, key) => value && memberOf(value, key), data),
    hostData: model.settings.rego.hostData.map((h) => h.name),
  };
}

/** The library's modules under the path that they have in the bundle. */
function libraryFiles(): SourceFile[] {
  return libraryModules.map(({ name, text }) => new SourceFile(`portcullis/${name}`, text));
}

/** `pkg/rule` of every rule of a module whose name begins with `test_`. */
function testRulesOf(file: SourceFile): string[] {
  const { module } = parseModule(file);
  if (module === undefined) return [];
  const path = module.package.path.args.map((arg) => (arg.kind === "String" ? arg.value : ""));
  const names = module.rules.flatMap(({ head }) => (head.ref.head.kind === "Var" ? [head.ref.head.name] : []));
  return [...new Set(names.filter((name) => name.startsWith("test_")))].map((name) => [...path, name].join("/"));
}

/** The front half of the Rego pipeline: module texts to a checked policy. No code is generated here. */

import {
  analyze,
  type CheckedPolicy,
  markingVariables,
  nameTests,
  type Schemas,
  type TestRule,
} from "../analyze/index.ts";
import { findBugs } from "../bugs/index.ts";
import { type Diagnostic, hasErrors, type SourceFile, span } from "../diagnostics/index.ts";
import {
  type Builtins,
  builtins as catalogue,
  type Language,
  type Module,
  parseModule,
  parseQuery,
  readParts,
} from "../syntax/index.ts";
import { isOccupied, type Value, valueAt } from "../value/index.ts";
import { availableBuiltins } from "../wasm/index.ts";

/** A query to be compiled. With `captures` its answer is JSON text: its variables and the values of its expressions. */
export interface QueryText {
  readonly name: string;
  readonly file: SourceFile;
  readonly captures?: boolean;
}

/** Rego to be analysed, with all that its meaning depends on. */
export interface ModuleSources {
  readonly modules: readonly SourceFile[];
  /** Modules beside them that have been parsed. */
  readonly parsed?: readonly Module[];
  /** Compiled in: references to it are constants. An object. */
  readonly data?: Value;
  /** Queries compiled beside the modules; each becomes an entrypoint of its name that reports its variables. */
  readonly queries?: readonly QueryText[];
  readonly allowBuiltins?: readonly string[] | undefined;
  /** The builtins that there are, as a capabilities file lists them; the host supplies those that are not OPA's. Default: OPA's. */
  readonly builtins?: Builtins | undefined;
  /** The parts of the language that may be used. Default: all. */
  readonly language?: Language | undefined;
  /** JSON Schemas that annotations name as `schema.<name>`. */
  readonly schemas?: Schemas | undefined;
  readonly requireSchemas?: boolean;
  /** Findings of the caller's own on the modules as they are written: asked for whatever else is wrong with them. */
  readonly checkWritten?: (modules: readonly Module[]) => readonly Diagnostic[];
  /** Findings of the caller's own on the analysed modules. Where there are errors, it is not asked for them. */
  readonly check?: (policy: CheckedPolicy) => readonly Diagnostic[];
  /** Says findings of the analysis in the words of the caller's users. */
  readonly reword?: (found: readonly Diagnostic[], modules: readonly Module[]) => readonly Diagnostic[];
  /** Called with the next step, in words for a person. */
  readonly onStage?: ((stage: string) => void) | undefined;
  /** OPA's strict mode: unused imports, assignments and arguments are errors, too. */
  readonly strict?: boolean;
  /** The files that bugs are looked for in: what compiles and cannot be meant. Default: none. */
  readonly bugs?: ((file: SourceFile) => boolean) | undefined;
  /** Finds the tests among the rules. */
  readonly tests?: boolean;
  /** Somebody hears what policies say: calls of `print` and `trace` stay. */
  readonly heard?: boolean;
}

export interface AnalyzedModules {
  /** `undefined` when there are errors. */
  readonly policy: CheckedPolicy | undefined;
  readonly modules: readonly Module[];
  /** With `tests`: the tests, in the order of modules and rules. */
  readonly tests: readonly TestRule[];
  readonly diagnostics: Diagnostic[];
}

/** OPA counts these as non-deterministic; their answers follow from their operands when the time is one of them. */
const EXPLICIT_TIME = ["io.jwt.decode_verify", "io.jwt.encode_sign", "io.jwt.encode_sign_raw"];

/** Parses and analyses. Never throws over a module: faults are diagnostics. */
export function analyzeModules(sources: ModuleSources): AnalyzedModules {
  sources.onStage?.("parsing Rego");
  const parsed = sources.modules.map((file) => parseModule(file));
  const queries = (sources.queries ?? []).map(({ name, file, captures = false }) => ({
    name,
    captures,
    span: span(file, 0, file.text.length),
    ...parseQuery(file),
  }));
  const diagnostics = [...parsed, ...queries].flatMap((p) => p.diagnostics);
  // The rest of a module with a syntax error is analysed, too: all findings are told at once.
  const { modules: read, unknownModules } = readParts(parsed);
  const written = [...read, ...(sources.parsed ?? [])];
  const { modules, tests } = sources.tests === true ? nameTests(written) : { modules: written, tests: [] };

  sources.onStage?.("analysing");
  const builtins = sources.builtins ?? catalogue();
  const allowed = [...(sources.allowBuiltins ?? []), ...ownBuiltins(builtins)];
  const analyzed = analyze(modules, {
    queries: queries.flatMap((q) => (q.body === undefined ? [] : [{ ...q, body: q.body }])),
    allowNondeterministic: [...EXPLICIT_TIME, ...allowed],
    dataExists: (path) => sources.data !== undefined && isOccupied(sources.data, path),
    availableBuiltins: availableBuiltins(builtins.keys(), allowed),
    builtins,
    language: sources.language,
    schemas: sources.schemas,
    requireSchemas: sources.requireSchemas ?? false,
    strict: sources.strict === true,
    keepPrints: sources.heard === true,
    unknownModules,
  });
  const found = markingVariables(analyzed.diagnostics, modules);
  diagnostics.push(...(sources.reword?.(found, modules) ?? found), ...(sources.checkWritten?.(modules) ?? []));
  if (analyzed.policy === undefined || hasErrors(diagnostics))
    return { policy: undefined, modules, tests, diagnostics };
  if (sources.bugs !== undefined)
    diagnostics.push(...findBugs(analyzed.policy, sources.bugs, (path) => valueAt(sources.data, path)));
  diagnostics.push(...(sources.check?.(analyzed.policy) ?? []));
  return { policy: hasErrors(diagnostics) ? undefined : analyzed.policy, modules, tests, diagnostics };
}

/** What tests and evaluations on the spot may call: there are a clock and chance, and what has no answer is undefined. */
export function nondeterministicBuiltins(): string[] {
  return [...catalogue().values()].filter((b) => b.nondeterministic).map((b) => b.name);
}

/** The names that are not OPA's. */
function ownBuiltins(builtins: Builtins): string[] {
  return [...builtins.keys()].filter((name) => !catalogue().has(name));
}

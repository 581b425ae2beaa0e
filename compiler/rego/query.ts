/** `query`: one question about modules and data, answered at once. */

import type { LoadOptions } from "@portcullis/runtime";
import { holdOptions, type TableOf } from "@portcullis/runtime/trust";
import { type Diagnostic, SourceFile } from "./diagnostics/index.ts";
import { compileQuery, nondeterministicBuiltins } from "./pipeline/index.ts";
import { moduleSources, SOURCES, type Sources } from "./sources.ts";
import { askQuery, type ExpressionProfile } from "./testing/index.ts";

/** What is asked, and of what. */
export interface QueryOptions extends Omit<Sources, "modules"> {
  /** A rule body, whose variables are the output: `data.authz.allow`, `x := input.n; x > 1`, `some i; data.list[i] == 7`. */
  readonly query: string;
  /** As for `compile`. Default: none. */
  readonly modules?: Sources["modules"];
  /** JSON. Left out: the query has no input. */
  readonly input?: unknown;
  /** How the module is loaded: builtins, sources, limits. Yours win over those of `query`. */
  readonly load?: LoadOptions;
  /** Counts and times expressions, in a slower module. */
  readonly profile?: boolean;
}

const QUERY_OPTIONS: TableOf<QueryOptions> = {
  ...SOURCES,
  query: "string",
  modules: "object?",
  input: "any?",
  load: "object?",
  profile: "boolean",
};

/** One solution, in the shape of `opa eval --format json`. Sets are sorted lists, and keys that are not texts are their JSON. */
export interface QuerySolution {
  /** The values of the query's variables; absent for a query without. */
  readonly bindings?: { readonly [variable: string]: unknown };
  /** The query's expressions in their order; an expression that only holds, such as `x := 1`, is `true`. */
  readonly expressions: readonly {
    readonly value: unknown;
    readonly text: string;
    readonly location: { readonly row: number; readonly col: number };
  }[];
}

/** The solutions of a query, or what stood in their way. */
export interface QueryResult {
  /** Empty where the query is undefined; `undefined` where there are errors, or the evaluation failed. */
  readonly result: readonly QuerySolution[] | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** Why the evaluation failed: a conflict of rules, a limit. */
  readonly fault: { readonly code: string; readonly message: string } | undefined;
  /** What rules print, a line each. */
  readonly printed: readonly string[];
  /** With `profile`: the expressions that were evaluated, the one that took longest first. */
  readonly profile: readonly ExpressionProfile[] | undefined;
}

/**
 * Compiles a query with the modules that it asks, and evaluates it once: what `opa eval` does. To ask the same again and again,
 * `compile` an entrypoint and load it. `time.now_ns` is the real time, chance is seeded, and there is no network.
 *
 * Errors: faults of the query and of modules are diagnostics, and a failed evaluation is `fault`. Throws as `compile` does,
 * for wrong options, and rejects with the runtime's LoadError where a builtin is missing that only a host has. Cost: one
 * compilation.
 */
export async function query(options: QueryOptions): Promise<QueryResult> {
  holdOptions(options, QUERY_OPTIONS);
  const sources = moduleSources({ ...options, modules: options.modules ?? {} });
  const { compiled, diagnostics } = await compileQuery({
    ...sources,
    allowBuiltins: [...nondeterministicBuiltins(), ...(options.allowBuiltins ?? [])],
    query: new SourceFile("query", options.query),
    profile: options.profile,
  });
  if (compiled === undefined)
    return { result: undefined, diagnostics, fault: undefined, printed: [], profile: undefined };
  const input = options.input === undefined ? undefined : JSON.stringify(options.input);
  const { text, fault, printed, profile } = await askQuery(compiled, input, options.load);
  const result = text === undefined ? undefined : (JSON.parse(text) as QuerySolution[]);
  return { result, diagnostics, fault, printed, profile };
}

/** A query with the modules that it asks, compiled: its one entrypoint answers with all solutions. */

import type { Diagnostic, SourceFile, Span } from "../diagnostics/index.ts";
import { markExpressions } from "../plan/index.ts";
import { emitPlanned, type ModulesInput, planModules } from "./compile-modules.ts";

/** What is asked of which modules. */
export interface QueryInput extends Omit<ModulesInput, "queries" | "instrument" | "entrypoints" | "only" | "heard"> {
  /** The query's text. Its name is the file of findings. */
  readonly query: SourceFile;
  /** The module reports each expression that is evaluated: it is slower, and answers the same. */
  readonly profile?: boolean | undefined;
}

/** A module whose entrypoint `name` gives the solutions as JSON text, in the shape of `opa eval`. */
export interface QueryModule {
  readonly wasm: Uint8Array;
  readonly name: string;
  /** With `profile`: the expressions that are reported, by their numbers. */
  readonly places: readonly Span[] | undefined;
}

/** The module, or the findings that stand in its way. */
export interface CompiledQuery {
  /** `undefined` when there are errors. */
  readonly compiled: QueryModule | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** No rule can have this name. */
const QUERY = "#query";

/** Compiles a query. Faults of modules and of the query are diagnostics. */
export async function compileQuery({ query, profile = false, ...sources }: QueryInput): Promise<CompiledQuery> {
  let places: readonly Span[] | undefined;
  const input: ModulesInput = {
    ...sources,
    only: [],
    heard: true,
    queries: [{ name: QUERY, file: query, captures: true }],
    instrument: (checked) => {
      if (!profile) return checked;
      const marked = markExpressions(checked);
      places = marked.places;
      return marked.policy;
    },
  };
  const { compiled, diagnostics } = await emitPlanned(planModules(input), input);
  if (compiled === undefined) return { compiled, diagnostics };
  return { compiled: { wasm: compiled.wasm, name: QUERY, places }, diagnostics };
}

/** A query over a policy set, over plain Rego, or over the Rego of bundles. */

import type { SourceFile } from "@portcullis/rego/diagnostics";
import { hasErrors } from "@portcullis/rego/diagnostics";
import { type CompiledQuery, compileQuery } from "@portcullis/rego/pipeline";
import { merged, type Value } from "@portcullis/rego/value";
import { type CompileOptions, findingsOf, modulesInput } from "./pipeline.ts";
import { libraryFileOf, readPolicySet } from "./policy-set.ts";

/** What is asked, and of what: the folders of one policy set, or none. */
export interface SetQueryOptions
  extends Pick<
    CompileOptions,
    "host" | "dirs" | "today" | "allowBuiltins" | "builtins" | "language" | "schemas" | "onStage"
  > {
  readonly query: SourceFile;
  /** Modules beside those of the folders, such as a bundle's. */
  readonly modules?: readonly SourceFile[];
  /** Data beside that of the folders. Where both have a value, that of the folders counts. */
  readonly data?: Value | undefined;
  readonly profile?: boolean;
}

/** Compiles a query. Faults of sources are diagnostics, as they are for `compile`. */
export async function compileSetQuery(options: SetQueryOptions): Promise<CompiledQuery> {
  const { query, data, profile, dirs } = options;
  const read = readPolicySet(options.host, dirs);
  const given = (options.modules ?? []).map((file) => ({ file, ofLibrary: libraryFileOf(file) }));
  // What is the library's in a bundle is judged as the library's, and is there once.
  const library = [...new Set([...read.library, ...given.flatMap(({ ofLibrary }) => ofLibrary ?? [])])];
  const modules = given.flatMap(({ file, ofLibrary }) => (ofLibrary === undefined ? [file] : []));
  const policySet = { ...read, library };
  const { lowered } = policySet;
  const input = modulesInput(policySet, { ...options, heard: true });
  const { compiled, diagnostics: found } = await compileQuery({
    ...input,
    modules: [...input.modules, ...modules],
    data: data === undefined ? lowered.data : merged(lowered.data, data),
    query,
    profile,
  });
  const { diagnostics } = findingsOf(policySet, undefined, found, options);
  return { compiled: hasErrors(diagnostics) ? undefined : compiled, diagnostics };
}

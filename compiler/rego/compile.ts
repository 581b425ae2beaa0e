/** `compile`: modules to WebAssembly. */

import { holdOptions, type TableOf } from "@portcullis/runtime/trust";
import { assembleBundle } from "./bundle/index.ts";
import { type Diagnostic, hasErrors, SourceFile } from "./diagnostics/index.ts";
import { compileModules } from "./pipeline/index.ts";
import { moduleSources, SOURCES, type Sources } from "./sources.ts";
import { jsonText } from "./value/index.ts";

/** Modules to compile, and the questions that the result answers. */
export interface CompileOptions extends Sources {
  /** The rules that hosts ask for, as `package/rule`: `authz/allow`. Those annotated with `entrypoint: true` are, too. */
  readonly entrypoints?: readonly string[];
  /** The revision that the bundle carries. Default: a hash of its content. */
  readonly revision?: string | undefined;
}

const COMPILE_OPTIONS: TableOf<CompileOptions> = { ...SOURCES, entrypoints: "array?", revision: "string?" };

/** A compiled policy. INVARIANT: the same sources give the same bytes, in whatever order modules are listed. */
export interface Compiled {
  /** The module: OPA's wasm ABI 1.3, for `load` of @portcullis/runtime, `loadPolicy` of opa-wasm, and SDKs of other languages. */
  readonly wasm: Uint8Array;
  /** `bundle.tar.gz` with module, data, Rego and manifest, for every OPA and for `load`. */
  readonly bundle: Uint8Array;
  /** The names that `evaluate` takes, in order of their numbers. */
  readonly entrypoints: readonly string[];
  readonly revision: string;
}

/** The policy, or the findings that stand in its way. */
export interface CompileResult {
  /** `undefined` when there are errors. */
  readonly compiled: Compiled | undefined;
  /** All findings, warnings too. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Compiles modules and data to one WebAssembly module with a bundle around it.
 *
 * Errors: faults of the modules are diagnostics. Rejects with a CapabilitiesError for malformed capabilities, and with a
 * TypeError for data that is not an object of JSON, and for an option that is unknown or of another type. Cost: all of the compiler's passes and the packing of a
 * bundle; a process's first compilation costs more, since it starts the runtime library that evaluates constants.
 */
export async function compile(options: CompileOptions): Promise<CompileResult> {
  holdOptions(options, COMPILE_OPTIONS);
  const sources = moduleSources(options);
  const { compiled, diagnostics } = await compileModules({ ...sources, entrypoints: options.entrypoints ?? [] });
  if (compiled === undefined || hasErrors(diagnostics)) return { compiled: undefined, diagnostics };
  const { entrypoints, roots } = compiled;
  const { bundle, manifest, wasm } = await assembleBundle({
    dataText: `${jsonText(sources.data)}\n`,
    rego: bundlePaths(sources.modules),
    wasm: compiled.wasm,
    entrypoints,
    roots,
    revision: options.revision,
    versions: {},
  });
  return { compiled: { wasm, bundle, entrypoints, revision: manifest.revision }, diagnostics };
}

/** Modules at the paths that their names are, inside the bundle and nowhere above it. Each has a path of its own. */
function bundlePaths(modules: readonly SourceFile[]): { readonly path: string; readonly file: SourceFile }[] {
  const taken = new Set<string>();
  return [...modules]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((file) => {
      const parts = file.name.split(/[\\/]/).filter((part) => !["", ".", ".."].includes(part));
      const stem = parts.join("/").replace(/(?:\.rego)?$/, "") || "module";
      let path = `${stem}.rego`;
      for (let n = 2; taken.has(path); n++) path = `${stem}-${n}.rego`;
      taken.add(path);
      return { path, file: new SourceFile(path, file.text, file.regoVersion) };
    });
}

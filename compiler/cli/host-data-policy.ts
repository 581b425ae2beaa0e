/**
 * The Rego of a bundle compiled without its data, which the host supplies instead: what the same rules answer for other data.
 * It is the same Rego and the same compiler; that it answers alike for the bundle's own data is for the caller to check.
 */

import { describeBundle, load, type Policy } from "@portcullis/runtime";
import { hasErrors } from "../base/diagnostic.ts";
import { SourceFile } from "../base/source-file.ts";
import { librarySchemas } from "../library/library.embedded.ts";
import { CliError, EXIT_USAGE } from "./exit.ts";
import type { OpenedPolicy } from "./policy-argument.ts";

/** Every Rego file of a bundle, under its path. Throws CliError when there is none. */
export function regoOf({ files }: OpenedPolicy, path: string): SourceFile[] {
  const modules = [...files]
    .filter(([name]) => name.endsWith(".rego"))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, bytes]) => new SourceFile(name, new TextDecoder().decode(bytes)));
  if (modules.length === 0)
    throw new CliError(
      `\`${path}\` holds no Rego`,
      EXIT_USAGE,
      "build it again: bundles carry the Rego they are made of",
    );
  return modules;
}

/** The schemas that the library's annotations name. */
export function schemasByName(): Map<string, unknown> {
  return new Map(librarySchemas.map(({ name, text }) => [name.replace(/\.json$/, ""), JSON.parse(text) as unknown]));
}

/** Throws CliError when the Rego does not compile, as when another compiler made the bundle. */
export async function hostDataPolicy(opened: OpenedPolicy, path: string): Promise<Policy> {
  const { compileModules } = await import("../compile-modules.ts");
  const { builtins } = await describeBundle(opened.bundle);
  const { compiled, diagnostics } = await compileModules({
    modules: regoOf(opened, path),
    schemas: schemasByName(),
    ensure: opened.policy.entrypoints,
    allowBuiltins: builtins,
  });
  if (compiled === undefined || hasErrors(diagnostics)) {
    const first = diagnostics.find((d) => d.severity === "error");
    throw new CliError(
      `the Rego in \`${path}\` does not compile: ${first?.message ?? "no reason given"}`,
      EXIT_USAGE,
      "build the bundle again with this version of portcullis",
    );
  }
  return load(compiled.wasm, { data: opened.data });
}

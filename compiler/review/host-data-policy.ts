/**
 * The Rego of a bundle compiled without its data, which the host supplies instead: what the same rules answer for other data.
 * It is the same Rego and the same compiler; that it answers alike for the bundle's own data is for the caller to check.
 */

import { builtins } from "@portcullis/builtins";
import { describeBundle, load, type Policy } from "@portcullis/runtime";
import type { JsonObject } from "../base/json-object.ts";
import { SourceFile } from "../base/source-file.ts";
import { CliError, EXIT_USAGE } from "../cli/exit.ts";
import type { OpenedPolicy } from "../cli/policy-argument.ts";
import { librarySchemas } from "../library/library.embedded.ts";

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

export interface HostDataOptions {
  /** Modules beside those of the bundle; one that does not compile is left out. */
  readonly extra?: readonly SourceFile[];
  /** Rules that become entrypoints if they exist, beside those of the bundle. */
  readonly ensure?: readonly string[];
  /** Default: the bundle's own. */
  readonly data?: JsonObject;
}

/** Throws CliError when the Rego does not compile, as when another compiler made the bundle. */
export async function hostDataPolicy(
  opened: OpenedPolicy,
  path: string,
  { extra = [], ensure = [], data = opened.data }: HostDataOptions = {},
): Promise<Policy> {
  const { compileModules } = await import("../compile-modules.ts");
  const { builtins: needed } = await describeBundle(opened.bundle);
  const modules = regoOf(opened, path);
  for (let more = [...extra]; ; ) {
    const { compiled, diagnostics } = await compileModules({
      modules: [...modules, ...more],
      schemas: schemasByName(),
      ensure: [...opened.policy.entrypoints, ...ensure],
      allowBuiltins: needed,
    });
    const errors = diagnostics.filter((d) => d.severity === "error");
    if (compiled !== undefined && errors.length === 0) return load(compiled.wasm, { builtins, data });
    const broken = new Set(errors.map((d) => d.span?.file));
    const kept = more.filter((file) => !broken.has(file));
    if (kept.length === more.length) {
      throw new CliError(
        `the Rego in \`${path}\` does not compile: ${errors[0]?.message ?? "no reason given"}`,
        EXIT_USAGE,
        "build the bundle again with this version of portcullis",
      );
    }
    more = kept;
  }
}

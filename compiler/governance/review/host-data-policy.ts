/**
 * The Rego of a bundle, compiled without its data, which the host supplies instead: the same rules over other data.
 * It is the same Rego and the same compiler; the caller checks that it answers alike for the bundle's own data.
 */

import { failure, type Result, type SourceFile, success } from "@portcullis/rego/diagnostics";
import type { JsonObject } from "@portcullis/rego/value";
import { describeBundle, type Policy } from "@portcullis/runtime";
import { librarySchemas } from "../library/index.ts";
import { bundleModules } from "./bundle-modules.ts";
import type { OpenedPolicy } from "./opened-policy.ts";

/** Why the Rego of a bundle cannot be evaluated. */
export type RegoProblem = "no-rego" | "rego-does-not-compile";

/** Every Rego file of a bundle, under its path; at least one. */
export function regoOf(opened: OpenedPolicy): Result<SourceFile[], RegoProblem> {
  const { name } = opened;
  const modules = bundleModules(opened).sort((a, b) => (a.name < b.name ? -1 : 1));
  if (modules.length > 0) return success(modules);
  return failure("no-rego", `\`${name}\` holds no Rego`, "build it again: bundles carry the Rego they are made of");
}

/** The schemas that the library's annotations name. */
export function schemasByName(): Map<string, unknown> {
  return new Map(librarySchemas.map(({ name, text }) => [name.replace(/\.json$/, ""), JSON.parse(text) as unknown]));
}

export interface HostDataOptions {
  /** Modules beside those of the bundle; one that does not compile is left out. */
  readonly extra?: readonly SourceFile[];
  /** Paths of modules that are left out. */
  readonly without?: ReadonlySet<string>;
  /** Rules that become entrypoints if they exist, beside those of the bundle. */
  readonly ensure?: readonly string[];
  /** Compile only these entrypoints. Default: all. */
  readonly only?: readonly string[];
  /** Default: the bundle's own. */
  readonly data?: JsonObject;
}

/** A problem when the Rego does not compile, as when another compiler made the bundle. */
export async function hostDataPolicy(
  opened: OpenedPolicy,
  options: HostDataOptions = {},
): Promise<Result<Policy, RegoProblem>> {
  const loading = await hostDataLoader(opened, options);
  return loading.ok ? success(await loading.value()) : loading;
}

/** Compiles once, and loads as often as it is called. */
export async function hostDataLoader(
  opened: OpenedPolicy,
  { extra = [], without, ensure = [], only, data = opened.data }: HostDataOptions = {},
): Promise<Result<() => Promise<Policy>, RegoProblem>> {
  const modules = regoOf(opened);
  if (!modules.ok) return modules;
  const { compileModules } = await import("@portcullis/rego/pipeline");
  const { builtins: needed } = await describeBundle(opened.bundle);
  for (let more = [...extra]; ; ) {
    const { compiled, diagnostics } = await compileModules({
      modules: [...modules.value.filter(({ name }) => without?.has(name) !== true), ...more],
      schemas: schemasByName(),
      ensure: [...opened.policy.entrypoints, ...ensure],
      only,
      allowBuiltins: needed,
    });
    const errors = diagnostics.filter((d) => d.severity === "error");
    if (compiled !== undefined && errors.length === 0) return success(() => opened.load(compiled.wasm, data));
    const broken = new Set(errors.map((d) => d.span?.file));
    const kept = more.filter((file) => !broken.has(file));
    if (kept.length === more.length) {
      return failure(
        "rego-does-not-compile",
        `the Rego in \`${opened.name}\` does not compile: ${errors[0]?.message ?? "no reason given"}`,
        "build the bundle again with this version of portcullis",
      );
    }
    more = kept;
  }
}

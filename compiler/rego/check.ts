/** `check`: the findings of modules, without a module. */

import { holdOptions, type TableOf } from "@portcullis/runtime/trust";
import { type Diagnostic, hasErrors } from "./diagnostics/index.ts";
import { planModules } from "./pipeline/index.ts";
import { moduleSources, SOURCES, type Sources } from "./sources.ts";

/** Modules to check, and how strictly. */
export interface CheckOptions extends Sources {
  /** OPA's strict mode, as `opa check --strict`: unused imports, assignments and arguments are errors. Default: off. */
  readonly strict?: boolean;
}

const OPTIONS: TableOf<CheckOptions> = { ...SOURCES, strict: "boolean" };

/** What is wrong with modules. */
export interface CheckResult {
  /** There are no errors; there may be warnings. */
  readonly ok: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Parses modules, resolves names, orders bodies for safety, and checks calls and types: what `opa check` finds. Only that a policy
 * is too large for a module is found by `compile` alone.
 *
 * Errors: faults of the modules are diagnostics. Throws as `compile` does, for wrong options. Cost: less than `compile`,
 * as no code is generated.
 */
export function check(options: CheckOptions): CheckResult {
  holdOptions(options, OPTIONS);
  const strict = options.strict === true;
  const { diagnostics } = planModules({ ...moduleSources(options), strict, bugs: () => true, checkOnly: true });
  return { ok: !hasErrors(diagnostics), diagnostics };
}

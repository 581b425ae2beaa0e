/** `check`: the findings of a policy set, without a bundle. */

import type { Diagnostic } from "./base/diagnostic.ts";
import { hasErrors } from "./base/diagnostic.ts";
import { type CompileOptions, compile } from "./pipeline.ts";

export interface CheckResult {
  /** No errors (no findings at all when `strict`). */
  readonly ok: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** Everything that `compile` finds; entrypoints are compiled too, since some faults show only then. */
export async function check(options: CompileOptions): Promise<CheckResult> {
  const { diagnostics } = await compile(options);
  return { ok: !hasErrors(diagnostics), diagnostics };
}

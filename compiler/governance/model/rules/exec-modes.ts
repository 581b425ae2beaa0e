/** An execution policy that denies more than it seems to, or allows more than its contract. */

import { type Diagnostic, didYouMean } from "@portcullis/rego/diagnostics";
import { modelDiagnostic } from "../codes.ts";
import type { Model } from "../model.ts";

/** The modes that the contract of execution allows inline code in. */
const INLINE: readonly string[] = ["mode-init", "break-glass"];

export function* execModes({ exec }: Model): Iterable<Diagnostic> {
  if (exec === undefined) return;
  if (exec.modes.length === 0) yield modelDiagnostic("model/exec-without-modes", {}, exec.span);
  if (exec.stagingRoot === undefined) yield modelDiagnostic("model/exec-without-staging-root", {}, exec.span);
  const modes = exec.modes.map((m) => m.name);
  for (const mode of exec.inlineModes ?? []) {
    if (!modes.includes(mode.name))
      yield modelDiagnostic(
        "model/undefined-inline-mode",
        { mode: mode.name },
        mode.span,
        didYouMean(mode.name, modes),
      );
    else if (!INLINE.includes(mode.name))
      yield modelDiagnostic("model/inline-in-other-mode", { mode: mode.name }, mode.span);
  }
}

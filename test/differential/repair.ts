/**
 * Generated programs that are not valid Rego, mended: statements and values of rules where an error stands become `true`, so that most seeds
 * give a program to compare. That the others are refused is what the suites of the analyser hold.
 */

import type { Diagnostic } from "../../compiler/rego/diagnostics/diagnostic.ts";
import type { Policy } from "../../compiler/rego/plan/ir.ts";
import { compile } from "../rego/plan/compile.ts";

const ROUNDS = 5;

interface Program {
  readonly modules: readonly string[];
  readonly package: string;
}

export type Mended<P extends Program> =
  | { readonly program: P; readonly policy: Policy }
  /** The code of an error that stands elsewhere than in a statement of a body. */
  | { readonly policy?: undefined; readonly code: string };

/** The package is the entrypoint, unless there are others. */
export function mend<P extends Program>(program: P, entrypoints: readonly string[] = [program.package]): Mended<P> {
  let current = program;
  for (let round = 1; ; round++) {
    const { policy, diagnostics } = compile(current.modules, { entrypoints, keyed: true });
    if (policy !== undefined) return { program: current, policy };
    const modules = round < ROUNDS ? withoutErrors(current.modules, diagnostics) : undefined;
    if (modules === undefined) return { code: diagnostics.find((d) => d.severity === "error")?.code ?? "no-code" };
    current = { ...current, modules };
  }
}

function withoutErrors(modules: readonly string[], diagnostics: readonly Diagnostic[]): string[] | undefined {
  const lines = modules.map((text) => text.split("\n"));
  let changed = false;
  for (const { severity, span } of diagnostics) {
    if (severity !== "error" || span === undefined) continue;
    const index = Number(/^module-(\d+)\.rego$/.exec(span.file.name)?.[1]);
    const line = span.file.text.slice(0, span.start).split("\n").length - 1;
    const old = lines[index]?.[line];
    if (old === undefined) continue;
    const mended = mendedLine(old);
    (lines[index] as string[])[line] = mended;
    changed ||= mended !== old;
  }
  return changed ? lines.map((l) => l.join("\n")) : undefined;
}

/** Statements of bodies, and they alone, are indented; each has its own line, and so has each head with its value. */
function mendedLine(line: string): string {
  if (line.startsWith("\t")) return "\ttrue";
  return line.replace(/ (:=|contains) .* if \{$/, " $1 true if {");
}

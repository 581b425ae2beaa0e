/** Runs the governance stages over files in memory, and says findings in a short form that tests can compare. */

import type { Host } from "../../../compiler/documents/host.ts";
import { type LowerResult, lowerToData } from "../../../compiler/governance/lower/index.ts";
import { buildModel, buildTests, checkModel, type Model } from "../../../compiler/governance/model/index.ts";
import { type LoadResult, loadSources, syntaxCauses } from "../../../compiler/governance/sources/index.ts";
import type { Diagnostic } from "../../../compiler/rego/diagnostics/diagnostic.ts";
import { type Files, virtualHost } from "../sources/virtual-host.ts";

export interface Compiled {
  readonly load: LoadResult;
  readonly model: Model;
  readonly lowered: LowerResult;
  readonly diagnostics: readonly Diagnostic[];
}

export function compileHost(host: Host, dirs: readonly string[]): Compiled {
  const load = loadSources(host, dirs);
  const { model, diagnostics } = buildModel(load.set);
  const lowered = lowerToData(model, load.set.data);
  const tests = buildTests(load.set.tests, model);
  const all = [...load.diagnostics, ...diagnostics, ...checkModel(model), ...lowered.diagnostics, ...tests.diagnostics];
  return { load, model, lowered, diagnostics: syntaxCauses(all) };
}

export function compileFiles(files: Files): Compiled {
  return compileHost(virtualHost({ p: files }), ["p"]);
}

/** `code path:line:column`, without the folder's name; a finding without a place is its code alone. */
export function brief(diagnostic: Diagnostic): string {
  const { code, span } = diagnostic;
  if (span === undefined) return code;
  const { line, column } = span.file.positionAt(span.start);
  return `${code} ${span.file.name.replace(/^p\//, "")}:${line}:${column}`;
}

/** What the span covers. */
export function marked({ span }: Diagnostic): string | undefined {
  return span?.file.text.slice(span.start, span.end);
}

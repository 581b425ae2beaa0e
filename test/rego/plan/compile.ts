/** From texts to IR, for tests: parse, analyze, plan, and verify what came out. */

import { type AnalyzeOptions, analyze } from "../../../compiler/rego/analyze/index.ts";
import { type Diagnostic, hasErrors } from "../../../compiler/rego/diagnostics/diagnostic.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { span } from "../../../compiler/rego/diagnostics/span.ts";
import type { Policy } from "../../../compiler/rego/plan/ir.ts";
import { planPolicy } from "../../../compiler/rego/plan/planner.ts";
import { parseModule, parseQuery } from "../../../compiler/rego/syntax/parser.ts";
import { assertVerified } from "./verify.ts";

export interface Compiled {
  /** `undefined` with errors among the diagnostics. */
  readonly policy: Policy | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

export interface Request extends AnalyzeOptions {
  readonly entrypoints?: readonly string[];
  readonly query?: string;
  /** As for `planPolicy`. */
  readonly indexFrom?: number;
  readonly keyed?: boolean;
}

export function compile(modules: readonly string[], request: Request): Compiled {
  const found: Diagnostic[] = [];
  const parsed = modules.flatMap((text, i) => {
    const { module, diagnostics } = parseModule(new SourceFile(`module-${i}.rego`, text));
    found.push(...diagnostics);
    return module ?? [];
  });
  const { entrypoints = [], query, indexFrom, keyed = false, ...options } = request;
  const queries = [];
  if (query !== undefined) {
    const file = new SourceFile("<query>", query);
    const { body, diagnostics } = parseQuery(file);
    found.push(...diagnostics);
    if (body !== undefined) queries.push({ name: "eval", body, span: span(file, 0, query.length) });
  }
  if (hasErrors(found)) return { policy: undefined, diagnostics: found };
  const analyzed = analyze(parsed, { ...options, queries });
  found.push(...analyzed.diagnostics);
  if (analyzed.policy === undefined) return { policy: undefined, diagnostics: found };
  const planned = planPolicy(analyzed.policy, entrypoints, { indexFrom, keyed });
  found.push(...planned.diagnostics);
  if (hasErrors(found)) return { policy: undefined, diagnostics: found };
  assertVerified(planned.policy);
  return { policy: planned.policy, diagnostics: found };
}

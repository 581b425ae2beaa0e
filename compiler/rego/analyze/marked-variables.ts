/** The analysis places an unsafe variable where OPA does, at the whole statement; a person looks for the variable in it. */

import type { Diagnostic, Span } from "../diagnostics/index.ts";
import { children, type Module, type Node } from "../syntax/index.ts";

/** The findings, those on a variable at the first place of it in the statement. */
export function markingVariables(found: readonly Diagnostic[], modules: readonly Module[]): Diagnostic[] {
  return found.map((d) => {
    const { code, params, span } = d;
    if (code !== "analyze/unsafe-var" || span === undefined) return d;
    const module = modules.find((m) => m.span.file === span.file);
    const place = module?.rules.map((rule) => variableIn(rule, String(params?.["name"]), span)).find((p) => p);
    return place === undefined ? d : { ...d, span: place };
  });
}

function variableIn(node: Node, name: string, within: Span): Span | undefined {
  const { start, end } = node.span;
  if (end <= within.start || start >= within.end) return undefined;
  if (node.kind === "Var")
    return node.name === name && start >= within.start && end <= within.end ? node.span : undefined;
  for (const child of children(node)) {
    const place = variableIn(child, name, within);
    if (place !== undefined) return place;
  }
  return undefined;
}

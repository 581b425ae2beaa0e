/** Which expression of an author's a statement was made of: analysis takes expressions apart. */

import type { CheckedPolicy } from "../analyze/index.ts";
import type { Span } from "../diagnostics/index.ts";
import { children, type Node } from "../syntax/index.ts";

export interface Written {
  /** The innermost expression of an author's that a statement was made of. */
  around(at: Span): Span | undefined;
}

/** The expressions of all modules as written, by file. */
export class WrittenExpressions implements Written {
  private readonly byFile = new Map<Span["file"], Span[]>();

  constructor({ modules }: CheckedPolicy) {
    for (const module of modules) {
      const found: Span[] = [];
      for (const rule of module.rules) collect(rule, found);
      this.byFile.set(module.span.file, found);
    }
  }

  around(at: Span): Span | undefined {
    return innermost(this.byFile.get(at.file) ?? [], at);
  }
}

function collect(node: Node, into: Span[]): void {
  if (node.kind === "TemplateString") return;
  if (node.kind === "Expr" && (node.body.kind !== "SomeDecl" || node.body.domain !== undefined)) into.push(node.span);
  for (const child of children(node)) collect(child, into);
}

/** Spans come in the order of the text, outer ones first. */
export function innermost(spans: readonly Span[], { file, start, end }: Span): Span | undefined {
  return spans.findLast((s) => s.file === file && s.start <= start && end <= s.end);
}

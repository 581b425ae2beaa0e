/** How large a body of the IR is. */

import type { Span } from "../base/span.ts";
import { blocksOf } from "./fields.ts";
import type { Block } from "./ir.ts";

/** Nesting, number of statements, and the first location of the text that they come from; without recursion, since the answer may be "too deep". */
export function measure(blocks: readonly Block[]): { depth: number; statements: number; span: Span | undefined } {
  let depth = 0;
  let statements = 0;
  let first: Span | undefined;
  const pending = blocks.map((block) => ({ block, level: 1 }));
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    depth = Math.max(depth, next.level);
    statements += next.block.stmts.length;
    for (const stmt of next.block.stmts) {
      if (stmt.span !== undefined && (first === undefined || isBefore(stmt.span, first))) first = stmt.span;
      for (const block of blocksOf(stmt)) pending.push({ block, level: next.level + 1 });
    }
  }
  return { depth, statements, span: first };
}

function isBefore(a: Span, b: Span): boolean {
  return a.file.name === b.file.name ? a.start < b.start : a.file.name < b.file.name;
}

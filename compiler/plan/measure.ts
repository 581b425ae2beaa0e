/** How large a body of the IR is. */

import type { Span } from "../base/span.ts";
import { blocksOf } from "./fields.ts";
import type { Block, Stmt } from "./ir.ts";

/** Nesting, number of statements, and the first location of the text that they come from; without recursion, since the answer may be "too deep". */
export function measure(blocks: readonly Block[]): { depth: number; statements: number; span: Span | undefined } {
  let depth = 0;
  let statements = 0;
  let first: Span | undefined;
  const pending = blocks.map((block) => ({ block, level: 1 }));
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { stmts } = next.block;
    depth = Math.max(depth, next.level);
    statements += stmts.length;
    for (let i = 0; i < stmts.length; i++) {
      const stmt = stmts[i] as Stmt;
      if (stmt.span !== undefined && (first === undefined || isBefore(stmt.span, first))) first = stmt.span;
      const inner = blocksOf(stmt);
      for (let j = 0; j < inner.length; j++) pending.push({ block: inner[j] as Block, level: next.level + 1 });
    }
  }
  return { depth, statements, span: first };
}

function isBefore(a: Span, b: Span): boolean {
  return a.file === b.file || a.file.name === b.file.name ? a.start < b.start : a.file.name < b.file.name;
}

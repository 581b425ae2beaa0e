/** How large a body of the IR is. */

import type { Span } from "../diagnostics/index.ts";
import { blocksOf } from "./fields.ts";
import type { Block, Stmt } from "./ir.ts";

/** Nesting and number of statements; without recursion, since the answer may be "too deep". */
export function measure(blocks: readonly Block[]): { depth: number; statements: number } {
  let depth = 0;
  let statements = 0;
  // Level by level.
  for (let level = blocks; level.length > 0; depth++) {
    const below: Block[] = [];
    for (let i = 0; i < level.length; i++) {
      const { stmts } = level[i] as Block;
      statements += stmts.length;
      for (let j = 0; j < stmts.length; j++) {
        const inner = blocksOf(stmts[j] as Stmt);
        for (let k = 0; k < inner.length; k++) below.push(inner[k] as Block);
      }
    }
    level = below;
  }
  return { depth, statements };
}

/** The first location of the text that statements come from, at any depth. */
export function firstSpan(blocks: readonly Block[]): Span | undefined {
  let first: Span | undefined;
  const pending = [...blocks];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const stmt of next.stmts) {
      if (stmt.span !== undefined && (first === undefined || isBefore(stmt.span, first))) first = stmt.span;
      for (const inner of blocksOf(stmt)) pending.push(inner);
    }
  }
  return first;
}

function isBefore(a: Span, b: Span): boolean {
  return a.file === b.file || a.file.name === b.file.name ? a.start < b.start : a.file.name < b.file.name;
}

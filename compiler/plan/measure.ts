/** How large a body of the IR is. */

import { blocksOf } from "./fields.ts";
import type { Block } from "./ir.ts";

/** Nesting and number of statements; without recursion, since the answer may be "too deep". */
export function measure(blocks: readonly Block[]): { depth: number; statements: number } {
  let depth = 0;
  let statements = 0;
  const pending = blocks.map((block) => ({ block, level: 1 }));
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    depth = Math.max(depth, next.level);
    statements += next.block.stmts.length;
    for (const stmt of next.block.stmts) {
      for (const block of blocksOf(stmt)) pending.push({ block, level: next.level + 1 });
    }
  }
  return { depth, statements };
}

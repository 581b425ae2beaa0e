/** Drops code that cannot be reached, and blocks that do nothing. */

import { type Block, blocksOf, hasEffect, mapSame, type Stmt, withBlocks, withStmts } from "../plan/index.ts";

/** Blocks that run one after the other, without the statements behind a break. */
export function simplifyBlocks(blocks: readonly Block[]): readonly Block[] {
  return mapSame(blocks, simplify);
}

function simplify(block: Block): Block {
  const stmts: Stmt[] = [];
  for (const original of block.stmts) {
    const stmt = simplifyStmt(original);
    if (stmt === undefined) continue;
    stmts.push(stmt);
    if (!goesOn(stmt)) break;
  }
  return withStmts(block, stmts);
}

/** `undefined` for a statement that does nothing. */
function simplifyStmt(original: Stmt): Stmt | undefined {
  if (original.kind === "NopStmt") return undefined;
  const stmt = withBlocks(original, simplify);
  if (stmt.kind !== "BlockStmt") return stmt;
  const blocks: Block[] = [];
  for (const block of stmt.blocks) {
    // The end of these blocks has no meaning: leaving there is the same. The end of a Not, a Scan or a With has one.
    const last = block.stmts[block.stmts.length - 1];
    const kept = last?.kind === "BreakStmt" && last.index === 0 ? { stmts: block.stmts.slice(0, -1) } : block;
    if (kept.stmts.length === 0) continue;
    blocks.push(kept);
    if (!endReached(kept)) break;
  }
  const [first] = blocks;
  if (first === undefined) return undefined;
  const only = first.stmts[0];
  if (only?.kind === "BreakStmt") return { ...only, index: only.index - 1 };
  const isSame = blocks.length === stmt.blocks.length && blocks.every((b, i) => b === stmt.blocks[i]);
  return isSame ? stmt : { ...stmt, blocks };
}

/** Whether the statements behind this one in its block can be reached. */
function goesOn(stmt: Stmt): boolean {
  if (stmt.kind === "BlockStmt") return stmt.blocks.every(endReached);
  // Leaving the block of a With fails it.
  if (stmt.kind === "WithStmt") return stmt.block.stmts.every(goesOn);
  if (stmt.kind === "NotStmt") return leaves(stmt.block, 0);
  return !hasEffect(stmt, "leave");
}

/** Whether the statements behind the block can be reached: it runs to its end, or a break leaves it alone. */
function endReached(block: Block): boolean {
  return block.stmts.every(goesOn) || leaves(block, 0);
}

/** Whether a statement in the block, or in blocks inside, may leave the block that is `depth` blocks further out, and no more. */
function leaves(block: Block, depth: number): boolean {
  return block.stmts.some((stmt) => {
    if (stmt.kind === "BreakStmt") return stmt.index === depth;
    // A function that is undefined leaves four blocks, one that is not there leaves one.
    if (stmt.kind === "CallDynamicStmt") return depth === 0 || depth === UNDEFINED_LEAVES;
    if (depth === 0 && mayFail(stmt)) return true;
    return blocksOf(stmt).some((inner) => leaves(inner, depth + 1));
  });
}

/** As the index of a BreakStmt. */
const UNDEFINED_LEAVES = 3;

function mayFail(stmt: Stmt): boolean {
  return !hasEffect(stmt, "none", "assign", "run", "leave");
}

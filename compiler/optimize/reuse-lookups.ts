/**
 * A look-up that was made before in the same block, or in one around it, is not made again: `agent.spawn_depth` that four
 * expressions of a body ask for is asked for once. What was found before was found, or else the block had been left.
 */

import { blocksOf, fieldsOf, withBlocks } from "../plan/fields.ts";
import type { Block, Local, Policy, Stmt, StmtOf } from "../plan/ir.ts";
import { lookupName } from "./lookup-name.ts";

export function reuseLookups(policy: Policy): Policy {
  const none: Known = new Map();
  return {
    ...policy,
    plans: policy.plans.map((p) => ({ ...p, blocks: p.blocks.map((b) => reuse(b, none)) })),
    funcs: policy.funcs.map((f) => ({ ...f, blocks: f.blocks.map((b) => reuse(b, none)) })),
  };
}

/** Look-ups whose results still hold, by what they look up in what. */
type Known = ReadonlyMap<string, StmtOf<"DotStmt">>;

function reuse(block: Block, outer: Known): Block {
  // A loop may run again what stands behind: nothing that the block itself assigns is known at its beginning.
  const known = without(outer, assigned(block.stmts));
  const stmts = block.stmts.map((stmt): Stmt => {
    if (stmt.kind === "DotStmt") {
      const name = lookupName(stmt);
      const before = known.get(name);
      forget(known, [stmt.target]);
      if (before !== undefined && before.target !== stmt.target) {
        return {
          kind: "AssignVarStmt",
          source: { kind: "Local", local: before.target },
          target: stmt.target,
          span: stmt.span,
        };
      }
      const isOwnSource = stmt.source.kind === "Local" && stmt.source.local === stmt.target;
      const isOwnKey = stmt.key.kind === "Local" && stmt.key.local === stmt.target;
      if (!isOwnSource && !isOwnKey) known.set(name, stmt);
      return stmt;
    }
    const changed = assigned([stmt]);
    const inner = without(known, changed);
    forget(known, changed);
    return withBlocks(stmt, (b) => reuse(b, inner));
  });
  return { stmts };
}

/** Every local that the statements assign, change or override, at any depth. */
function assigned(stmts: readonly Stmt[]): Local[] {
  return stmts.flatMap((stmt) => [
    ...fieldsOf(stmt).flatMap((f) => (f.kind === "def" || f.kind === "own" ? [f.value] : [])),
    ...blocksOf(stmt).flatMap((b) => assigned(b.stmts)),
  ]);
}

function without(known: Known, locals: readonly Local[]): Map<string, StmtOf<"DotStmt">> {
  const rest = new Map(known);
  forget(rest, locals);
  return rest;
}

function forget(known: Map<string, StmtOf<"DotStmt">>, locals: readonly Local[]): void {
  const changed = new Set(locals);
  for (const [name, { source, key, target }] of known) {
    const uses = [source, key].some((o) => o.kind === "Local" && changed.has(o.local));
    if (uses || changed.has(target)) known.delete(name);
  }
}

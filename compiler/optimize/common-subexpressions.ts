/**
 * Elimination of common subexpressions: a look-up that was made before in the same block, or in one around it, is not made
 * again. Four expressions of a body that read `agent.spawn_depth` look it up once.
 *
 * INVARIANT: an earlier look-up of the block found something, or else the block had been left.
 */

import { changedIn, withBlocks } from "../plan/fields.ts";
import type { Block, Local, Policy, Stmt, StmtOf } from "../plan/ir.ts";
import { lookupName } from "./lookup-name.ts";

export function eliminateCommonSubexpressions(policy: Policy): Policy {
  const none: Available = new Map();
  return {
    ...policy,
    plans: policy.plans.map((p) => ({ ...p, blocks: p.blocks.map((b) => eliminate(b, none)) })),
    funcs: policy.funcs.map((f) => ({ ...f, blocks: f.blocks.map((b) => eliminate(b, none)) })),
  };
}

/** The available expressions: look-ups whose source, key and result have not changed since, by name. */
type Available = ReadonlyMap<string, StmtOf<"DotStmt">>;

function eliminate(block: Block, outer: Available): Block {
  // A loop may run the block again: a local that the block assigns is not available at its beginning.
  const available = without(outer, assigned(block.stmts));
  const stmts = block.stmts.map((stmt): Stmt => {
    if (stmt.kind === "DotStmt") {
      const name = lookupName(stmt);
      const before = available.get(name);
      forget(available, [stmt.target]);
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
      if (!isOwnSource && !isOwnKey) available.set(name, stmt);
      return stmt;
    }
    if (available.size > 0) forget(available, assigned([stmt]));
    return withBlocks(stmt, (b) => eliminate(b, available));
  });
  return { stmts };
}

/** Every local that the statements assign, change or override, at any depth. */
function assigned(stmts: readonly Stmt[]): Local[] {
  return changedIn([{ stmts }]);
}

function without(available: Available, locals: readonly Local[]): Map<string, StmtOf<"DotStmt">> {
  const rest = new Map(available);
  forget(rest, locals);
  return rest;
}

function forget(available: Map<string, StmtOf<"DotStmt">>, locals: readonly Local[]): void {
  const changed = new Set(locals);
  for (const [name, { source, key, target }] of available) {
    const uses = [source, key].some((o) => o.kind === "Local" && changed.has(o.local));
    if (uses || changed.has(target)) available.delete(name);
  }
}

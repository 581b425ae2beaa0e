/** Which locals may be undefined where they are read, so that statements test only those. */

import { eachLocal, eachStmt, someStmt } from "./fields.ts";
import { type Block, DATA, INPUT, type Local } from "./ir.ts";

/**
 * Input and data may be missing, a local that is reset may not have been set again, and a copy of either may be undefined
 * too. Any other local that is read was assigned by a statement that did not fail. Errs on the side of "may be".
 */
export function undefinedLocals(blocks: readonly Block[]): ReadonlySet<Local> {
  const found = new Set<Local>([INPUT, DATA]);
  /** Locals by the locals that are copied to them. */
  const copies = new Map<Local, Local[]>();
  eachStmt(blocks, (stmt) => {
    if (stmt.kind === "ResetLocalStmt") found.add(stmt.target);
    if (stmt.kind === "WithStmt") found.add(stmt.local);
    if ((stmt.kind === "AssignVarStmt" || stmt.kind === "AssignVarOnceStmt") && stmt.source.kind === "Local") {
      const targets = copies.get(stmt.source.local);
      if (targets === undefined) copies.set(stmt.source.local, [stmt.target]);
      else targets.push(stmt.target);
    }
  });
  // The set grows while it is walked.
  for (const source of found) for (const target of copies.get(source) ?? []) found.add(target);
  return found;
}

/** Whether a statement of the block reads the local, at any depth. */
export function isRead(local: Local, block: Block): boolean {
  return someStmt(block.stmts, (stmt) => {
    let found = false;
    eachLocal(stmt, (named, kind) => {
      // AssignVarOnce compares with the value that is there.
      if (named === local && (kind !== "def" || stmt.kind === "AssignVarOnceStmt")) found = true;
    });
    return found;
  });
}

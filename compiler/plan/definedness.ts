/** Which locals may be undefined where they are read, so that statements test only those. */

import { blocksOf, fieldsOf } from "./fields.ts";
import { type Block, DATA, INPUT, type Local, type Stmt } from "./ir.ts";

/**
 * Input and data may be missing, a local that is reset may not have been set again, and a copy of either may be undefined
 * too. Any other local that is read was assigned by a statement that did not fail. Errs on the side of "may be".
 */
export function undefinedLocals(blocks: readonly Block[]): ReadonlySet<Local> {
  const found = new Set<Local>([INPUT, DATA]);
  /** Locals by the locals that are copied to them. */
  const copies = new Map<Local, Local[]>();
  const visit = (stmt: Stmt): void => {
    if (stmt.kind === "ResetLocalStmt") found.add(stmt.target);
    if (stmt.kind === "WithStmt") found.add(stmt.local);
    if ((stmt.kind === "AssignVarStmt" || stmt.kind === "AssignVarOnceStmt") && stmt.source.kind === "Local") {
      const targets = copies.get(stmt.source.local);
      if (targets === undefined) copies.set(stmt.source.local, [stmt.target]);
      else targets.push(stmt.target);
    }
    for (const block of blocksOf(stmt)) block.stmts.forEach(visit);
  };
  for (const block of blocks) block.stmts.forEach(visit);
  // The set grows while it is walked.
  for (const source of found) for (const target of copies.get(source) ?? []) found.add(target);
  return found;
}

/** The locals that the statements of a block read, at any depth. */
export function localsRead(block: Block): ReadonlySet<Local> {
  const found = new Set<Local>();
  const visit = (stmt: Stmt): void => {
    for (const field of fieldsOf(stmt)) {
      if (field.kind === "use" || field.kind === "probe" || field.kind === "own") found.add(field.value);
      else if (field.kind === "operand" && field.value.kind === "Local") found.add(field.value.local);
      else if (field.kind === "uses") for (const l of field.value) found.add(l);
      else if (field.kind === "operands") for (const o of field.value) if (o.kind === "Local") found.add(o.local);
      // AssignVarOnce compares with the value that is there.
      if (field.kind === "def" && stmt.kind === "AssignVarOnceStmt") found.add(field.value);
    }
    for (const inner of blocksOf(stmt)) inner.stmts.forEach(visit);
  };
  block.stmts.forEach(visit);
  return found;
}

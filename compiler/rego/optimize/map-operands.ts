/** A statement with its operands replaced; nested blocks are left as they are. */

import { mapSame, type Operand, operandFieldsOf, type Stmt } from "../plan/index.ts";

/** The same statement object when no operand changes. */
export function mapOperands<S extends Stmt>(stmt: S, map: (operand: Operand) => Operand): S {
  const values = stmt as unknown as Record<string, unknown>;
  let changed: Record<string, unknown> | undefined;
  for (const [name, kind] of operandFieldsOf(stmt)) {
    const before = values[name];
    const after = kind === "operand" ? map(before as Operand) : mapSame(before as readonly Operand[], map);
    if (after !== before) changed = { ...changed, [name]: after };
  }
  return changed === undefined ? stmt : { ...stmt, ...changed };
}

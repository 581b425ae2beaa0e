/** A statement with its operands replaced; nested blocks are left as they are. */

import { fieldKindsOf } from "../plan/fields.ts";
import type { Operand, Stmt } from "../plan/ir.ts";

/** The same statement object when no operand changes. */
export function mapOperands<S extends Stmt>(stmt: S, map: (operand: Operand) => Operand): S {
  const values = stmt as unknown as Record<string, unknown>;
  let changed: Record<string, unknown> | undefined;
  for (const [name, kind] of fieldKindsOf(stmt.kind) ?? []) {
    if (kind === "operand") {
      const next = map(values[name] as Operand);
      if (next !== values[name]) changed = { ...changed, [name]: next };
    } else if (kind === "operands") {
      const operands = values[name] as readonly Operand[];
      const next = operands.map(map);
      if (next.some((o, i) => o !== operands[i])) changed = { ...changed, [name]: next };
    }
  }
  return changed === undefined ? stmt : { ...stmt, ...changed };
}

/** A statement with its operands replaced; nested blocks are left as they are. */

import { fieldsOf } from "../plan/fields.ts";
import type { Operand, Stmt } from "../plan/ir.ts";

/** The same statement object when no operand changes. */
export function mapOperands<S extends Stmt>(stmt: S, map: (operand: Operand) => Operand): S {
  let changed: Record<string, unknown> | undefined;
  for (const field of fieldsOf(stmt)) {
    if (field.kind === "operand") {
      const next = map(field.value);
      if (next !== field.value) changed = { ...changed, [field.name]: next };
    } else if (field.kind === "operands") {
      const next = field.value.map(map);
      if (next.some((o, i) => o !== field.value[i])) changed = { ...changed, [field.name]: next };
    }
  }
  return changed === undefined ? stmt : { ...stmt, ...changed };
}

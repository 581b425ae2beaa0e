/** The value number of a look-up: two of one name give the same result as long as neither local changes. */

import type { Operand, StmtOf } from "../plan/index.ts";

export function lookupName({ source, key }: StmtOf<"DotStmt">): string {
  return `${operandName(source)} ${operandName(key)}`;
}

export function operandName(operand: Operand): string {
  switch (operand.kind) {
    case "Local":
      return `L${operand.local}`;
    case "Boolean":
      return String(operand.value);
    case "String":
      return `"${operand.index}`;
    case "Constant":
      return `#${operand.index}`;
  }
}

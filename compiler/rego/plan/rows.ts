/** Solutions carried out of a block as rows of a list: the values of their variables, and a value. */

import { local, type Operand } from "./ir.ts";
import type { Scope } from "./scope.ts";

/** Iterates over rows made by `[names…, value]`: binds the names, gives the value. */
export function unpack(scope: Scope, rows: number, names: readonly string[]): Operand {
  const { emitter } = scope;
  const row = emitter.scan(local(rows)).value;
  const at = (i: number): Operand => {
    const index = emitter.local();
    emitter.emit({ kind: "MakeNumberIntStmt", value: i, target: index });
    return emitter.dot(row, local(index));
  };
  names.forEach((name, i) => {
    scope.bind(name, at(i));
  });
  return at(names.length);
}

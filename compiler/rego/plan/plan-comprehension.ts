/** Comprehensions: a collection, and a block that adds to it. Nothing in the block can make them undefined. */

import type { ArrayComprehension, ObjectComprehension, SetComprehension } from "../syntax/index.ts";
import { local, type Operand } from "./ir.ts";
import { planBody } from "./plan-expr.ts";
import { planIndexedComprehension } from "./plan-grouping.ts";
import { planTerm } from "./plan-term.ts";
import type { Scope } from "./scope.ts";

export function planComprehension(
  scope: Scope,
  term: ArrayComprehension | SetComprehension | ObjectComprehension,
): Operand {
  const indexed = planIndexedComprehension(scope, term);
  if (indexed !== undefined) return indexed;
  const { emitter } = scope;
  const target = emitter.local();
  const collect = (add: () => void): Operand => {
    emitter.block(() =>
      scope.locally(() => {
        planBody(scope, term.body);
        add();
      }),
    );
    return local(target);
  };
  switch (term.kind) {
    case "ArrayComprehension":
      emitter.emit({ kind: "MakeArrayStmt", capacity: 0, target });
      return collect(() => emitter.emit({ kind: "ArrayAppendStmt", value: planTerm(scope, term.term), array: target }));
    case "SetComprehension":
      emitter.emit({ kind: "MakeSetStmt", target });
      return collect(() => emitter.emit({ kind: "SetAddStmt", value: planTerm(scope, term.term), set: target }));
    case "ObjectComprehension":
      emitter.emit({ kind: "MakeObjectStmt", target });
      return collect(() => {
        const key = planTerm(scope, term.key);
        const value = planTerm(scope, term.value);
        emitter.emit({ kind: "ObjectInsertOnceStmt", key, value, object: target });
      });
  }
}

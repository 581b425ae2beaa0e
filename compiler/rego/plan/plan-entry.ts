/** The plans, at which an evaluation starts. Each adds its results to the result set. */

import type { CheckedQuery } from "../analyze/index.ts";
import type { Context } from "./context.ts";
import type { DocumentNode } from "./documents.ts";
import { Emitter } from "./emitter.ts";
import type { Operand, Plan } from "./ir.ts";
import { planDocument } from "./plan-document.ts";
import { planBody } from "./plan-expr.ts";
import { type PolicyPlan, Scope } from "./scope.ts";

/** `{"result": value}` of a document; nothing when it is undefined. */
export function planResult(policy: PolicyPlan, context: Context, name: string, node: DocumentNode): Plan {
  const emitter = new Emitter(2);
  const scope = new Scope(emitter, policy, context);
  emitter.at = node.group?.definitions[0]?.rule.head.span;
  addResult(scope, [["result", planDocument(scope, node)]]);
  return { name, blocks: emitter.blocks };
}

/** One object of variables and their values for every solution. */
export function planQuery(policy: PolicyPlan, context: Context, query: CheckedQuery): Plan {
  const emitter = new Emitter(2);
  const scope = new Scope(emitter, policy, context);
  planBody(scope, query.body);
  addResult(
    scope,
    query.bindings.map(({ name, local }) => [name, scope.variable(local)]),
  );
  return { name: query.name, blocks: emitter.blocks };
}

function addResult(scope: Scope, values: readonly (readonly [string, Operand])[]): void {
  const { emitter } = scope;
  const object = emitter.local();
  emitter.emit({ kind: "MakeObjectStmt", target: object });
  for (const [name, value] of values)
    emitter.emit({ kind: "ObjectInsertStmt", key: scope.string(name), value, object });
  emitter.emit({ kind: "ResultSetAddStmt", value: object });
}

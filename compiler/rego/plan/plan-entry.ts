/** The plans, at which an evaluation starts. Each adds its results to the result set. */

import type { CheckedQuery } from "../analyze/index.ts";
import type { Span } from "../diagnostics/index.ts";
import type { Term } from "../syntax/index.ts";
import type { Context } from "./context.ts";
import type { DocumentNode } from "./documents.ts";
import { Emitter } from "./emitter.ts";
import { insertedCall } from "./inserted-call.ts";
import type { Operand, Plan } from "./ir.ts";
import { planDataRef } from "./plan-data.ts";
import { planDocument } from "./plan-document.ts";
import { planBody } from "./plan-expr.ts";
import { planTerm } from "./plan-term.ts";
import { type PolicyPlan, Scope } from "./scope.ts";

/** `{"result": value}` of a document; nothing when it is undefined. */
export function planResult(policy: PolicyPlan, context: Context, name: string, node: DocumentNode): Plan {
  const emitter = new Emitter(2);
  const scope = new Scope(emitter, policy, context);
  emitter.at = node.group?.definitions[0]?.rule.head.span;
  addResult(scope, [["result", planDocument(scope, node)]]);
  return { name, blocks: emitter.blocks };
}

/** The same of what is at a path, of which the document may be a part. */
export function planReference(
  policy: PolicyPlan,
  context: Context,
  { name, path, span }: { readonly name: string; readonly path: readonly Term[]; readonly span: Span },
): Plan {
  const emitter = new Emitter(2);
  const scope = new Scope(emitter, policy, context);
  emitter.at = span;
  const head: Term = { kind: "Var", span, name: "data" };
  addResult(scope, [["result", planDataRef(scope, { kind: "Ref", span, head, args: path })]]);
  return { name, blocks: emitter.blocks };
}

/** One object of variables and their values for every solution. */
export function planQuery(policy: PolicyPlan, context: Context, query: CheckedQuery): Plan {
  const emitter = new Emitter(2);
  const scope = new Scope(emitter, policy, context);
  if (query.expressions !== undefined) {
    addResult(scope, [["result", planAnswers(scope, query.body, query.bindings, query.expressions)]]);
    return { name: query.name, blocks: emitter.blocks };
  }
  planBody(scope, query.body);
  addResult(
    scope,
    query.bindings.map(({ name, local }) => [name, scope.variable(local)]),
  );
  return { name: query.name, blocks: emitter.blocks };
}

/**
 * The solutions in their order, as the JSON text that `opa eval` prints for them: numbers keep every digit. Solutions without
 * variables have no member for them.
 */
function planAnswers(
  scope: Scope,
  body: CheckedQuery["body"],
  bindings: CheckedQuery["bindings"],
  expressions: NonNullable<CheckedQuery["expressions"]>,
): Operand {
  const span = body[0]?.span as Span;
  const text = (value: string): Term => ({ kind: "String", span, value, raw: false });
  const number = (value: number): Term => ({ kind: "Number", span, text: String(value) });
  const object = (entries: readonly (readonly [string, Term])[]): Term => ({
    ...{ kind: "Object", span },
    entries: entries.map(([key, value]) => [text(key), value] as const),
  });
  const value = (name: string | undefined): Term =>
    name === undefined ? { kind: "Boolean", span, value: true } : { kind: "Var", span, name };
  const expression = ({ span: at, local }: (typeof expressions)[number]): Term => {
    const { line, column } = at.file.positionAt(at.start);
    const location = object([
      ["col", number(column)],
      ["row", number(line)],
    ]);
    return object([
      ["location", location],
      ["text", text(at.file.text.slice(at.start, at.end))],
      ["value", value(local)],
    ]);
  };
  const values = bindings.map(({ name, local }) => [name, value(local)] as const);
  const term = object([
    ...(values.length === 0 ? [] : [["bindings", object(values)] as const]),
    ["expressions", { kind: "Array", span, items: expressions.map(expression) }],
  ]);
  scope.bind(SOLUTIONS, planTerm(scope, { kind: "ArrayComprehension", span, term, body }));
  return planTerm(scope, insertedCall("json.marshal", [{ kind: "Var", span, name: SOLUTIONS }], span).body as Term);
}

/** A local that no query can name. */
const SOLUTIONS = "#solutions";

function addResult(scope: Scope, values: readonly (readonly [string, Operand])[]): void {
  const { emitter } = scope;
  const object = emitter.local();
  emitter.emit({ kind: "MakeObjectStmt", target: object });
  for (const [name, value] of values)
    emitter.emit({ kind: "ObjectInsertStmt", key: scope.string(name), value, object });
  emitter.emit({ kind: "ResultSetAddStmt", value: object });
}

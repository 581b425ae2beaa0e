/** Terms to operands. Evaluating a term may fail, and may iterate: then the cursor is inside the loop afterwards. */

import { InternalError } from "../diagnostics/index.ts";
import { isJson, isScalar, jsonValue, type ObjectTerm, type Term, type Var } from "../syntax/index.ts";
import type { Value } from "../value/index.ts";
import { bool, INPUT, local, type Operand } from "./ir.ts";
import { planCall } from "./plan-call.ts";
import { planComprehension } from "./plan-comprehension.ts";
import { planDocument } from "./plan-document.ts";
import { planRef } from "./plan-ref.ts";
import { planTemplate } from "./plan-template.ts";
import type { Scope } from "./scope.ts";

export function planTerm(scope: Scope, term: Term): Operand {
  switch (term.kind) {
    case "Null":
      return planNull(scope);
    case "Boolean":
      return bool(term.value);
    case "Number":
      return planNumber(scope, term.text);
    case "String":
      return scope.string(term.value);
    case "Constant":
      return planValue(scope, term.value);
    case "Var":
      return planVar(scope, term);
    case "Ref":
      return planRef(scope, term);
    case "Call":
      return planCall(scope, term);
    case "Array":
      if (scope.policy.foldsJson && isJson(term)) return scope.policy.constant(jsonValue(term));
      return scope.emitter.array(term.items.map((t) => planTerm(scope, t)));
    case "Set":
      return makeSet(
        scope,
        term.items.map((t) => planTerm(scope, t)),
      );
    case "Object":
      if (scope.policy.foldsJson && isJson(term)) return scope.policy.constant(jsonValue(term));
      return makeObject(
        scope,
        inOrder(term.entries).map(([k, v]) => [planTerm(scope, k), planTerm(scope, v)]),
      );
    case "ArrayComprehension":
    case "SetComprehension":
    case "ObjectComprehension":
      return planComprehension(scope, term);
    case "TemplateString":
      return planTemplate(scope, term);
  }
}

function planVar(scope: Scope, term: Var): Operand {
  if (term.name === "data") return planDocument(scope, scope.context.documents);
  if (term.name === "input") {
    scope.emitter.emit({ kind: "IsDefinedStmt", source: INPUT });
    return local(INPUT);
  }
  if (!scope.isBound(term.name)) throw new InternalError(`variable ${term.name} is evaluated before it is bound`);
  return scope.variable(term.name);
}

function planNull(scope: Scope): Operand {
  const target = scope.emitter.local();
  scope.emitter.emit({ kind: "MakeNullStmt", target });
  return local(target);
}

export function planNumber(scope: Scope, text: string): Operand {
  const target = scope.emitter.local();
  scope.emitter.emit({ kind: "MakeNumberRefStmt", index: scope.policy.string(text), target });
  return local(target);
}

export function makeSet(scope: Scope, items: readonly Operand[]): Operand {
  const set = scope.emitter.local();
  scope.emitter.emit({ kind: "MakeSetStmt", target: set });
  for (const value of items) scope.emitter.emit({ kind: "SetAddStmt", value, set });
  return local(set);
}

/** Keys that only turn out equal at evaluation are no conflict in a literal: OPA lets computed ones win over written ones. */
function inOrder(entries: ObjectTerm["entries"]): ObjectTerm["entries"] {
  return [...entries.filter(([key]) => isScalar(key)), ...entries.filter(([key]) => !isScalar(key))];
}

/** Later entries win. */
function makeObject(scope: Scope, entries: readonly (readonly [Operand, Operand])[]): Operand {
  const object = scope.emitter.local();
  scope.emitter.emit({ kind: "MakeObjectStmt", target: object });
  for (const [key, value] of entries) scope.emitter.emit({ kind: "ObjectInsertStmt", key, value, object });
  return local(object);
}

function planValue(scope: Scope, value: Value): Operand {
  switch (value.kind) {
    case "null":
      return planNull(scope);
    case "boolean":
      return bool(value.value);
    case "number":
      return planNumber(scope, value.text);
    case "string":
      return scope.string(value.value);
    case "array":
      return scope.emitter.array(value.items.map((v) => planValue(scope, v)));
    case "set":
      return makeSet(
        scope,
        value.items.map((v) => planValue(scope, v)),
      );
    case "object":
      return makeObject(
        scope,
        value.entries.map(([k, v]) => [planValue(scope, k), planValue(scope, v)]),
      );
  }
}

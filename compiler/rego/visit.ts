/**
 * Three ways over a syntax tree, all by the table of child fields: the direct parts of a node (`children`), the terms that
 * are evaluated together with it (`eachTerm`), and a copy with changed parts (`mapChildren`). None looks upwards.
 */

import { unreachable } from "../base/assert.ts";
import { type Body, type Expr, type ExprBody, isTerm, type Node, type Ref, type Term } from "./ast.ts";
import { type ChildField, childFieldsOf, evaluatedFieldsOf, type Role } from "./child-fields.ts";

function fieldOf(node: Node, field: ChildField): unknown {
  return (node as unknown as Record<string, unknown>)[field.name];
}

/** The direct parts of a node, in the order of the text. A rule's `else` is one; the operator of a call is none. */
export function children(node: Node): readonly Node[] {
  const found: Node[] = [];
  for (const field of childFieldsOf(node.kind)) if (field.role !== "aside") collect(fieldOf(node, field), found);
  return found;
}

function collect(value: unknown, into: Node[]): void {
  if (Array.isArray(value)) for (const item of value) collect(item, into);
  else if (typeof value === "object") into.push(value as Node);
}

/** Calls `f` on the outermost terms that are evaluated with a node: not on those of comprehensions and bodies in it. */
export function eachTerm(node: Node, f: (term: Term) => void): void {
  for (const field of evaluatedFieldsOf(node.kind)) {
    const value = fieldOf(node, field);
    if (value !== undefined) eachTermOfField(field.role, value, f);
  }
}

function eachTermOfField(role: Role, value: unknown, f: (term: Term) => void): void {
  switch (role) {
    case "term":
      f(value as Term);
      return;
    case "terms":
      for (const term of value as readonly Term[]) f(term);
      return;
    case "entries":
      for (const [key, element] of value as readonly (readonly [Term, Term])[]) {
        f(key);
        f(element);
      }
      return;
    case "path":
      for (const term of (value as Ref).args) f(term);
      return;
    case "statement":
      if (isTerm(value as ExprBody)) f(value as Term);
      else eachTerm(value as Node, f);
      return;
    case "texts":
      for (const part of value as readonly (string | Expr)[]) if (typeof part !== "string") eachTerm(part, f);
      return;
    case "node":
      eachTerm(value as Node, f);
      return;
    case "nodes":
      for (const node of value as readonly Node[]) eachTerm(node, f);
      return;
    case "body":
    case "result":
    case "binding":
    case "bindings":
    case "name":
    case "aside":
      return;
    default:
      unreachable(role);
  }
}

/** The outermost terms that are evaluated with a node. */
export function terms(node: Node): readonly Term[] {
  const found: Term[] = [];
  eachTerm(node, (term) => found.push(term));
  return found;
}

/** What to do with the parts of a node: `term` for terms, `body` for bodies with variables of their own. */
export interface Mapper {
  readonly term: (term: Term) => Term;
  readonly body: (body: Body) => Body;
}

/** A list with its items mapped; the list itself when nothing changed, so that unchanged trees are shared. */
export function mapList<X>(list: readonly X[], f: (item: X) => X): readonly X[] {
  let changed: X[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const item = list[i] as X;
    const mapped = f(item);
    if (changed) changed.push(mapped);
    else if (mapped !== item) {
      changed = list.slice(0, i);
      changed.push(mapped);
    }
  }
  return changed ?? list;
}

/**
 * The same node with the terms and bodies below it mapped; the node itself when nothing changed. A body is mapped before
 * the terms that are evaluated in it. Names and bindings stay.
 */
export function mapChildren<N extends Node>(node: N, m: Mapper): N {
  const fields = childFieldsOf(node.kind);
  if (fields.length === 0) return node;
  let changed: Record<string, unknown> | undefined;
  for (const results of [false, true]) {
    for (const field of fields) {
      if ((field.role === "result") !== results) continue;
      const value = fieldOf(node, field);
      const mapped = value === undefined ? value : mapField(field.role, value, m);
      if (mapped === value) continue;
      changed ??= { ...node };
      changed[field.name] = mapped;
    }
  }
  return changed ? (changed as unknown as N) : node;
}

export function mapStatement(body: ExprBody, m: Mapper): ExprBody {
  return isTerm(body) ? m.term(body) : mapChildren(body, m);
}

function mapField(role: Role, value: unknown, m: Mapper): unknown {
  switch (role) {
    case "term":
    case "result":
      return m.term(value as Term);
    case "terms":
      return mapList(value as readonly Term[], m.term);
    case "entries":
      return mapList(value as readonly (readonly [Term, Term])[], (entry) => mapEntry(entry, m));
    case "path":
      return mapArguments(value as Ref, m);
    case "statement":
      return mapStatement(value as ExprBody, m);
    case "texts":
      return mapList(value as readonly (string | Expr)[], (part) =>
        typeof part === "string" ? part : mapChildren(part, m),
      );
    case "body":
      return m.body(value as Body);
    case "node":
      return mapChildren(value as Node, m);
    case "nodes":
      return mapList(value as readonly Node[], (node) => mapChildren(node, m));
    case "binding":
    case "bindings":
    case "name":
    case "aside":
      return value;
    default:
      return unreachable(role);
  }
}

function mapEntry(entry: readonly [Term, Term], m: Mapper): readonly [Term, Term] {
  const key = m.term(entry[0]);
  const value = m.term(entry[1]);
  return key === entry[0] && value === entry[1] ? entry : [key, value];
}

function mapArguments(ref: Ref, m: Mapper): Ref {
  const args = mapList(ref.args, m.term);
  return args === ref.args ? ref : { ...ref, args };
}

/**
 * Three ways over a syntax tree: the direct parts of a node (`children`) and a copy with changed parts (`mapChildren`) go by
 * the table of child fields; the terms that are evaluated together with a node (`eachTerm`) stand kind by kind, for speed, and
 * a test compares them with the table. None looks upwards.
 */

import { unreachable } from "../diagnostics/index.ts";
import { type Body, type Expr, type ExprBody, isTerm, type Node, type ObjectTerm, type Ref, type Term } from "./ast.ts";
import { type ChildField, childFieldsOf, type Role } from "./child-fields.ts";
import { isJson } from "./json-terms.ts";

function fieldOf(node: Node, field: ChildField): unknown {
  return (node as unknown as Record<string, unknown>)[field.name];
}

/** The direct parts of a node, in the order of the text. A rule's `else` is a part; the operator of a call is not. */
export function children(node: Node): readonly Node[] {
  const found: Node[] = [];
  for (const field of childFieldsOf(node.kind)) if (field.role !== "aside") collect(fieldOf(node, field), found);
  return found;
}

/** Calls `f` on a node, and on all nodes in it. */
export function eachNode(node: Node, f: (node: Node) => void): void {
  f(node);
  for (const child of children(node)) eachNode(child, f);
}

function collect(value: unknown, into: Node[]): void {
  if (Array.isArray(value)) for (const item of value) collect(item, into);
  else if (typeof value === "object") into.push(value as Node);
}

/**
 * Calls `f` on the outermost terms that are evaluated with a node: not on those of comprehensions and bodies in it. Says what
 * the table says, kind by kind: the analysis walks every term a dozen times, and fields by name cost the most of it. What is
 * noted as JSON is gone past: it has constants for parts, and nothing else.
 */
export function eachTerm(node: Node, f: (term: Term) => void): void {
  // Code that is not optimised compares with one kind after the other: those that a policy has most of stand first.
  switch (node.kind) {
    case "Var":
    case "String":
      return;
    case "Ref":
      f(node.head);
      each(node.args, f);
      return;
    case "Call":
      each(node.args, f);
      return;
    case "Expr":
      if (isTerm(node.body)) f(node.body);
      else eachTerm(node.body, f);
      for (const modifier of node.with) eachTerm(modifier, f);
      return;
    case "Number":
    case "Boolean":
    case "Null":
    case "Constant":
    case "ArrayComprehension":
    case "SetComprehension":
    case "ObjectComprehension":
    case "Not":
    case "Logical":
    case "Package":
    case "Import":
    case "Comment":
    case "AnnotationBlock":
      return;
    case "Array":
      if (!isJson(node)) each(node.items, f);
      return;
    case "Set":
      each(node.items, f);
      return;
    case "Object":
      if (!isJson(node)) eachOfEntries(node, f);
      return;
    case "TemplateString":
      for (const part of node.parts) if (typeof part !== "string") eachTerm(part, f);
      return;
    case "With":
      for (const arg of node.target.args) f(arg);
      f(node.value);
      return;
    case "SomeDecl":
      if (node.key !== undefined) f(node.key);
      if (node.value !== undefined) f(node.value);
      if (node.domain !== undefined) f(node.domain);
      return;
    case "Every":
      f(node.domain);
      return;
    case "Head":
      for (const arg of node.ref.args) f(arg);
      for (const arg of node.args ?? []) f(arg);
      if (node.key !== undefined) f(node.key);
      if (node.value !== undefined) f(node.value);
      return;
    case "Rule":
      eachTerm(node.head, f);
      if (node.else !== undefined) eachTerm(node.else, f);
      return;
    case "Module":
      for (const rule of node.rules) eachTerm(rule, f);
      return;
    default:
      unreachable(node);
  }
}

/** By index: until code is optimised, an iterator costs more than what is done with the terms. */
function each(list: readonly Term[], f: (term: Term) => void): void {
  for (let i = 0; i < list.length; i++) f(list[i] as Term);
}

function eachOfEntries({ entries }: ObjectTerm, f: (term: Term) => void): void {
  for (let i = 0; i < entries.length; i++) {
    const [key, value] = entries[i] as readonly [Term, Term];
    f(key);
    f(value);
  }
}

/** The outermost terms that are evaluated with a node, those of JSON too. */
export function terms(node: Node): readonly Term[] {
  if (node.kind === "Array") return node.items;
  const found: Term[] = [];
  if (node.kind === "Object") eachOfEntries(node, (term) => found.push(term));
  else eachTerm(node, (term) => found.push(term));
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
  return mapParts(node, m) as N;
}

/** What a policy has thousands of, field by field as the table says; all other kinds by the table. */
function mapParts(node: Node, m: Mapper): Node {
  if (node.kind === "Var" || node.kind === "String") return node;
  if (node.kind === "Ref") {
    const head = m.term(node.head);
    const args = mapList(node.args, m.term);
    return head === node.head && args === node.args ? node : { ...node, head, args };
  }
  if (node.kind === "Call") {
    const args = mapList(node.args, m.term);
    return args === node.args ? node : { ...node, args };
  }
  if (node.kind === "Expr") {
    const body = mapStatement(node.body, m);
    const modifiers = mapList(node.with, (modifier) => mapChildren(modifier, m));
    return body === node.body && modifiers === node.with ? node : { ...node, body, with: modifiers };
  }
  if (node.kind === "Array") {
    const items = isJson(node) ? node.items : mapList(node.items, m.term);
    return items === node.items ? node : { ...node, items };
  }
  if (node.kind === "Object") {
    const entries = isJson(node) ? node.entries : mapList(node.entries, (entry) => mapEntry(entry, m));
    return entries === node.entries ? node : { ...node, entries };
  }
  return mapFields(node, m);
}

function mapFields(node: Node, m: Mapper): Node {
  let changed: Record<string, unknown> | undefined;
  for (const results of [false, true]) {
    for (const field of childFieldsOf(node.kind)) {
      if ((field.role === "result") !== results) continue;
      const value = fieldOf(node, field);
      const part = value === undefined ? value : mapField(field.role, value, m);
      if (part === value) continue;
      changed ??= { ...node };
      changed[field.name] = part;
    }
  }
  return changed ? (changed as unknown as Node) : node;
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

/**
 * Going over syntax trees. `children` names the parts of every kind of node, in the order of the text, and is what a new
 * kind of node has to be added to; `visit` and `rewriteTerms` are built on it. None of them looks upwards, and all share
 * what they do not change.
 */

import { unreachable } from "../base/assert.ts";
import type { Body, Every, Expr, ExprBody, Head, Module, Node, Rule, SomeDecl, Term, With } from "./ast.ts";

const present = <X>(...items: readonly (X | undefined)[]): X[] => items.filter((item) => item !== undefined);

/** The direct parts of a node. A rule's `else` is one of its parts; the operator of a call is not a part but a name. */
export function children(node: Node): readonly Node[] {
  switch (node.kind) {
    case "Module":
      return [node.package, ...node.imports, ...node.rules];
    case "Package":
      return [node.path];
    case "Import":
      return present<Node>(node.path, node.alias);
    case "Comment":
    case "AnnotationBlock":
    case "Null":
    case "Boolean":
    case "Number":
    case "String":
    case "Var":
    case "Constant":
      return [];
    case "Rule":
      return present<Node>(node.head, ...node.body, node.else);
    case "Head":
      return present<Node>(node.ref, ...(node.args ?? []), node.key, node.value);
    case "Expr":
      return [node.body, ...node.with];
    case "With":
      return [node.target, node.value];
    case "SomeDecl":
      return present<Node>(...node.vars, node.key, node.value, node.domain);
    case "Every":
      return present<Node>(node.key, node.value, node.domain, ...node.body);
    case "Ref":
      return [node.head, ...node.args];
    case "Call":
      return node.args;
    case "Array":
    case "Set":
      return node.items;
    case "Object":
      return node.entries.flat();
    case "ArrayComprehension":
    case "SetComprehension":
      return [node.term, ...node.body];
    case "ObjectComprehension":
      return [node.key, node.value, ...node.body];
    case "TemplateString":
      return node.parts.filter((part) => typeof part !== "string");
    default:
      return unreachable(node);
  }
}

/** Calls `enter` for a node and, unless that says `"skip"`, for everything below it, in the order of the text. */
export function visit(node: Node, enter: (node: Node) => "skip" | undefined): void {
  if (enter(node) === "skip") return;
  for (const child of children(node)) visit(child, enter);
}

/** Changes terms, from the inside out: `change` sees a term whose own parts have been changed already. */
export function rewriteTerm(term: Term, change: (term: Term) => Term): Term {
  return change(rewriteParts(term, change));
}

function rewriteParts(term: Term, change: (term: Term) => Term): Term {
  const one = (part: Term) => rewriteTerm(part, change);
  switch (term.kind) {
    case "Null":
    case "Boolean":
    case "Number":
    case "String":
    case "Var":
    case "Constant":
      return term;
    case "Ref":
      return { ...term, head: one(term.head), args: term.args.map(one) };
    case "Call":
      return { ...term, args: term.args.map(one) };
    case "Array":
    case "Set":
      return { ...term, items: term.items.map(one) };
    case "Object":
      return { ...term, entries: term.entries.map(([key, value]) => [one(key), one(value)] as const) };
    case "ArrayComprehension":
    case "SetComprehension":
      return { ...term, term: one(term.term), body: rewriteBody(term.body, change) };
    case "ObjectComprehension":
      return { ...term, key: one(term.key), value: one(term.value), body: rewriteBody(term.body, change) };
    case "TemplateString":
      return {
        ...term,
        parts: term.parts.map((part) => (typeof part === "string" ? part : rewriteExpr(part, change))),
      };
    default:
      return unreachable(term);
  }
}

export function rewriteBody(body: Body, change: (term: Term) => Term): Body {
  return body.map((expr) => rewriteExpr(expr, change));
}

export function rewriteExpr(expr: Expr, change: (term: Term) => Term): Expr {
  const withs = expr.with.map((item): With => {
    const args = item.target.args.map((part) => rewriteTerm(part, change));
    return { ...item, target: { ...item.target, args }, value: rewriteTerm(item.value, change) };
  });
  return { ...expr, with: withs, body: rewriteExprBody(expr.body, change) };
}

/** Declared names stay: they are no terms but the places where names begin. */
function rewriteExprBody(body: ExprBody, change: (term: Term) => Term): ExprBody {
  const one = (part: Term | undefined) => part && rewriteTerm(part, change);
  switch (body.kind) {
    case "SomeDecl":
      return { ...body, key: one(body.key), value: one(body.value), domain: one(body.domain) } satisfies SomeDecl;
    case "Every":
      return {
        ...body,
        domain: rewriteTerm(body.domain, change),
        body: rewriteBody(body.body, change),
      } satisfies Every;
    default:
      return rewriteTerm(body, change);
  }
}

export function rewriteRule(rule: Rule, change: (term: Term) => Term): Rule {
  const one = (part: Term | undefined) => part && rewriteTerm(part, change);
  const { head } = rule;
  const changed: Head = {
    ...head,
    ref: { ...head.ref, args: head.ref.args.map((part) => rewriteTerm(part, change)) },
    args: head.args?.map((part) => rewriteTerm(part, change)),
    key: one(head.key),
    value: one(head.value),
  };
  return {
    ...rule,
    head: changed,
    body: rewriteBody(rule.body, change),
    else: rule.else && rewriteRule(rule.else, change),
  };
}

export function rewriteModule(module: Module, change: (term: Term) => Term): Module {
  return { ...module, rules: module.rules.map((rule) => rewriteRule(rule, change)) };
}

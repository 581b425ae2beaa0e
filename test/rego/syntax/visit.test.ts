/** The walkers of the syntax tree: which parts they reach, in which order, and that unchanged trees are shared. */

import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import {
  type Body,
  type Expr,
  isTerm,
  type Module,
  type Node,
  type Ref,
  type Rule,
  type Term,
} from "../../../compiler/rego/syntax/ast.ts";
import { childFieldsOf, type Role } from "../../../compiler/rego/syntax/child-fields.ts";
import { parseModule } from "../../../compiler/rego/syntax/parser.ts";
import { children, eachTerm, type Mapper, mapChildren } from "../../../compiler/rego/syntax/visit.ts";
import { treeCopy } from "./tree-copy.ts";

const text = `package a.b

import data.c as d

p[x].q := $"a {f(x)}" if {
	some k, v in {"a": 1}
	every i, j in [k] { j in {2} }
	some w
	not k == v with input.y as [z | z := -1]
	{u | u := input.u}
	{m: n | m := input.m; n := m}
}

r := 1 if { input.w } else := null if { input.w[true] }
`;
const module = parsed(text);

function parsed(source: string): Module {
  const { module, diagnostics } = parseModule(new SourceFile("test.rego", source));
  if (!module) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  // As a tree that is not noted as JSON in parts.
  return treeCopy(module);
}

function textOfNode(node: Node): string {
  return text.slice(node.span.start, node.span.end);
}

function everyNode(node: Node, found: Node[] = []): Node[] {
  found.push(node);
  for (const child of children(node)) everyNode(child, found);
  return found;
}

function statement(index: number): Expr {
  return (module.rules[0] as Rule).body[index] as Expr;
}

function termsOf(node: Node): string[] {
  const found: string[] = [];
  eachTerm(node, (term) => found.push(textOfNode(term)));
  return found;
}

describe("children", () => {
  it("reach every kind of node that text can make", () => {
    const kinds = new Set(everyNode(module).map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(
      [
        ...["Array", "ArrayComprehension", "Boolean", "Call", "Every", "Expr", "Head", "Import", "Module", "Null"],
        ...["Number", "Object", "ObjectComprehension", "Package", "Ref", "Rule", "Set", "SetComprehension", "SomeDecl"],
        ...["String", "TemplateString", "Var", "With"],
      ].sort(),
    );
  });

  it("come in the order of the text", () => {
    for (const node of everyNode(module)) {
      const starts = children(node).map(({ span }) => span.start);
      expect([node.kind, starts]).toEqual([node.kind, starts.toSorted((a, b) => a - b)]);
    }
  });
});

describe("the terms that are evaluated with a node", () => {
  it.each([
    ["those of a pair and what it goes over", 0, ["k", "v", '{"a": 1}']],
    ["what `every` goes over, not its body", 1, ["[k]"]],
    ["none of a declaration", 2, []],
    [
      "a term, then what `with` says; not the name that it replaces but its arguments",
      3,
      ["k == v", '"y"', "[z | z := -1]"],
    ],
  ])("are %s", (_, index, terms) => {
    expect(termsOf(statement(index)).map((found) => (found === "y" || found === ".y" ? '"y"' : found))).toEqual(terms);
  });

  it("are those that the table of fields says, for every node", () => {
    const said = (node: Node): Term[] =>
      childFieldsOf(node.kind).flatMap(({ name, role }) =>
        byRole(role, (node as unknown as Record<string, unknown>)[name]),
      );
    const byRole = (role: Role, value: unknown): Term[] => {
      if (value === undefined) return [];
      if (role === "term") return [value as Term];
      if (role === "terms") return value as Term[];
      if (role === "entries") return (value as [Term, Term][]).flat();
      if (role === "path") return [...(value as Ref).args];
      if (role === "statement") return isTerm(value as Expr["body"]) ? [value as Term] : said(value as Node);
      if (role === "node") return said(value as Node);
      if (role === "nodes" || role === "texts")
        return (value as (Node | string)[]).flatMap((part) => (typeof part === "string" ? [] : said(part)));
      return [];
    };
    for (const node of everyNode(module)) {
      const found: Term[] = [];
      eachTerm(node, (term) => found.push(term));
      expect([node.kind, found]).toEqual([node.kind, said(node)]);
    }
  });

  it("are not those of a comprehension", () => {
    expect(termsOf(statement(4).body)).toEqual([]);
  });
});

describe("mapping", () => {
  it("shares a tree that nothing changes", () => {
    const same: Mapper = { term: (term) => mapChildren(term, same), body: (body) => body };
    expect(mapChildren(module, same)).toBe(module);
  });

  it("copies what stands above a change, and shares the rest", () => {
    const null_ = (term: Term): Term => (term.kind === "Number" ? { kind: "Null", span: term.span } : term);
    const change: Mapper = { term: (term) => null_(mapChildren(term, change)), body: (body) => body };
    const rule = module.rules[0] as Rule;
    const [first, second, ...rest] = rule.body.map((expr) => mapChildren(expr, change));
    expect(first).not.toBe(rule.body[0]);
    expect(everyNode(first as Expr).map(({ kind }) => kind)).toContain("Null");
    expect(second).toBe(rule.body[1]);
    expect(rest).toEqual(rule.body.slice(2));
  });

  it("maps the terms that are evaluated with a node, and copies the node for each", () => {
    for (const node of everyNode(module)) {
      const before: Term[] = [];
      eachTerm(node, (term) => before.push(term));
      const seen: Term[] = [];
      const copying: Mapper = {
        term: (term) => {
          seen.push(term);
          return { ...term };
        },
        body: (body: Body) => body,
      };
      const copy = mapChildren(node, copying);
      expect(copy).toEqual(node);
      if (node.kind.endsWith("Comprehension")) continue;
      expect([node.kind, seen]).toEqual([node.kind, before]);
      if (before.length > 0) expect(copy, node.kind).not.toBe(node);
    }
  });

  it("maps the body of a comprehension before the term that is evaluated in it", () => {
    const order: string[] = [];
    const record: Mapper = {
      term: (term) => {
        order.push(textOfNode(term));
        return term;
      },
      body: (body: Body) => {
        order.push("body");
        return body;
      },
    };
    mapChildren(statement(5).body, record);
    expect(order).toEqual(["body", "m", "n"]);
  });
});

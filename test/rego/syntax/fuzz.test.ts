/**
 * Properties of the front end: no text makes it throw, nothing of a text is passed over in silence, and every tree that
 * can be printed is read back as it was.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { span } from "../../../compiler/rego/diagnostics/span.ts";
import type { Body, Expr, ExprBody, Module, Rule, Term, Var } from "../../../compiler/rego/syntax/ast.ts";
import { lexRego } from "../../../compiler/rego/syntax/lexer.ts";
import { parseModule, parseQuery } from "../../../compiler/rego/syntax/parser.ts";
import { formatModule, printModule } from "../../../compiler/rego/syntax/printer.ts";
import { distinct, distinctEntries } from "../../../compiler/rego/syntax/term-key.ts";
import { endOf } from "../../../compiler/rego/syntax/token.ts";
import { campaign } from "../../campaign.ts";
import { meaning } from "./corpus.ts";
import { invalid, templates, valid } from "./snippets.ts";

const settings = campaign(1_500);
const nowhere = span(new SourceFile("generated", ""), 0, 0);

const words = [
  ...'{}[]().,;:=|&+-*/%<>!$"`#\\\n\t _',
  ...[
    "package ",
    "import ",
    "as ",
    "default ",
    "else ",
    "not ",
    "some ",
    "with ",
    "null",
    "true",
    "in ",
    "every ",
    "contains ",
    "if ",
  ],
  ...[
    "x",
    "data.a",
    "input",
    "1",
    "0x",
    "1e",
    '"s"',
    "`r`",
    '$"',
    "$`",
    ":=",
    "==",
    "# METADATA\n",
    "é",
    "\u0000",
    "\ufeff",
    "\ud800",
    "😀",
  ],
];

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.array(fc.constantFrom(...words), { maxLength: 40 }).map((parts) => parts.join("")),
  // Snippets with one piece cut out and another put in.
  fc
    .tuple(
      fc.constantFrom(...valid, ...templates, ...invalid.map(([text]) => text)),
      fc.nat(),
      fc.nat(8),
      fc.constantFrom("", ...words),
    )
    .map(([text, at, length, piece]) => {
      const from = at % (text.length + 1);
      return text.slice(0, from) + piece + text.slice(from + length);
    }),
);

// ---- random trees ----

const names = fc.constantFrom("x", "y", "input", "data", "f_1", "_");
const variable = names.map((name): Var => ({ kind: "Var", span: nowhere, name }));
const ownVariable = fc.constantFrom("x", "y", "z").map((name): Var => ({ kind: "Var", span: nowhere, name }));
const string = fc.oneof(
  fc.constantFrom("a", "if", "a b", "", 'ä\n"\\', "\u0000"),
  fc.string({ unit: "grapheme", maxLength: 4 }),
);
const scalar: fc.Arbitrary<Term> = fc.oneof(
  fc.constant<Term>({ kind: "Null", span: nowhere }),
  fc.boolean().map((value): Term => ({ kind: "Boolean", span: nowhere, value })),
  fc.constantFrom("0", "-1", "2.50", "1e3").map((text): Term => ({ kind: "Number", span: nowhere, text })),
  string.map((value): Term => ({ kind: "String", span: nowhere, value, raw: false })),
);

const signs = {
  ...{ "==": "equal", "!=": "neq", "<": "lt", ">": "gt", "<=": "lte", ">=": "gte", "|": "or", "&": "and" },
  ...{ "+": "plus", "-": "minus", "*": "mul", "/": "div", "%": "rem" },
};

function infix(sign: string, name: string, args: readonly Term[]): Term {
  return {
    kind: "Call",
    span: nowhere,
    operator: { kind: "Var", span: nowhere, name },
    args,
    infix: sign,
    parenthesized: false,
  };
}

function member(args: readonly Term[]): Term {
  const head: Var = { kind: "Var", span: nowhere, name: "internal" };
  const name: Term = { kind: "String", span: nowhere, value: `member_${args.length}`, raw: false };
  const operator = { kind: "Ref", span: nowhere, head, args: [name] } as const;
  return { kind: "Call", span: nowhere, operator, args, infix: "in", parenthesized: false };
}

const { term, body } = fc.letrec<{ term: Term; body: Body; expr: Expr; exprBody: ExprBody; head: Term }>((tie) => {
  const terms = fc.array(tie("term"), { maxLength: 3 });
  // What may be followed by parts: no scalar, no reference, and no bare root in parentheses.
  const head = fc.oneof(
    ownVariable,
    terms.map((items): Term => ({ kind: "Array", span: nowhere, items })),
  );
  return {
    term: fc.oneof(
      { maxDepth: 4, depthIdentifier: "term" },
      scalar,
      variable,
      fc
        .tuple(tie("head"), fc.array(tie("term"), { minLength: 1, maxLength: 3 }))
        .map(([h, args]): Term => ({ kind: "Ref", span: nowhere, head: h, args })),
      terms.map((items): Term => ({ kind: "Array", span: nowhere, items })),
      terms.map((items): Term => ({ kind: "Set", span: nowhere, items: distinct(items) })),
      fc
        .array(fc.tuple(tie("term"), tie("term")), { maxLength: 3 })
        .map((entries): Term => ({ kind: "Object", span: nowhere, entries: distinctEntries(entries) })),
      fc
        .tuple(tie("term"), tie("body"))
        .map(([t, b]): Term => ({ kind: "ArrayComprehension", span: nowhere, term: t, body: b })),
      fc
        .tuple(tie("term"), tie("body"))
        .map(([t, b]): Term => ({ kind: "SetComprehension", span: nowhere, term: t, body: b })),
      fc
        .tuple(tie("term"), tie("term"), tie("body"))
        .map(([key, value, b]): Term => ({ kind: "ObjectComprehension", span: nowhere, key, value, body: b })),
      fc
        .tuple(fc.constantFrom(...Object.entries(signs)), tie("term"), tie("term"))
        .map(([[sign, name], a, b]) => infix(sign, name, [a, b])),
      fc.array(tie("term"), { minLength: 2, maxLength: 3 }).map(member),
      terms.map(
        (args): Term => ({
          kind: "Call",
          span: nowhere,
          operator: { kind: "Var", span: nowhere, name: "g" },
          args,
          infix: undefined,
          parenthesized: false,
        }),
      ),
      fc.array(fc.tuple(tie("term"), fc.constantFrom("", "a", " {", '"')), { maxLength: 2 }).map(
        (parts): Term => ({
          kind: "TemplateString",
          span: nowhere,
          raw: false,
          parts: parts.flatMap(([part, text]) => [statement(part), ...(text ? [text] : [])]),
        }),
      ),
    ),
    head,
    body: fc.array(tie("expr"), { minLength: 1, maxLength: 3 }),
    expr: fc
      .record({ b: tie("exprBody"), negated: fc.boolean(), withs: fc.array(tie("term"), { maxLength: 2 }) })
      .map(({ b, negated, withs }): Expr => {
        const target = {
          kind: "Ref",
          span: nowhere,
          head: { kind: "Var", span: nowhere, name: "input" },
          args: [],
        } as const;
        const declares = b.kind === "SomeDecl" && b.domain === undefined;
        const items = declares ? [] : withs.map((value) => ({ kind: "With", span: nowhere, target, value }) as const);
        return {
          kind: "Expr",
          span: nowhere,
          negated: negated && b.kind !== "SomeDecl" && b.kind !== "Every",
          with: items,
          body: b,
        };
      }),
    exprBody: fc.oneof(
      { maxDepth: 4, depthIdentifier: "term" },
      tie("term"),
      fc
        .tuple(fc.constantFrom([":=", "assign"], ["=", "eq"]), tie("term"), tie("term"))
        .map(([[sign = "", name = ""], a, b]) => infix(sign, name, [a, b])),
      fc.array(ownVariable, { minLength: 1, maxLength: 3 }).map(
        (vars): ExprBody => ({
          kind: "SomeDecl",
          span: nowhere,
          vars,
          key: undefined,
          value: undefined,
          domain: undefined,
        }),
      ),
      fc
        .tuple(fc.option(tie("term"), { nil: undefined }), tie("term"), tie("term"))
        .map(([key, value, domain]): ExprBody => ({ kind: "SomeDecl", span: nowhere, vars: [], key, value, domain })),
      fc
        .tuple(fc.option(ownVariable, { nil: undefined }), ownVariable, tie("term"), tie("body"))
        .map(([key, value, domain, b]): ExprBody => ({ kind: "Every", span: nowhere, key, value, domain, body: b })),
    ),
  };
});

function statement(part: Term): Expr {
  return { kind: "Expr", span: nowhere, negated: false, with: [], body: part };
}

const optional = <X>(arbitrary: fc.Arbitrary<X>) => fc.option(arbitrary, { nil: undefined });
const nothing: Term = { kind: "Null", span: nowhere };

/** Complete rules and functions, partial sets, rules under longer names, and chains of `else`. */
const rule = fc
  .record({
    name: fc.constantFrom("p", "q"),
    parts: fc.array(fc.oneof(scalar, ownVariable), { maxLength: 2 }),
    form: fc.constantFrom("value", "contains", "function", "default"),
    value: optional(term),
    key: term,
    args: fc.array(term, { minLength: 1, maxLength: 2 }),
    b: optional(body),
    links: fc.array(fc.record({ value: optional(term), b: body }), { maxLength: 2 }),
  })
  .map(({ name, parts, form, value, key, args, b, links }): Rule => {
    const ground = form === "default" ? [] : parts;
    const ref = { kind: "Ref", span: nowhere, head: { kind: "Var", span: nowhere, name }, args: ground } as const;
    const isDefault = form === "default";
    const head = {
      kind: "Head",
      span: nowhere,
      ref,
      args: form === "function" ? args : undefined,
      key: form === "contains" ? key : undefined,
      value: isDefault ? nothing : form === "contains" ? undefined : (value ?? (b ? undefined : nothing)),
      operator: ":=",
    } as const;
    const own = isDefault ? undefined : b;
    const mayContinue = form !== "contains" && own !== undefined && ground.every((part) => part.kind !== "Var");
    const next = (mayContinue ? links : []).reduceRight<Rule | undefined>((rest, link) => {
      const linkHead = { ...head, value: link.value };
      return { kind: "Rule", span: nowhere, isDefault, head: linkHead, body: link.b, hasBody: true, else: rest };
    }, undefined);
    return { kind: "Rule", span: nowhere, isDefault, head, body: own ?? [], hasBody: own !== undefined, else: next };
  });

const module = fc.array(rule, { maxLength: 3 }).map((rules): Module => {
  const name: Term = { kind: "String", span: nowhere, value: "t", raw: false };
  const path = {
    kind: "Ref",
    span: nowhere,
    head: { kind: "Var", span: nowhere, name: "data" },
    args: [name],
  } as const;
  return {
    kind: "Module",
    span: nowhere,
    package: { kind: "Package", span: nowhere, path },
    imports: [],
    rules,
    comments: [],
    annotations: [],
  };
});

describe("the front end", () => {
  it("answers any text with a tree or findings, never both, never neither", () => {
    fc.assert(
      fc.property(anyText, fc.boolean(), (text, withPackage) => {
        const file = new SourceFile("fuzz.rego", withPackage ? `package t\n${text}` : text);
        const { module: parsed, diagnostics } = parseModule(file);
        expect(parsed === undefined).toBe(diagnostics.length > 0);
        for (const { span: place } of diagnostics) {
          expect(place && place.start >= 0 && place.start <= place.end && place.end <= file.text.length).toBe(true);
        }
        const query = parseQuery(file);
        expect(query.body === undefined).toBe(query.diagnostics.length > 0);
      }),
      settings,
    );
  });

  it("passes over nothing but whitespace and comments", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { tokens, comments } = lexRego(new SourceFile("fuzz.rego", text));
        const units = text.split("");
        for (const token of tokens) units.fill(" ", token.startOffset, endOf(token));
        for (const { span: place } of comments) units.fill(" ", place.start, place.end);
        expect(units.join("").replace(/^\ufeff/, "")).toMatch(/^[ \t\r\n]*$/);
      }),
      settings,
    );
  });

  it("formats what it reads, and then leaves it as it is", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const file = new SourceFile("fuzz.rego", `package t\n${text}`);
        const parsed = parseModule(file, "comments").module;
        const { text: formatted } = formatModule(file);
        expect(formatted === undefined).toBe(parsed === undefined);
        if (formatted === undefined) return;
        const again = new SourceFile("fuzz.rego", formatted);
        expect(meaning(parseModule(again, "comments").module)).toEqual(meaning(parsed));
        expect(formatModule(again).text).toBe(formatted);
      }),
      settings,
    );
  });

  it("reads back every tree that it prints", () => {
    fc.assert(
      fc.property(module, (tree) => {
        const text = printModule(tree);
        const { module: parsed, diagnostics } = parseModule(new SourceFile("printed.rego", text));
        expect(
          diagnostics.map((d) => d.message),
          text,
        ).toEqual([]);
        expect(meaning(parsed), text).toEqual(meaning(tree));
      }),
      settings,
    );
  });
});

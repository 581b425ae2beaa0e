/**
 * Mutants of a Rego module: one rule dropped, one condition dropped or inverted, one item of a constant list dropped, or one
 * value of a default changed.
 * The product's own parser says where these stand, so every mutant is the module with one place changed.
 */
import { SourceFile } from "../../compiler/rego/diagnostics/source-file.ts";
import type { Span } from "../../compiler/rego/diagnostics/span.ts";
import type { Body, Expr, Rule, Term } from "../../compiler/rego/syntax/ast.ts";
import { parseModule } from "../../compiler/rego/syntax/index.ts";
import type { LibraryModule } from "../governance/library/library-modules.ts";

export type Operation =
  | "drop rule"
  | "drop condition"
  | "invert condition"
  | "drop item"
  | "other default"
  | "other operator"
  | "other function"
  | "other constant"
  | "off by one"
  | "near text"
  | "any for all"
  | "all for any"
  | "swap branches";

export interface Mutant {
  readonly module: string;
  readonly line: number;
  readonly operation: Operation;
  /** What was changed, as it was written, on one line. */
  readonly written: string;
  /** The whole of the line where it begins. */
  readonly on: string;
  /** What stands in its place. */
  readonly to: string;
  /** The whole module with the change. */
  readonly text: string;
}

type Report = (operation: Operation, place: Span, replacement: string) => void;

export function mutantsOf(module: LibraryModule): Mutant[] {
  const file = new SourceFile(module.name, module.text);
  const { module: parsed, diagnostics } = parseModule(file);
  if (parsed === undefined || diagnostics.length > 0) throw new Error(`${module.name} does not parse`);
  const found: Mutant[] = [];
  const report: Report = (operation, { start, end }, replacement) => {
    found.push({
      module: module.name,
      line: file.text.slice(0, start).split("\n").length,
      operation,
      written: file.text.slice(start, end).replace(/\s+/g, " "),
      on: lineAt(file.text, start),
      to: replacement,
      text: file.text.slice(0, start) + replacement + file.text.slice(end),
    });
  };
  for (const rule of parsed.rules) {
    if (!rule.isDefault) mutateRule(rule, file.text, report);
    else if (rule.head.value !== undefined) mutateDefault(rule.head.value, report);
  }
  return found;
}

function mutateRule(rule: Rule, text: string, report: Report): void {
  const [first] = rule.body;
  const value = rule.head.value;
  // A body of several statements stands in braces, and later ones may need what the first binds.
  if (first !== undefined) {
    report("drop rule", first.span, rule.body.length > 1 ? `false; ${sliceOf(first.span, text)}` : "false");
  }
  if (rule.hasBody) mutateBody(rule.body, text, report);
  if (value !== undefined) mutateTerm(value, text, report);
  if (rule.else !== undefined) mutateRule(rule.else, text, report);
}

/** Each value in a default turned into another one of its type. */
function mutateDefault(term: Term, report: Report): void {
  switch (term.kind) {
    case "Object":
      for (const [, item] of term.entries) mutateDefault(item, report);
      return;
    case "Boolean":
      return report("other default", term.span, String(!term.value));
    case "String":
      return report("other default", term.span, JSON.stringify(`${term.value}X`));
    case "Number":
      return report("other default", term.span, `${term.text}0`);
    case "Array":
      return report("other default", term.span, '["x"]');
    default:
      throw new Error(`a default holds a ${term.kind}`);
  }
}

function mutateBody(body: Body, text: string, report: Report): void {
  for (const expr of body) mutateExpr(expr, text, report);
}

function mutateExpr(expr: Expr, text: string, report: Report): void {
  const written = sliceOf(expr.span, text);
  const { body } = expr;
  switch (body.kind) {
    case "SomeDecl":
      if (body.domain !== undefined) mutateTerm(body.domain, text, report);
      return;
    case "Every":
      report("drop condition", expr.span, "true");
      mutateTerm(body.domain, text, report);
      mutateBody(body.body, text, report);
      return;
    case "Not":
      mutateBody(body.body, text, report);
      break;
    case "Logical":
      mutateBody(body.left, text, report);
      mutateBody(body.right, text, report);
      break;
    case "Call":
      for (const arg of body.args) mutateTerm(arg, text, report);
      if (body.infix === ":=" || body.infix === "=") return;
      break;
    default:
      mutateTerm(body, text, report);
  }
  report("drop condition", expr.span, "true");
  report("invert condition", expr.span, expr.negated ? written.replace(/^not\s+/, "") : `not ${written}`);
}

/** Bodies of comprehensions, and items of lists of constants: the words that a gate knows. */
function mutateTerm(term: Term, text: string, report: Report): void {
  switch (term.kind) {
    case "ArrayComprehension":
    case "SetComprehension":
      mutateTerm(term.term, text, report);
      mutateBody(term.body, text, report);
      return;
    case "ObjectComprehension":
      mutateBody(term.body, text, report);
      return;
    case "Array":
    case "Set":
      if (term.items.length > 1 && term.items.every((item) => item.kind === "String")) dropItems(term.items, report);
      else for (const item of term.items) mutateTerm(item, text, report);
      return;
    case "Object":
      for (const [, item] of term.entries) mutateTerm(item, text, report);
      return;
    case "Call":
      for (const arg of term.args) mutateTerm(arg, text, report);
      return;
    default:
      return;
  }
}

/** With the comma that follows an item, or for the last one the comma before it. */
function dropItems(items: readonly Term[], report: Report): void {
  for (const [i, item] of items.entries()) {
    const next = items[i + 1];
    const before = items[i - 1];
    const start = next === undefined && before !== undefined ? before.span.end : item.span.start;
    report("drop item", { ...item.span, start, end: next?.span.start ?? item.span.end }, "");
  }
}

export function lineAt(text: string, place: number): string {
  const end = text.indexOf("\n", place);
  return text.slice(text.lastIndexOf("\n", place - 1) + 1, end < 0 ? text.length : end).trim();
}

function sliceOf(place: Span, text: string): string {
  return text.slice(place.start, place.end);
}

/** Modules from text, and checked rules as text with the names they really have. */

import {
  type AnalyzeOptions,
  type AnalyzeResult,
  analyze,
  type CheckedPolicy,
  type RuleGroup,
} from "../../../compiler/rego/analyze/index.ts";
import type { Diagnostic } from "../../../compiler/rego/diagnostics/diagnostic.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import type { Body, Expr, Module, Rule, Term } from "../../../compiler/rego/syntax/ast.ts";
import { parseModule, parseQuery } from "../../../compiler/rego/syntax/index.ts";
import type { Value } from "../../../compiler/rego/value/value.ts";

export function parse(text: string, name = "a.rego"): Module {
  const { module, diagnostics } = parseModule(new SourceFile(name, text));
  if (!module) throw new Error(`${name} does not parse: ${diagnostics.map(where).join("; ")}\n${text}`);
  return module;
}

export function query(text: string, name = "q"): { name: string; body: Body; span: Module["span"] } {
  const file = new SourceFile("query", text);
  const { body, diagnostics } = parseQuery(file);
  if (!body) throw new Error(`the query does not parse: ${diagnostics.map(where).join("; ")}\n${text}`);
  return { name, body, span: { file, start: 0, end: text.length } };
}

export function analyzed(texts: string | Record<string, string>, options: AnalyzeOptions = {}): AnalyzeResult {
  const files = typeof texts === "string" ? { "a.rego": texts } : texts;
  return analyze(
    Object.entries(files).map(([name, text]) => parse(text, name)),
    options,
  );
}

/** The policy of modules that have no error. */
export function checked(texts: string | Record<string, string>, options: AnalyzeOptions = {}): CheckedPolicy {
  const { policy, diagnostics } = analyzed(texts, options);
  if (!policy) throw new Error(diagnostics.map(where).join("\n"));
  return policy;
}

/** `opa_code file:line:column message`, as the corpus has it. */
export function where(d: Diagnostic): string {
  const at = d.span?.file.positionAt(d.span.start);
  return `${d.opa ?? d.code} ${at ? `${d.span?.file.name}:${at.line}:${at.column}` : "-"} ${d.message}`;
}

export function group(policy: CheckedPolicy, path: string): RuleGroup {
  const found = policy.groups.find((g) => g.path.join(".") === path);
  if (!found) throw new Error(`no group ${path}: ${policy.groups.map((g) => g.path.join(".")).join(", ")}`);
  return found;
}

// ---- text ----

function showValue(value: Value): string {
  switch (value.kind) {
    case "null":
      return "null";
    case "number":
      return value.text;
    case "array":
    case "set":
      return `[${value.items.map(showValue).join(", ")}]`;
    case "object":
      return `{${value.entries.map(([k, v]) => `${showValue(k)}: ${showValue(v)}`).join(", ")}}`;
    default:
      return JSON.stringify(value.value);
  }
}

export function showTerm(term: Term): string {
  switch (term.kind) {
    case "Null":
      return "null";
    case "Boolean":
      return String(term.value);
    case "Number":
      return term.text;
    case "String":
      return JSON.stringify(term.value);
    case "Var":
      return term.name;
    case "Ref":
      return (
        showTerm(term.head) + term.args.map((a) => (a.kind === "String" ? `.${a.value}` : `[${showTerm(a)}]`)).join("")
      );
    case "Call":
      return `${showTerm(term.operator)}(${term.args.map(showTerm).join(", ")})`;
    case "Array":
      return `[${term.items.map(showTerm).join(", ")}]`;
    case "Set":
      return `{${term.items.map(showTerm).join(", ")}}`;
    case "Object":
      return `{${term.entries.map(([k, v]) => `${showTerm(k)}: ${showTerm(v)}`).join(", ")}}`;
    case "ArrayComprehension":
      return `[${showTerm(term.term)} | ${showBody(term.body)}]`;
    case "SetComprehension":
      return `{${showTerm(term.term)} | ${showBody(term.body)}}`;
    case "ObjectComprehension":
      return `{${showTerm(term.key)}: ${showTerm(term.value)} | ${showBody(term.body)}}`;
    case "TemplateString":
      return `$"${term.parts.map((p) => (typeof p === "string" ? p : `{${showExpr(p)}}`)).join("")}"`;
    case "Constant":
      return showValue(term.value);
  }
}

export function showExpr(expr: Expr): string {
  const { body } = expr;
  const modifiers = expr.with.map((w) => ` with ${showTerm(w.target)} as ${showTerm(w.value)}`).join("");
  const text =
    body.kind === "SomeDecl"
      ? "some …"
      : body.kind === "Every"
        ? `every ${body.key ? `${body.key.name}, ` : ""}${body.value.name} in ${showTerm(body.domain)} {${showBody(body.body)}}`
        : body.kind === "Not"
          ? `not {${showBody(body.body)}}`
          : body.kind === "Logical"
            ? `{${showBody(body.left)}} ${body.operator} {${showBody(body.right)}}`
            : showTerm(body);
  return `${expr.negated ? "not " : ""}${text}${modifiers}`;
}

export function showBody(body: Body): string {
  return body.map(showExpr).join("; ");
}

/** `value if body`, and its `else` rules. */
export function showRule(rule: Rule): string {
  const args = rule.head.args ? `(${rule.head.args.map(showTerm).join(", ")}) ` : "";
  const value = rule.head.value ? showTerm(rule.head.value) : "";
  const key = rule.head.key ? `contains ${showTerm(rule.head.key)}` : "";
  const rest = rule.else ? ` else ${showRule(rule.else)}` : "";
  return `${args}${key}${value}${rule.body.length > 0 ? ` if ${showBody(rule.body)}` : ""}${rest}`;
}

/** The definitions of one document. */
export function showGroup(policy: CheckedPolicy, path: string): string[] {
  return group(policy, path).definitions.map((d) => showRule(d.rule));
}

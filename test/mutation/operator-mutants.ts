/**
 * Mutants that change what a rule says instead of dropping it: another comparison, a constant off by one, a text that almost
 * matches, another function, all for any, any for all, and two neighbouring branches the other way round.
 */
import { SourceFile } from "../../compiler/rego/diagnostics/source-file.ts";
import type { Span } from "../../compiler/rego/diagnostics/span.ts";
import type { Body, Call, Expr, Rule, Term } from "../../compiler/rego/syntax/ast.ts";
import { parseModule } from "../../compiler/rego/syntax/index.ts";
import type { LibraryModule } from "../governance/library/library-modules.ts";
import { lineAt, type Mutant, type Operation } from "./mutants.ts";

const COMPARISONS: Readonly<Record<string, readonly string[]>> = {
  "==": ["!="],
  "!=": ["=="],
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "|": ["&"],
  "&": ["|"],
  "+": ["-"],
  "-": ["+"],
};

const FUNCTIONS: Readonly<Record<string, string>> = {
  startswith: "endswith",
  endswith: "startswith",
  trim_prefix: "trim_suffix",
  trim_suffix: "trim_prefix",
  lower: "upper",
  upper: "lower",
};

type Report = (operation: Operation, place: Span, replacement: string) => void;

export function operatorMutantsOf(module: LibraryModule): Mutant[] {
  const file = new SourceFile(module.name, module.text);
  const { module: parsed, diagnostics } = parseModule(file);
  if (parsed === undefined || diagnostics.length > 0) throw new Error(`${module.name} does not parse`);
  const found: Mutant[] = [];
  const text = file.text;
  const report: Report = (operation, { start, end }, replacement) => {
    found.push({
      module: module.name,
      line: text.slice(0, start).split("\n").length,
      operation,
      written: text.slice(start, end).replace(/\s+/g, " "),
      on: lineAt(text, start),
      to: replacement,
      text: text.slice(0, start) + replacement + text.slice(end),
    });
  };
  for (const rule of parsed.rules) if (!rule.isDefault) new Mutator(text, report).rule(rule);
  return found;
}

class Mutator {
  private readonly text: string;
  private readonly report: Report;

  constructor(text: string, report: Report) {
    this.text = text;
    this.report = report;
  }

  rule(rule: Rule): void {
    if (rule.hasBody) this.body(rule.body);
    if (rule.head.value !== undefined) this.value(rule.head.value);
    if (rule.else !== undefined) {
      this.swap(rule, rule.else);
      this.rule(rule.else);
    }
  }

  /** The later branch is asked first. */
  private swap(one: Rule, other: Rule): void {
    const [a, b] = [one.head.value, other.head.value];
    if (a === undefined || b === undefined || !one.hasBody || !other.hasBody) return;
    const [bodyA, bodyB] = [bodySpan(one.body), bodySpan(other.body)];
    if (bodyA === undefined || bodyB === undefined || a.span.end > bodyA.start || b.span.start < bodyA.end) return;
    const { text } = this;
    const [valueA, valueB] = [text.slice(a.span.start, a.span.end), text.slice(b.span.start, b.span.end)];
    const [saidA, saidB] = [text.slice(bodyA.start, bodyA.end), text.slice(bodyB.start, bodyB.end)];
    const between = text.slice(bodyA.end, b.span.start);
    const [ifA, ifB] = [text.slice(a.span.end, bodyA.start), text.slice(b.span.end, bodyB.start)];
    const place = { ...a.span, start: a.span.start, end: bodyB.end };
    this.report("swap branches", place, valueB + ifA + saidB + between + valueA + ifB + saidA);
  }

  private body(body: Body): void {
    for (const [i, expr] of body.entries()) this.expr(expr, body.slice(i + 1));
  }

  private expr({ body, span }: Expr, rest: Body): void {
    switch (body.kind) {
      case "SomeDecl":
        if (body.domain !== undefined) {
          this.term(body.domain);
          const last = rest.at(-1);
          if (last !== undefined) this.anyToAll(span, rest, last);
        }
        return;
      case "Every": {
        const inner = bodySpan(body.body);
        this.term(body.domain);
        this.body(body.body);
        if (inner === undefined) return;
        const key = body.key === undefined ? "" : `${body.key.name}, `;
        const some = `some ${key}${body.value.name} in ${this.slice(body.domain.span)}`;
        this.report("any for all", span, `count([1 | ${some}; ${this.text.slice(inner.start, inner.end)}]) > 0`);
        return;
      }
      case "Not":
        return this.body(body.body);
      case "Logical": {
        this.body(body.left);
        this.body(body.right);
        return;
      }
      default:
        this.term(body);
    }
  }

  /** `some x in xs` and all that follows it. */
  private anyToAll(span: Span, rest: Body, last: Expr): void {
    const declared = this.slice(span).replace(/^some\s+/, "");
    const following = this.text.slice((rest[0] as Expr).span.start, last.span.end);
    this.report("all for any", { ...span, end: last.span.end }, `every ${declared} {\n${following}\n}`);
  }

  private call(call: Call): void {
    const name = this.slice(call.operator.span);
    const [left, right] = call.args;
    const signs = call.infix === undefined ? undefined : COMPARISONS[call.infix];
    if (signs !== undefined && left !== undefined && right !== undefined) {
      const between = { ...call.span, start: left.span.end, end: right.span.start };
      const written = this.slice(between);
      for (const sign of signs) this.report("other operator", between, written.replace(call.infix as string, sign));
    }
    const other = FUNCTIONS[name];
    if (call.infix === undefined && other !== undefined) this.report("other function", call.operator.span, other);
    for (const arg of call.args) this.term(arg);
  }

  /** A term whose texts decide: each is tried as one that is almost the same. */
  private term(term: Term): void {
    if (term.kind === "String" && !term.raw && this.text[term.span.start] === '"') this.nearText(term.span);
    else this.value(term);
  }

  /** A term that may be part of an answer, whose words are held by every test of it. */
  private value(term: Term): void {
    switch (term.kind) {
      case "Number":
        if (/^\d+$/.test(term.text)) {
          this.report("off by one", term.span, String(Number(term.text) + 1));
          if (term.text !== "0") this.report("off by one", term.span, String(Number(term.text) - 1));
        }
        return;
      case "Boolean":
        return this.report("other constant", term.span, String(!term.value));
      case "Call":
        return this.call(term);
      case "ArrayComprehension":
      case "SetComprehension":
        this.value(term.term);
        return this.body(term.body);
      case "ObjectComprehension":
        return this.body(term.body);
      case "Array":
      case "Set":
        for (const item of term.items) this.value(item);
        return;
      case "Object":
        for (const [, item] of term.entries) this.value(item);
        return;
      case "Ref":
        for (const arg of term.args) if (arg.kind === "Number") this.value(arg);
        return;
      default:
        return;
    }
  }

  /** One character more, one less, another case. */
  private nearText(span: Span): void {
    const text = this.slice(span).slice(1, -1);
    if (text.includes("\\")) return;
    const turned = text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase();
    const near = new Set([`${text} `, text.slice(0, -1), turned]);
    near.delete(text);
    for (const one of near) this.report("near text", span, `"${one}"`);
  }

  private slice({ start, end }: Span): string {
    return this.text.slice(start, end);
  }
}

function bodySpan(body: Body): { readonly start: number; readonly end: number } | undefined {
  const [first] = body;
  const last = body.at(-1);
  return first === undefined || last === undefined ? undefined : { start: first.span.start, end: last.span.end };
}

/**
 * Why a test failed: its bodies, and those of `every` in them, report each statement before it is evaluated, with the values that it
 * reads. The last report is of the statement that failed last. References that are compared or that have to hold are evaluated in
 * a statement of their own before, so that their values are reported, too. What the test says does not change.
 */

import {
  addExprVars,
  addVars,
  type CheckedPolicy,
  isCallOf,
  isGenerated,
  isWildcard,
  originalName,
} from "../analyze/index.ts";
import type { Span } from "../diagnostics/index.ts";
import { type Body, type Call, type Expr, isTerm, type Rule, type Scalar, type Term } from "../syntax/index.ts";
import { belowTests } from "./below-tests.ts";
import { insertedCall } from "./inserted-call.ts";
import { WrittenExpressions } from "./written-expressions.ts";

/** The builtin. Its argument is a list: the place of the step in `ReportedSteps.steps`, then its values; it answers `true`. */
export const STEP = "portcullis.step";

/** A statement on its way. */
export interface TestStep {
  /** The expression, as the author wrote it. */
  readonly expression: Span;
  /** The part of it that the statement evaluates: it is undefined if nothing is reported after this. */
  readonly evaluates: Span | undefined;
  /** What each value is of, in the author's words. */
  readonly names: readonly string[];
}

export interface ReportedSteps {
  readonly policy: CheckedPolicy;
  readonly steps: readonly TestStep[];
}

/** `tests`: paths below `data`. */
export function reportSteps(checked: CheckedPolicy, tests: readonly (readonly Scalar[])[]): ReportedSteps {
  const below = belowTests(tests);
  const reporter = new Reporter(new WrittenExpressions(checked));
  const groups = checked.groups.map((group) => ({
    ...group,
    definitions: group.definitions.map((d) =>
      d.isDefault || below(group, d) === undefined ? d : { ...d, rule: reporter.rule(d.rule) },
    ),
  }));
  // The brand stays true: the statements are such as analysis itself could have made.
  return { policy: { ...checked, groups } as CheckedPolicy, steps: reporter.steps };
}

class Reporter {
  readonly steps: TestStep[] = [];
  private readonly written: WrittenExpressions;
  private locals = 0;
  /** What the locals of rewriting stand for. */
  private readonly texts = new Map<string, string>();

  constructor(written: WrittenExpressions) {
    this.written = written;
  }

  rule(rule: Rule): Rule {
    // A local is one of its rule alone.
    this.texts.clear();
    const other = rule.else === undefined ? undefined : this.rule(rule.else);
    return { ...rule, body: this.body(rule.body, new Set()), else: other };
  }

  /** `bound`: the locals that have values where the body begins. */
  private body(body: Body, bound: ReadonlySet<string>): Expr[] {
    const known = new Set(bound);
    const result: Expr[] = [];
    for (const [i, statement] of body.entries()) {
      const at = this.written.around(statement.span);
      const read = at === undefined ? [] : this.readBy(body, i, at);
      for (const expr of at === undefined ? [statement] : this.split(statement, known)) {
        if (at !== undefined) result.push(this.report(expr, at, [...read, ...varsOf(expr)], known));
        result.push(this.within(expr, known));
        this.learn(expr, known);
      }
    }
    return result;
  }

  /** The locals of all statements that were made of the expression at `at`, those of statement `i` last. */
  private readBy(body: Body, i: number, at: Span): string[] {
    return body.slice(0, i + 1).flatMap((expr) => (this.written.around(expr.span) === at ? varsOf(expr) : []));
  }

  private report(expr: Expr, expression: Span, read: readonly string[], known: ReadonlySet<string>): Expr {
    const evaluated = evaluatedBy(expr, known);
    const values = new Map<string, Term>();
    for (const name of read) {
      const text = isGenerated(name) ? this.texts.get(name) : isWildcard(name) ? undefined : originalName(name);
      if (text !== undefined && known.has(name)) values.set(text, { kind: "Var", span: expression, name });
    }
    const number: Term = { kind: "Number", span: expression, text: String(this.steps.length) };
    this.steps.push({ expression, evaluates: evaluated?.span, names: [...values.keys()] });
    return insertedCall(STEP, [{ kind: "Array", span: expression, items: [number, ...values.values()] }], expression);
  }

  private within(expr: Expr, known: ReadonlySet<string>): Expr {
    const { body } = expr;
    if (body.kind !== "Every") return expr;
    const own = [...(body.key === undefined ? [] : [body.key.name]), body.value.name];
    return { ...expr, body: { ...body, body: this.body(body.body, new Set([...known, ...own])) } };
  }

  private learn(expr: Expr, known: Set<string>): void {
    if (expr.negated) return;
    const evaluated = evaluatedBy(expr, known);
    if (evaluated !== undefined) this.texts.set(evaluated.local, textOf(evaluated.span));
    if (isTerm(expr.body)) for (const name of varsOf(expr)) known.add(name);
  }

  /** The statement, behind statements for the references and calls whose values it only compares or needs to hold. */
  private split(expr: Expr, known: ReadonlySet<string>): Expr[] {
    const { body } = expr;
    if (expr.negated || !isTerm(body)) return [expr];
    const before: Expr[] = [];
    const named = (term: Term): Term => {
      const local: Term = { kind: "Var", span: term.span, name: `#step${++this.locals}` };
      before.push({ ...expr, span: term.span, body: equality(local, term) });
      return local;
    };
    if (isCallOf(body, "eq")) {
      const [a, b] = body.args as readonly [Term, Term];
      if (evaluatedBy(expr, known) !== undefined || !(isKnown(a, known) && isKnown(b, known))) return [expr];
      const args = [a, b].map((side) => (isEvaluated(side) ? named(side) : side));
      return [...before, { ...expr, body: { ...body, args } }];
    }
    if (body.kind === "Ref" || (body.kind === "Call" && isAsked(body))) {
      if (!isKnown(body, known)) return [expr];
      const local = named(body);
      return [...before, { ...expr, with: [], body: local }];
    }
    return [expr];
  }
}

/** A call whose value says more than that it does not hold. */
function isAsked({ operator, infix }: Call): boolean {
  return operator.kind === "Ref" || (infix === undefined && !operator.name.startsWith("internal."));
}

/** Whether a term has no variable that the statement would bind. */
function isKnown(term: Term, known: ReadonlySet<string>): boolean {
  const vars = new Set<string>();
  addVars(term, vars, false);
  return [...vars].every((name) => known.has(name) || name === "input" || name === "data");
}

function varsOf(expr: Expr): string[] {
  const vars = new Set<string>();
  addExprVars(expr, vars, false);
  return [...vars].filter((name) => name !== "input" && name !== "data");
}

/** The term that a statement gives a local of rewriting which has no value before, and no author's variable. */
function evaluatedBy(
  { negated, body }: Expr,
  known: ReadonlySet<string>,
): { readonly local: string; readonly span: Span } | undefined {
  if (negated || !isCallOf(body, "eq")) return undefined;
  const [target, value] = body.args as readonly [Term, Term];
  if (target.kind !== "Var" || !isGenerated(target.name) || known.has(target.name) || !isEvaluated(value))
    return undefined;
  return { local: target.name, span: value.span };
}

/** A term that may be undefined. */
function isEvaluated({ kind }: Term): boolean {
  return kind === "Ref" || kind === "Call" || kind === "TemplateString" || kind.endsWith("Comprehension");
}

function equality(local: Term, term: Term): Term {
  const operator = { kind: "Var", span: term.span, name: "eq" } as const;
  return { ...{ kind: "Call", span: term.span, operator }, args: [local, term], infix: "=", parenthesized: false };
}

function textOf({ file, start, end }: Span): string {
  return file.text.slice(start, end).replace(/\s+/g, " ");
}

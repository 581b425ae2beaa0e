/** Denials that every request meets: no condition was written, or one that always holds. Nothing is allowed any more. */

import { type CheckedPolicy, isCallOf, type RuleDefinition } from "@portcullis/rego/analyze";
import type { Diagnostic, Span } from "@portcullis/rego/diagnostics";
import { type Expr, isTerm, type Term } from "@portcullis/rego/syntax";
import { pipelineDiagnostic } from "../codes.ts";
import { shownText } from "./check-conditions.ts";
import { dataPath } from "./flow.ts";

/** Builtins that have a result for whatever their types admit. */
const TOTAL: ReadonlySet<string> = new Set([
  "sprintf",
  "concat",
  "count",
  "upper",
  "lower",
  "trim_space",
  "format_int",
]);

/** Values that are written out. Any other, as `amount := input.scope.amount`, may be undefined or false. */
const LITERALS: ReadonlySet<Term["kind"]> = new Set(["String", "Number", "Boolean", "Null", "Constant"]);

/** Whether a body holds for every request. `schema`: of the decision's input. */
export function holdsAlways(policy: CheckedPolicy, body: readonly Expr[], schema: unknown): boolean {
  return new CertainBody(policy, requiredOf(schema)).holds(body);
}

/** `schema`: of the decision's input; its required members are in every request that comes as far as an extension. */
export function checkCertain(
  policy: CheckedPolicy,
  decision: string,
  { rule, keys }: RuleDefinition,
  schema: unknown,
): Diagnostic[] {
  if (!holdsAlways(policy, rule.body, schema)) return [];
  const at = certainPlace({ rule, keys });
  return [
    pipelineDiagnostic("pipeline/certain-denial", { decision }, at.span, {
      help: at.isWritten
        ? `\`${shownText(at.span)}\` always holds: write the condition under which the request is denied`
        : "write the condition under which the request is denied behind `if`",
    }),
  ];
}

/** The condition of a rule that always holds; its head if it has no condition. */
export function certainPlace({ rule, keys: [key] }: Pick<RuleDefinition, "rule" | "keys">): CertainPlace {
  const written = rule.body.filter(({ body }) => !isBinding(body, key));
  const [first] = written;
  // What a condition reads is a statement before it.
  const condition =
    first && written.findLast(({ span: { start, end } }) => start <= first.span.start && first.span.end <= end);
  const isWritten = condition !== undefined && rule.hasBody;
  return { isWritten, span: isWritten ? condition.span : rule.head.span };
}

interface CertainPlace {
  readonly isWritten: boolean;
  readonly span: Span;
}

/** `x := {…}` where `x` is the denial itself. */
function isBinding(body: Expr["body"], key: Term | undefined): boolean {
  if (key?.kind !== "Var" || !isCallOf(body, "eq")) return false;
  return body.args.some((arg) => arg.kind === "Var" && arg.name === key.name);
}

class CertainBody {
  private readonly policy: CheckedPolicy;
  private readonly required: ReadonlySet<string>;
  private readonly values = new Map<string, Term>();

  constructor(policy: CheckedPolicy, required: ReadonlySet<string>) {
    this.policy = policy;
    this.required = required;
  }

  /** Whether every statement succeeds for every request. In doubt: no. */
  holds(body: readonly Expr[]): boolean {
    return body.every(
      (expr) => expr.with.length === 0 && (expr.negated ? this.isFalse(expr.body) : this.succeeds(expr.body)),
    );
  }

  private succeeds(body: Expr["body"]): boolean {
    if (!isTerm(body)) return false;
    if (!isCallOf(body, "eq")) return this.isDefined(body) && !this.isFalse(body);
    const [a, b] = body.args as readonly [Term, Term];
    if (!this.isDefined(a, true) || !this.isDefined(b, true)) return false;
    for (const [name, value] of [
      [a, b],
      [b, a],
    ] as const) {
      if (name.kind !== "Var" || this.values.has(name.name)) continue;
      this.values.set(name.name, this.valueOf(value));
      return true;
    }
    return sameText(this.valueOf(a), this.valueOf(b));
  }

  private valueOf(term: Term): Term {
    return (term.kind === "Var" ? this.values.get(term.name) : undefined) ?? term;
  }

  /** `binds`: a variable without a value gets one here. */
  private isDefined(term: Term, binds = false): boolean {
    switch (term.kind) {
      case "String":
      case "Number":
      case "Boolean":
      case "Null":
      case "Constant":
      case "ArrayComprehension":
      case "SetComprehension":
      case "ObjectComprehension":
      case "TemplateString":
        return true;
      case "Var":
        return !isDocument(term.name) && (binds || this.values.has(term.name));
      case "Array":
      case "Set":
        return term.items.every((item) => this.isDefined(item));
      case "Object":
        return term.entries.every(([k, v]) => this.isDefined(k) && this.isDefined(v));
      case "Ref":
        return this.isRequired(term) || this.constantRule(term) !== undefined;
      case "Call":
        return (
          term.operator.kind === "Var" && TOTAL.has(term.operator.name) && term.args.every((arg) => this.isDefined(arg))
        );
    }
  }

  private isRequired(term: Term): boolean {
    if (term.kind !== "Ref" || term.head.kind !== "Var" || term.head.name !== "input") return false;
    const [member, ...rest] = term.args;
    return member?.kind === "String" && rest.length === 0 && this.required.has(member.value);
  }

  /** `always := true`, in any package. */
  private constantRule(term: Term): Term | undefined {
    const path = dataPath(term);
    if (path === undefined || term.kind !== "Ref" || path.length !== term.args.length) return undefined;
    const group = this.policy.groups.find((g) => g.path.join("\0") === path.join("\0"));
    const [only, ...others] = group?.kind === "complete" ? group.definitions : [];
    if (only === undefined || others.length > 0 || only.rule.hasBody || only.rule.else !== undefined) return undefined;
    const { value } = only.rule.head;
    return value !== undefined && LITERALS.has(value.kind) ? value : undefined;
  }

  private isFalse(body: Expr["body"]): boolean {
    if (!isTerm(body)) return false;
    const value = this.valueOf(body);
    const constant = value.kind === "Ref" ? this.constantRule(value) : value;
    if (constant?.kind === "Constant") return constant.value.kind === "boolean" && !constant.value.value;
    return constant?.kind === "Boolean" && !constant.value;
  }
}

/** What a request, or the data, is as a whole is not known. */
function isDocument(name: string): boolean {
  return name === "input" || name === "data";
}

/** One value: the same constant, or the same reference. */
function sameText(a: Term, b: Term): boolean {
  if (a.kind !== b.kind) return false;
  if (a.kind === "String" && b.kind === "String") return a.value === b.value;
  if (a.kind === "Number" && b.kind === "Number") return Number(a.text) === Number(b.text);
  if (a.kind === "Boolean" && b.kind === "Boolean") return a.value === b.value;
  if (a.kind !== "Ref" || b.kind !== "Ref" || a.head.kind !== "Var" || b.head.kind !== "Var") return false;
  return (
    a.head.name === b.head.name &&
    a.args.length === b.args.length &&
    a.args.every((arg, i) => arg.kind === "String" && sameText(arg, b.args[i] as Term))
  );
}

/** Members that every request has by the time an author's rules are asked. */
export function requiredOf(schema: unknown): Set<string> {
  const { required, properties } = schema as { readonly required?: unknown; readonly properties?: object };
  const names = Array.isArray(required) ? required.filter((name): name is string => typeof name === "string") : [];
  const isText = (name: string): boolean => {
    const member = (properties as { readonly [name: string]: { readonly type?: unknown } } | undefined)?.[name];
    return member?.type === "string" || member?.type === "array" || member?.type === "object";
  };
  return new Set(names.filter(isText));
}

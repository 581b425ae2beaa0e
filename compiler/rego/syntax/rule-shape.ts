/** The shape of rules in Rego v1: forms that only v0 allowed are refused, and `default` and `else` have their limits. */

import { type Diagnostic, rewriting, type Span, sourceText } from "../diagnostics/index.ts";
import type { Head, Ref, Rule, Term } from "./ast.ts";
import { builtin } from "./builtins.ts";
import { syntaxDiagnostic } from "./codes.ts";
import { isKeyword, isKeywordOfV0 } from "./keywords.ts";
import { isCollection, isScalar } from "./term-kinds.ts";
import { eachTerm, terms } from "./visit.ts";

/** How a rule was written, as far as its tree does not say. */
export interface Written {
  readonly hasIf: boolean;
  /** The space between the name and its first part: only a rule with a body may have one. */
  readonly gap: Span | undefined;
  /** In a module of v0, where rules need no `if` and no `contains`. */
  readonly old: boolean;
}

function what(head: Head): string {
  return head.args?.length ? "function" : "rule";
}

/** `pkg.p[x]` as in the source, for messages; long ones are cut. */
function shortText(span: Span): string {
  const text = sourceText(span).replace(/\s+/g, " ").replaceAll("`", "'");
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

export function checkRule(rule: Rule, written: Written): Diagnostic[] {
  const { head, hasBody } = rule;
  const { ref, args, key, value } = head;
  const found: Diagnostic[] = [];
  const name = ref.head.kind === "Var" ? ref.head.name : "";
  if (written.gap && !hasBody && key === undefined) {
    found.push(syntaxDiagnostic("rego/illegal-rule", { reason: "unexpected space in rule name" }, written.gap));
  }
  if (name === "set" && ref.args.length === 0 && args?.length === 0) {
    found.push(syntaxDiagnostic("rego/illegal-rule", { reason: "`set()` is the empty set" }, head.span));
  }
  if (ref.args.length === 0 && (written.old ? isKeywordOfV0 : isKeyword)(name))
    found.push(syntaxDiagnostic("rego/keyword-as-name", { name }, ref.span));
  if (hasBody && !written.hasIf && !written.old) {
    const hint = isOldSet(rule, written)
      ? {}
      : {
          help: `write \`${shortText(head.span)} if { … }\``,
          fixes: rewriting(head.span, `${sourceText(head.span)} if`),
        };
    found.push(syntaxDiagnostic("rego/missing-if", { what: what(head) }, head.span, hint));
  }
  if (isOldSet(rule, written)) {
    if (written.old) return found;
    const set = shortText({ ...ref.span, end: (ref.head as Term).span.end });
    const help = `write \`${set} contains ${shortText((ref.args[0] as Term).span)}${hasBody ? " if { … }" : ""}\``;
    const text = `${sourceText({ ...ref.span, end: (ref.head as Term).span.end })} contains ${sourceText((ref.args[0] as Term).span)}`;
    const fixes = rewriting(head.span, hasBody ? `${text} if` : text);
    found.push(syntaxDiagnostic("rego/missing-contains", {}, head.span, { help, fixes }));
  } else if (!hasBody && value === undefined && key === undefined) {
    if (args === undefined) {
      // `p.q.r` alone says true in v0.
      if (written.old && ref.args.length > 1) return found;
      const help = `write \`${shortText(ref.span)} := …\` or \`${shortText(ref.span)} if { … }\``;
      found.push(syntaxDiagnostic("rego/missing-body", { what: "rule" }, head.span, { help }));
    } else if (args.length === 0) {
      found.push(
        syntaxDiagnostic(
          "rego/illegal-rule",
          { reason: "rule argument list must take at least one argument" },
          head.span,
        ),
      );
    } else if (builtin(dottedName(ref))) {
      found.push(
        syntaxDiagnostic("rego/illegal-rule", { reason: "rule name conflicts with built-in function" }, head.span),
      );
    }
  }
  return found;
}

/** `io.jwt.decode`, as builtins are named. */
function dottedName({ head, args }: Ref): string {
  return [head, ...args]
    .map((part) => (part.kind === "Var" ? part.name : part.kind === "String" ? part.value : "?"))
    .join(".");
}

/** `p[x]` and `p[x] { … }`: partial sets in v0. */
function isOldSet({ head }: Rule, { hasIf }: Written): boolean {
  return (
    !hasIf &&
    head.args === undefined &&
    head.key === undefined &&
    head.value === undefined &&
    head.ref.args.length === 1
  );
}

/** A rule of v0 as v1 would have it: the one form that means something else there is a partial set. */
export function asV1(rule: Rule, written: Written): Rule {
  if (!isOldSet(rule, written)) return rule;
  const { head } = rule;
  const name = head.ref.head;
  return { ...rule, head: { ...head, ref: { ...head.ref, span: name.span, args: [] }, key: head.ref.args[0] } };
}

export function checkDefault(rule: Rule): Diagnostic[] {
  const { value, ref, args } = rule.head;
  const bad = (reason: string, at: Span) => syntaxDiagnostic("rego/illegal-default", { reason }, at);
  // As in OPA, `default p` alone says true, but for `default p.q`.
  if (rule.head.key || (value === undefined && ref.args.length === 1 && args === undefined)) {
    return [bad("must have a value", rule.span)];
  }
  const found: Diagnostic[] = [];
  if (value) {
    const variable = variablePart(value);
    if (variable) {
      const kind =
        variable.kind === "Var" && variable.name !== "input" && variable.name !== "data" ? "var" : variable.kind;
      found.push(
        bad(`value cannot contain ${kind === "Call" ? "call" : kind === "var" ? "var" : "ref"}`, variable.span),
      );
    }
  }
  const seen = new Set<string>();
  for (const arg of args ?? []) {
    if (arg.kind !== "Var") found.push(bad(`arguments cannot contain ${arg.kind.toLowerCase()}`, arg.span));
    else if (seen.has(arg.name)) found.push(bad(`arguments cannot be repeated \`${arg.name}\``, arg.span));
    else if (arg.name !== "_") seen.add(arg.name);
  }
  return found;
}

/** The first part of a default value that is not known at compile time. Comprehensions are closed, and so allowed. */
function variablePart(term: Term): Term | undefined {
  if (isVariable(term)) return term;
  let found: Term | undefined;
  eachTerm(term, (part) => {
    found ??= variablePart(part);
  });
  return found;
}

function isVariable(term: Term): boolean {
  return term.kind === "Var" || term.kind === "Ref" || term.kind === "Call";
}

/** Whether `else` may follow a rule with this head. */
export function checkElse(head: Head, at: Span): Diagnostic | undefined {
  const refused = head.key
    ? "multi-value rules"
    : head.ref.args.every(isGround)
      ? undefined
      : "rules with variables in head";
  return refused === undefined ? undefined : syntaxDiagnostic("rego/illegal-else", { what: refused }, at);
}

/** Scalars, and collections of them. */
function isGround(term: Term): boolean {
  return isCollection(term) ? terms(term).every(isGround) : isScalar(term);
}

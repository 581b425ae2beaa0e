/**
 * Conditions that no request can meet: two values of one member, a beginning that no id has, a case that `lower` takes away;
 * Each keeps another request out than it says, or none.
 */

import { isCallOf } from "@portcullis/rego/analyze";
import type { Diagnostic, Span } from "@portcullis/rego/diagnostics";
import type { Call, Expr, Rule, Term } from "@portcullis/rego/syntax";
import { pipelineDiagnostic } from "../codes.ts";
import { callsOf, originsOf } from "./flow.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** What is known of the terms of a rule. */
export interface KnownTerms {
  /** The ids that a term may be, where they are known. */
  readonly idsOf: (term: Term) => Vocabulary | undefined;
  readonly matches: PatternMatch;
}

/** Whether a regular expression of OPA's meets a text; `undefined` where that takes too long to tell. */
export type PatternMatch = (pattern: string, text: string) => boolean | "no pattern" | undefined;

/** Whether an id has a part, by the name of the builtin. */
const PARTS: { readonly [name: string]: (text: string, part: string) => boolean } = {
  startswith: (text, part) => text.startsWith(part),
  endswith: (text, part) => text.endsWith(part),
  contains: (text, part) => text.includes(part),
};
const CASES: { readonly [name: string]: (text: string) => string } = {
  lower: (text) => text.toLowerCase(),
  upper: (text) => text.toUpperCase(),
};

export function checkConditions(rule: Rule, known: KnownTerms): Diagnostic[] {
  const origins = originsOf(rule);
  const origin = (term: Term): Term => (term.kind === "Var" ? origins.get(term.name) : undefined) ?? term;
  const found = callsOf(rule).flatMap((call) => [
    ...parts(call, known),
    ...cases(call, origin, known),
    ...patternOf(call, known),
  ]);
  for (let branch: Rule | undefined = rule; branch; branch = branch.else) {
    found.push(...contradictions(branch.body, origin));
  }
  return found;
}

/** `startswith("payment.", input.tool)`: no tool is a beginning of that. */
function* parts({ operator, args, span }: Call, { idsOf }: KnownTerms): Iterable<Diagnostic> {
  const has = operator.kind === "Var" && Object.hasOwn(PARTS, operator.name) ? PARTS[operator.name] : undefined;
  const [text, part] = args;
  if (has === undefined || text === undefined || part === undefined) return;
  const isSwapped = text.kind === "String";
  const constant = isSwapped ? text : part;
  const ids = idsOf(isSwapped ? part : text);
  if (constant.kind !== "String" || ids === undefined || ids.isOpen || ids.ids.size === 0) return;
  const all = [...ids.ids];
  if (all.some((id) => (isSwapped ? has(constant.value, id) : has(id, constant.value)))) return;
  const isMeant = isSwapped && all.some((id) => has(id, constant.value));
  const help = isMeant ? { help: "the text comes first, then the part that is looked for in it" } : {};
  yield pipelineDiagnostic(
    "pipeline/impossible-condition",
    { condition: shownText(span), none: `no ${ids.noun}` },
    span,
    help,
  );
}

/** `lower(input.role) == "CLERK"`. */
function* cases(call: Call, origin: (term: Term) => Term, known: KnownTerms): Iterable<Diagnostic> {
  if (!["eq", "equal", "neq"].some((name) => isCallOf(call, name))) return;
  const [a, b] = call.args as readonly [Term, Term];
  for (const [written, other] of [
    [a, origin(b)],
    [b, origin(a)],
  ] as const) {
    if (written.kind !== "String" || other.kind !== "Call" || other.operator.kind !== "Var") continue;
    const { name } = other.operator;
    const change = Object.hasOwn(CASES, name) ? CASES[name] : undefined;
    if (change === undefined) continue;
    const ids = other.args[0] && known.idsOf(other.args[0]);
    const isCase = change(written.value) === written.value;
    if (isCase && (ids === undefined || ids.isOpen || [...ids.ids].some((id) => change(id) === written.value)))
      continue;
    const params = { condition: shownText(call.span), none: isCase ? `no ${ids?.noun}` : "no text" };
    const help = isCase ? {} : { help: `\`${name}\` gives ${JSON.stringify(change(written.value))}` };
    yield pipelineDiagnostic("pipeline/impossible-condition", params, call.span, help);
  }
}

/** `regex.match("[", input.tool)`: a broken pattern matches nothing, and neither does one that no id meets. */
function* patternOf({ operator, args, span }: Call, { idsOf, matches }: KnownTerms): Iterable<Diagnostic> {
  const [pattern, value] = args;
  if (operator.kind !== "Var" || operator.name !== "regex.match" || pattern?.kind !== "String") return;
  const condition = shownText(span);
  if (matches(pattern.value, "") === "no pattern") {
    const help = `${JSON.stringify(pattern.value)} is no regular expression of RE2`;
    yield pipelineDiagnostic("pipeline/impossible-condition", { condition, none: "no text" }, pattern.span, { help });
    return;
  }
  const ids = value && idsOf(value);
  if (ids === undefined || ids.isOpen || ids.ids.size === 0) return;
  if ([...ids.ids].some((id) => matches(pattern.value, id) !== false)) return;
  yield pipelineDiagnostic("pipeline/impossible-condition", { condition, none: `no ${ids.noun}` }, span);
}

/** One member that is to be two constants, or two constants that differ. */
function* contradictions(body: readonly Expr[], origin: (term: Term) => Term): Iterable<Diagnostic> {
  const first = new Map<string, { readonly value: string; readonly span: Span }>();
  for (const { body: call, negated, with: replaced } of body) {
    if (negated || replaced.length > 0 || !isCallOf(call, "eq")) continue;
    const [a, b] = call.args as readonly [Term, Term];
    const [left, right] = [scalarOf(a), scalarOf(b)];
    if (left !== undefined && right !== undefined && left !== right) {
      yield pipelineDiagnostic(
        "pipeline/impossible-condition",
        { condition: shownText(call.span), none: "no request" },
        call.span,
      );
      continue;
    }
    for (const [term, constant] of [
      [a, b],
      [b, a],
    ] as const) {
      const path = memberOf(origin(term));
      const value = scalarOf(constant);
      if (path === undefined || value === undefined) continue;
      const before = first.get(path);
      if (before === undefined) first.set(path, { value, span: call.span });
      else if (before.value !== value)
        yield pipelineDiagnostic(
          "pipeline/impossible-condition",
          { condition: shownText(call.span), none: "no request" },
          call.span,
          {
            help: `all conditions of a body must hold: for one of several write \`${path} in {${before.value}, ${value}}\``,
            related: [{ message: "it is to be another value here", span: before.span }],
          },
        );
    }
  }
}

/** The text of a reference to one member of the input, no part of it unknown. */
export function memberOf(term: Term): string | undefined {
  if (term.kind !== "Ref" || term.head.kind !== "Var" || term.head.name !== "input") return undefined;
  const names = term.args.map((arg) => (arg.kind === "String" && /^[A-Za-z_]\w*$/.test(arg.value) ? arg.value : ""));
  return names.length === 0 || names.includes("") ? undefined : ["input", ...names].join(".");
}

function scalarOf(term: Term): string | undefined {
  if (term.kind === "String") return JSON.stringify(term.value);
  // `1` and `1.0` are one value; of two that a float cannot tell apart nothing is said.
  if (term.kind === "Number") return String(Number(term.text));
  return term.kind === "Boolean" ? String(term.value) : undefined;
}

export function shownText({ file, start, end }: Span): string {
  const text = file.text.slice(start, end).replace(/\s+/g, " ");
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/**
 * Conditions and answers of `deny` rules, and of the rules that they and requirements ask, that say nothing of a request which they were
 * meant for: a member that is absent, a value that a builtin has no result for, or an id that a table has no row for. A condition without a value is not false: the denial
 * is silent.
 */

import { isCallOf, type RuleGroup } from "@portcullis/rego/analyze";
import type { Diagnostic, Fix, Span } from "@portcullis/rego/diagnostics";
import { type BuiltinType, builtins, type Call, type Expr, isTerm, type Rule } from "@portcullis/rego/syntax";
import { pipelineDiagnostic } from "../codes.ts";
import { shownText } from "./check-conditions.ts";
import { type Kind, type Kinds, kindsOfType, union } from "./kinds.ts";
import type { MeantBodies } from "./meant-bodies.ts";
import { PARTIAL } from "./partial-builtins.ts";
import { anyElement, isInside, type Places } from "./places.ts";
import type { Rows } from "./rows.ts";

/** A value of another kind than is taken. */
const OTHERS: { readonly [K in Kind]: string } = {
  null: "0",
  boolean: '"true"',
  number: '"5"',
  string: "5",
  array: "5",
  object: "5",
  set: "5",
};

const ASK =
  "ask for the member beside it, as with `is_string`, or say what has to be true and ask for that: `not good` for `bad`";

/** What can be written in the place of a rule, where that is mechanical. */
export type Restate = (rule: Rule, condition: Span) => Fix | undefined;

/** `group`: a `deny` or a `must` of an extension, of which `asked` is one rule. `rows`: where its requests have role, lane and tool. */
export function checkSilence(
  asked: Rule,
  group: RuleGroup,
  bodies: MeantBodies,
  restate: Restate,
  rows: Rows | undefined,
): Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  const add = (body: readonly Expr[], at: Span, finding: Diagnostic): void => {
    const { file, start } = outermost(body, at);
    if (!found.has(`${file.name} ${start}`)) found.set(`${file.name} ${start}`, finding);
  };
  const isDenial = group.path.at(-1) === "deny";
  const effect = isDenial ? "so does the denial" : "the requirement is met";
  for (const { body, places } of bodies.of(asked, group, isDenial)) {
    for (const expr of body) {
      const member = absentIn(expr, places);
      if (member === undefined) continue;
      const at = outermost(body, expr.span);
      const params = { condition: shownText(at), member: anyElement(member), effect };
      const more = body === asked.body ? advice(at, restate(asked, at)) : { help: ASK };
      add(body, at, pipelineDiagnostic("pipeline/silent-denial", params, at, more));
    }
    if (isDenial && body === asked.body)
      for (const [at, finding] of failures(asked, places, restate, rows)) add(body, at, finding);
  }
  if (!bodies.isCut) return [...found.values()];
  const params = { rule: group.path.join(".") };
  return [...found.values(), pipelineDiagnostic("policy/silence-unknown", params, asked.head.span)];
}

/** What the denial's own conditions and its answer have no value for. */
function* failures(
  rule: Rule,
  places: Places,
  restate: Restate,
  rows: Rows | undefined,
): Iterable<readonly [Span, Diagnostic]> {
  for (const expr of rule.body) {
    const isNegative = (expr.negated || isCallOf(expr.body, "neq")) && expr.with.length === 0;
    const rowless = isNegative ? rows?.lackedBy(expr, rule, places.kinds) : undefined;
    if (rowless !== undefined) {
      const at = outermost(rule.body, expr.span);
      const params = { condition: shownText(at), member: rowless.member, value: JSON.stringify(rowless.id) };
      yield [at, pipelineDiagnostic("policy/deny-silent", params, at, advice(at, restate(rule, at)))];
    }
    for (const call of callsIn(expr)) {
      const at = outermost(rule.body, call.span);
      for (const { member, value } of failing(call, places)) {
        const params = { condition: shownText(at), member: anyElement(member), value };
        yield [call.span, pipelineDiagnostic("policy/deny-silent", params, at, advice(at, restate(rule, at)))];
      }
    }
  }
  for (const { member, at } of absentOfAnswer(rule, places)) {
    const params = { condition: shownText(rule.head.span), member: anyElement(member), effect: "so does the denial" };
    const help = "leave it out of the answer, or read it by `object.get`, with a value for where it is absent";
    yield [at, pipelineDiagnostic("pipeline/silent-denial", params, at, { help })];
  }
}

/** Members of the request that only the answer reads: without one of them there is no answer, whatever the conditions found. */
function absentOfAnswer({ head, body }: Rule, places: Places): { readonly member: string; readonly at: Span }[] {
  return body.flatMap((expr) => {
    if (!isInside(expr.span, head.span) || !isCallOf(expr.body, "eq")) return [];
    return expr.body.args.flatMap((arg) => {
      const member = arg.kind === "Ref" ? places.absent(arg) : undefined;
      return member === undefined || places.isSaid(member) ? [] : [{ member, at: arg.span }];
    });
  });
}

function advice(at: Span, fix: Fix | undefined): { readonly help: string; readonly fixes?: readonly Fix[] } {
  const [edit] = fix?.edits ?? [];
  if (fix === undefined || edit === undefined)
    return { help: `say with \`must\` what has to be true instead of ${JSON.stringify(shownText(at)).slice(1, -1)}` };
  return { help: `write it as what has to be true:\n${edit.text}`, fixes: [fix] };
}

/**
 * The place of the request whose absence makes a statement silent, where it is a negation, says that two values differ, or something
 * of every element, or holds where there is little at the place. A negated `==` holds where a member that stands in it itself is
 * absent; what is made of members comes before it.
 */
function absentIn(expr: Expr, places: Places): string | undefined {
  const { body, negated, with: replaced } = expr;
  if (replaced.length > 0) return undefined;
  if (body.kind === "Every") return places.absent(body.domain, expr);
  if (!isTerm(body) || body.kind !== "Call") return undefined;
  if (!(negated || isCallOf(body, "neq") || places.isFalse(body))) return places.emptied(body, expr);
  const made = negated && isCallOf(body, "eq") ? body.args.filter(({ kind }) => kind !== "Ref") : body.args;
  return made.map((arg) => places.absent(arg, expr)).find((place) => place !== undefined);
}

function callsIn({ body }: Expr): Call[] {
  if (!isTerm(body) || body.kind !== "Call") return [];
  if (!isCallOf(body, "eq")) return [body];
  return body.args.flatMap((arg) => (arg.kind === "Call" ? [arg] : []));
}

/** The members of the request for whose values a call has no result. */
function failing(call: Call, places: Places): { member: string; value: string }[] {
  const { kinds } = places;
  const name = call.operator.kind === "Var" ? call.operator.name : "";
  const { parameters = [], result } = builtins().get(name) ?? {};
  // Whether it is `false` or has no result makes no difference: neither is recognised.
  if (result?.kind === "boolean") return [];
  return call.args.flatMap((arg, i) => {
    const type = parameters[i]?.type;
    const member = places.read(arg);
    if (member === undefined) return [];
    const had = kinds.of(arg);
    const unread = Object.hasOwn(PARTIAL, name) ? PARTIAL[name]?.[i] : undefined;
    const mayBe = unread !== undefined && (had === undefined || had.has(kindOfJson(unread)));
    if (mayBe && !(unread === "0" && places.isCompared(member))) return [{ member, value: unread }];
    const taken = kindsOfType(type);
    if (taken !== undefined && !(had !== undefined && [...had].every((kind) => taken.has(kind) || isNone(kind, had))))
      return [{ member, value: OTHERS[[...taken][0] as Kind] }];
    const [items, holds] = [itemsOf(type), kinds.elements(arg, 0)];
    if (items === undefined || (holds !== undefined && [...holds].every((kind) => items.has(kind)))) return [];
    const other = OTHERS[[...items][0] as Kind];
    return [{ member, value: taken?.has("array") ? `[${other}]` : `{"a": ${other}}` }];
  });
}

function kindOfJson(text: string): Kind {
  const value: unknown = JSON.parse(text);
  return Array.isArray(value) ? "array" : (typeof value as "number" | "string" | "object");
}

/** The kinds of what a collection of this type holds, of an object's values; `undefined`: any, or it is no collection. */
function itemsOf(type: BuiltinType | undefined): Kinds {
  switch (type?.kind) {
    case "array":
      return type.items.length > 0 ? undefined : kindsOfType(type.rest);
    case "set":
      return kindsOfType(type.of);
    case "object":
      return kindsOfType(type.rest?.value);
    case "union":
      return union(type.of.map(itemsOf));
    case "any":
    case "null":
    case "boolean":
    case "number":
    case "string":
    case undefined:
      return undefined;
  }
}

/** `null` counts as absent where the schema lets it stand for another type. */
function isNone(kind: Kind, had: ReadonlySet<Kind>): boolean {
  return kind === "null" && had.size > 1;
}

/** The statement that an author wrote around a place: what it needs was hoisted out of it. */
function outermost(body: readonly Expr[], at: Span): Span {
  let found = at;
  for (const { span } of body) if (isInside(found, span)) found = span;
  return found;
}

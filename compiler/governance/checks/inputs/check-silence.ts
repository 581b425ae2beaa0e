/**
 * Conditions and answers of `deny` rules that say nothing of a request which they were meant for: a member that is absent, or a
 * value that a builtin has no result for. A condition without a value is not false: the denial is silent.
 */

import { type CheckedPolicy, isCallOf } from "@portcullis/rego/analyze";
import type { Diagnostic, Fix, Span } from "@portcullis/rego/diagnostics";
import {
  type BuiltinType,
  builtins,
  type Call,
  type Expr,
  isTerm,
  type Rule,
  type Term,
} from "@portcullis/rego/syntax";
import { pipelineDiagnostic } from "../codes.ts";
import { BodyKinds, type KnownInput } from "./body-kinds.ts";
import { shownText } from "./check-conditions.ts";
import type { WrittenData } from "./constants.ts";
import { type Kind, type Kinds, kindsOfType, union } from "./kinds.ts";
import { PARTIAL } from "./partial-builtins.ts";

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

const COMPARISONS = ["neq", "gt", "gte", "lt", "lte"];

/** What can be written in the place of a rule, where that is mechanical. */
export type Restate = (rule: Rule, condition: Span) => Fix | undefined;

export interface SilenceOptions {
  readonly data: WrittenData;
  readonly input: KnownInput;
  readonly restate: Restate;
}

/** `rule`: a `deny` of an extension. */
export function checkSilence(
  policy: CheckedPolicy,
  rule: Rule,
  { data, input, restate }: SilenceOptions,
): Diagnostic[] {
  const kinds = new BodyKinds(policy, { data: data.data, inputs: [input], asked: "established" }, [rule.body]);
  const places = new Places(kinds, rule);
  const found = new Map<string, Diagnostic>();
  const add = (at: Span, finding: Diagnostic): void => {
    const { start } = outermost(rule.body, at);
    if (!found.has(`${start}`)) found.set(`${start}`, finding);
  };
  for (const expr of rule.body) {
    const absent = absentIn(expr, places);
    const at = outermost(rule.body, expr.span);
    if (absent === undefined) continue;
    const fix = restate(rule, at);
    add(
      expr.span,
      pipelineDiagnostic("pipeline/silent-denial", { condition: shownText(at), member: absent }, at, advice(at, fix)),
    );
  }
  for (const expr of rule.body) {
    for (const call of callsIn(expr)) {
      const at = outermost(rule.body, call.span);
      for (const { member, value } of failing(call, kinds, places)) {
        const params = { condition: shownText(at), member, value };
        add(call.span, pipelineDiagnostic("policy/deny-silent", params, at, advice(at, restate(rule, at))));
      }
    }
  }
  for (const { member, at } of absentOfAnswer(rule, places))
    add(
      at,
      pipelineDiagnostic("pipeline/silent-denial", { condition: shownText(rule.head.span), member }, at, {
        help: "leave it out of the answer, or read it by `object.get`, with a value for where it is absent",
      }),
    );
  return [...found.values()];
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
 * The place of the request whose absence makes a statement silent, where it is a negation, says that two values differ, that there is
 * nothing, or something of every element. A negated `==` holds where a member that stands in it itself is absent; what is made of members comes before it.
 */
function absentIn({ body, negated, with: replaced }: Expr, places: Places): string | undefined {
  if (replaced.length > 0) return undefined;
  if (body.kind === "Every") return places.absent(body.domain);
  if (!isTerm(body) || body.kind !== "Call") return undefined;
  if (!(negated || isCallOf(body, "neq") || places.isFalse(body) || places.isEmpty(body))) return undefined;
  const made = negated && isCallOf(body, "eq") ? body.args.filter(({ kind }) => kind !== "Ref") : body.args;
  return made.map((arg) => places.absent(arg)).find((place) => place !== undefined);
}

function callsIn({ body }: Expr): Call[] {
  if (!isTerm(body) || body.kind !== "Call") return [];
  if (!isCallOf(body, "eq")) return [body];
  return body.args.flatMap((arg) => (arg.kind === "Call" ? [arg] : []));
}

/** The members of the request for whose values a call has no result. */
function failing(call: Call, kinds: BodyKinds, places: Places): { member: string; value: string }[] {
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

function isInside(at: Span, outer: Span): boolean {
  return at.file === outer.file && outer.start <= at.start && at.end <= outer.end;
}

/** The members of the request that terms read. */
class Places {
  private readonly kinds: BodyKinds;
  /** Places that the body asks for by themselves, so that it says what it does without them. */
  private readonly asked = new Set<string>();
  /** Places that a condition needs: without one of them the rule is not asked for its answer. */
  private readonly said = new Set<string>();
  private readonly compared = new Set<string>();

  constructor(kinds: BodyKinds, { head, body }: Rule) {
    this.kinds = kinds;
    for (const expr of body)
      if (!expr.negated && isTerm(expr.body) && !isInside(expr.span, head.span)) this.say(expr.body);
    for (const { body: said, negated } of body) {
      if (isTerm(said) && said.kind === "Call" && COMPARISONS.some((name) => isCallOf(said, name)))
        for (const arg of said.args) this.compared.add(kinds.shownText(arg));
      if (negated || !isTerm(said)) continue;
      if (said.kind === "Ref") this.asked.add(kinds.shownText(said));
      if (said.kind === "Call" && (isTest(said) || isCallOf(said, "internal.member_2")))
        this.asked.add(kinds.shownText(said.args[0] as Term));
      if (isCallOf(said, "eq")) {
        const [a, b] = said.args as readonly [Term, Term];
        for (const [term, other] of [
          [a, b],
          [b, a],
        ] as const)
          if (["String", "Number", "Boolean", "Null"].includes(other.kind)) this.asked.add(kinds.shownText(term));
      }
    }
  }

  isSaid(text: string): boolean {
    return [...this.said].some((said) => said === text || said.startsWith(`${text}.`) || said.startsWith(`${text}[`));
  }

  /** Whether a condition asks how large what is at a place is, or whether it is nought. */
  isCompared(text: string): boolean {
    return this.compared.has(text);
  }

  private say(term: Term): void {
    if (term.kind === "Ref") this.said.add(this.kinds.shownText(term));
    if (term.kind === "Ref" || term.kind === "Call") for (const arg of term.args) this.say(arg);
  }

  /** The place that a term reads and that a request may lack. */
  absent(term: Term): string | undefined {
    return this.all(term).find(({ text, isSure }) => !isSure && !this.asked.has(text))?.text;
  }

  /** `f(x) == false`: as `not f(x)`. */
  isFalse(call: Call): boolean {
    const { args } = call;
    const isNo = (term: Term): boolean => term.kind === "Boolean" && !term.value;
    return isCallOf(call, "eq") && args.some(isNo) && args.some((arg) => this.kinds.origin(arg).kind === "Call");
  }

  /** `count(x) == 0` and its like: what is absent has no count. */
  isEmpty({ operator, args }: Call): boolean {
    const [a, b] = args.map((arg) => this.kinds.origin(arg));
    const isBelow = (
      few: Term | undefined,
      most: Term | undefined,
      names: { readonly [name: string]: string },
    ): boolean =>
      few?.kind === "Call" &&
      isCallOf(few, "count") &&
      most?.kind === "Number" &&
      operator.kind === "Var" &&
      names[operator.name] === most.text;
    return isBelow(a, b, { eq: "0", lte: "0", lt: "1" }) || isBelow(b, a, { eq: "0", gte: "0", gt: "1" });
  }

  /** A place that a term reads; what is made of several values is no place. */
  read(term: Term): string | undefined {
    return this.partsOf(this.kinds.origin(term)) === undefined ? this.all(term)[0]?.text : undefined;
  }

  private all(term: Term, depth = 0): { readonly text: string; readonly isSure: boolean }[] {
    const at = this.kinds.origin(term);
    if (depth > 6) return [];
    const parts = at.kind === "Call" ? at.args : this.partsOf(at);
    if (parts !== undefined) return parts.flatMap((part) => this.all(part, depth + 1));
    if (at.kind !== "Ref" || at.head.kind !== "Var") return [];
    if (at.head.name !== "input") {
      const head = this.kinds.origin(at.head);
      return head.kind === "Ref" ? this.all({ ...head, args: [...head.args, ...at.args] }, depth + 1) : [];
    }
    const path = at.args.map((arg) => (arg.kind === "String" ? arg.value : undefined));
    return [{ text: this.kinds.shownText(at), isSure: this.kinds.isGiven(path) }];
  }

  /** Without one of its parts there is no list, set or object. */
  private partsOf(term: Term): readonly Term[] | undefined {
    if (term.kind === "Array" || term.kind === "Set") return term.items;
    return term.kind === "Object" ? term.entries.flat() : undefined;
  }
}

function isTest({ operator }: Call): boolean {
  return operator.kind === "Var" && /^is_\w+$/.test(operator.name);
}

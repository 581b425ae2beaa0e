/**
 * Comparisons by order. Rego puts values of all types into one order (`null < 5` is true), so one whose sides are not both known to be
 * of one type holds, or fails, for a reason that its author did not mean.
 */

import { type CheckedPolicy, isCallOf } from "@portcullis/rego/analyze";
import type { Diagnostic, Fix, Span } from "@portcullis/rego/diagnostics";
import type { Call, Rule, Term } from "@portcullis/rego/syntax";
import type { Value } from "@portcullis/rego/value";
import { pipelineDiagnostic } from "../codes.ts";
import { BodyKinds, bodiesOf, type KnownInput } from "./body-kinds.ts";
import { shownText } from "./check-conditions.ts";
import type { WrittenData } from "./constants.ts";
import { dataPath, termsOfBody } from "./flow.ts";
import { isOnly, type Kind, type Kinds } from "./kinds.ts";
import type { Restater } from "./restate.ts";

const COLLECTIONS: ReadonlySet<Kind> = new Set<Kind>(["array", "object", "set"]);
const ORDERS = ["lt", "lte", "gt", "gte"] as const;
/** Builtins that choose by order among the elements that they are given. */
const CHOICES = ["max", "min", "sort"] as const;
/** A number as people write it, which is a text. */
const DIGITS = /^[-+]?\d+(?:[_,']\d{3})*(?:\.\d+)?$/;

/** `inputs`: those that a rule may see; none where its input may be anything. */
export function checkOrders(
  policy: CheckedPolicy,
  rules: Iterable<Rule>,
  inputs: (rule: Rule) => readonly KnownInput[],
  data: OrderFacts,
): Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  for (const rule of rules) {
    const known = { data: data.data, inputs: inputs(rule), asked: "established" } as const;
    for (const bodies of bodiesOf(rule)) {
      const calls = callsIn(bodies[0] ?? []);
      if (calls.length === 0) continue;
      const kinds = new BodyKinds(policy, known, bodies);
      // One fault in the data is one finding, whichever rules compare with it.
      const at = (call: Call): Place => ({
        rule,
        isWhole: bodies.length === 1,
        condition: statementAround(bodies[0] ?? [], call),
      });
      const findingFor = (call: Call): Diagnostic | undefined =>
        isOneOf(call, CHOICES) ? findingOfChoice(call, kinds, data, at(call)) : findingOf(call, kinds, data, at(call));
      for (const finding of calls.flatMap((call) => findingFor(call) ?? [])) {
        const { span } = finding;
        const key = `${finding.code} ${span?.file.name} ${span?.start}`;
        if (!found.has(key)) found.set(key, finding);
      }
    }
  }
  return [...found.values()];
}

interface OrderFacts extends WrittenData {
  /** Places with a finding already, of which nothing follows. */
  readonly faults: readonly Span[];
  readonly restater: Restater;
}

/** Where an order stands. */
interface Place {
  readonly rule: Rule;
  /** Whether it is a condition of the rule itself, and not of a body in it. */
  readonly isWhole: boolean;
  /** The statement that holds it. */
  readonly condition: Span;
}

function statementAround(body: Rule["body"], call: Call): Span {
  const around = body.map(({ span }) => span).filter((span) => contains(span, call.span));
  return around.sort((a, b) => b.end - b.start - (a.end - a.start))[0] ?? call.span;
}

/** Those of a body itself, in negations too, and not those of the bodies in it. */
function callsIn(body: Rule["body"]): Call[] {
  return termsOfBody(body).flatMap((term) => (isOneOf(term, [...ORDERS, ...CHOICES]) ? [term as Call] : []));
}

function isOneOf(term: Term, names: readonly string[]): boolean {
  return names.some((name) => isCallOf(term, name));
}

/** `max([input.args.a, 5])`: every text comes after every number. */
function findingOfChoice(call: Call, kinds: BodyKinds, data: OrderFacts, place: Place): Diagnostic | undefined {
  const [all] = call.args as readonly [Term];
  const from = kinds.origin(all);
  if (data.faults.some((fault) => contains(from.span, fault))) return undefined;
  const parts = kinds.elements(all, 0);
  if (parts?.size === 0 || (parts?.size === 1 && !COLLECTIONS.has([...parts][0] as Kind))) return undefined;
  if (from.kind === "Array" || from.kind === "Set") {
    const sides = from.items.map((item) => [item, kinds.of(item)] as const);
    const isScalar = sides.every(([, of]) => of === undefined || ![...of].some((kind) => COLLECTIONS.has(kind)));
    if (isScalar) return unproven(call, kinds, sides, (tests) => fixOf(place, tests, data.restater));
  }
  return unprovenParts(call, [all], kinds);
}

function findingOf(call: Call, kinds: BodyKinds, data: OrderFacts, place: Place): Diagnostic | undefined {
  const [a, b] = call.args as readonly [Term, Term];
  if ([a, b].some((term) => data.faults.some((fault) => contains(kinds.origin(term).span, fault)))) return undefined;
  const [left, right] = [kinds.of(a), kinds.of(b)];
  if (left !== undefined && right !== undefined && (left.size === 0 || right.size === 0)) return undefined;
  const kind = [...(left ?? [])][0];
  if (kind !== undefined && isOnly(left, kind) && isOnly(right, kind))
    return COLLECTIONS.has(kind) ? findingOfParts(call, kinds) : undefined;
  for (const [term, mine, other] of [
    [a, left, right],
    [b, right, left],
  ] as const) {
    const text = textAmong(kinds.origin(term), mine, other, data);
    if (text !== undefined) return orderOfText(call, text);
  }
  const sides = [[a, left] as const, [b, right] as const];
  return unproven(call, kinds, sides, (tests) => fixOf(place, tests, data.restater));
}

/** Collections are compared element by element: `[null]` comes before `[5]`. Elements are of one type, and no collections themselves. */
function findingOfParts(call: Call, kinds: BodyKinds): Diagnostic | undefined {
  const sides = (call.args as readonly Term[])
    .map((term) => ({ term, parts: kinds.elements(term, 0) }))
    .filter(({ parts }) => parts?.size !== 0);
  const [kind] = sides.flatMap(({ parts }) => (parts?.size === 1 ? [...parts] : []));
  const unsure = sides.filter(({ parts }) => kind === undefined || COLLECTIONS.has(kind) || !isOnly(parts, kind));
  return unsure.length === 0
    ? undefined
    : unprovenParts(
        call,
        unsure.map(({ term }) => term),
        kinds,
      );
}

function unprovenParts(call: Call, unsure: readonly Term[], kinds: BodyKinds): Diagnostic {
  const path = unsure.map((term) => `the elements of \`${termName(term, kinds)}\``).join(" and ");
  return pipelineDiagnostic("pipeline/unproven-order", { condition: shownText(call.span), path }, call.span, {
    help: "test each element with `is_number` or the like, in the same rule",
  });
}

function contains(whole: Span, part: Span): boolean {
  return whole.file === part.file && whole.start <= part.start && part.end <= whole.end;
}

interface WrittenText {
  readonly value: string;
  readonly span: Span;
}

/**
 * The text that one side may be, where the other one is never a text, or where it looks like a number: written out, or in the data,
 * also in a table.
 */
function textAmong(term: Term, mine: Kinds, other: Kinds, { data, places }: WrittenData): WrittenText | undefined {
  const isWanted = (value: string): boolean => DIGITS.test(value) || (other !== undefined && !other.has("string"));
  if (isOnly(other, "string")) return undefined;
  if (term.kind === "String") return isWanted(term.value) ? { value: term.value, span: term.span } : undefined;
  const path = dataPath(term);
  if (path === undefined || term.kind !== "Ref" || mine?.has("string") !== true) return undefined;
  const rest = term.args.length - path.length;
  const table = rest === 0 ? path.slice(0, -1) : path;
  const texts = rest === 0 ? textsOf(data(path)) : rest === 1 ? textsIn(data(path)) : [];
  const text = texts.find(isWanted);
  return text === undefined ? undefined : { value: text, span: places(table, false).get(text) ?? term.span };
}

function textsOf(value: Value | undefined): string[] {
  return value?.kind === "string" ? [value.value] : [];
}

function textsIn(value: Value | undefined): string[] {
  if (value?.kind === "object") return value.entries.flatMap(([, member]) => textsOf(member));
  return value?.kind === "array" ? value.items.flatMap(textsOf) : [];
}

function orderOfText(call: Call, { value, span }: WrittenText): Diagnostic {
  const params = { condition: shownText(call.span), text: JSON.stringify(value) };
  const isElsewhere = span.file !== call.span.file;
  const help = DIGITS.test(value)
    ? `write the number: \`${value.replace(/[_,'+]/g, "")}\``
    : "compare values of one type";
  return pipelineDiagnostic("pipeline/order-of-text", params, span, {
    help,
    ...(isElsewhere ? { related: [{ message: "compared here", span: call.span }] } : {}),
  });
}

/** In a denial, what has to be true instead; elsewhere the tests. */
function fixOf({ rule, isWhole, condition }: Place, tests: readonly string[], restater: Restater): Fix | undefined {
  const { key } = rule.head;
  if (key?.kind === "Object") return isWhole ? restater.restate(rule, condition, tests) : undefined;
  return restater.beside(condition, tests);
}

function unproven(
  call: Call,
  kinds: BodyKinds,
  sides: readonly (readonly [Term, Kinds])[],
  fixed: (tests: readonly string[]) => Fix | undefined,
): Diagnostic {
  const names = [...new Set(sides.flatMap(([term, of]) => (of?.size === 1 ? [] : [termName(term, kinds)])))];
  const wanted = sides.flatMap(([, of]) => (of?.size === 1 ? [...of] : []))[0] ?? "number";
  const tests = names.map((name) => `is_${wanted}(${name})`);
  const params = { condition: shownText(call.span), path: names.map((name) => `\`${name}\``).join(" and ") };
  if (names.length === 0) {
    const [one, two] = [...new Set(sides.map(([, of]) => [...(of ?? [])][0] ?? ""))];
    return pipelineDiagnostic("pipeline/unproven-order", { ...params, path: `a ${one} and a ${two}` }, call.span, {
      help: "compare values of one type",
    });
  }
  const fix = fixed(tests);
  const restated = fix?.title.includes("must") === true ? `, or what has to be true:\n${fix.edits[0]?.text}` : "";
  return pipelineDiagnostic("pipeline/unproven-order", params, call.span, {
    help: `write ${tests.map((test) => `\`${test}\``).join(" and ")} beside it, in the same rule${restated}`,
    ...(fix === undefined ? {} : { fixes: [fix] }),
  });
}

/** A side as its author wrote it, or the place that it reads. */
function termName(term: Term, kinds: BodyKinds): string {
  const at = kinds.origin(term);
  const written = at.span.file.text.slice(at.span.start, at.span.end).replace(/\s+/g, " ");
  return at.kind === "Ref" && /\s/.test(written) ? kinds.shownText(at) : written;
}

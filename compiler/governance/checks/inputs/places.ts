/** The places of the request that the terms of a body read, and what the body says where there is nothing at one of them. */

import { isCallOf } from "@portcullis/rego/analyze";
import type { Span } from "@portcullis/rego/diagnostics";
import { type Call, type Expr, isTerm, type Ref, type Rule, type Term } from "@portcullis/rego/syntax";
import { compareValues, sortedItems, type Value, valueAt, valueOfJson } from "@portcullis/rego/value";
import { callBuiltin } from "@portcullis/rego/wasm";
import type { BodyKinds } from "./body-kinds.ts";
import { dataPath } from "./flow.ts";
import type { Kinds } from "./kinds.ts";

const COMPARISONS = ["neq", "gt", "gte", "lt", "lte"];

/** Which side of an order is to be the smaller one, and whether both may be equal. */
const ORDERS: { readonly [name: string]: { readonly less: 0 | 1; readonly orEqual: boolean } } = {
  lt: { less: 0, orEqual: false },
  lte: { less: 0, orEqual: true },
  gt: { less: 1, orEqual: false },
  gte: { less: 1, orEqual: true },
};

/** Calls that say what a value is. Whatever is a part of another value, as in `startswith("abc", x)`, may be nothing at all. */
const SAYING: ReadonlySet<string> = new Set(["eq", "internal.member_2", "regex.match", ...Object.keys(ORDERS)]);

/** What is empty, and what of its kind is not. */
const EMPTY = [
  ["", "\u{1}?"],
  [[], ["\u{1}?"]],
  [{}, { "\u{1}?": null }],
].map(([none, some]) => ({ none: valueOfJson(none), some: valueOfJson(some) }));

/** A place of the request. */
export interface Place {
  readonly text: string;
  /** Whether every request has something there. */
  readonly isSure: boolean;
  readonly kinds: Kinds;
}

/** A body, with what is known of it. */
export interface KnownBody {
  readonly kinds: BodyKinds;
  /** The body, and those that it stands in. */
  readonly bodies: readonly (readonly Expr[])[];
  readonly rule: Rule;
  /** Places that the bodies that ask the rule have asked for. */
  readonly asked: ReadonlySet<string>;
  readonly data: (path: readonly string[]) => Value | undefined;
  /** A rule in the place of whose name its value could stand. */
  readonly outside: (path: readonly string[]) => Places | undefined;
}

export class Places {
  readonly kinds: BodyKinds;
  private readonly known: KnownBody;
  /** By places that statements ask for by themselves, so that the body says what it does without them, these statements. */
  private readonly asking = new Map<string, Expr[]>();
  /** Places that a condition needs: without one of them the rule is not asked for its answer. */
  private readonly said = new Set<string>();
  private readonly compared = new Set<string>();
  /** Places of which a condition asks how many elements they have. */
  private readonly counted = new Set<string>();
  private ownNeeds: readonly Place[] | undefined;

  constructor(known: KnownBody) {
    this.known = known;
    this.kinds = known.kinds;
    for (const expr of known.bodies.flat()) this.learn(expr);
  }

  private learn(expr: Expr): void {
    const { body: said, negated, span } = expr;
    if (!isTerm(said)) return;
    if (!negated && !isInside(span, this.known.rule.head.span)) this.say(said);
    if (said.kind === "Call" && COMPARISONS.some((name) => isCallOf(said, name)))
      for (const arg of said.args) {
        this.compared.add(this.kinds.shownText(arg));
        if (!negated) this.count(arg);
      }
    if (negated) return;
    if (said.kind === "Ref") this.ask(said, expr);
    if (said.kind === "Call" && (isTest(said) || isCallOf(said, "internal.member_2")))
      this.ask(said.args[0] as Term, expr);
    if (!isCallOf(said, "eq")) return;
    const [a, b] = said.args as readonly [Term, Term];
    for (const [term, other] of [
      [a, b],
      [b, a],
    ] as const) {
      if (!isScalar(other)) continue;
      this.ask(term, expr);
      this.count(term);
    }
  }

  private count(term: Term): void {
    const at = this.kinds.origin(term);
    if (isCallOf(at, "count")) for (const list of at.args) this.counted.add(this.kinds.shownText(list));
  }

  private ask(term: Term, expr: Expr): void {
    const text = this.kinds.shownText(term);
    this.asking.set(text, [...(this.asking.get(text) ?? []), expr]);
  }

  /** Whether the body asks for a place, in another statement than this one. */
  private isAsked(text: string, besides?: Expr): boolean {
    const asking = this.asking.get(text)?.some((expr) => expr !== besides) ?? false;
    return asking || this.known.asked.has(anyElement(text));
  }

  /** The places that the body asks for, for the bodies of rules that it asks. */
  get asked(): ReadonlySet<string> {
    return new Set([...this.known.asked, ...[...this.asking.keys()].map(anyElement)]);
  }

  isSaid(text: string): boolean {
    return this.said.has(text) || this.isSaidInside(text);
  }

  private isSaidInside(text: string): boolean {
    return [...this.said].some((said) => said.startsWith(`${text}.`) || said.startsWith(`${text}[`));
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
  absent(term: Term, of?: Expr): string | undefined {
    return this.all(term).find(({ text, isSure }) => !isSure && !this.isAsked(text, of))?.text;
  }

  /** `f(x) == false`: as `not f(x)`. */
  isFalse(call: Call): boolean {
    const { args } = call;
    const isNo = (term: Term): boolean => term.kind === "Boolean" && !term.value;
    return isCallOf(call, "eq") && args.some(isNo) && args.some((arg) => this.kinds.origin(arg).kind === "Call");
  }

  /** A place of which a call holds where it is empty, or has few elements. What is absent is that, too; the call has no value then. */
  emptied(call: Call, of: Expr): string | undefined {
    if (call.operator.kind !== "Var" || !SAYING.has(call.operator.name)) return undefined;
    const read = call.args.flatMap((arg) => this.all(arg));
    return read.find(({ text, isSure, kinds }) => {
      // Where a condition is about an element, there is one.
      if (isSure || this.isAsked(text, of) || this.isSaidInside(text)) return false;
      return EMPTY.some(
        ({ none, some }) => (kinds === undefined || kinds.has(none.kind)) && this.isFor(call, text, none, some),
      );
    })?.text;
  }

  private isFor(call: Call, place: string, none: Value, some: Value): boolean {
    const { operator, args } = call;
    const order = operator.kind === "Var" && Object.hasOwn(ORDERS, operator.name) ? ORDERS[operator.name] : undefined;
    if (order === undefined) return this.holds(call, place, none) && !this.holds(call, place, some);
    const [less, more] = [args[order.less], args[1 - order.less]] as readonly [Term, Term];
    const [few, many] = [none, some].map((value) => this.valueOf(less, place, value));
    if (few?.kind !== "number" || (many !== undefined && compareValues(few, many) >= 0)) return false;
    const limit = this.valueOf(more, place, none);
    return limit === undefined || compareValues(few, limit) < (order.orEqual ? 1 : 0);
  }

  private holds(call: Call, place: string, value: Value): boolean {
    if (!isCallOf(call, "eq")) return isTrue(this.valueOf(call, place, value));
    const [a, b] = call.args.map((arg) => this.valueOf(arg, place, value));
    return a !== undefined && b !== undefined && compareValues(a, b) === 0;
  }

  /** What a term is where this value is at a place; `undefined` where it is nothing, or that is not known. */
  private valueOf(term: Term, place: string, value: Value, depth = 0): Value | undefined {
    const at = this.kinds.origin(term);
    if (depth > 6) return undefined;
    switch (at.kind) {
      case "Null":
        return { kind: "null" };
      case "Boolean":
        return { kind: "boolean", value: at.value };
      case "Number":
        return { kind: "number", text: at.text };
      case "String":
        return { kind: "string", value: at.value };
      case "Constant":
        return at.value;
      case "Ref": {
        if (this.kinds.shownText(at) === place) return value;
        const path = dataPath(at);
        if (path === undefined || path.length !== at.args.length) return undefined;
        return this.known.outside(path)?.given(place, value, depth + 1) ?? valueAt(this.known.data([]), path);
      }
      case "Call": {
        const args = at.args.map((arg) => this.valueOf(arg, place, value, depth + 1));
        const given = args.flatMap((arg) => arg ?? []);
        if (at.operator.kind !== "Var" || given.length < args.length) return undefined;
        const found = callBuiltin(at.operator.name, given);
        return found === "unknown" ? undefined : found;
      }
      case "Array":
      case "Set": {
        const items = at.items.flatMap((item) => this.valueOf(item, place, value, depth + 1) ?? []);
        if (items.length < at.items.length) return undefined;
        return at.kind === "Array" ? { kind: "array", items } : { kind: "set", items: sortedItems(items) };
      }
      case "Object":
        return at.entries.length === 0 ? { kind: "object", entries: [] } : undefined;
      case "Var":
      case "TemplateString":
      case "ArrayComprehension":
      case "SetComprehension":
      case "ObjectComprehension":
        return undefined;
    }
  }

  /** The rule's value where this value is at a place. */
  private given(place: string, value: Value, depth: number): Value | undefined {
    const { value: answer } = this.known.rule.head;
    return answer && this.valueOf(answer, place, value, depth);
  }

  /** A place that a term reads; what is made of several values is no place. */
  read(term: Term): string | undefined {
    return partsOf(this.kinds.origin(term)) === undefined ? this.all(term)[0]?.text : undefined;
  }

  private all(term: Term, depth = 0): readonly Place[] {
    const at = this.kinds.origin(term);
    if (depth > 6) return [];
    const parts = at.kind === "Call" ? at.args : partsOf(at);
    if (parts !== undefined) return parts.flatMap((part) => this.all(part, depth + 1));
    if (at.kind !== "Ref" || at.head.kind !== "Var") return [];
    if (at.head.name === "data") return this.known.outside(dataPath(at) ?? [])?.needed ?? [];
    if (at.head.name !== "input") {
      const head = this.kinds.origin(at.head);
      return head.kind === "Ref" ? this.all({ ...head, args: [...head.args, ...at.args] }, depth + 1) : [];
    }
    const path = at.args.map((arg) => (arg.kind === "String" ? arg.value : undefined));
    const isSure = this.kinds.isGiven(path) && at.args.every((_, i) => this.isFound(at, i));
    return [{ text: this.kinds.shownText(at), isSure, kinds: this.kinds.given(at) }];
  }

  /** A member that has a name, an element that is being looped over, or one of a list that the body counts: `[0]` of another may be none. */
  private isFound(at: Ref, i: number): boolean {
    const index = this.kinds.origin(at.args[i] as Term);
    if (index.kind === "String" || index.kind === "Var") return true;
    return this.counted.has(this.kinds.shownText({ ...at, args: at.args.slice(0, i) }));
  }

  /** The places without which the rule has no value, and for which it has not asked. */
  private get needed(): readonly Place[] {
    this.ownNeeds ??= this.needs();
    return this.ownNeeds;
  }

  private needs(): readonly Place[] {
    const { rule, bodies } = this.known;
    const terms = bodies.flat().flatMap(({ body, negated, with: replaced }) => {
      if (negated || replaced.length > 0) return [];
      return isTerm(body) ? [body] : body.kind === "Every" ? [body.domain] : [];
    });
    const all = [...terms, ...(rule.head.value ? [rule.head.value] : [])].flatMap((term) => this.all(term));
    return all.filter(({ text }) => !this.isAsked(text));
  }
}

/** Without one of its parts there is no list, set or object. */
function partsOf(term: Term): readonly Term[] | undefined {
  if (term.kind === "Array" || term.kind === "Set") return term.items;
  return term.kind === "Object" ? term.entries.flat() : undefined;
}

function isTest({ operator }: Call): boolean {
  return operator.kind === "Var" && /^is_\w+$/.test(operator.name);
}

function isScalar({ kind }: Term): boolean {
  return kind === "String" || kind === "Number" || kind === "Boolean" || kind === "Null";
}

function isTrue(value: Value | undefined): boolean {
  return value?.kind === "boolean" && value.value;
}

/** A place's name for people, and for other rules, whose locals have other names. */
export function anyElement(text: string): string {
  return text.replaceAll(/\[[^\]"]*#\d+\]/g, "[_]");
}

export function isInside(at: Span, outer: Span): boolean {
  return at.file === outer.file && outer.start <= at.start && at.end <= outer.end;
}

/**
 * The bodies in which a condition without a value leaves a denial out, or lets a requirement be met: the rule's own, those of the
 * rules that it asks, wherever they stand, and those inside of both. A negation turns it round, and so does `count(x) < 2`: what falls
 * out of `x` is a denial more.
 */

import { type CheckedPolicy, eachClosureOfTerm, isCallOf, type RuleGroup } from "@portcullis/rego/analyze";
import { type Call, type Expr, isTerm, type Ref, type Rule, type Term } from "@portcullis/rego/syntax";
import type { Value } from "@portcullis/rego/value";
import { BodyKinds, type KnownInput } from "./body-kinds.ts";
import { shownText } from "./check-conditions.ts";
import { groupsOf } from "./data-paths.ts";
import { dataPath } from "./flow.ts";
import { Origins } from "./origins.ts";
import { anyElement, isInside, Places } from "./places.ts";

type Bodies = readonly (readonly Expr[])[];

/** So often is a rule looked at for others that ask for other places before they ask it. */
const MOST_VISITS = 8;

/** Rules that are looked at for one that asks them: functions of parts of parts could be asked of more places than a check has time for. */
const MOST_RULES = 100;

export interface MeantBody {
  readonly rule: Rule;
  readonly body: readonly Expr[];
  readonly places: Places;
}

export interface BodyFacts {
  readonly data: (path: readonly string[]) => Value | undefined;
  readonly input: KnownInput;
  readonly isAuthored: (rule: Rule) => boolean;
}

export class MeantBodies {
  private readonly policy: CheckedPolicy;
  private readonly facts: BodyFacts;
  private readonly outside = new Map<string, Places | undefined>();
  /** The bodies of rules that were looked at: many lead to one rule. */
  private readonly seen = new Map<string, Set<string>>();
  private rules = 0;
  /** Whether rules were left out of what `of` gave last. */
  isCut = false;

  constructor(policy: CheckedPolicy, facts: BodyFacts) {
    this.policy = policy;
    this.facts = facts;
  }

  /** `isMeant`: of a denial; a requirement without a value is not met. */
  *of(rule: Rule, group: RuleGroup, isMeant: boolean): Iterable<MeantBody> {
    this.seen.clear();
    this.rules = 0;
    this.isCut = false;
    yield* this.inBody({ rule, asked: saidOfAbsence(rule, group) }, [rule.body], isMeant);
  }

  private *inBody(at: Asking, bodies: Bodies, isMeant: boolean): Iterable<MeantBody> {
    const [body = []] = bodies;
    const places = this.placesOf(at.rule, bodies, at.asked);
    if (isMeant) yield { rule: at.rule, body, places };
    const inside = { ...at, bodies, places };
    for (const expr of body)
      if (expr.with.length === 0) yield* this.inStatement(inside, expr, isMeant !== expr.negated);
  }

  private *inStatement(at: Inside, { body }: Expr, isMeant: boolean): Iterable<MeantBody> {
    const within = (inner: readonly Expr[], meant: boolean): Iterable<MeantBody> =>
      this.inBody(at, [inner, ...at.bodies], meant);
    if (isTerm(body)) {
      const given = isCallOf(body, "eq") ? assigned(body) : undefined;
      yield* given === undefined ? this.inTerm(at, body, isMeant) : this.inGiven(at, given, isMeant);
      return;
    }
    switch (body.kind) {
      case "Every":
        yield* this.inTerm(at, body.domain, !isMeant);
        yield* within(body.body, isMeant);
        return;
      case "Not":
        yield* within(body.body, !isMeant);
        return;
      case "Logical":
        yield* within(body.left, isMeant);
        yield* within(body.right, isMeant);
        return;
      case "SomeDecl":
        return;
    }
  }

  /** What a local is given has to be there: a rule that has always a value is looked at where the local is used. */
  private *inGiven(at: Inside, term: Term, isMeant: boolean): Iterable<MeantBody> {
    if (term.kind !== "Ref") return;
    const needed = this.groupsAt(term).filter(
      ({ kind, path, defaultRule }) =>
        defaultRule === undefined && (kind === "complete" || term.args.length > path.length),
    );
    for (const group of needed) yield* this.inGroup(at, group, isMeant);
  }

  private *inTerm(at: Inside, term: Term, isMeant: boolean): Iterable<MeantBody> {
    const from = at.places.kinds.origin(term);
    switch (from.kind) {
      case "Ref":
        if (from.head.kind === "Var" && from.head.name !== "data") yield* this.inHead(at, from.head, isMeant);
        for (const group of this.groupsAt(from)) yield* this.inGroup(at, group, isMeant);
        return;
      case "Call":
        yield* this.inCall(at, from, isMeant);
        return;
      case "Array":
      case "Set":
        for (const item of from.items) yield* this.inTerm(at, item, isMeant);
        return;
      case "Object":
        for (const [, value] of from.entries) yield* this.inTerm(at, value, isMeant);
        return;
      case "ArrayComprehension":
      case "SetComprehension":
      case "ObjectComprehension":
      case "TemplateString": {
        const inner: (readonly Expr[])[] = [];
        eachClosureOfTerm(from, ({ body }) => inner.push(body));
        for (const body of inner) yield* this.inBody(at, [body, ...at.bodies], isMeant);
        return;
      }
      case "Null":
      case "Boolean":
      case "Number":
      case "String":
      case "Constant":
      case "Var":
        return;
    }
  }

  /** `v.kind` where `v` is one of a rule's. */
  private *inHead(at: Inside, head: Term, isMeant: boolean): Iterable<MeantBody> {
    const from = at.places.kinds.origin(head);
    if (from.kind === "Ref") yield* this.inTerm(at, from, isMeant);
  }

  private *inCall(at: Inside, call: Call, isMeant: boolean): Iterable<MeantBody> {
    const { operator, args } = call;
    if (operator.kind !== "Var") {
      for (const group of this.groupsAt(operator)) yield* this.inGroup(at, group, isMeant, args);
      return;
    }
    const [a, b] = args as readonly [Term, Term];
    const sides = sidesOf(
      operator.name,
      [a, b].map((arg) => arg && at.places.kinds.origin(arg)),
    );
    for (const [i, arg] of args.entries()) {
      const side = sides[i] ?? sides[0];
      if (side !== "none") yield* this.inTerm(at, arg, isMeant === (side === "more"));
    }
  }

  /** `args`: what a function is called with. */
  private *inGroup(at: Inside, group: RuleGroup, isMeant: boolean, args: readonly Term[] = []): Iterable<MeantBody> {
    const rules = group.definitions.map(({ rule }) => rule).filter(this.facts.isAuthored);
    const branches = rules.flatMap(branchesOf);
    const isOne = branches.length === 1 && group.defaultRule === undefined;
    const isPartial = group.kind === "partial-set" || group.kind === "partial-object";
    for (const rule of branches) {
      const { value } = rule.head;
      const isNo = value?.kind === "Boolean" && !value.value;
      const isYes = value === undefined || (value.kind === "Boolean" && value.value);
      if (!(isNo || isYes || isOne || isPartial)) continue;
      const given = (rule.head.args ?? []).flatMap((name, i) => this.given(at, name, args[i]));
      const bodies = [given.length === 0 ? rule.body : [...given, ...rule.body]];
      const next = { rule, asked: new Set([...at.places.asked, ...saidOfAbsence(rule, group)]) };
      const { file, start } = rule.span;
      const texts = given.flatMap(({ body }) => (isTerm(body) && body.kind === "Call" ? body.args : []));
      const shown = texts.map((text) => at.places.kinds.shownText(text));
      const key = JSON.stringify([file.name, start, branches.indexOf(rule), isMeant, shown]);
      const visits = this.seen.get(key) ?? new Set();
      const asked = [...next.asked].sort().join();
      if (visits.has(asked)) continue;
      if (visits.size === MOST_VISITS || this.rules === MOST_RULES) {
        this.isCut = true;
        continue;
      }
      this.rules++;
      this.seen.set(key, visits.add(asked));
      yield* this.inBody(next, bodies, isMeant !== isNo);
      if (value !== undefined && !isNo && !isYes) {
        const places = this.placesOf(rule, bodies, next.asked);
        yield* this.inTerm({ ...next, bodies, places }, value, isMeant);
      }
    }
  }

  /** What an argument is given, where that is a place of the request: its parts that only the caller knows are any. */
  private given({ places }: Inside, name: Term, arg: Term | undefined): Expr[] {
    const from = arg && places.kinds.origin(arg);
    if (from?.kind !== "Ref" || name.kind !== "Var") return [];
    const head = from.head.kind === "Var" && from.head.name !== "input" ? places.kinds.origin(from.head) : from.head;
    const whole: Ref = head.kind === "Ref" ? { ...head, args: [...head.args, ...from.args] } : from;
    if (whole.head.kind !== "Var" || whole.head.name !== "input") return [];
    const any = (part: Term): Term => (part.kind === "Var" ? { ...part, name: "_" } : part);
    const { span } = name;
    const operator = { kind: "Var", span, name: "eq" } as const;
    const place = { ...whole, args: whole.args.map(any) };
    const body: Call = { kind: "Call", span, operator, args: [name, place], infix: undefined, parenthesized: false };
    return [{ kind: "Expr", span, negated: false, with: [], body }];
  }

  private groupsAt(ref: Term): readonly RuleGroup[] {
    const path = dataPath(ref) ?? [];
    const { at, below } = groupsOf(this.policy);
    for (let length = path.length; length > 0; length--) {
      const group = at.get(path.slice(0, length).join("\0"));
      if (group !== undefined) return [group];
    }
    return path.length === 0 ? [] : (below.get(path.join("\0")) ?? []);
  }

  private placesOf(rule: Rule, bodies: Bodies, asked: ReadonlySet<string>): Places {
    const { data, input } = this.facts;
    const kinds = new BodyKinds(this.policy, { data, inputs: [input], asked: "established" }, bodies);
    return new Places({ kinds, bodies, rule, asked, data, outside: (path) => this.outsideAt(path) });
  }

  private outsideAt(path: readonly string[]): Places | undefined {
    const key = path.join("\0");
    if (this.outside.has(key)) return this.outside.get(key);
    const group = groupsOf(this.policy).at.get(key);
    const [only, ...others] = group?.kind === "complete" && group.defaultRule === undefined ? group.definitions : [];
    const isOne = only !== undefined && others.length === 0 && only.rule.else === undefined;
    const found = isOne ? this.placesOf(only.rule, [only.rule.body], new Set()) : undefined;
    this.outside.set(key, found);
    return found;
  }
}

interface Asking {
  readonly rule: Rule;
  /** Places that the bodies ask for that ask the rule. */
  readonly asked: ReadonlySet<string>;
}

interface Inside extends Asking {
  readonly bodies: Bodies;
  readonly places: Places;
}

/** Whether a call holds sooner for more of what its argument is, or for less. */
type Side = "more" | "less" | "none";

function sidesOf(name: string, [a, b]: readonly (Term | undefined)[]): readonly Side[] {
  switch (name) {
    case "eq":
    case "equal":
      return [b && isNothing(b) ? "less" : "more", a && isNothing(a) ? "less" : "more"];
    case "neq":
      return [differing(b), differing(a)];
    case "lt":
    case "lte":
      return ["less", "more"];
    case "gt":
    case "gte":
    case "minus":
      return ["more", "less"];
    case "object.get":
      return ["none"];
    default:
      return ["more"];
  }
}

function differing(other: Term | undefined): Side {
  if (other === undefined) return "none";
  if (isNothing(other)) return "more";
  return other.kind === "Boolean" ? "less" : "none";
}

function isNothing(term: Term): boolean {
  switch (term.kind) {
    case "Boolean":
      return !term.value;
    case "Number":
      return Number(term.text) === 0;
    case "String":
      return term.value === "";
    case "Array":
    case "Set":
      return term.items.length === 0;
    case "Object":
      return term.entries.length === 0;
    case "Null":
      return true;
    case "Constant":
    case "Var":
    case "Ref":
    case "Call":
    case "TemplateString":
    case "ArrayComprehension":
    case "SetComprehension":
    case "ObjectComprehension":
      return false;
  }
}

/** What `x := y` gives. */
function assigned({ args: [a, b] }: Call): Term | undefined {
  if (a?.kind === "Var" && b !== undefined && GIVEN.has(b.kind)) return b;
  return b?.kind === "Var" && a !== undefined && GIVEN.has(a.kind) ? a : undefined;
}

const GIVEN: ReadonlySet<Term["kind"]> = new Set([
  "Ref",
  "Call",
  "ArrayComprehension",
  "SetComprehension",
  "ObjectComprehension",
  "TemplateString",
  "Array",
  "Set",
  "Object",
]);

/** What is absent where another rule of the group holds, which asks for nothing else that this one does not ask: `bad if not x`. */
function saidOfAbsence(rule: Rule, { definitions }: RuleGroup): ReadonlySet<string> {
  const asked = new Set(rule.body.map(({ span }) => shownText(span)));
  const found = definitions.flatMap(({ rule: other }) => {
    const rest = other.body.filter(({ span }) => !asked.has(shownText(span)) && !isInside(span, other.head.span));
    const [only] = rest.length === 1 && other !== rule ? rest : [];
    if (!only?.negated || only.with.length > 0 || !isTerm(only.body)) return [];
    return only.body.kind === "Ref" ? [anyElement(new Origins([other.body]).shownText(only.body))] : [];
  });
  return new Set(found);
}

function branchesOf(rule: Rule): Rule[] {
  const found: Rule[] = [];
  for (let branch: Rule | undefined = rule; branch; branch = branch.else) found.push(branch);
  return found;
}

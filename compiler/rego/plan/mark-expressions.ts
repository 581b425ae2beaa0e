/**
 * Reports of evaluation, for profiles and coverage by line: before each expression that an author wrote, a call of a builtin
 * that the host supplies, with the expression's number. Bodies of comprehensions, of `every`, `not { … }`, `and` and `or` are
 * marked as well. What the rules answer does not change: the host says `true`. Decisions are never made by such a module.
 */

import type { CheckedPolicy, RuleDefinition } from "../analyze/index.ts";
import type { Span } from "../diagnostics/index.ts";
import { type Body, type Expr, type Mapper, mapChildren, type Rule, type Term } from "../syntax/index.ts";
import { insertedCall } from "./inserted-call.ts";
import { innermost, type Written, WrittenExpressions } from "./written-expressions.ts";

/** The builtin. Its argument is the place of the expression in `MarkedExpressions.places`; it answers `true`. */
export const REACHED = "portcullis.reached";

export interface MarkedExpressions {
  readonly policy: CheckedPolicy;
  /** Where each expression stands. */
  readonly places: readonly Span[];
}

/** Marks the rules that are wanted, and all queries. */
export function markExpressions(
  checked: CheckedPolicy,
  isWanted: (rule: Rule) => boolean = () => true,
): MarkedExpressions {
  const places: Span[] = [];
  const marker = new Marker(places, new WrittenExpressions(checked));
  const marked = (rule: Rule): Rule => ({
    ...rule,
    body: marker.body(rule.body, undefined),
    else: rule.else === undefined ? undefined : marked(rule.else),
  });
  const definition = (d: RuleDefinition): RuleDefinition =>
    d.isDefault || !isWanted(d.rule) ? d : { ...d, rule: marked(d.rule) };
  const groups = checked.groups.map((group) => ({ ...group, definitions: group.definitions.map(definition) }));
  const queries = checked.queries.map((query) => {
    const own = (query.expressions ?? []).map(({ span }) => span);
    return { ...query, body: new Marker(places, { around: (at) => innermost(own, at) }).body(query.body, undefined) };
  });
  // The brand stays true, as for `coverRules`.
  return { policy: { ...checked, groups, queries } as CheckedPolicy, places };
}

/** Marks bodies. A statement that was hoisted out of an expression belongs to it: one mark stands before all. */
class Marker {
  private readonly places: Span[];
  private readonly written: Written;
  private readonly numbers = new Map<Span, number>();

  constructor(places: Span[], written: Written) {
    this.places = places;
    this.written = written;
  }

  /** `outer`: the expression that the body is in. */
  body(body: Body, outer: Span | undefined): Body {
    const seen = new Set<Span>();
    return body.flatMap((expr): Expr[] => {
      const at = this.written.around(expr.span);
      const inner = mapChildren(expr, this.inside(at));
      if (at === undefined || at === outer || seen.has(at)) return [inner];
      seen.add(at);
      const number: Term = { kind: "Number", span: at, text: String(this.numberOf(at)) };
      return [insertedCall(REACHED, [number], at), inner];
    });
  }

  private inside(outer: Span | undefined): Mapper {
    const mapper: Mapper = {
      term: (term) => (term.kind === "TemplateString" ? term : mapChildren(term, mapper)),
      body: (inner) => this.body(inner, outer),
    };
    return mapper;
  }

  private numberOf(at: Span): number {
    const known = this.numbers.get(at);
    if (known !== undefined) return known;
    this.numbers.set(at, this.places.length);
    return this.places.push(at) - 1;
  }
}

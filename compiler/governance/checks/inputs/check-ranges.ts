/** One member between bounds that leave nothing, or that is to be a value and not to be it. */

import { isCallOf } from "@portcullis/rego/analyze";
import type { Diagnostic, Span } from "@portcullis/rego/diagnostics";
import type { Expr, Rule, Term } from "@portcullis/rego/syntax";
import { pipelineDiagnostic } from "../codes.ts";
import { memberOf, shownText } from "./check-conditions.ts";
import { originsOf } from "./flow.ts";

/** Comparisons, and what each says with its sides exchanged. */
const SIDES = { gt: "lt", gte: "lte", lt: "gt", lte: "gte", eq: "eq", neq: "neq" } as const;
type Sign = keyof typeof SIDES;

interface Fact {
  readonly member: string;
  readonly sign: Sign;
  readonly value: string | number;
  readonly span: Span;
}

/** The second of two conditions of one body that no value meets together. */
export function checkRanges(rule: Rule): Diagnostic[] {
  const origins = originsOf(rule);
  const found: Diagnostic[] = [];
  for (let branch: Rule | undefined = rule; branch; branch = branch.else) {
    const facts: Fact[] = [];
    for (const fact of branch.body.flatMap((expr) => factOf(expr, origins))) {
      const other = facts.find((f) => f.member === fact.member && excludes(f, fact));
      if (other !== undefined) {
        const params = { condition: shownText(fact.span), none: "no request" };
        const related = [{ message: "it is to be something else here", span: other.span }];
        found.push(pipelineDiagnostic("pipeline/impossible-condition", params, fact.span, { related }));
      }
      facts.push(fact);
    }
  }
  return found;
}

/** `not x > 3` holds where there is no `x`, too, and says nothing of its bounds. */
function factOf({ body, negated, with: replaced }: Expr, origins: ReadonlyMap<string, Term>): Fact[] {
  const sign = (Object.keys(SIDES) as Sign[]).find((name) => isCallOf(body, name));
  if (body.kind !== "Call" || sign === undefined || replaced.length > 0 || (negated && sign !== "eq")) return [];
  const [a, b] = body.args as readonly [Term, Term];
  for (const [term, constant, says] of [
    [a, b, sign],
    [b, a, SIDES[sign]],
  ] as const) {
    const member = memberOf((term.kind === "Var" ? origins.get(term.name) : undefined) ?? term);
    const value = constantOf(constant);
    if (member !== undefined && value !== undefined)
      return [{ member, sign: negated ? "neq" : says, value, span: body.span }];
  }
  return [];
}

/** The constant of a term; `undefined` also for a number with more digits than a float holds. */
function constantOf(term: Term): string | number | undefined {
  if (term.kind === "String") return term.value;
  return term.kind === "Number" && term.text.length <= 15 ? Number(term.text) : undefined;
}

/** Two equalities are told elsewhere. Rego puts values of all types in one order: bounds that leave no number leave nothing. */
function excludes(a: Fact, b: Fact): boolean {
  const [first, second] = a.sign < b.sign ? [a, b] : [b, a];
  if (first.sign === "eq" && second.sign === "neq") return first.value === second.value;
  const [lower, upper] = a.sign.startsWith("g") ? [a, b] : [b, a];
  if (!lower.sign.startsWith("g") || !upper.sign.startsWith("l")) return false;
  if (typeof lower.value !== "number" || typeof upper.value !== "number") return false;
  const isClosed = lower.sign === "gte" && upper.sign === "lte";
  return isClosed ? lower.value > upper.value : lower.value >= upper.value;
}

/**
 * Undoes needless hoisting: `eq(#1, f(y)); eq(x, #1)` is `eq(x, f(y))`. Last of all, for until then the parts
 * are ordered and checked on their own.
 */

import { type Body, type Call, type Expr, eachTerm, type Mapper, mapChildren, type Term } from "../syntax/index.ts";
import { callOfEquality } from "./flatten.ts";
import { isGenerated } from "./names.ts";
import { isCallOf, isComprehension } from "./walk.ts";

const mapper: Mapper = { term: (t) => mapChildren(t, mapper), body: (b) => fuseCalls(b, true) };

/** `closures` says whether there may be any in the body. */
export function fuseCalls(body: Body, closures: boolean): Body {
  const result: Expr[] = [];
  let changed = false;
  for (const written of body) {
    const expr = closures ? mapChildren(written, mapper) : written;
    const last = result.at(-1);
    const fused = last && fuse(last, expr);
    if (fused) result[result.length - 1] = fused;
    else result.push(expr);
    changed ||= fused !== undefined || expr !== written;
  }
  return changed ? result : body;
}

/** One statement for two, when the first only names the call that the second compares with a pattern. */
function fuse(first: Expr, second: Expr): Expr | undefined {
  if (first.negated || second.negated || first.body.kind !== "Call" || !isCallOf(second.body, "eq")) return undefined;
  const hoisted = hoistedOf(first.body);
  if (hoisted?.result.kind !== "Var" || !isGenerated(hoisted.result.name) || !sameModifiers(first, second))
    return undefined;
  const [a, b] = second.body.args as readonly [Term, Term];
  const { name } = hoisted.result;
  const pattern = isVar(b, name) ? a : isVar(a, name) ? b : undefined;
  // INVARIANT: a hoisted call has one use, so that its name is needed nowhere else.
  if (!pattern || !isSimple(pattern)) return undefined;
  return { ...second, body: { ...second.body, args: [pattern, hoisted.value] } };
}

/** The call or template that `eq(#1, …)` names. */
function hoistedOf(body: Call): { readonly result: Term; readonly value: Term } | undefined {
  const call = callOfEquality(body);
  if (call) return { result: call.result, value: call.call };
  const [result, value] = body.args;
  return isCallOf(body, "eq") && result && value?.kind === "TemplateString" ? { result, value } : undefined;
}

function sameModifiers(a: Expr, b: Expr): boolean {
  return a.with === b.with || (a.with.length === 0 && b.with.length === 0);
}

const isVar = (term: Term, name: string): boolean => term.kind === "Var" && term.name === name;

function isSimple(term: Term): boolean {
  if (term.kind === "Ref" || term.kind === "Call" || term.kind === "TemplateString" || isComprehension(term))
    return false;
  if (term.kind === "Var") return term.name !== "input" && term.name !== "data";
  let simple = true;
  eachTerm(term, (part) => {
    simple &&= isSimple(part);
  });
  return simple;
}

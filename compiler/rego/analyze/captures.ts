/**
 * The values of a query's expressions, as `opa eval` reports them: `x > 1` becomes `#1 = (x > 1)`. Where the query has several
 * expressions or iterates, each value must hold as well; a query of one expression that does not iterate may be false.
 */

import type { Body, Builtins, Call, Expr, Term } from "../syntax/index.ts";
import { isTerm } from "../syntax/index.ts";
import type { CheckedQuery } from "./checked.ts";
import { equals } from "./resolve.ts";
import { builtinOf, isCallOf, isComprehension, walkLevel } from "./walk.ts";
import type { NameSupply } from "./work.ts";

export interface CaptureOptions {
  readonly names: NameSupply;
  readonly builtins: Builtins;
  /** The number of arguments that a function takes. */
  readonly arityOf: (call: Call) => number | undefined;
}

/** The query with a local for each value, and where each expression stands. */
export function captureValues(
  body: Body,
  options: CaptureOptions,
): { readonly body: Body; readonly expressions: NonNullable<CheckedQuery["expressions"]> } {
  const mustHold = body.length > 1 || body.some((expr) => iterates(expr, options.builtins));
  const expressions: { span: Expr["span"]; local: string | undefined }[] = [];
  const holding: Expr[] = [];
  const captured = body.map((expr): Expr => {
    if (expr.body.kind === "SomeDecl" && expr.body.domain === undefined) return expr;
    const term = capturable(expr, options);
    const { span } = expr;
    if (term === undefined) {
      expressions.push({ span, local: undefined });
      return expr;
    }
    const name = options.names.generated();
    expressions.push({ span, local: name });
    if (mustHold) holding.push({ kind: "Expr", span, negated: false, with: [], body: { kind: "Var", span, name } });
    return { ...expr, body: equals({ kind: "Var", span, name }, term, span) };
  });
  return { body: [...captured, ...holding], expressions };
}

/** The term whose value is reported; `undefined` for expressions that only hold or do not. */
function capturable({ body, negated }: Expr, { builtins, arityOf }: CaptureOptions): Term | undefined {
  if (negated || !isTerm(body) || isCallOf(body, "assign") || isCallOf(body, "eq")) return undefined;
  if (body.kind !== "Call") return body;
  const name = builtinOf(body);
  if (name !== undefined && builtins.get(name)?.result === undefined) return undefined;
  return arityOf(body) === body.args.length ? body : undefined;
}

/** A variable in a reference, or a relation: more than one solution is to be expected. */
function iterates(expr: Expr, builtins: Builtins): boolean {
  let found = false;
  const see = (term: Term): void =>
    walkLevel(term, (part) => {
      if (isComprehension(part)) return false;
      const name = part.kind === "Call" ? builtinOf(part) : undefined;
      found ||= name !== undefined && builtins.get(name)?.relation === true;
      found ||= part.kind === "Ref" && part.args.some((arg) => arg.kind === "Var");
      return !found;
    });
  if (isTerm(expr.body)) see(expr.body);
  for (const { value } of expr.with) see(value);
  return found;
}

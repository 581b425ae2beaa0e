/**
 * `print` shows values while a policy is worked on; a compiled policy prints nothing. It is checked like everything else, as
 * `internal.print([{x | x = ARG}, …])`, in which an undefined argument does no harm, and then left out.
 * What is left out cannot fail, so that a `print` never does: as in OPA, a `not` before it and a `with` behind it mean nothing.
 */

import type { Diagnostic } from "../diagnostics/index.ts";
import {
  type Body,
  type Call,
  type Expr,
  eachTerm,
  type Mapper,
  mapChildren,
  mapList,
  type SetComprehension,
  type Term,
  type Var,
} from "../syntax/index.ts";
import { analyzeDiagnostic } from "./codes.ts";
import { originalName } from "./names.ts";
import { equals } from "./resolve.ts";
import { isRootName } from "./root-names.ts";
import { isCallOf, scopesOf, walkLevel } from "./walk.ts";
import type { NameSupply } from "./work.ts";

export const PRINT = "internal.print";

export function isPrint(expr: Expr): boolean {
  return isCallOf(expr.body, PRINT);
}

export class PrintRewriter {
  private readonly names: NameSupply;
  private readonly out: Diagnostic[];
  /** Whether there was anything to rewrite. */
  found = false;

  constructor(names: NameSupply, out: Diagnostic[]) {
    this.names = names;
    this.out = out;
  }

  /** Rewrites the calls in a body, whose surroundings bind `outer`. */
  body(body: Body, outer: ReadonlySet<string>): Body {
    const bound = new Set(outer);
    return mapList(body, (expr) => {
      for (const { vars } of scopesOf(expr.body)) for (const v of vars) bound.add(v.name);
      const inner = mapChildren(expr, this.inside(bound));
      const mapped = isCallOf(inner.body, "print")
        ? { ...inner, negated: false, with: [], body: this.print(inner.body, bound) }
        : inner;
      eachTerm(expr, (term) =>
        walkLevel(term, (t) => {
          if (t.kind === "Var") bound.add(t.name);
          return true;
        }),
      );
      return mapped;
    });
  }

  /** Rewrites the calls in the closures of a term. */
  term(term: Term, outer: ReadonlySet<string>): Term {
    return this.inside(outer).term(term);
  }

  private inside(bound: ReadonlySet<string>): Mapper {
    const mapper: Mapper = { term: (t) => mapChildren(t, mapper), body: (b) => this.body(b, bound) };
    return mapper;
  }

  private print(call: Call, bound: ReadonlySet<string>): Call {
    this.found = true;
    const items = call.args.map((arg): SetComprehension => {
      this.checkBound(arg, bound);
      const { span } = arg;
      const value: Var = { kind: "Var", span, name: this.names.generated() };
      const body: Body = [{ kind: "Expr", span, negated: false, with: [], body: equals(value, arg, span) }];
      return { kind: "SetComprehension", span, term: value, body };
    });
    const operator: Var = { kind: "Var", span: call.operator.span, name: PRINT };
    return { ...call, operator, args: [{ kind: "Array", span: call.span, items }] };
  }

  /** What is printed has to be bound by the statements before. */
  private checkBound(arg: Term, bound: ReadonlySet<string>): void {
    walkLevel(arg, (t) => {
      if (t.kind === "Var" && !bound.has(t.name) && !isRootName(t.name)) {
        this.out.push(analyzeDiagnostic("analyze/undeclared-var", { name: originalName(t.name) }, arg.span));
      }
      return true;
    });
  }
}

/** Leaves out the rewritten calls. */
export function erasePrints(body: Body): Body {
  const mapper: Mapper = { term: (t) => mapChildren(t, mapper), body: erasePrints };
  return body.filter((e) => !isPrint(e)).map((e) => mapChildren(e, mapper));
}

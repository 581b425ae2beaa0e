/** In rules, `==` as a statement is unification once its sides are known to be bound: both only ask whether they are equal. */

import { type Body, type Expr, type Mapper, mapChildren, mapList, type Term, type Var } from "../syntax/index.ts";
import { isCallOf } from "./walk.ts";

const mapper: Mapper = { term: (t: Term): Term => mapChildren(t, mapper), body: (b) => equalsToUnify(b) };

export function equalsToUnify(body: Body): Body {
  return mapList(body, (expr): Expr => {
    const mapped = mapChildren(expr, mapper);
    const b = mapped.body;
    if (!isCallOf(b, "equal") || b.args.length !== 2) return mapped;
    const operator: Var = { ...b.operator, name: "eq" };
    return { ...mapped, body: { ...b, operator } };
  });
}

/** References: a look-up for each known key, iteration for each unknown one. For references into `data`, see plan-data.ts. */

import type { Ref, Term } from "../syntax/index.ts";
import { INPUT, local, type Operand } from "./ir.ts";
import { planDataRef } from "./plan-data.ts";
import { planTerm } from "./plan-term.ts";
import { unify } from "./plan-unify.ts";
import type { Scope } from "./scope.ts";
import { hasUnbound } from "./terms.ts";

export function planRef(scope: Scope, ref: Ref): Operand {
  if (ref.head.kind === "Var" && ref.head.name === "data") return planDataRef(scope, ref);
  // An undefined input has no keys, so the first look-up fails: no test is needed.
  const isInput = ref.head.kind === "Var" && ref.head.name === "input" && ref.args.length > 0;
  return planSteps(scope, isInput ? local(INPUT) : planTerm(scope, ref.head), ref.args);
}

/** `value[a][b]…` for a value that is at hand. */
export function planSteps(scope: Scope, value: Operand, args: readonly Term[]): Operand {
  let at = value;
  for (const arg of args) at = planStep(scope, at, arg);
  return at;
}

function planStep(scope: Scope, value: Operand, arg: Term): Operand {
  if (arg.kind === "Var" && !scope.isBound(arg.name)) {
    const { key, value: element } = scope.emitter.scan(value);
    scope.bind(arg.name, key);
    return element;
  }
  if (arg.kind !== "Ref" && hasUnbound(scope, arg)) {
    const { key, value: element } = scope.emitter.scan(value);
    unify(scope, { term: arg }, { op: key });
    return element;
  }
  return scope.emitter.dot(value, planTerm(scope, arg));
}

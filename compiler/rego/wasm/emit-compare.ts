/** Comparisons of two values: by address where that tells, in place beside a constant, else by a call. */

import { HEADER_STATIC_END } from "@portcullis/runtime/abi";
import type { Operand } from "../plan/index.ts";
import type { FunctionEmitter } from "./emit-func.ts";
import { int, isInt, knownInt } from "./inline-builtins.ts";
import { isShortText } from "./inline-text.ts";
import type { Expr } from "./module/code.ts";

/** Whether the value is the only one of its kind that equals it: then addresses tell. */
function isSingleton(o: Operand): boolean {
  return o.kind === "Boolean";
}

/** Leaves the block unless two values are equal, or unless they differ, as `wanted` says. */
export function compare(e: FunctionEmitter, a: Operand, b: Operand, wanted: boolean): Expr[] {
  const { m } = e;
  const differ = m.i32.ne(e.operand(a), e.operand(b));
  if (isSingleton(a) || isSingleton(b) || (a.kind === "String" && b.kind === "String")) {
    return [wanted ? e.failIf(differ) : e.failUnless(differ)];
  }
  const equal = (): Expr => e.call("equal", e.operand(a), e.operand(b));
  const [text, other] = a.kind === "String" ? [a, b] : b.kind === "String" ? [b, a] : [undefined, undefined];
  if (text !== undefined) {
    // The policy has each string once, so another value of its is not this one.
    const end = m.i32.load(HEADER_STATIC_END, 4, m.i32.const(0));
    const same = isShortText(e, other, e.layout.text(text.index), equal) ?? equal();
    const equals = m.if(m.i32.lt_u(e.operand(other), end), m.i32.const(0), same);
    return wanted ? [m.if(differ, e.failUnless(equals))] : [e.failUnless(differ), e.failIf(equals)];
  }
  // Most values that are equal are the same one, and most that are not are integers.
  const isEither = knownInt(e, a) === undefined && knownInt(e, b) === undefined;
  const areEqual = isEither
    ? equal()
    : m.if(m.i32.and(isInt(e, a), isInt(e, b)), m.i64.eq(int(e, a), int(e, b)), equal());
  if (wanted) return [m.if(differ, e.failUnless(areEqual))];
  return [e.failUnless(differ), e.failIf(areEqual)];
}

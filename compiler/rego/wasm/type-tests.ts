/** Types of values that code tests, and the values of conditions. */

import { FALSE_VALUE, TRUE_VALUE, VALUE_TAG } from "@portcullis/runtime/abi";
import type { Operand } from "../plan/index.ts";
import type { FunctionEmitter } from "./emit-func.ts";
import type { Expr } from "./module/code.ts";

export function isTag(e: FunctionEmitter, o: Operand, tag: number): Expr {
  return e.m.i32.eq(e.m.i32.load8_u(VALUE_TAG, 1, e.operand(o)), e.m.i32.const(tag));
}

export function boolean(e: FunctionEmitter, condition: Expr): Expr {
  return e.m.select(condition, e.m.i32.const(TRUE_VALUE), e.m.i32.const(FALSE_VALUE));
}

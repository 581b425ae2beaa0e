/** What builtins expect of their operands. */

import { Num } from "../number.ts";
import { Arr, Obj, SetVal, type Val } from "../value.ts";
import { BuiltinError } from "./error.ts";

export type Builtin = (...args: Val[]) => Val | undefined;

export function num(v: Val | undefined): Num {
  if (!(v instanceof Num)) throw new BuiltinError("operand must be number");
  return v;
}

export function int(v: Val | undefined): bigint {
  const n = num(v);
  if (!n.isInteger) throw new BuiltinError("operand must be integer");
  return n.int;
}

export function str(v: Val | undefined): string {
  if (typeof v !== "string") throw new BuiltinError("operand must be string");
  return v;
}

export function arr(v: Val | undefined): readonly Val[] {
  if (!(v instanceof Arr)) throw new BuiltinError("operand must be array");
  return v.items;
}

export function set(v: Val | undefined): SetVal {
  if (!(v instanceof SetVal)) throw new BuiltinError("operand must be set");
  return v;
}

export function obj(v: Val | undefined): Obj {
  if (!(v instanceof Obj)) throw new BuiltinError("operand must be object");
  return v;
}

/** The elements of an array or set. */
export function items(v: Val | undefined): readonly Val[] {
  if (v instanceof Arr) return v.items;
  if (v instanceof SetVal) return v.items();
  throw new BuiltinError("operand must be array or set");
}

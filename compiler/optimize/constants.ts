/** Values known at compile time: the table of a policy's constants, and what look-ups in them give. */

import type { Value } from "../base/value.ts";
import { constant, type Operand } from "../plan/ir.ts";

/** Appends to a policy's constants, each value once by identity. */
export class ConstantTable {
  readonly values: Value[];
  private readonly indexes: Map<Value, number>;

  constructor(values: readonly Value[]) {
    this.values = [...values];
    this.indexes = new Map(values.map((v, i) => [v, i]));
  }

  operand(value: Value): Operand {
    if (value.kind === "boolean") return { kind: "Boolean", value: value.value };
    let index = this.indexes.get(value);
    if (index === undefined) {
      index = this.values.push(value) - 1;
      this.indexes.set(value, index);
    }
    return constant(index);
  }
}

const stringKeys = new WeakMap<Value, ReadonlyMap<string, Value>>();

/** The member of an object with a string key; `undefined` when there is none. O(1) after the first look-up in an object. */
export function memberOf(object: Value, key: string): Value | undefined {
  if (object.kind !== "object") return undefined;
  let members = stringKeys.get(object);
  if (members === undefined) {
    members = new Map(object.entries.flatMap(([k, v]) => (k.kind === "string" ? [[k.value, v] as const] : [])));
    stringKeys.set(object, members);
  }
  return members.get(key);
}

/** Values known at compile time: the table of a policy's constants, and look-ups in them. */

import { assert } from "../diagnostics/index.ts";
import type { Operand, Policy } from "../plan/index.ts";
import { compareValues, type Value } from "../value/index.ts";

/** An operand whose value is known. */
export type ConstantOperand = Exclude<Operand, { kind: "Local" }>;

const NULL: Value = { kind: "null" };

/** The value of an operand; `undefined` for a local. */
export function constantOf(
  operand: Operand,
  { strings, constants }: Pick<Policy, "strings" | "constants">,
): Value | undefined {
  switch (operand.kind) {
    case "Local":
      return undefined;
    case "Boolean":
      return { kind: "boolean", value: operand.value };
    case "String":
      return { kind: "string", value: strings[operand.index] as string };
    case "Constant": {
      const value = constants[operand.index];
      assert(value !== undefined, `no constant ${operand.index}`);
      return value;
    }
  }
}

/** Appends to a policy's constants, each value once by identity. */
export class ConstantTable {
  readonly values: Value[];
  private readonly indexes: Map<Value, number>;
  private readonly numbers = new Map<string, Value>();

  constructor(values: readonly Value[]) {
    this.values = [...values];
    this.indexes = new Map(values.map((v, i) => [v, i]));
  }

  operand(value: Value): ConstantOperand {
    if (value.kind === "boolean") return { kind: "Boolean", value: value.value };
    let index = this.indexes.get(value);
    if (index === undefined) {
      index = this.values.push(value) - 1;
      this.indexes.set(value, index);
    }
    return { kind: "Constant", index };
  }

  number(text: string): ConstantOperand {
    let value = this.numbers.get(text);
    if (value === undefined) {
      value = { kind: "number", text };
      this.numbers.set(text, value);
    }
    return this.operand(value);
  }

  null(): ConstantOperand {
    return this.operand(NULL);
  }
}

/** `source[key]` for two values: `undefined` when there is no such element. */
export function elementOf(source: Value, key: Value): Value | undefined {
  switch (source.kind) {
    case "object": {
      if (key.kind === "string") return memberOf(source, key.value);
      return source.entries.findLast(([k]) => compareValues(k, key) === 0)?.[1];
    }
    case "array":
      return key.kind === "number" ? source.items[indexOf(key.text)] : undefined;
    case "set":
      if (key.kind === "string" && source.items.length > FEW)
        return textsOf(source.items).has(key.value) ? key : undefined;
      return source.items.find((v) => compareValues(v, key) === 0);
    case "string":
    case "number":
    case "boolean":
    case "null":
      return undefined;
  }
}

const stringKeys = new WeakMap<Value, ReadonlyMap<string, Value>>();

/** Objects of more entries get a Map: a table of a hundred thousand records needs none for each. */
const FEW = 16;

/** The index that a number is, as OPA reads it and rtlib/number.ts does: `1.0` is 1 and `-0` is 0; -1 for none. */
function indexOf(text: string): number {
  const [, sign, digits = ""] = /^(-?)(?=.{1,19}$)([0-9]+)(?:\.0*)?$/.exec(text) ?? [];
  return digits === "" || (sign === "-" && /[1-9]/.test(digits)) ? -1 : Number(digits);
}

const textsInSets = new WeakMap<readonly Value[], ReadonlySet<string>>();

/** The texts in a set. O(1) after the first time. */
function textsOf(items: readonly Value[]): ReadonlySet<string> {
  const known = textsInSets.get(items);
  if (known !== undefined) return known;
  const texts = new Set(items.flatMap((item) => (item.kind === "string" ? [item.value] : [])));
  textsInSets.set(items, texts);
  return texts;
}

/** The member of an object with a string key, or `undefined`. O(1) after the first look-up in an object. */
export function memberOf(object: Value, key: string): Value | undefined {
  if (object.kind !== "object") return undefined;
  if (object.entries.length <= FEW)
    return object.entries.findLast(([k]) => k.kind === "string" && k.value === key)?.[1];
  let members = stringKeys.get(object);
  if (members === undefined) {
    members = new Map(object.entries.flatMap(([k, v]) => (k.kind === "string" ? [[k.value, v] as const] : [])));
    stringKeys.set(object, members);
  }
  return members.get(key);
}

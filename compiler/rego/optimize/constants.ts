/** Values known at compile time: the table of a policy's constants. */

import { assert } from "../diagnostics/index.ts";
import type { Operand, Policy } from "../plan/index.ts";
import type { Value } from "../value/index.ts";

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

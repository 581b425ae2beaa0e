/** The layout of a policy's module: addresses and names of the constants, functions and builtins that its code refers to. */

import { FALSE_VALUE, TRUE_VALUE } from "@portcullis/runtime/abi";
import { unreachable } from "../diagnostics/index.ts";
import { type Func, isEvaluatedOnce, type Operand, type Policy } from "../plan/index.ts";
import type { Value } from "../value/index.ts";
import type { SlotObject } from "./input-layout.ts";
import type { Rtlib } from "./link.ts";
import { isNative, nativeName } from "./native-builtins.ts";
import { calledInLoops, makingFunctions } from "./reclaim.ts";
import type { StaticData } from "./static-data.ts";
import { ValueSets } from "./value-sets.ts";

export interface FuncTarget {
  readonly func: Func;
  /** Name in the module. */
  readonly internal: string;
  /** Slot in the memo frame: of a rule's result, or of the results that a function remembers. Most functions have none. */
  readonly memoSlot: number | undefined;
}

export type BuiltinTarget =
  | { readonly kind: "Native"; readonly internal: string; readonly arity: number }
  | { readonly kind: "Host"; readonly name: string; readonly id: number; readonly arity: number };

export class PolicyLayout {
  readonly policy: Policy;
  readonly rtlib: Rtlib;
  readonly data: StaticData;
  readonly funcs: ReadonlyMap<string, FuncTarget>;
  readonly builtins: ReadonlyMap<string, BuiltinTarget>;
  readonly memoSlots: number;
  /** The functions that may make a value. */
  readonly making: ReadonlySet<string>;
  private readonly inLoops: ReadonlySet<string> | "any";
  readonly valueSets: ValueSets;
  /** Where the runtime puts parts of the input. */
  readonly slots: SlotObject | undefined;
  /** Functions that are called through the table, in the order of their indexes in it. */
  readonly table: string[] = [];
  private readonly tableIndexes = new Map<string, number>();

  /** `memoised`: the functions that remember results by their arguments. */
  constructor(
    policy: Policy,
    rtlib: Rtlib,
    data: StaticData,
    slots: SlotObject | undefined,
    memoised: ReadonlySet<string>,
  ) {
    this.policy = policy;
    this.slots = slots;
    this.valueSets = new ValueSets(policy);
    this.rtlib = rtlib;
    this.data = data;
    let memoSlots = 0;
    this.funcs = new Map(
      policy.funcs.map((func) => [
        func.name,
        {
          func,
          internal: `policy/${func.name}`,
          memoSlot: isEvaluatedOnce(func) || memoised.has(func.name) ? memoSlots++ : undefined,
        },
      ]),
    );
    this.memoSlots = memoSlots;
    this.making = makingFunctions(policy);
    this.inLoops = calledInLoops(policy);
    let hostId = 0;
    this.builtins = new Map(
      policy.builtins.map(({ name, arity }): [string, BuiltinTarget] =>
        isNative(name)
          ? [name, { kind: "Native", internal: rtlib.call(nativeName(name)), arity }]
          : [name, { kind: "Host", name, id: hostId++, arity }],
      ),
    );
  }

  /** The builtins that the host must supply. */
  hostBuiltins(): Extract<BuiltinTarget, { kind: "Host" }>[] {
    return [...this.builtins.values()].flatMap((b) => (b.kind === "Host" ? [b] : []));
  }

  /** Whether a loop may be under way while the function runs. */
  isInLoop(func: string): boolean {
    return this.inLoops === "any" || this.inLoops.has(func);
  }

  text(index: number): string {
    return this.policy.strings[index] as string;
  }

  /** Address of a constant operand. */
  addressOf(operand: Exclude<Operand, { kind: "Local" }>): number {
    switch (operand.kind) {
      case "Boolean":
        return operand.value ? TRUE_VALUE : FALSE_VALUE;
      case "String":
        return this.data.string(this.text(operand.index));
      case "Constant":
        return this.data.value(this.policy.constants[operand.index] as Value);
      default:
        return unreachable(operand);
    }
  }

  /** The value of a collection that is an operand. */
  constantOf(operand: Operand): Value | undefined {
    return operand.kind === "Constant" ? this.policy.constants[operand.index] : undefined;
  }

  /** The index of a function in the table for indirect calls. */
  tableIndex(internal: string): number {
    let index = this.tableIndexes.get(internal);
    if (index === undefined) {
      index = this.table.push(internal) - 1;
      this.tableIndexes.set(internal, index);
    }
    return index;
  }
}

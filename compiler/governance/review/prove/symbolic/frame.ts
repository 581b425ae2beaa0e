/** What the locals of one function are while it is evaluated, by cases. */

import { DATA, type Func, INPUT, type Operand, type Policy } from "@portcullis/rego/plan";
import type { Value } from "@portcullis/rego/value";
import type { CaseMaker, Cases } from "./cases.ts";
import type { Formula } from "./formula.ts";
import { NotEncodable } from "./not-encodable.ts";

/** What every function reads alike. */
export interface Constants {
  readonly maker: CaseMaker;
  readonly plan: Policy;
  readonly data: Cases;
}

export class Frame {
  readonly func: Func;
  readonly locals: Map<number, Cases>;
  /** When two values stand against each other: the evaluation has no result then. */
  fails: Formula;
  /** In how many turns it is of which the order is not known. */
  loose = 0;
  private readonly constants: Constants;

  /** `args`: those behind input and data. */
  constructor(func: Func, args: readonly Cases[], constants: Constants) {
    this.func = func;
    this.locals = new Map(args.map((cases, i) => [func.params[i + 2] as number, cases]));
    this.fails = constants.maker.unknowns.formulas.false;
    this.constants = constants;
  }

  /** Throws NotEncodable for input and data. */
  assign(local: number, cases: Cases, reached: Formula): void {
    if (local === INPUT || local === DATA) throw new NotEncodable("another input or data");
    const { maker } = this.constants;
    const kept = maker.guarded(this.locals.get(local) ?? [], maker.unknowns.formulas.not(reached));
    this.locals.set(local, maker.merged([...kept, ...maker.guarded(cases, reached)]));
  }

  read(local: number, reached: Formula): Cases {
    const { maker, data } = this.constants;
    const { formulas, input } = maker.unknowns;
    if (local === INPUT) return maker.unknown(input);
    if (local === DATA) return data;
    const cases = this.locals.get(local) ?? [];
    return maker.under(
      cases.filter(({ when }) => formulas.and(when, reached) !== formulas.false),
      reached,
    );
  }

  operand(operand: Operand, reached: Formula): Cases {
    const { maker, plan } = this.constants;
    switch (operand.kind) {
      case "Local":
        return this.read(operand.local, reached);
      case "Boolean":
        return maker.known({ kind: "boolean", value: operand.value });
      case "String":
        return maker.known({ kind: "string", value: plan.strings[operand.index] as string });
      case "Constant":
        return maker.known(plan.constants[operand.index] as Value);
    }
  }
}

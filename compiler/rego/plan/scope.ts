/** The state of planning inside one function: the cursor, the bound variables, the context. */

import type { RuleGroup } from "../analyze/index.ts";
import { assert } from "../diagnostics/index.ts";
import type { Term } from "../syntax/index.ts";
import type { Value } from "../value/index.ts";
import type { Context, Override } from "./context.ts";
import type { DocumentNode } from "./documents.ts";
import type { Emitter } from "./emitter.ts";
import { DATA, type Func, INPUT, local, type Operand } from "./ir.ts";

/** The policy around a function, as its plan needs it. */
export interface PolicyPlan {
  /** Whether somebody hears `trace`. */
  readonly traced: boolean;
  /** Whether JSON that is written out is a constant. */
  readonly foldsJson: boolean;
  /** Whether a partial object is evaluated for one key, where it is asked for one. */
  readonly keyed: boolean;
  /** The index of a string constant. */
  string(value: string): number;
  /** A value that is known. */
  constant(value: Value): Operand;
  /** Rules with this many definitions, and definitions with this many branches, get an index; see rule-index.ts. */
  readonly indexFrom: number;
  /** Declares a builtin that is called. */
  builtin(name: string, arity: number): void;
  /** The function that evaluates a group; only these definitions of it where given. */
  groupFunction(context: Context, group: RuleGroup, definitions?: readonly number[]): string;
  /** The function that evaluates a partial object, or these definitions of it, for one key. */
  keyedFunction(context: Context, group: RuleGroup, count: number, definitions?: readonly number[]): string;
  /** The function that gives the whole document of a node that is not a rule. */
  documentFunction(context: Context, node: DocumentNode): string;
  /** The function that makes a comprehension's index; `make` plans it. */
  indexFunction(context: Context, comprehension: Term, make: (name: string) => Func): string;
  /** A part of a function, as a function of its own. */
  part(name: string, make: () => Func): void;
  contextUnder(context: Context, overrides: readonly Override[]): Context;
  contextWithoutReplacements(context: Context): Context;
}

export class Scope {
  readonly emitter: Emitter;
  readonly policy: PolicyPlan;
  context: Context;
  private readonly vars = new Map<string, Operand>();
  /** Names in the order in which they were bound, so that binding can be taken back. */
  private readonly trail: string[] = [];

  constructor(emitter: Emitter, policy: PolicyPlan, context: Context) {
    this.emitter = emitter;
    this.policy = policy;
    this.context = context;
  }

  isBound(name: string): boolean {
    return name === "input" || name === "data" || this.vars.has(name);
  }

  /** The operand of a bound local variable. */
  variable(name: string): Operand {
    const op = this.vars.get(name);
    assert(op !== undefined, `unbound variable ${name}`);
    return op;
  }

  bind(name: string, op: Operand): void {
    assert(!this.isBound(name), `variable ${name} is bound already`);
    // A `with` changes input and data for a while; a variable keeps its value.
    const fixed =
      op.kind === "Local" && (op.local === INPUT || op.local === DATA) ? local(this.emitter.copyOf(op)) : op;
    this.vars.set(name, fixed);
    this.trail.push(name);
  }

  /** Plans `f`, then forgets the variables that it bound. */
  locally<T>(f: () => T): T {
    const mark = this.trail.length;
    const result = f();
    while (this.trail.length > mark) this.vars.delete(this.trail.pop() as string);
    return result;
  }

  string(value: string): Operand {
    return { kind: "String", index: this.policy.string(value) };
  }
}

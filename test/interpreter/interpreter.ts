/**
 * A reference interpreter of the IR: the plainest reading of OPA's description (https://www.openpolicyagent.org/docs/ir),
 * to hold the compiled module against. Slow and obvious on purpose; it shares no code with the compiler's back end or the
 * runtime. Where the description is silent, it does as OPA's own compiler does:
 * - a scan of what cannot be iterated, or is empty, runs its block not at all and goes on;
 * - an assignment copies undefined, and a `with` may override by it (plans restore an undefined input so);
 * - a dynamic call that finds no function is undefined; one whose function answers undefined leaves four blocks.
 */

import type { Block, Func, Local, Operand, Plan, Policy, Stmt } from "../../compiler/rego/plan/ir.ts";
import { BuiltinError, MissingBuiltin } from "./builtins/error.ts";
import { builtins } from "./builtins/index.ts";
import { Num } from "./number.ts";
import { Arr, dot, equal, Obj, pairs, print, SetVal, type Val } from "./value.ts";

/** An error of the policy that ends evaluation, with OPA's code. */
export class PolicyError extends Error {
  readonly code: "eval_conflict_error";
  constructor(code: "eval_conflict_error", message: string) {
    super(message);
    this.code = code;
  }
}

/** A broken promise of the planner: only in strict mode. */
export class PlanFault extends Error {}

/** The policy ran longer than it may. */
export class BudgetExceeded extends Error {}

export interface Options {
  readonly input?: Val | undefined;
  readonly data?: Val | undefined;
  /** Reading an undefined local is the planner's fault, not an undefined statement. */
  readonly strict?: boolean;
  /** Statements after which to give up. */
  readonly budget?: number;
}

/** Evaluates one plan (the first, without a name) to its result set. */
export function interpret(policy: Policy, planName: string | undefined, options: Options = {}): SetVal {
  const plan = planName === undefined ? policy.plans[0] : policy.plans.find((p) => p.name === planName);
  if (plan === undefined) throw new Error(`no plan ${planName}`);
  return new Interpreter(policy, options).run(plan);
}

/** A block ran to its end; any other number says how many blocks around it are left as well. */
const END = -1;
const RETURN = Number.POSITIVE_INFINITY;

interface Frame {
  readonly locals: (Val | undefined)[];
  returned: Val | undefined;
}

class Interpreter {
  private readonly policy: Policy;
  private readonly options: Options;
  private readonly funcs: ReadonlyMap<string, Func>;
  private readonly paths: ReadonlyMap<string, Func>;
  private readonly results = new SetVal();
  private steps = 0;

  constructor(policy: Policy, options: Options) {
    this.policy = policy;
    this.options = options;
    this.funcs = new Map(policy.funcs.map((f) => [f.name, f]));
    this.paths = new Map(policy.funcs.filter((f) => f.path.length > 0).map((f) => [JSON.stringify(f.path), f]));
  }

  run(plan: Plan): SetVal {
    this.blocks(plan.blocks, { locals: [this.options.input, this.options.data], returned: undefined });
    return this.results;
  }

  private call(func: Func, args: readonly (Val | undefined)[]): Val | undefined {
    const frame: Frame = { locals: [], returned: undefined };
    func.params.forEach((p, i) => {
      frame.locals[p] = args[i];
    });
    this.blocks(func.blocks, frame);
    return frame.returned;
  }

  private blocks(blocks: readonly Block[], frame: Frame): number {
    for (const b of blocks) {
      const left = this.block(b, frame);
      if (left > 0) return left - 1;
    }
    return END;
  }

  private block(block: Block, frame: Frame): number {
    for (const stmt of block.stmts) {
      this.steps++;
      if (this.options.budget !== undefined && this.steps > this.options.budget) throw new BudgetExceeded();
      const left = this.stmt(stmt, frame);
      if (left !== END) return left;
    }
    return END;
  }

  /** The value of an operand; undefined makes the statement undefined. */
  private read(op: Operand, frame: Frame): Val | undefined {
    switch (op.kind) {
      case "Boolean":
        return op.value;
      case "String":
        return this.policy.strings[op.index];
      case "Constant":
        return fromConstant(this.policy.constants[op.index]);
      case "Local":
        return this.local(op.local, frame);
    }
  }

  private local(local: Local, frame: Frame): Val | undefined {
    const v = frame.locals[local];
    if (v === undefined && this.options.strict === true && local > 1) throw new PlanFault(`L${local} is undefined`);
    return v;
  }

  /** Returns END when the statement is defined, 0 when it is not, and more when it leaves blocks. */
  private stmt(s: Stmt, frame: Frame): number {
    const locals = frame.locals;
    const read = (op: Operand): Val | undefined => this.read(op, frame);
    const test = (condition: boolean): number => (condition ? END : 0);
    switch (s.kind) {
      case "ArrayAppendStmt": {
        const v = read(s.value);
        const array = this.local(s.array, frame);
        if (v === undefined || !(array instanceof Arr)) return 0;
        array.items.push(v);
        return END;
      }
      case "AssignIntStmt":
      case "MakeNumberIntStmt":
        locals[s.target] = Num.of(s.value);
        return END;
      case "AssignVarOnceStmt": {
        const v = read(s.source);
        const old = locals[s.target];
        if (v === undefined) return 0;
        if (old !== undefined && !equal(old, v))
          throw new PolicyError("eval_conflict_error", "var assignment conflict");
        locals[s.target] = old ?? v;
        return END;
      }
      case "AssignVarStmt": {
        locals[s.target] = read(s.source);
        return END;
      }
      case "BlockStmt":
        return this.blocks(s.blocks, frame);
      case "BreakStmt":
        return s.index;
      case "CallDynamicStmt": {
        const path = s.path.map(read);
        const func = path.every((p) => typeof p === "string") ? this.paths.get(JSON.stringify(path)) : undefined;
        if (func === undefined) return 0;
        const v = this.call(
          func,
          s.args.map((a) => locals[a]),
        );
        locals[s.result] = v;
        return v === undefined ? 3 : END;
      }
      case "CallStmt":
        return this.callStmt(s.func, s.args, s.result, frame);
      case "DotStmt": {
        const source = read(s.source);
        const key = read(s.key);
        const v = source === undefined || key === undefined ? undefined : dot(source, key);
        locals[s.target] = v;
        return test(v !== undefined);
      }
      case "EqualStmt":
      case "NotEqualStmt": {
        const a = read(s.a);
        const b = read(s.b);
        return test(a !== undefined && b !== undefined && equal(a, b) === (s.kind === "EqualStmt"));
      }
      case "IsArrayStmt":
        return test(read(s.source) instanceof Arr);
      case "IsObjectStmt":
        return test(read(s.source) instanceof Obj);
      case "IsSetStmt":
        return test(read(s.source) instanceof SetVal);
      case "IsDefinedStmt":
        return test(locals[s.source] !== undefined);
      case "IsUndefinedStmt":
        return test(locals[s.source] === undefined);
      case "LenStmt": {
        const v = read(s.source);
        if (v === undefined) return 0;
        locals[s.target] = Num.of(typeof v === "string" ? [...v].length : (pairs(v)?.length ?? 0));
        return END;
      }
      case "PrefixStmt": {
        const [table, text] = [read(s.source), read(s.text)];
        const keys = (table === undefined ? undefined : pairs(table)) ?? [];
        const fitting = keys.filter(([k]) => typeof k === "string" && typeof text === "string" && text.startsWith(k));
        const [longest] = fitting.sort(([a], [b]) => (b as string).length - (a as string).length);
        if (longest === undefined) return 0;
        locals[s.target] = longest[1];
        return END;
      }
      case "MakeArrayStmt":
        locals[s.target] = new Arr();
        return END;
      case "MakeNullStmt":
        locals[s.target] = null;
        return END;
      case "MakeNumberRefStmt":
        locals[s.target] = Num.parse(this.policy.strings[s.index] as string);
        return END;
      case "MakeObjectStmt":
        locals[s.target] = new Obj();
        return END;
      case "MakeSetStmt":
        locals[s.target] = new SetVal();
        return END;
      case "NopStmt":
        return END;
      case "NotStmt": {
        const left = this.block(s.block, frame);
        return left === END ? 0 : left === 0 ? END : left - 1;
      }
      case "ObjectInsertOnceStmt":
      case "ObjectInsertStmt": {
        const key = read(s.key);
        const v = read(s.value);
        const object = this.local(s.object, frame);
        if (key === undefined || v === undefined || !(object instanceof Obj)) return 0;
        const old = object.get(key);
        if (s.kind === "ObjectInsertOnceStmt" && old !== undefined && !equal(old, v))
          throw new PolicyError("eval_conflict_error", "object insert conflict");
        object.set(key, v);
        return END;
      }
      case "ObjectMergeStmt": {
        const a = locals[s.a];
        const b = locals[s.b];
        const merged = a === undefined ? b : b === undefined ? a : merge(a, b);
        if (merged === undefined) return 0;
        locals[s.target] = merged;
        return END;
      }
      case "ResetLocalStmt":
        locals[s.target] = undefined;
        return END;
      case "ResultSetAddStmt": {
        const v = this.local(s.value, frame);
        if (v === undefined) return 0;
        this.results.add(v);
        return END;
      }
      case "ReturnLocalStmt":
        frame.returned = locals[s.source];
        return RETURN;
      case "ScanStmt": {
        const source = this.local(s.source, frame);
        for (const [k, v] of (source === undefined ? undefined : pairs(source)) ?? []) {
          locals[s.key] = k;
          locals[s.value] = v;
          const left = this.block(s.block, frame);
          if (left > 0) return left - 1;
        }
        return END;
      }
      case "SetAddStmt": {
        const v = read(s.value);
        const set = this.local(s.set, frame);
        if (v === undefined || !(set instanceof SetVal)) return 0;
        set.add(v);
        return END;
      }
      case "SwitchStmt": {
        const number = read(s.index);
        const block = number === undefined ? undefined : s.blocks[Number(print(number))];
        return block === undefined ? 0 : this.blocks([block], frame);
      }
      case "WithStmt": {
        const v = read(s.value);
        const saved = locals[s.local];
        const path = s.path.map((p) => this.policy.strings[p] as string);
        locals[s.local] = upsert(saved, path, v);
        const left = this.block(s.block, frame);
        locals[s.local] = saved;
        return left > 0 ? left - 1 : left;
      }
    }
  }

  private callStmt(name: string, operands: readonly Operand[], result: Local, frame: Frame): number {
    const func = this.funcs.get(name);
    let value: Val | undefined;
    if (func !== undefined) {
      // The first two are input and data, which may be undefined.
      value = this.call(
        func,
        operands.map((op, i) => (i < 2 && op.kind === "Local" ? frame.locals[op.local] : this.read(op, frame))),
      );
    } else {
      const builtin = builtins.get(name);
      if (builtin === undefined) throw new MissingBuiltin(name);
      const args = operands.map((op) => this.read(op, frame));
      if (!args.every((a) => a !== undefined)) return 0;
      try {
        value = builtin(...(args as Val[]));
      } catch (e) {
        if (!(e instanceof BuiltinError)) throw e;
        value = undefined;
      }
    }
    frame.locals[result] = value;
    return value === undefined ? 0 : END;
  }
}

/** Objects are merged key by key, `a` wins. */
function merge(a: Val, b: Val): Val {
  if (!(a instanceof Obj) || !(b instanceof Obj)) return a;
  const out = b.copy();
  for (const [k, v] of a.entries()) {
    const other = b.get(k);
    out.set(k, other === undefined ? v : merge(v, other));
  }
  return out;
}

/** A copy of `base` with `value` at `path`, or without it; what is not an object on the way is replaced by one. */
function upsert(base: Val | undefined, path: readonly string[], value: Val | undefined): Val | undefined {
  const [head, ...rest] = path;
  if (head === undefined) return value;
  const out = Obj.of(base instanceof Obj ? base.entries().filter(([k]) => k !== head) : []);
  const inner = upsert(base instanceof Obj ? base.get(head) : undefined, rest, value);
  if (inner !== undefined) out.set(head, inner);
  return out;
}

function fromConstant(c: Policy["constants"][number] | undefined): Val | undefined {
  if (c === undefined) return undefined;
  switch (c.kind) {
    case "null":
      return null;
    case "boolean":
    case "string":
      return c.value;
    case "number":
      return Num.parse(c.text);
    case "array":
      return new Arr(c.items.map((v) => fromConstant(v) as Val));
    case "set":
      return SetVal.of(c.items.map((v) => fromConstant(v) as Val));
    case "object":
      return Obj.of(c.entries.map(([k, v]) => [fromConstant(k) as Val, fromConstant(v) as Val]));
  }
}

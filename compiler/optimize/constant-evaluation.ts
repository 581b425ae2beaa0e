/**
 * Constant evaluation: a rule that depends on nothing but constants becomes its value.
 *
 * The evaluation itself finds such rules. One that reads the input, the host's data or the clock stays as it is; so does one
 * that takes long, has a large value or none, or ends in a conflict.
 */

import { compareValues, sortedEntries, sortedItems } from "../base/order.ts";
import type { Value } from "../base/value.ts";
import { type Block, DATA, type Func, INPUT, type Local, type Operand, type Policy, type Stmt } from "../plan/ir.ts";
import { ConstantTable, elementOf } from "./constants.ts";

/** A builtin applied to constants: its value, `undefined`, or "unknown" where only an evaluation can tell. */
export type BuiltinCall = (name: string, args: readonly Value[]) => Value | "unknown" | undefined;

/** Budgets, in statements: of one rule, and of all. */
const RULE_STEPS = 20_000;
const ALL_STEPS = 1_000_000;
/** Depth of calls. */
const MAX_DEPTH = 100;
/** Size of a constant, in values: a short evaluation may make a large value, by which no module should grow. */
const LARGEST = 1000;
/** Size of an operand of comparisons and builtins, in values: one that contains itself many times over has no end. */
const MANY = 100_000;

export function evaluateConstantRules(policy: Policy, callBuiltin: BuiltinCall | undefined): Policy {
  if (callBuiltin === undefined) return policy;
  const evaluator = new Evaluator(policy, callBuiltin);
  const constants = new ConstantTable(policy.constants);
  const funcs = policy.funcs.map((func): Func => {
    const value = isRule(func) && !isConstant(func) ? evaluator.rule(func) : undefined;
    if (value === undefined || sizeOf(value, LARGEST) > LARGEST) return func;
    const assign: Stmt = { kind: "AssignVarStmt", source: constants.operand(value), target: func.result };
    const body: Block[] = [{ stmts: [assign] }, { stmts: [{ kind: "ReturnLocalStmt", source: func.result }] }];
    return { ...func, blocks: body };
  });
  return { ...policy, constants: constants.values, funcs };
}

function isRule({ path, params }: Func): boolean {
  return path.length > 0 && params.length === 2 && params[0] === INPUT && params[1] === DATA;
}

/** Whether the rule is a single assignment already. */
function isConstant({ blocks }: Func): boolean {
  return blocks.length === 2 && blocks.every((b) => b.stmts.length === 1);
}

/** Its size, in values, counted up to the limit. Data may be nested deeper than a stack. */
function sizeOf(value: Value, limit: number): number {
  const waiting = [value];
  let size = 0;
  for (let next = waiting.pop(); next !== undefined && size <= limit; next = waiting.pop()) {
    size++;
    const parts = next.kind === "object" ? next.entries.flat() : "items" in next ? next.items : [];
    if (size + waiting.length + parts.length > limit) return limit + 1;
    for (const part of parts) waiting.push(part);
  }
  return size;
}

/** Thrown where the evaluation needs a value that is not known at compile time. */
class Unknown extends Error {}

/** A collection is filled while its rule runs, by these. */
type Items = Value[];
type Entries = (readonly [Value, Value])[];
type Frame = Map<Local, Value>;

/** The key of the returned value in a frame. */
const RETURNED: Local = -1;

/** A block ran to its end; any other number says how many blocks around it are left as well. */
const END = -1;
const RETURN = Number.POSITIVE_INFINITY;

class Evaluator {
  private readonly policy: Policy;
  private readonly callBuiltin: BuiltinCall;
  private readonly funcs: ReadonlyMap<string, Func>;
  private readonly rules = new Map<string, Value | "unknown" | undefined>();
  /** Objects that rules made, some of which are being filled. */
  private readonly made = new WeakSet<Value>();
  private left = ALL_STEPS;
  private limit = 0;
  private depth = 0;

  constructor(policy: Policy, callBuiltin: BuiltinCall) {
    this.policy = policy;
    this.callBuiltin = callBuiltin;
    this.funcs = new Map(policy.funcs.map((f) => [f.name, f]));
  }

  rule(func: Func): Value | undefined {
    this.limit = Math.max(0, this.left - RULE_STEPS);
    try {
      return this.call(func, []);
    } catch (error) {
      if (error instanceof Unknown) return undefined;
      throw error;
    }
  }

  /** `args` without input and data. The value of a rule is remembered, also that it is unknown. */
  private call(func: Func, args: readonly Value[]): Value | undefined {
    const remembered = isRule(func);
    const known = remembered ? this.rules.get(func.name) : undefined;
    if (known === "unknown" || this.depth === MAX_DEPTH) throw new Unknown();
    if (remembered && this.rules.has(func.name)) return known;
    // Whatever ends this by throwing leaves it so; a rule that needs itself comes to see it, too.
    if (remembered) this.rules.set(func.name, "unknown");
    const frame: Frame = new Map(args.map((value, i) => [func.params[i + 2] as Local, value]));
    this.depth++;
    try {
      this.blocks(func.blocks, frame);
    } finally {
      this.depth--;
    }
    const value = frame.get(RETURNED);
    if (remembered) this.rules.set(func.name, value);
    return value;
  }

  private blocks(blocks: readonly Block[], frame: Frame): number {
    for (const block of blocks) {
      const left = this.block(block, frame);
      if (left > 0) return left - 1;
    }
    return END;
  }

  private block(block: Block, frame: Frame): number {
    for (const stmt of block.stmts) {
      if (--this.left < this.limit) throw new Unknown();
      const left = this.stmt(stmt, frame);
      if (left !== END) return left;
    }
    return END;
  }

  /** END when the statement is defined, 0 when it is not, more when it leaves blocks. */
  private stmt(stmt: Stmt, frame: Frame): number {
    const read = (operand: Operand): Value | undefined => this.operand(operand, frame);
    const set = (target: Local, value: Value | undefined): number => {
      if (value === undefined) frame.delete(target);
      else frame.set(target, value);
      return value === undefined ? 0 : END;
    };
    const test = (holds: boolean): number => (holds ? END : 0);
    switch (stmt.kind) {
      case "NopStmt":
        return END;
      case "AssignIntStmt":
      case "MakeNumberIntStmt":
        return set(stmt.target, { kind: "number", text: String(stmt.value) });
      case "MakeNumberRefStmt":
        return set(stmt.target, { kind: "number", text: this.policy.strings[stmt.index] as string });
      case "MakeNullStmt":
        return set(stmt.target, { kind: "null" });
      case "MakeArrayStmt":
        return set(stmt.target, { kind: "array", items: [] });
      case "MakeSetStmt":
        return set(stmt.target, { kind: "set", items: [] });
      case "MakeObjectStmt": {
        const made: Value = { kind: "object", entries: [] };
        this.made.add(made);
        return set(stmt.target, made);
      }
      case "AssignVarStmt":
        set(stmt.target, read(stmt.source));
        return END;
      case "AssignVarOnceStmt": {
        const [value, old] = [read(stmt.source), this.read(frame, stmt.target)];
        if (value !== undefined && old !== undefined && this.compare(value, old) !== 0) throw new Unknown();
        return value === undefined ? 0 : set(stmt.target, value);
      }
      case "ResetLocalStmt":
        set(stmt.target, undefined);
        return END;
      case "DotStmt": {
        const [source, key] = [read(stmt.source), read(stmt.key)];
        return set(stmt.target, source === undefined || key === undefined ? undefined : this.element(source, key));
      }
      case "LenStmt":
        return this.length(stmt.target, read(stmt.source), frame);
      case "EqualStmt":
      case "NotEqualStmt": {
        const [a, b] = [read(stmt.a), read(stmt.b)];
        if (a === undefined || b === undefined) return 0;
        return test((this.compare(a, b) === 0) === (stmt.kind === "EqualStmt"));
      }
      case "IsArrayStmt":
        return test(read(stmt.source)?.kind === "array");
      case "IsObjectStmt":
        return test(read(stmt.source)?.kind === "object");
      case "IsSetStmt":
        return test(read(stmt.source)?.kind === "set");
      case "IsDefinedStmt":
        return test(this.read(frame, stmt.source) !== undefined);
      case "IsUndefinedStmt":
        return test(this.read(frame, stmt.source) === undefined);
      case "ArrayAppendStmt":
        return this.add(this.read(frame, stmt.array), "array", read(stmt.value));
      case "SetAddStmt":
        return this.add(this.read(frame, stmt.set), "set", read(stmt.value));
      case "ObjectInsertStmt":
      case "ObjectInsertOnceStmt":
        return this.insert(this.read(frame, stmt.object), read(stmt.key), read(stmt.value));
      case "BlockStmt":
        return this.blocks(stmt.blocks, frame);
      case "SwitchStmt": {
        const index = read(stmt.index);
        const block = index?.kind === "number" ? stmt.blocks[Number(index.text)] : undefined;
        if (block === undefined) return 0;
        return this.blocks([block], frame);
      }
      case "BreakStmt":
        return stmt.index;
      case "NotStmt": {
        const left = this.block(stmt.block, frame);
        return left === END ? 0 : left === 0 ? END : left - 1;
      }
      case "ScanStmt":
        return this.scan(stmt, frame);
      case "CallStmt":
        return set(stmt.result, this.callee(stmt.func, stmt.args, frame));
      case "ReturnLocalStmt":
        set(RETURNED, this.read(frame, stmt.source));
        return RETURN;
      case "CallDynamicStmt":
      case "ObjectMergeStmt":
      case "ResultSetAddStmt":
      case "WithStmt":
        throw new Unknown();
    }
  }

  private read(frame: Frame, wanted: Local): Value | undefined {
    if (wanted === INPUT || wanted === DATA) throw new Unknown();
    return frame.get(wanted);
  }

  private operand(operand: Operand, frame: Frame): Value | undefined {
    switch (operand.kind) {
      case "Local":
        return this.read(frame, operand.local);
      case "Boolean":
        return { kind: "boolean", value: operand.value };
      case "String":
        return { kind: "string", value: this.policy.strings[operand.index] as string };
      case "Constant":
        return this.policy.constants[operand.index];
    }
  }

  private callee(name: string, operands: readonly Operand[], frame: Frame): Value | undefined {
    const func = this.funcs.get(name);
    const args: Value[] = [];
    for (const operand of func === undefined ? operands : operands.slice(2)) {
      const value = this.operand(operand, frame);
      if (value === undefined) return undefined;
      args.push(value);
    }
    if (func !== undefined) return this.call(func, args);
    for (const arg of args) this.charge(arg);
    const value = this.callBuiltin(name, args);
    if (value === "unknown") throw new Unknown();
    return value;
  }

  /** `elementOf` remembers an object's keys: not for those that may get more. They are small. */
  private element(source: Value, key: Value): Value | undefined {
    if (source.kind !== "object" || !this.made.has(source)) return elementOf(source, key);
    return source.entries.find(([k]) => compareValues(k, key) === 0)?.[1];
  }

  private compare(a: Value, b: Value): number {
    this.charge(a);
    this.charge(b);
    return compareValues(a, b);
  }

  /** Something goes through all of the value. */
  private charge(value: Value): void {
    const size = sizeOf(value, MANY);
    this.left -= size >> 6;
    if (size > MANY) throw new Unknown();
  }

  private length(target: Local, value: Value | undefined, frame: Frame): number {
    if (value === undefined) return 0;
    const counted = value.kind === "object" ? value.entries : "items" in value ? value.items : undefined;
    if (counted === undefined) throw new Unknown();
    frame.set(target, { kind: "number", text: String(counted.length) });
    return END;
  }

  private add(collection: Value | undefined, kind: "array" | "set", value: Value | undefined): number {
    if (value === undefined || collection?.kind !== kind) return 0;
    if (kind === "set") this.charge(value);
    const items = collection.items as Items;
    if (kind === "array" || !items.some((v) => compareValues(v, value) === 0)) items.push(value);
    if (items.length > LARGEST) throw new Unknown();
    return END;
  }

  private insert(object: Value | undefined, key: Value | undefined, value: Value | undefined): number {
    if (key === undefined || value === undefined || object?.kind !== "object") return 0;
    this.charge(key);
    this.charge(value);
    const entries = object.entries as Entries;
    const old = entries.find(([k]) => compareValues(k, key) === 0);
    if (entries.length > LARGEST || (old !== undefined && compareValues(old[1], value) !== 0)) throw new Unknown();
    if (old === undefined) entries.push([key, value]);
    return END;
  }

  private scan(stmt: Extract<Stmt, { kind: "ScanStmt" }>, frame: Frame): number {
    for (const [key, value] of turnsOf(this.read(frame, stmt.source))) {
      frame.set(stmt.key, key);
      frame.set(stmt.value, value);
      const left = this.block(stmt.block, frame);
      if (left > 0) return left - 1;
    }
    return END;
  }
}

/** Keys and values in the order in which a loop meets them. */
function turnsOf(value: Value | undefined): readonly (readonly [Value, Value])[] {
  switch (value?.kind) {
    case "array":
      return value.items.map((item, i) => [{ kind: "number", text: String(i) }, item]);
    case "set":
      return sortedItems(value.items).map((item) => [item, item]);
    case "object":
      return sortedEntries(value.entries);
    default:
      return [];
  }
}

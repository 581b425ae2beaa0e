/**
 * Evaluates plans while nothing runs yet: rules that depend on nothing but constants while a policy is compiled, and any rule
 * for a given input and data where a person asks why. Slow and plain: decisions are made by the module.
 */

import {
  type Block,
  DATA,
  type Func,
  INPUT,
  isEvaluatedOnce,
  type Local,
  type Operand,
  type Plan,
  type Policy,
  type Stmt,
  type StmtOf,
} from "../plan/index.ts";
import { longestPrefix, merged, replaced, turnsOf, type Value } from "../value/index.ts";
import { Conflict, Unknown, Work } from "./evaluation-work.ts";
import { GrowingCollections } from "./growing-collections.ts";

/** A builtin applied to constants: its value, `undefined`, or "unknown" where only an evaluation can tell. */
export type BuiltinCall = (
  name: string,
  args: readonly Value[],
  /** Is told how many steps the call took, of the runtime library's. */
  took?: (steps: number) => void,
) => Value | "unknown" | undefined;

/** What is asked about; without them a rule that reads either has no known value. */
export interface Documents {
  /** `undefined`: there is no input. */
  readonly input: Value | undefined;
  readonly data: Value;
}

export interface EvaluatorOptions {
  readonly callBuiltin: BuiltinCall;
  /** Statements that all evaluations together may take. */
  readonly steps: number;
  /** Members of a collection that a rule may make. */
  readonly largest: number;
  readonly documents?: Documents;
}

/** Depth of calls. */
const MAX_CALL_DEPTH = 100;

type Frame = Map<Local, Value>;

/** The key of the returned value in a frame. */
const RETURNED: Local = -1;

/** A block ran to its end; any other number says how many blocks around it are left as well. */
const END = -1;
const RETURN = Number.POSITIVE_INFINITY;

export class Evaluator {
  private readonly policy: Policy;
  private readonly callBuiltin: BuiltinCall;
  private readonly work: Work;
  private readonly collections: GrowingCollections;
  private readonly funcs: ReadonlyMap<string, Func>;
  private readonly paths: ReadonlyMap<string, Func>;
  private documents: Documents | undefined;
  /** Values of rules under these documents. */
  private rules = new Map<string, Value | "unknown" | undefined>();
  private results: Value[] = [];
  private depth = 0;

  constructor(policy: Policy, { callBuiltin, steps, largest, documents }: EvaluatorOptions) {
    this.policy = policy;
    this.callBuiltin = callBuiltin;
    this.work = new Work(steps);
    this.collections = new GrowingCollections(this.work, largest);
    this.documents = documents;
    this.funcs = new Map(policy.funcs.map((f) => [f.name, f]));
    this.paths = new Map(policy.funcs.filter((f) => f.path.length > 0).map((f) => [f.path.join("\0"), f]));
  }

  /** The value of a rule, or of a function with these arguments, within `steps` statements; `undefined` if it is not known. */
  evaluate(func: Func, args: readonly Value[], steps: number): Value | undefined {
    this.work.limitTo(steps);
    try {
      return this.call(func, args);
    } catch (error) {
      if (error instanceof Unknown) return undefined;
      throw error;
    }
  }

  /** The results of a plan; "unknown" where only the module can tell, as of a call of the host's. */
  plan(plan: Plan): readonly Value[] | "conflict" | "unknown" {
    this.results = [];
    try {
      this.blocks(plan.blocks, new Map());
      return this.results;
    } catch (error) {
      if (error instanceof Conflict) return "conflict";
      if (error instanceof Unknown) return "unknown";
      throw error;
    }
  }

  /** `args` without input and data. The value of a rule is remembered, also that it is unknown. */
  private call(func: Func, args: readonly Value[]): Value | undefined {
    const remembered = isEvaluatedOnce(func);
    const known = remembered ? this.rules.get(func.name) : undefined;
    if (known === "unknown" || this.depth === MAX_CALL_DEPTH) throw new Unknown();
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
      this.work.step();
      const left = this.stmt(stmt, frame);
      if (left !== END) return left;
    }
    return END;
  }

  /** END when the statement is defined, 0 when it is not, more when it leaves blocks. */
  private stmt(stmt: Stmt, frame: Frame): number {
    const read = (operand: Operand): Value | undefined => this.operand(operand, frame);
    const set = (target: Local, value: Value | undefined): number => {
      if (target === INPUT || target === DATA) throw new Unknown();
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
        return set(stmt.target, this.collections.set());
      case "MakeObjectStmt":
        return set(stmt.target, this.collections.object());
      case "AssignVarStmt":
        set(stmt.target, read(stmt.source));
        return END;
      case "AssignVarOnceStmt": {
        const [value, old] = [read(stmt.source), this.read(frame, stmt.target)];
        if (value === undefined) return 0;
        if (old === undefined) return set(stmt.target, value);
        if (this.work.compare(value, old) !== 0) throw new Conflict();
        return END;
      }
      case "ResetLocalStmt":
        set(stmt.target, undefined);
        return END;
      case "DotStmt": {
        const [source, key] = [read(stmt.source), read(stmt.key)];
        return set(
          stmt.target,
          source === undefined || key === undefined ? undefined : this.collections.element(source, key),
        );
      }
      case "LenStmt":
        return this.length(stmt.target, read(stmt.source), frame);
      case "PrefixStmt": {
        const [source, text] = [read(stmt.source), read(stmt.text)];
        if (source?.kind === "object") this.work.turns(source.entries.length);
        return set(stmt.target, source && text && longestPrefix(source, text));
      }
      case "EqualStmt":
      case "NotEqualStmt": {
        const [a, b] = [read(stmt.a), read(stmt.b)];
        if (a === undefined || b === undefined) return 0;
        return test((this.work.compare(a, b) === 0) === (stmt.kind === "EqualStmt"));
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
        return test(this.collections.append(this.read(frame, stmt.array), read(stmt.value)));
      case "SetAddStmt":
        return test(this.collections.add(this.read(frame, stmt.set), read(stmt.value)));
      case "ObjectInsertStmt":
      case "ObjectInsertOnceStmt":
        return test(this.collections.insert(this.read(frame, stmt.object), read(stmt.key), read(stmt.value)));
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
        return this.callDynamic(stmt, frame);
      case "ObjectMergeStmt": {
        const [a, b] = [this.read(frame, stmt.a), this.read(frame, stmt.b)];
        if (a === undefined || b === undefined) return set(stmt.target, a ?? b);
        for (const object of [a, b]) if (object.kind === "object") this.work.turns(object.entries.length);
        return set(stmt.target, merged(a, b));
      }
      case "ResultSetAddStmt": {
        const value = this.read(frame, stmt.value);
        if (value === undefined) return 0;
        this.results.push(value);
        return END;
      }
      case "WithStmt":
        return this.with(stmt, frame);
    }
  }

  private read(frame: Frame, wanted: Local): Value | undefined {
    if (wanted !== INPUT && wanted !== DATA) return frame.get(wanted);
    if (this.documents === undefined) throw new Unknown();
    return wanted === INPUT ? this.documents.input : this.documents.data;
  }

  /** A document of this place and below, as every function that is called from here has it. */
  private with(stmt: StmtOf<"WithStmt">, frame: Frame): number {
    const { documents, rules } = this;
    const path = stmt.path.map((name) => this.policy.strings[name] as string);
    const before = this.read(frame, stmt.local);
    const value = replaced(before, path, this.operand(stmt.value, frame));
    if (documents === undefined || (stmt.local === DATA && value === undefined)) throw new Unknown();
    if (stmt.local === INPUT) this.documents = { ...documents, input: value };
    else if (stmt.local === DATA && value !== undefined) this.documents = { ...documents, data: value };
    else throw new Unknown();
    this.rules = new Map();
    try {
      const left = this.block(stmt.block, frame);
      return left > 0 ? left - 1 : left;
    } finally {
      this.documents = documents;
      this.rules = rules;
    }
  }

  /** Where there is no such function the statement fails; where it has no value, four blocks are left. */
  private callDynamic(stmt: StmtOf<"CallDynamicStmt">, frame: Frame): number {
    const path = stmt.path.map((operand) => this.operand(operand, frame));
    const names = path.map((part) => (part?.kind === "string" ? part.value : undefined));
    const func = names.includes(undefined) ? undefined : this.paths.get(names.join("\0"));
    if (func === undefined) return 0;
    const args = stmt.args.slice(2).map((arg) => this.read(frame, arg));
    if (args.includes(undefined)) throw new Unknown();
    const value = this.call(func, args as Value[]);
    if (value === undefined) {
      frame.delete(stmt.result);
      return 3;
    }
    frame.set(stmt.result, value);
    return END;
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
    for (const arg of args) this.work.argument(arg);
    let steps = 0;
    const value = this.callBuiltin(name, args, (taken) => {
      steps = taken;
    });
    if (value === "unknown") throw new Unknown();
    this.work.result(steps, value);
    return value;
  }

  private length(target: Local, value: Value | undefined, frame: Frame): number {
    if (value === undefined) return 0;
    const counted = value.kind === "object" ? value.entries : "items" in value ? value.items : undefined;
    if (counted === undefined) throw new Unknown();
    frame.set(target, { kind: "number", text: String(counted.length) });
    return END;
  }

  private scan(stmt: Extract<Stmt, { kind: "ScanStmt" }>, frame: Frame): number {
    const turns = turnsOf(this.read(frame, stmt.source));
    this.work.turns(turns.length);
    for (const [key, value] of turns) {
      frame.set(stmt.key, key);
      frame.set(stmt.value, value);
      const left = this.block(stmt.block, frame);
      if (left > 0) return left - 1;
    }
    return END;
  }
}

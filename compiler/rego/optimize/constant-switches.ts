/**
 * Rules that only map constants to constants: `f("a") := 1`, `f("b") := 2`, … is a look-up in a table of values. The index
 * chose a block by its number; each block then compares the same value with its own key, or looks for it among its own keys,
 * and assigns a constant. Where there are many, the index chose functions of such blocks: their tables become one.
 *
 * INVARIANT: the table gives for a key what the block of that key would have assigned. Nothing else assigns the result once,
 * and the switch runs at most once: a conflict, which would name a block's place, cannot be.
 */

import {
  type Block,
  changedIn,
  eachLocal,
  eachStmt,
  type Func,
  type Local,
  local,
  mapSame,
  type Operand,
  type Policy,
  type Stmt,
  type StmtOf,
  withBlocks,
  withBody,
  withStmts,
} from "../plan/index.ts";
import { compareValues, type Value } from "../value/index.ts";
import { ConstantTable, constantOf } from "./constants.ts";
import { eliminateDeadCode } from "./dead-code.ts";
import { FreshLocals } from "./rename.ts";

export function foldConstantSwitches(policy: Policy): Policy {
  const constants = new ConstantTable(policy.constants);
  const fold = (current: Policy, tables: ReadonlyMap<string, FunctionTable>): Policy => {
    const funcs = current.funcs.map((func) => new Folder(current, constants, tables, func).folded());
    return { ...current, funcs, constants: constants.values };
  };
  const folded = fold(policy, new Map());
  const tables = functionTables(folded);
  const joined = tables.size === 0 ? folded : fold(folded, tables);
  return constants.values.length === policy.constants.length ? policy : eliminateDeadCode(joined);
}

/** Where a value is: a parameter, or what stands under constant keys below it. */
interface Place {
  readonly root: Local;
  readonly path: readonly string[];
}

/** A function that is a look-up of a place in a table. */
interface FunctionTable {
  readonly place: Place;
  /** Which parameter the place's root is. */
  readonly param: number;
  readonly values: ReadonlyMap<string, Value>;
}

interface Assignment {
  readonly target: Local;
  readonly value: Value;
}

class Folder {
  private readonly policy: Policy;
  private readonly constants: ConstantTable;
  private readonly tables: ReadonlyMap<string, FunctionTable>;
  private readonly func: Func;
  private readonly fresh: FreshLocals;
  private counted: Counts | undefined;

  constructor(policy: Policy, constants: ConstantTable, tables: ReadonlyMap<string, FunctionTable>, func: Func) {
    this.policy = policy;
    this.constants = constants;
    this.tables = tables;
    this.func = func;
    this.fresh = new FreshLocals(func);
  }

  folded(): Func {
    return withBody(this.func, (blocks) => mapSame(blocks, (b) => this.inBlock(b)));
  }

  private get counts(): Counts {
    this.counted ??= new Counts(this.func);
    return this.counted;
  }

  private inBlock(block: Block): Block {
    const stmts: Stmt[] = [];
    for (const stmt of block.stmts) {
      const found = stmt.kind === "SwitchStmt" ? this.lookup(stmts, stmt) : undefined;
      if (found !== undefined) {
        // The number of the block is of no use to anybody else.
        if (this.counts.mentioned.get((stmts.at(-1) as StmtOf<"DotStmt">).target) === 2) stmts.pop();
        stmts.push(...found);
      } else {
        // A loop may come back to a switch with another value.
        stmts.push(stmt.kind === "ScanStmt" ? stmt : withBlocks(stmt, (b) => this.inBlock(b)));
      }
    }
    return withStmts(block, stmts);
  }

  /** The look-up that a switch is; `undefined` where a block of it does anything else. */
  private lookup(before: readonly Stmt[], { index, blocks, span }: StmtOf<"SwitchStmt">): Stmt[] | undefined {
    const dot = before.at(-1);
    if (dot?.kind !== "DotStmt" || index.kind !== "Local" || index.local !== dot.target) return undefined;
    const numbers = constantOf(dot.source, this.policy);
    if (numbers?.kind !== "object" || dot.key.kind !== "Local") return undefined;
    const place = placeOfValue(dot.key.local, before, this.policy);
    const entries: (readonly [Value, Value])[] = [];
    let target: Local | undefined;
    for (const [key, number] of numbers.entries) {
      const block = number.kind === "number" ? blocks[Number(number.text)] : undefined;
      const assignment = block && this.assignmentOf(block, dot.key.local, place, key);
      if (assignment === undefined || (target ?? assignment.target) !== assignment.target) return undefined;
      target = assignment.target;
      entries.push([key, assignment.value]);
    }
    if (target === undefined || this.counts.assigned.get(target) !== blocks.length) return undefined;
    const value = this.fresh.next();
    const source = this.constants.operand({ kind: "object", entries });
    return [
      { kind: "DotStmt", source, key: dot.key, target: value, span },
      { kind: "AssignVarOnceStmt", source: local(value), target, span },
    ];
  }

  /** What a block assigns where the value that was looked up is `key`. */
  private assignmentOf(block: Block, looked: Local, place: Place, key: Value): Assignment | undefined {
    const stmts = innermost(block);
    const assign = stmts.at(-1);
    const tests = stmts.slice(0, -1);
    const [first] = tests;
    if (assign?.kind !== "AssignVarOnceStmt" || first === undefined) return undefined;
    const value =
      this.compares(tests, looked, key) || this.isMember(tests, looked, key)
        ? constantOf(assign.source, this.policy)
        : tests.length === 1 && first.kind === "CallStmt" && isLocal(assign.source, first.result)
          ? this.valueOfCall(first, place, key)
          : undefined;
    return value && { target: assign.target, value };
  }

  /** `looked == key`, and nothing else. */
  private compares([first, second]: readonly Stmt[], looked: Local, key: Value): boolean {
    if (first?.kind !== "EqualStmt" || second !== undefined) return false;
    const { a, b } = first;
    const other = isLocal(a, looked) ? b : isLocal(b, looked) ? a : undefined;
    const value = other && constantOf(other, this.policy);
    return value !== undefined && compareValues(value, key) === 0;
  }

  /** `looked in {key, …}`, and nothing else. */
  private isMember([first, second, third]: readonly Stmt[], looked: Local, key: Value): boolean {
    if (first?.kind !== "CallStmt" || second?.kind !== "NotEqualStmt" || third !== undefined) return false;
    const [member, collection] = first.args;
    if (first.func !== "internal.member_2" || member === undefined || collection === undefined) return false;
    if (!isLocal(member, looked) || !isLocal(second.a, first.result) || this.counts.mentioned.get(first.result) !== 2)
      return false;
    if (second.b.kind !== "Boolean" || second.b.value) return false;
    const values = constantOf(collection, this.policy);
    return values?.kind === "set" && values.items.some((item) => compareValues(item, key) === 0);
  }

  private valueOfCall({ func, args }: StmtOf<"CallStmt">, place: Place, key: Value): Value | undefined {
    const table = this.tables.get(func);
    const root = table && args[table.param];
    if (
      table === undefined ||
      root === undefined ||
      !isLocal(root, place.root) ||
      !this.counts.fixed.has(place.root) ||
      key.kind !== "string"
    )
      return undefined;
    return samePath(table.place.path, place.path) ? table.values.get(key.value) : undefined;
  }
}

/** What a function does with its locals. */
class Counts {
  /** How many statements assign each local once. */
  readonly assigned = new Map<Local, number>();
  /** How often each local is mentioned. */
  readonly mentioned = new Map<Local, number>();
  /** Parameters that are the same wherever they are read. */
  readonly fixed: ReadonlySet<Local>;

  constructor({ blocks, params }: Func) {
    const changed = new Set(changedIn(blocks));
    this.fixed = new Set(params.filter((p) => !changed.has(p)));
    eachStmt(blocks, (stmt) => {
      if (stmt.kind === "AssignVarOnceStmt") increment(this.assigned, stmt.target);
      eachLocal(stmt, (l) => increment(this.mentioned, l));
    });
  }
}

/** The functions that are nothing but a look-up of a text. */
function functionTables(policy: Policy): Map<string, FunctionTable> {
  const tables = new Map<string, FunctionTable>();
  for (const { name, params, result, blocks } of policy.funcs) {
    const [body, end, more] = blocks.filter((b) => b.stmts.length > 0);
    const [leave] = end?.stmts ?? [];
    if (body === undefined || leave?.kind !== "ReturnLocalStmt" || leave.source !== result || more !== undefined)
      continue;
    const stmts = innermost(body);
    const [dot, assign] = stmts.slice(-2);
    const before = stmts.slice(0, -2);
    if (dot?.kind !== "DotStmt" || assign?.kind !== "AssignVarOnceStmt" || dot.key.kind !== "Local") continue;
    if (!before.every((s) => s.kind === "DotStmt") || !isLocal(assign.source, dot.target)) continue;
    const table = constantOf(dot.source, policy);
    if (assign.target !== result || table?.kind !== "object") continue;
    const texts = table.entries.flatMap(([key, value]) => (key.kind === "string" ? [[key.value, value] as const] : []));
    const place = placeOfValue(dot.key.local, before, policy);
    const param = params.indexOf(place.root);
    // A look-up of anything else may fail, and with it the function.
    if (before.length !== place.path.length) continue;
    if (param >= 0 && texts.length === table.entries.length) tables.set(name, { place, param, values: new Map(texts) });
  }
  return tables;
}

function increment(counts: Map<Local, number>, l: Local): void {
  counts.set(l, (counts.get(l) ?? 0) + 1);
}

/** The statements of a block, without the blocks that hold nothing else. */
function innermost(block: Block): readonly Stmt[] {
  const [first, second] = block.stmts;
  if (first?.kind !== "BlockStmt" || second !== undefined || first.blocks.length !== 1) return block.stmts;
  return innermost(first.blocks[0] as Block);
}

/** The place that a local was looked up from. Callers that compare places must check that both roots are never reassigned. */
function placeOfValue(value: Local, before: readonly Stmt[], { strings }: Policy): Place {
  const path: string[] = [];
  let root = value;
  for (const stmt of [...before].reverse()) {
    if (!changedIn([{ stmts: [stmt] }]).includes(root)) continue;
    if (stmt.kind !== "DotStmt" || stmt.source.kind !== "Local" || stmt.key.kind !== "String") break;
    path.unshift(strings[stmt.key.index] as string);
    root = stmt.source.local;
  }
  return { root, path };
}

function samePath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((key, i) => key === b[i]);
}

function isLocal(operand: Operand, wanted: Local): boolean {
  return operand.kind === "Local" && operand.local === wanted;
}

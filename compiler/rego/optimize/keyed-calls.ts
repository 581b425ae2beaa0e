/**
 * How a partial object is asked for one key. Its definitions are evaluated with the key, but where the whole object is a constant,
 * or is asked in a loop: there a look-up in the object takes less time.
 *
 * INVARIANT: asked in a loop, too, a contradiction is one for its own key only, as long as the object has a table of these.
 */

import {
  type Block,
  blocksOf,
  eachStmt,
  type Func,
  isEvaluatedOnce,
  type Keyed,
  type Local,
  local,
  mapSame,
  mapStmts,
  type Operand,
  type Plan,
  type Policy,
  type Stmt,
  type StmtOf,
  withBlocks,
  withBody,
} from "../plan/index.ts";
import { calleesFirst } from "./call-order.ts";
import { FreshLocals } from "./rename.ts";

export function chooseKeyedCalls(policy: Policy): Policy {
  const keyed = new Map(policy.funcs.flatMap((f) => (f.keyed === undefined ? [] : [[f.name, f.keyed] as const])));
  if (keyed.size === 0) return policy;
  const constant = new Set(policy.funcs.flatMap((f) => (isConstant(f) ? [f.name] : [])));
  const repeated = repeatedFunctions(policy);
  const inBody = <P extends Plan | Func>(part: P, isRepeated: boolean): P => {
    const fresh = new FreshLocals(part);
    const call = (stmt: KeyedCall, { whole, table }: Keyed, inLoop: boolean): Stmt | readonly Stmt[] => {
      if (constant.has(whole) || (inLoop && table === undefined)) return fromWhole(stmt, whole, fresh);
      return inLoop && table !== undefined ? fromTable(stmt, table, fresh) : stmt;
    };
    const inBlock = (block: Block, inLoop: boolean): Block =>
      mapStmts(block, (stmt) => {
        const functions = stmt.kind === "CallStmt" ? keyed.get(stmt.func) : undefined;
        if (stmt.kind === "CallStmt" && functions !== undefined) return call(stmt as KeyedCall, functions, inLoop);
        return withBlocks(stmt, (inner) => inBlock(inner, inLoop || stmt.kind === "ScanStmt"));
      });
    return withBody(part, (blocks) => mapSame(blocks, (b) => inBlock(b, isRepeated)));
  };
  return {
    ...policy,
    plans: policy.plans.map((p) => inBody(p, false)),
    funcs: policy.funcs.map((f) => inBody(f, repeated.has(f.name))),
  };
}

/** Whether a function is the assignment of a constant. */
function isConstant({ blocks }: Func): boolean {
  const [assign, ...others] = blocks.flatMap(({ stmts }) => stmts);
  return assign?.kind === "AssignVarStmt" && assign.source.kind === "Constant" && others.length === 1;
}

/** The functions that a loop calls, and those that they call. What is evaluated once an evaluation is none of them. */
function repeatedFunctions(policy: Policy): ReadonlySet<string> {
  const bodies = new Map(policy.funcs.map((f) => [f.name, f]));
  const repeated = new Set<string>();
  const add = (blocks: readonly Block[]): void =>
    eachStmt(blocks, (stmt) => {
      if (stmt.kind === "CallStmt") repeated.add(stmt.func);
    });
  const addLoops = (blocks: readonly Block[]): void =>
    eachStmt(blocks, (stmt) => {
      if (stmt.kind === "ScanStmt") add(blocksOf(stmt));
    });
  for (const { blocks } of policy.plans) addLoops(blocks);
  for (const name of calleesFirst(policy).reverse()) {
    const func = bodies.get(name) as Func;
    if (isEvaluatedOnce(func)) repeated.delete(name);
    if (repeated.has(name)) add(func.blocks);
    else addLoops(func.blocks);
  }
  return repeated;
}

/** A call of a function of input, data and a key. */
type KeyedCall = StmtOf<"CallStmt"> & { readonly args: readonly [Operand, Operand, Operand] };

function fromWhole({ args: [input, data, key], result, span }: KeyedCall, whole: string, fresh: FreshLocals): Stmt[] {
  const object = fresh.next();
  return [
    { kind: "CallStmt", func: whole, args: [input, data], result: object, span },
    { kind: "DotStmt", source: local(object), key, target: result, span },
  ];
}

/** Where the key is disputed, the call that says so; else a look-up. */
function fromTable(call: KeyedCall, table: string, fresh: FreshLocals): Stmt[] {
  const { args, result, span } = call;
  const [input, data, key] = args;
  const [pair, found, object, disputed, number] = [
    fresh.next(),
    fresh.next(),
    fresh.next(),
    fresh.next(),
    fresh.next(),
  ];
  const part = (index: number, target: Local): Stmt[] => [
    { kind: "MakeNumberIntStmt", value: index, target: number, span },
    { kind: "DotStmt", source: local(pair), key: local(number), target, span },
  ];
  const ends: Block = {
    stmts: [...part(1, disputed), { kind: "DotStmt", source: local(disputed), key, target: found, span }, call],
  };
  return [
    { kind: "CallStmt", func: table, args: [input, data], result: pair, span },
    { kind: "BlockStmt", blocks: [ends], span },
    ...part(0, object),
    { kind: "DotStmt", source: local(object), key, target: result, span },
  ];
}

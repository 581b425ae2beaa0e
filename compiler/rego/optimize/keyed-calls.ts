/**
 * How a partial object is asked by key. Its definitions are evaluated with the keys, but where the whole object is a constant,
 * or is asked in a loop and has a table: there a look-up takes less time.
 *
 * INVARIANT: a contradiction is one for its own keys only. A table knows the keys for which definitions disagree; where a function
 * that they call may end the evaluation for another key, it is not used.
 */

import {
  type Block,
  blocksOf,
  eachStmt,
  type Func,
  isEvaluatedOnce,
  isSilent,
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
  const ending = functionsThatMayEnd(policy);
  const inBody = <P extends Plan | Func>(part: P, isRepeated: boolean): P => {
    const fresh = new FreshLocals(part);
    const call = (stmt: KeyedCall, { whole, table }: Keyed, inLoop: boolean): Stmt | readonly Stmt[] => {
      if (constant.has(whole)) return fromWhole(stmt, whole, fresh);
      return inLoop && table !== undefined && !ending.has(table) ? fromTable(stmt, table, fresh) : stmt;
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

/** The functions that a loop calls, and those that they call. What is evaluated once an evaluation is not among them. */
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

/** The functions that may end the evaluation by a conflict: they assign, or insert, what was before. */
function functionsThatMayEnd(policy: Policy): ReadonlySet<string> {
  const bodies = new Map(policy.funcs.map((f) => [f.name, f]));
  // What is printed, and what the host is asked, is of the key alone, too.
  const found = new Set(policy.builtins.flatMap(({ name }) => (isSilent(name) ? [] : [name])));
  for (const name of calleesFirst(policy)) if (mayEnd((bodies.get(name) as Func).blocks, found)) found.add(name);
  return found;
}

function mayEnd(body: readonly Block[], callees: ReadonlySet<string>): boolean {
  const once = new Set<Local>();
  const visit = (blocks: readonly Block[], inLoop: boolean): boolean =>
    blocks.some(({ stmts }) =>
      stmts.some((stmt) => {
        const target =
          stmt.kind === "AssignVarOnceStmt"
            ? stmt.target
            : stmt.kind === "ObjectInsertOnceStmt"
              ? stmt.object
              : undefined;
        const isSecond = target !== undefined && (inLoop || once.has(target));
        if (target !== undefined) once.add(target);
        const calls = stmt.kind === "CallDynamicStmt" || (stmt.kind === "CallStmt" && callees.has(stmt.func));
        return isSecond || calls || visit(blocksOf(stmt), inLoop || stmt.kind === "ScanStmt");
      }),
    );
  return visit(body, false);
}

/** A call of a function of input, data and keys. */
type KeyedCall = StmtOf<"CallStmt"> & { readonly args: readonly [Operand, Operand, ...Operand[]] };

function fromWhole(
  { args: [input, data, ...keys], result, span }: KeyedCall,
  whole: string,
  fresh: FreshLocals,
): Stmt[] {
  const values = [...keys.map(() => fresh.next()), result];
  return [
    { kind: "CallStmt", func: whole, args: [input, data], result: values[0] as Local, span },
    ...keys.map((key, i): Stmt => {
      return { kind: "DotStmt", source: local(values[i] as Local), key, target: values[i + 1] as Local, span };
    }),
  ];
}

/** Where the key is disputed, the call that says so; else a look-up. */
function fromTable(call: KeyedCall, table: string, fresh: FreshLocals): Stmt[] {
  const { args, result, span } = call;
  const [input, data, ...keys] = args;
  const [pair, found, object, disputed, number, list] = [
    fresh.next(),
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
  const asked: Stmt[] =
    keys.length === 1
      ? []
      : [
          { kind: "MakeArrayStmt", capacity: keys.length, target: list, span },
          ...keys.map((value): Stmt => ({ kind: "ArrayAppendStmt", array: list, value, span })),
        ];
  const key = keys.length === 1 ? (keys[0] as Operand) : local(list);
  const ends: Block = {
    stmts: [...part(1, disputed), { kind: "DotStmt", source: local(disputed), key, target: found, span }, call],
  };
  return [
    { kind: "CallStmt", func: table, args: [input, data], result: pair, span },
    ...asked,
    { kind: "BlockStmt", blocks: [ends], span },
    ...part(0, object),
    { kind: "DotStmt", source: local(object), key, target: result, span },
  ];
}

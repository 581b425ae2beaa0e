/**
 * Loops that end where a bound is reached: the turns of `some j, x in list; j < i` are over as soon as `j < i` fails. Keys
 * come in ascending order, of whatever collection.
 *
 * INVARIANT: the bound is tested first in a turn and does not change in the loop, so once it fails no turn gets further.
 */

import {
  type Block,
  changedIn,
  eachLocalIn,
  type Func,
  type Local,
  mapSame,
  mapStmts,
  measure,
  type Policy,
  type Stmt,
  type StmtOf,
  someStmt,
  withBlocks,
  withBody,
} from "../plan/index.ts";

/** Each loop nests one block deeper, and a module has bounds: functions that are deeper than this stay as they are. */
const DEEP = 150;

export function boundScans(policy: Policy): Policy {
  const inFunc = (f: Func): Func => withBody(f, (blocks) => mapSame(blocks, (b) => inBlock(b, blocks)));
  return { ...policy, funcs: policy.funcs.map((f) => (measure(f.blocks).depth > DEEP ? f : inFunc(f))) };
}

function inBlock(block: Block, body: readonly Block[]): Block {
  return mapStmts(block, (original) => {
    const stmt = withBlocks(original, (b) => inBlock(b, body));
    return stmt.kind === "ScanStmt" ? (bounded(stmt, body) ?? stmt) : stmt;
  });
}

/** In a block of its own, which is left when the bound fails. */
function bounded(scan: StmtOf<"ScanStmt">, body: readonly Block[]): Stmt | undefined {
  const [call, test, ...rest] = scan.block.stmts;
  if (call === undefined || test === undefined || !isBound(call, scan) || !holds(test, call.result)) return undefined;
  // No statement behind the test may read the comparison's result.
  if (mentions(call.result, body) !== 2 || rest.some(callsDynamically)) return undefined;
  const { span } = scan;
  const reached: Block = {
    stmts: [
      { kind: "NotStmt", block: { stmts: [call, test] }, span },
      { kind: "BreakStmt", index: LOOP, span },
    ],
  };
  const block: Block = {
    stmts: [{ kind: "BlockStmt", blocks: [reached], span }, ...further({ stmts: rest }, 0).stmts],
  };
  return { kind: "BlockStmt", blocks: [{ stmts: [{ ...scan, block }] }], span };
}

/** As the index of a BreakStmt in a block of a turn: the turn and the block around the loop are left, too. */
const LOOP = 2;

/** A block of the loop whose breaks go as far as before, now that there is one more block around the loop. */
function further({ stmts }: Block, depth: number): Block {
  return {
    stmts: stmts.map((stmt) => {
      if (stmt.kind === "BreakStmt" && stmt.index > depth) return { ...stmt, index: stmt.index + 1 };
      return withBlocks(stmt, (b) => further(b, depth + 1));
    }),
  };
}

/** Whether a dynamic call is inside: one that is undefined leaves a fixed number of blocks, so none may be put around it. */
function callsDynamically(scan: Stmt): boolean {
  return someStmt([scan], (stmt) => stmt.kind === "CallDynamicStmt");
}

/** Whether the statement compares the key with a bound that is the same in all turns. */
function isBound(stmt: Stmt, { key, value, block }: StmtOf<"ScanStmt">): stmt is StmtOf<"CallStmt"> {
  if (stmt.kind !== "CallStmt" || (stmt.func !== "lt" && stmt.func !== "lte")) return false;
  const [low, high] = stmt.args;
  if (low?.kind !== "Local" || low.local !== key || high === undefined) return false;
  const changed = changedIn([block]);
  if (changed.includes(key)) return false;
  return high.kind !== "Local" || ![key, value, ...changed].includes(high.local);
}

function holds(stmt: Stmt, result: Local): boolean {
  if (stmt.kind !== "NotEqualStmt" || stmt.a.kind !== "Local" || stmt.a.local !== result) return false;
  return stmt.b.kind === "Boolean" && !stmt.b.value;
}

function mentions(wanted: Local, body: readonly Block[]): number {
  let count = 0;
  eachLocalIn(body, (l) => {
    if (l === wanted) count++;
  });
  return count;
}

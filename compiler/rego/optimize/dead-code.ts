/**
 * Elimination of dead code, which no entrypoint can notice: statements behind a break, blocks without an effect, assignments
 * that nothing reads, functions that nothing calls, builtins and constants that nothing names.
 */

import {
  type Block,
  eachLocal,
  eachStmt,
  hasEffect,
  type Local,
  mapSame,
  mapStmts,
  type Operand,
  type Policy,
  type Stmt,
  withBlocks,
  withBodies,
  withStmts,
} from "../plan/index.ts";
import type { Value } from "../value/index.ts";
import { mapOperands } from "./map-operands.ts";
import { simplifyBlocks } from "./simplify-blocks.ts";

export function eliminateDeadCode(policy: Policy): Policy {
  const swept = withBodies(policy, dropInBody);
  const called = reachable(swept);
  return dropConstants({
    ...swept,
    funcs: swept.funcs.filter((f) => called.has(f.name)),
    builtins: policy.builtins.filter((b) => called.has(b.name)),
  });
}

function dropInBody(blocks: readonly Block[]): readonly Block[] {
  let body = simplifyBlocks(blocks);
  const reads = new Reads(body);
  for (let before: readonly Block[] | undefined; body !== before; ) {
    before = body;
    body = mapSame(body, (block) => sweepToEnd(block, reads));
  }
  return simplifyBlocks(body);
}

/** The block without assignments that nothing reads. */
function sweep(block: Block, reads: Reads): Block {
  const kept: Stmt[] = [];
  // From the end: a statement that goes reads nothing any more.
  for (let i = block.stmts.length - 1; i >= 0; i--) {
    const stmt = block.stmts[i] as Stmt;
    const target = targetOfPure(stmt);
    if (target !== undefined && !reads.has(target)) {
      reads.drop(stmt);
      continue;
    }
    const within = stmt.kind === "NotStmt" || stmt.kind === "WithStmt" ? sweep : sweepToEnd;
    kept.push(withBlocks(stmt, (inner) => within(inner, reads)));
  }
  return withStmts(block, kept.reverse());
}

/** The same where reaching the end of the block means the same as leaving it: tests at its end decide nothing. */
function sweepToEnd(block: Block, reads: Reads): Block {
  const swept = sweep(block, reads);
  const { stmts } = swept;
  let end = stmts.length;
  for (; end > 0; end--) {
    const last = stmts[end - 1] as Stmt;
    if (!isIdleTest(last, reads)) break;
    reads.drop(last);
  }
  return end === stmts.length ? swept : { stmts: stmts.slice(0, end) };
}

/** The local that a statement assigns, if it has no other effect. */
function targetOfPure(stmt: Stmt): Local | undefined {
  return hasEffect(stmt, "assign") ? stmt.target : undefined;
}

/** Whether the only effect of a statement is to fail or not. */
function isIdleTest(stmt: Stmt, reads: Reads): boolean {
  return hasEffect(stmt, "lookup") ? !reads.has(stmt.target) : hasEffect(stmt, "test");
}

/** How often statements read, change or test each local. A single assignment reads the former value. */
class Reads {
  private readonly counts = new Map<Local, number>();

  constructor(blocks: readonly Block[]) {
    for (const block of blocks) this.add(block);
  }

  has(l: Local): boolean {
    return (this.counts.get(l) ?? 0) > 0;
  }

  /** Drops a statement without blocks. */
  drop(stmt: Stmt): void {
    this.count(stmt, -1);
  }

  private add(block: Block): void {
    eachStmt([block], (stmt) => this.count(stmt, 1));
  }

  private count(stmt: Stmt, by: 1 | -1): void {
    eachLocal(stmt, (l, kind) => {
      if (kind !== "def" || stmt.kind === "AssignVarOnceStmt") this.counts.set(l, (this.counts.get(l) ?? 0) + by);
    });
  }
}

/** Keeps the constants that an operand refers to, in the order of their first use. */
function dropConstants(policy: Policy): Policy {
  const numbers = new Map<number, number>();
  const renumber = (operand: Operand): Operand => {
    if (operand.kind !== "Constant") return operand;
    const known = numbers.get(operand.index);
    const index = known ?? numbers.size;
    if (known === undefined) numbers.set(operand.index, index);
    return index === operand.index ? operand : { kind: "Constant", index };
  };
  const inBlock = (block: Block): Block => mapStmts(block, (s) => withBlocks(mapOperands(s, renumber), inBlock));
  const renumbered = withBodies(policy, (blocks) => mapSame(blocks, inBlock));
  const constants = [...numbers.keys()].map((old) => policy.constants[old] as Value);
  return { ...renumbered, constants };
}

/** Names of functions and builtins that plans reach. A dynamic call may reach every function that has a path. */
function reachable(policy: Policy): ReadonlySet<string> {
  const bodies = new Map(policy.funcs.map((f) => [f.name, f.blocks]));
  const withPath = policy.funcs.filter((f) => f.path.length > 0).map((f) => f.name);
  const found = new Set<string>();
  const work = policy.plans.map((p) => p.blocks);
  const visit = (stmt: Stmt): void => {
    const names = stmt.kind === "CallStmt" ? [stmt.func] : stmt.kind === "CallDynamicStmt" ? withPath : [];
    for (const name of names) {
      if (found.has(name)) continue;
      found.add(name);
      const body = bodies.get(name);
      if (body !== undefined) work.push(body);
    }
  };
  for (let body = work.pop(); body !== undefined; body = work.pop()) eachStmt(body, visit);
  return found;
}

/**
 * Elimination of dead code, which no entrypoint can notice: statements behind a break, blocks without an effect, assignments
 * that nothing reads, functions that nothing calls, builtins and constants that nothing names.
 */

import type { Value } from "../base/value.ts";
import { hasEffect } from "../plan/effects.ts";
import { blocksOf, eachLocal, withBlocks } from "../plan/fields.ts";
import type { Block, Local, Operand, Policy, Stmt } from "../plan/ir.ts";
import { mapSame, mapStmts, withBodies } from "../plan/rewrite.ts";
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

/** Functions that nothing calls any more, as once they are inlined: whoever comes next need not work on them. */
export function dropUncalled(policy: Policy): Policy {
  const called = reachable(policy);
  return { ...policy, funcs: policy.funcs.filter((f) => called.has(f.name)) };
}

function dropInBody(blocks: readonly Block[]): readonly Block[] {
  let body = simplifyBlocks(blocks);
  for (;;) {
    const read = new Set<Local>();
    for (const block of body) localsRead(block, read);
    let dropped = false;
    const sweep = (block: Block): Block =>
      mapStmts(block, (stmt): Stmt | readonly Stmt[] => {
        const target = targetOfPure(stmt);
        if (target !== undefined && !read.has(target)) {
          dropped = true;
          return [];
        }
        return withBlocks(stmt, stmt.kind === "NotStmt" || stmt.kind === "WithStmt" ? sweep : sweepToEnd);
      });
    // Where reaching the end of a block means the same as leaving it, tests at the end decide nothing.
    const sweepToEnd = (block: Block): Block => {
      const swept = sweep(block);
      const { stmts } = swept;
      let end = stmts.length;
      while (end > 0 && isIdleTest(stmts[end - 1] as Stmt, read)) end--;
      if (end === stmts.length) return swept;
      dropped = true;
      return { stmts: stmts.slice(0, end) };
    };
    body = mapSame(body, sweepToEnd);
    if (!dropped) return simplifyBlocks(body);
  }
}

/** The local that a statement assigns, if it has no other effect. */
function targetOfPure(stmt: Stmt): Local | undefined {
  return hasEffect(stmt, "assign") ? stmt.target : undefined;
}

/** Whether the only effect of a statement is to fail or not. */
function isIdleTest(stmt: Stmt, read: ReadonlySet<Local>): boolean {
  return hasEffect(stmt, "lookup") ? !read.has(stmt.target) : hasEffect(stmt, "test");
}

/** Adds the locals that are read, changed or tested. A single assignment reads the former value. */
function localsRead(block: Block, found: Set<Local>): void {
  for (const stmt of block.stmts) {
    if (stmt.kind === "AssignVarOnceStmt") found.add(stmt.target);
    eachLocal(stmt, (l, kind) => {
      if (kind !== "def") found.add(l);
    });
    for (const inner of blocksOf(stmt)) localsRead(inner, found);
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
  const visit = (block: Block): void => {
    for (const stmt of block.stmts) {
      const names = stmt.kind === "CallStmt" ? [stmt.func] : stmt.kind === "CallDynamicStmt" ? withPath : [];
      for (const name of names) {
        if (found.has(name)) continue;
        found.add(name);
        const body = bodies.get(name);
        if (body !== undefined) work.push(body);
      }
      blocksOf(stmt).forEach(visit);
    }
  };
  for (let body = work.pop(); body !== undefined; body = work.pop()) body.forEach(visit);
  return found;
}

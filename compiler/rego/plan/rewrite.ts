/**
 * Policies rewritten in part. What a rewriting leaves as it is stays the same object, at every level: a pass that finds
 * nothing to do makes nothing, and one that comes later can tell.
 */

import type { Block, Func, Plan, Policy, Stmt } from "./ir.ts";

/** The same list where each item is mapped to itself. */
export function mapSame<T>(list: readonly T[], map: (item: T, index: number) => T): readonly T[] {
  let changed: T[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const item = list[i] as T;
    const mapped = map(item, i);
    if (changed === undefined && mapped !== item) changed = list.slice(0, i);
    changed?.push(mapped);
  }
  return changed ?? list;
}

/** The block with each of its statements replaced: by another, by several, or by none. */
export function mapStmts(block: Block, map: (stmt: Stmt) => Stmt | readonly Stmt[]): Block {
  const { stmts } = block;
  let changed: Stmt[] | undefined;
  for (let i = 0; i < stmts.length; i++) {
    const stmt = stmts[i] as Stmt;
    const mapped = map(stmt);
    if (changed === undefined && mapped !== stmt) changed = stmts.slice(0, i);
    if (changed === undefined) continue;
    if ("kind" in mapped) changed.push(mapped);
    else for (const each of mapped) changed.push(each);
  }
  return changed === undefined ? block : { stmts: changed };
}

/** A block of these statements: the same one where they are its own. */
export function withStmts(block: Block, stmts: readonly Stmt[]): Block {
  const isSame = stmts.length === block.stmts.length && stmts.every((s, i) => s === block.stmts[i]);
  return isSame ? block : { stmts };
}

/** A plan or function with its blocks replaced. */
export function withBody<P extends Plan | Func>(part: P, map: (blocks: readonly Block[]) => readonly Block[]): P {
  const blocks = map(part.blocks);
  return blocks === part.blocks ? part : { ...part, blocks };
}

/** The policy with the blocks of each plan and of each function replaced. */
export function withBodies(policy: Policy, map: (blocks: readonly Block[]) => readonly Block[]): Policy {
  return {
    ...policy,
    plans: policy.plans.map((p) => withBody(p, map)),
    funcs: policy.funcs.map((f) => withBody(f, map)),
  };
}

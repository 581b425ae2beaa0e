/**
 * What turns of loops give back. Memory is handed out in order, so a turn that lets nothing of what it made be reached behind it
 * ends by setting the heap back to where it began. A statement by which something may get out - into a local, or into a
 * collection, that is older than the turn - moves that place up to the present end of the heap: everything before it stays.
 *
 * What gets out of all turns at once (remembered results, compiled patterns, whatever a builtin of the host keeps) raises the
 * floor of rtlib's memory, below which nothing is given back.
 *
 * INVARIANT: where this module is unsure, it keeps. A turn that keeps costs memory, never an answer.
 *
 * What it finds out is a promise all the same, and no hint: so turns give back only in evaluations that have made 8 MiB, or half
 * of their room (HEADER_RECLAIM). Tests compile with `reclaimFrom: 0`, where every turn does.
 */

import { calleesFirst } from "../optimize/index.ts";
import {
  type Block,
  blocksOf,
  eachLocal,
  eachStmt,
  isRead,
  type Local,
  type Policy,
  type Stmt,
  type StmtKind,
  type StmtOf,
  someStmt,
} from "../plan/index.ts";
import { innermost } from "./levels.ts";
import { isNative } from "./native-builtins.ts";

export type Scan = StmtOf<"ScanStmt">;

export interface Reclaim {
  /** Loops whose turns give back what they made. */
  readonly loops: ReadonlySet<Scan>;
  /** By statement, those of the loops around it whose turn keeps what there is when it has run; for a loop itself, when its turn begins. */
  readonly kept: ReadonlyMap<Stmt, readonly Scan[]>;
  /** Statements that may change a collection of which nothing is known: all that there is stays, in every loop of every function. */
  readonly floors: ReadonlySet<Stmt>;
}

/** A block, and the loops around its statements, outermost first. */
interface Level {
  readonly block: Block;
  readonly around: Level | undefined;
  readonly depth: number;
  readonly loops: readonly Scan[];
}

/** A statement that names a local. */
interface Mention {
  readonly stmt: Stmt;
  readonly level: Level;
  readonly position: number;
}

/** What the function does with a local. */
interface Known {
  /** The innermost level around all mentions. */
  common: Level | undefined;
  /** The level of the first mention, if that one assigns it and looks at nothing. */
  readonly first: Level | undefined;
  readonly defs: Mention[];
  /** Statements that change it in place. */
  readonly changes: Mention[];
  firstUse: Mention | undefined;
}

/** Builtins that make nothing: their answers are true and false. */
const MAKE_NOTHING: ReadonlySet<string> = new Set([
  "endswith",
  "equal",
  "gt",
  "gte",
  "internal.member_2",
  "internal.member_3",
  "is_array",
  "is_boolean",
  "is_null",
  "is_number",
  "is_object",
  "is_set",
  "is_string",
  "lt",
  "lte",
  "neq",
  "startswith",
]);

/** Names of the functions that may make a value. */
export function makingFunctions(policy: Policy): ReadonlySet<string> {
  const blocks = new Map(policy.funcs.map((func) => [func.name, func.blocks]));
  const making = new Set(blocks.keys());
  for (const name of calleesFirst(policy)) {
    const stmts = blocks.get(name)?.flatMap((block) => block.stmts) ?? [];
    if (!someStmt(stmts, (stmt) => makes(stmt, making, blocks))) making.delete(name);
  }
  return making;
}

/** Names of the functions that a loop may call, at whatever depth; "any" where some call is by a computed path. */
export function calledInLoops(policy: Policy): ReadonlySet<string> | "any" {
  const funcs = new Map(policy.funcs.map((func) => [func.name, func]));
  const found = new Set<string>();
  let isAny = false;
  const see = (stmt: Stmt): void => {
    if (stmt.kind === "CallDynamicStmt") isAny = true;
    if (stmt.kind === "CallStmt" && funcs.has(stmt.func)) found.add(stmt.func);
  };
  for (const { blocks } of [...policy.plans, ...policy.funcs])
    eachStmt(blocks, (stmt) => {
      if (stmt.kind === "ScanStmt") eachStmt([stmt.block], see);
    });
  // The set grows while it is walked.
  for (const name of found) eachStmt(funcs.get(name)?.blocks ?? [], see);
  return isAny ? "any" : found;
}

/** Statements that may make a value, whatever stands in them. What collections need to grow stays with them. */
const MAKE: ReadonlySet<StmtKind> = new Set([
  "CallDynamicStmt",
  "LenStmt",
  "MakeArrayStmt",
  "MakeObjectStmt",
  "MakeSetStmt",
  "ObjectMergeStmt",
  "WithStmt",
]);

function makes(stmt: Stmt, making: ReadonlySet<string>, funcs: ReadonlyMap<string, unknown>): boolean {
  if (stmt.kind === "CallStmt")
    return funcs.has(stmt.func) ? making.has(stmt.func) : !MAKE_NOTHING.has(stmt.func) || !isNative(stmt.func);
  // Indexes of long lists are made.
  return stmt.kind === "ScanStmt" ? isRead(stmt.key, stmt.block) : MAKE.has(stmt.kind);
}

/** Statements that assign what the policy holds. */
const ASSIGN_STATIC: ReadonlySet<StmtKind> = new Set([
  "AssignIntStmt",
  "MakeNullStmt",
  "MakeNumberIntStmt",
  "MakeNumberRefStmt",
  "PrefixStmt",
  "ResetLocalStmt",
]);

/** Whether what the statement assigns may have been made in an evaluation. */
function mayGiveMade(stmt: Stmt): boolean {
  if (stmt.kind === "AssignVarOnceStmt" || stmt.kind === "AssignVarStmt" || stmt.kind === "DotStmt")
    return stmt.source.kind === "Local";
  if (stmt.kind === "CallStmt") return !MAKE_NOTHING.has(stmt.func);
  return !ASSIGN_STATIC.has(stmt.kind);
}

const NOTHING: Reclaim = { loops: new Set(), kept: new Map(), floors: new Set() };

/** `making`: the functions that may make a value; `funcs`: all of the policy's. */
export function reclaimIn(
  blocks: readonly Block[],
  params: readonly Local[],
  making: ReadonlySet<string>,
  funcs: ReadonlyMap<string, unknown>,
): Reclaim {
  const loops = new Set<Scan>();
  eachStmt(blocks, (stmt) => {
    if (stmt.kind === "ScanStmt" && someStmt([stmt], (inner) => makes(inner, making, funcs))) loops.add(stmt);
  });
  const kept = new Map<Stmt, readonly Scan[]>();
  const floors = new Set<Stmt>();
  const locals = loops.size === 0 ? undefined : mentionsIn(blocks);
  const keep = (stmt: Stmt, around: readonly Scan[]): void => {
    const before = kept.get(stmt) ?? [];
    const more = around.filter((loop) => loops.has(loop) && !before.includes(loop));
    if (more.length > 0) kept.set(stmt, [...before, ...more]);
  };
  for (const [local, known] of locals ?? []) {
    const home = params.includes(local) ? 0 : homeOf(known);
    for (const { stmt, level } of known.defs) if (mayGiveMade(stmt)) keep(stmt, level.loops.slice(home));
    const isOwn = isFilledFirst(known, home);
    for (const { stmt, level } of known.changes) {
      if (isOwn) keep(stmt, level.loops.slice(home));
      else floors.add(stmt);
    }
  }
  // A collection that was made elsewhere may be changed in a function without loops, too.
  if (locals === undefined)
    for (const known of mentionsIn(blocks).values())
      if (!isFilledFirst(known, 0)) for (const { stmt } of known.changes) floors.add(stmt);
  eachStmt(blocks, (stmt) => {
    if (stmt.kind === "ResultSetAddStmt") floors.add(stmt);
  });
  return loops.size === 0 && floors.size === 0 ? NOTHING : { loops, kept, floors };
}

/**
 * How many loops are around the local's home. A local whose first mention assigns it, in the block that has all others, is new in
 * every run of that block; any other may have a value from an earlier turn, and its home is the function.
 */
function homeOf({ common, first }: Known): number {
  return common !== undefined && first === common ? common.loops.length : 0;
}

/** Whether it is made by one statement, and changed only before anything else may see it. */
function isFilledFirst({ defs, changes, firstUse }: Known, home: number): boolean {
  const last = changes.at(-1);
  if (last === undefined) return true;
  const [made] = defs;
  if (defs.length !== 1 || made === undefined || !/^Make(Array|Object|Set)Stmt$/.test(made.stmt.kind)) return false;
  if (firstUse === undefined) return true;
  if (firstUse.position <= last.position) return false;
  // A loop with both would change it after the use of an earlier turn.
  const shared = firstUse.level.loops[home];
  return shared === undefined || shared !== last.level.loops[home];
}

function mentionsIn(blocks: readonly Block[]): ReadonlyMap<Local, Known> {
  const found = new Map<Local, Known>();
  let position = 0;
  const see = (local: Local, kind: string, stmt: Stmt, level: Level): void => {
    const isDef = kind === "def";
    const mention = { stmt, level, position };
    let known = found.get(local);
    if (known === undefined) {
      const first = isDef && stmt.kind !== "AssignVarOnceStmt" ? level : undefined;
      known = { common: level, first, defs: [], changes: [], firstUse: undefined };
      found.set(local, known);
    } else known.common = innermost(known.common, level);
    if (isDef) known.defs.push(mention);
    else if (kind === "own" && stmt.kind !== "WithStmt") known.changes.push(mention);
    else known.firstUse ??= mention;
  };
  const visit = (level: Level): void => {
    for (const stmt of level.block.stmts) {
      position++;
      const loops = stmt.kind === "ScanStmt" ? [...level.loops, stmt] : level.loops;
      const inner = blocksOf(stmt).map((block): Level => ({ block, around: level, depth: level.depth + 1, loops }));
      eachLocal(stmt, (local, kind) => {
        // Each turn assigns a loop's key and value.
        const isTurn = stmt.kind === "ScanStmt" && kind === "def";
        see(local, kind, stmt, isTurn ? (inner[0] as Level) : level);
      });
      for (const of of inner) visit(of);
    }
  };
  for (const block of blocks) visit({ block, around: undefined, depth: 0, loops: [] });
  return found;
}

/**
 * Loop-invariant code motion, for look-ups: one whose source and key are the same in the whole function is made once, at the
 * function's beginning, when a loop would repeat it or it occurs twice. Where it stood, its result is tested. So `input.role`,
 * which five inlined rules read, is looked up once; so is `roles[input.role]` in a constant.
 *
 * INVARIANT: a hoisted look-up that finds nothing leaves its local undefined and fails nothing.
 */

import {
  type Block,
  blocksOf,
  DATA,
  eachLocal,
  eachLocalIn,
  eachStmt,
  type Func,
  INPUT,
  type Local,
  mapSame,
  mapStmts,
  type Operand,
  type Policy,
  type Stmt,
  type StmtOf,
  withBlocks,
} from "../plan/index.ts";
import { lookupName } from "./lookup-name.ts";
import { highestLocal, renameStmt } from "./rename.ts";

export function hoistInvariants(policy: Policy): Policy {
  return { ...policy, funcs: mapSame(policy.funcs, hoistIn) };
}

/** A look-up in a hoisted local becomes invariant itself: this many rounds find such chains. */
const ROUNDS = 4;

function hoistIn(func: Func): Func {
  let { blocks } = func;
  // Locals of one value in the whole function: parameters that no `with` overrides, then the hoisted locals.
  const overridden = overriddenIn(blocks);
  const known = new Set(func.params.filter((p) => !overridden.has(p)));
  const prefix: Block[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const found = repeatedLookups(blocks, known);
    if (found.length === 0) break;
    let next = Math.max(highestLocal(blocks), highestLocal(prefix), func.result, ...func.params) + 1;
    const hoisted = new Map(found.map((dot) => [lookupName(dot), next++]));
    for (const dot of found) {
      const target = hoisted.get(lookupName(dot)) as Local;
      const guards = [dot.source, dot.key].flatMap((o): Stmt[] =>
        o.kind === "Local" && !func.params.includes(o.local)
          ? [{ kind: "IsDefinedStmt", source: o.local, span: dot.span }]
          : [],
      );
      prefix.push({ stmts: [...guards, { ...dot, target }] });
      known.add(target);
    }
    blocks = replace(blocks, hoisted, known);
  }
  return prefix.length === 0
    ? func
    : { ...func, blocks: [{ stmts: [{ kind: "BlockStmt", blocks: prefix }] }, ...blocks] };
}

/** The locals that a `with` overrides. */
function overriddenIn(blocks: readonly Block[]): ReadonlySet<Local> {
  const found = new Set<Local>();
  eachStmt(blocks, (stmt) => {
    if (stmt.kind === "WithStmt") found.add(stmt.local);
  });
  return found;
}

type Dot = StmtOf<"DotStmt">;

/** Whether the look-up is invariant: it gives the same anywhere in the function. */
function isInvariant(dot: Dot, known: ReadonlySet<Local>): boolean {
  const fixed = (o: Operand): boolean => o.kind !== "Local" || known.has(o.local);
  // A look-up of a constant in a constant has been folded, or it fails.
  return fixed(dot.source) && fixed(dot.key) && (dot.source.kind === "Local" || dot.key.kind === "Local");
}

/** Invariant look-ups that occur twice, or in a loop: one of each name. */
function repeatedLookups(blocks: readonly Block[], known: ReadonlySet<Local>): Dot[] {
  const seen = new Map<string, { readonly dot: Dot; count: number }>();
  const visit = (block: Block, weight: number): void => {
    for (const stmt of block.stmts) {
      if (stmt.kind === "DotStmt" && isInvariant(stmt, known)) {
        const entry = seen.get(lookupName(stmt)) ?? { dot: stmt, count: 0 };
        entry.count += weight;
        seen.set(lookupName(stmt), entry);
      }
      for (const inner of blocksOf(stmt)) visit(inner, stmt.kind === "ScanStmt" ? 2 : weight);
    }
  };
  for (const block of blocks) visit(block, 1);
  return [...seen.values()].flatMap(({ dot, count }) => (count > 1 ? [dot] : []));
}

/** Replaces the look-ups by tests, and uses of their targets by the hoisted locals where the two are always equal. */
function replace(
  blocks: readonly Block[],
  hoisted: ReadonlyMap<string, Local>,
  known: ReadonlySet<Local>,
): readonly Block[] {
  const fixed = fixedTargets(blocks);
  const names = new Map<Local, Local>();
  eachStmt(blocks, (stmt) => {
    if (stmt.kind !== "DotStmt" || !isInvariant(stmt, known)) return;
    const name = hoisted.get(lookupName(stmt));
    if (name !== undefined && fixed.has(stmt.target)) names.set(stmt.target, name);
  });
  const rewrite = (block: Block): Block =>
    mapStmts(block, (stmt): Stmt | readonly Stmt[] => {
      const name = stmt.kind === "DotStmt" && isInvariant(stmt, known) ? hoisted.get(lookupName(stmt)) : undefined;
      if (stmt.kind === "DotStmt" && name !== undefined) {
        const test: Stmt = { kind: "IsDefinedStmt", source: name, span: stmt.span };
        if (names.has(stmt.target)) return test;
        return [
          test,
          { kind: "AssignVarStmt", source: { kind: "Local", local: name }, target: stmt.target, span: stmt.span },
        ];
      }
      return withBlocks(renameOwn(stmt, names), rewrite);
    });
  return mapSame(blocks, rewrite);
}

/** Locals with a single assignment, which are never tested: wherever one is read, it has the value of that assignment. */
function fixedTargets(blocks: readonly Block[]): ReadonlySet<Local> {
  const counts = new Map<Local, number>();
  const add = (l: Local, n: number): void => void counts.set(l, (counts.get(l) ?? 0) + n);
  eachLocalIn(blocks, (l, kind) => {
    if (kind === "def") add(l, 1);
    else if (kind === "probe" || kind === "own") add(l, 2);
  });
  return new Set([...counts].flatMap(([l, n]) => (n === 1 && l !== INPUT && l !== DATA ? [l] : [])));
}

/** Renames in the statement itself; its blocks are rewritten by the caller. */
function renameOwn(stmt: Stmt, names: ReadonlyMap<Local, Local>): Stmt {
  let named = false;
  eachLocal(stmt, (l) => {
    named ||= names.has(l);
  });
  if (!named) return stmt;
  const rename = (l: Local): Local => names.get(l) ?? l;
  const inner = blocksOf(stmt);
  if (inner.length === 0) return renameStmt(stmt, rename);
  return withBlocks(
    renameStmt(
      withBlocks(stmt, () => ({ stmts: [] })),
      rename,
    ),
    (_, i) => inner[i] as Block,
  );
}

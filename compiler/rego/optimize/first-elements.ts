/**
 * Lists of which only the first element is read: `[i | …][0]` ends its loops where it finds one, and makes no list.
 *
 * INVARIANT: the turns left out have no visible effect: their statements can only fail, and assign locals
 * that are read nowhere else. A conflict, or a builtin of the host, would be seen.
 */

import {
  type Block,
  blocksOf,
  changedIn,
  eachStmt,
  type Func,
  hasEffect,
  type Local,
  local,
  mapSame,
  mapStmts,
  mentionsIn,
  type Operand,
  type Policy,
  type Stmt,
  type StmtOf,
  someStmt,
  undefinedLocals,
  withBlocks,
  withBody,
  withStmts,
} from "../plan/index.ts";
import { constantOf } from "./constants.ts";
import { FreshLocals } from "./rename.ts";

export function findFirstElements(policy: Policy): Policy {
  return { ...policy, funcs: policy.funcs.map((f) => inFunc(policy, f)) };
}

function inFunc(policy: Policy, func: Func): Func {
  if (!func.blocks.some(makesArray)) return func;
  const lists = new Lists(policy, func.blocks);
  if (lists.candidates.size === 0) return func;
  const fresh = new FreshLocals(func);
  const inBlock = (original: Block): Block => {
    const block = mapStmts(original, (stmt) => withBlocks(stmt, inBlock));
    if (!block.stmts.some((stmt) => lists.makesCandidate(stmt))) return block;
    const stmts = [...block.stmts];
    for (let at = 0; at < stmts.length; at++) {
      const found = lists.searchIn(stmts, at);
      if (found !== undefined) search(stmts, found, fresh.next(), lists.mayBeUndefined);
    }
    return withStmts(block, stmts);
  };
  return withBody(func, (blocks) => mapSame(blocks, inBlock));
}

function makesArray(block: Block): boolean {
  return someStmt(block.stmts, (stmt) => stmt.kind === "MakeArrayStmt");
}

/** The places in a block of a list that is made, filled in loops, and read. */
interface Search {
  readonly list: Local;
  readonly made: number;
  readonly filled: number;
  readonly read: number;
}

/** The lists of a function that are appended to in one place, and read in one place. */
class Lists {
  readonly candidates = new Set<Local>();
  readonly mayBeUndefined: ReadonlySet<Local>;
  private readonly policy: Policy;
  /** How often statements name each local. */
  private readonly mentions: ReadonlyMap<Local, number>;

  constructor(policy: Policy, blocks: readonly Block[]) {
    this.policy = policy;
    this.mayBeUndefined = undefinedLocals(blocks);
    this.mentions = mentionsIn(blocks);
    eachStmt(blocks, (stmt) => {
      // It is made, appended to and read.
      if (stmt.kind === "MakeArrayStmt" && this.mentions.get(stmt.target) === 3) this.candidates.add(stmt.target);
    });
  }

  makesCandidate(stmt: Stmt): stmt is StmtOf<"MakeArrayStmt"> {
    return stmt.kind === "MakeArrayStmt" && this.candidates.has(stmt.target);
  }

  /** The search that the statement there begins. */
  searchIn(stmts: readonly Stmt[], made: number): Search | undefined {
    const stmt = stmts[made];
    if (stmt === undefined || !this.makesCandidate(stmt)) return undefined;
    const list = stmt.target;
    const filled = stmts.findIndex((s) => s.kind === "BlockStmt" && this.onlyFills(s, list));
    const read = stmts.findIndex((s) => this.readsFirst(s, list));
    return filled < 0 || read < 0 ? undefined : { list, made, filled, read };
  }

  private readsFirst(stmt: Stmt, list: Local): boolean {
    if (stmt.kind !== "DotStmt" || stmt.source.kind !== "Local" || stmt.source.local !== list) return false;
    const key = constantOf(stmt.key, this.policy);
    return key?.kind === "number" && key.text === "0";
  }

  /** Whether the loops do nothing but append to the list, as far as anybody outside of them can see. */
  private onlyFills(stmt: StmtOf<"BlockStmt">, list: Local): boolean {
    const [block, ...others] = stmt.blocks;
    if (block === undefined || others.length > 0 || !appends(block, list)) return false;
    if (!block.stmts.every((s) => this.isSilent(s, list, 0))) return false;
    const inside = mentionsIn([block]);
    return changedIn([block]).every((l) => l === list || inside.get(l) === this.mentions.get(l));
  }

  /** `depth`: blocks between the statement and the loops' end. */
  private isSilent(stmt: Stmt, list: Local, depth: number): boolean {
    if (stmt.kind === "ArrayAppendStmt") return stmt.array === list;
    if (stmt.kind === "CallStmt") return SILENT_BUILTINS.test(stmt.func);
    if (stmt.kind === "BreakStmt") return stmt.index <= depth;
    if (!hasEffect(stmt, "none", "assign", "lookup", "test", "run", "guard")) return false;
    return blocksOf(stmt).every((b) => b.stmts.every((s) => this.isSilent(s, list, depth + 1)));
  }
}

/** OPA's builtins that are undefined at worst, and that no host supplies. */
const SILENT_BUILTINS =
  /^(is_[a-z]+|equal|neq|lt|lte|gt|gte|plus|minus|count|floor|ceil|round|abs|startswith|endswith|internal\.member_2)$/;

/** Whether the list is appended to in the block, or in a loop inside; behind a `not`, leaving means something else. */
function appends(block: Block, list: Local): boolean {
  return block.stmts.some((stmt) => {
    if (stmt.kind === "ArrayAppendStmt") return stmt.array === list;
    return (stmt.kind === "BlockStmt" || stmt.kind === "ScanStmt") && blocksOf(stmt).some((b) => appends(b, list));
  });
}

/** Puts the search in place: the element that is found is in a local of its own. */
function search(stmts: Stmt[], at: Search, first: Local, mayBeUndefined: ReadonlySet<Local>): void {
  const found = (value: Operand, depth: number, span: Stmt["span"]): Stmt[] => [
    ...(value.kind === "Local" && mayBeUndefined.has(value.local)
      ? [{ kind: "IsDefinedStmt", source: value.local, span } as const]
      : []),
    { kind: "AssignVarStmt", source: value, target: first, span },
    { kind: "BreakStmt", index: depth, span },
  ];
  const inBlock = (block: Block, depth: number): Block => ({
    stmts: block.stmts.flatMap((stmt): Stmt[] =>
      stmt.kind === "ArrayAppendStmt" && stmt.array === at.list
        ? found(stmt.value, depth, stmt.span)
        : [withBlocks(stmt, (b) => inBlock(b, depth + 1))],
    ),
  });
  const [made, filled, read] = [stmts[at.made], stmts[at.filled], stmts[at.read]] as [Stmt, Stmt, StmtOf<"DotStmt">];
  stmts[at.made] = { kind: "ResetLocalStmt", target: first, span: made.span };
  stmts[at.filled] = withBlocks(filled, (b) => inBlock(b, 0));
  stmts.splice(
    at.read,
    1,
    { kind: "IsDefinedStmt", source: first, span: read.span },
    { kind: "AssignVarStmt", source: local(first), target: read.target, span: read.span },
  );
}

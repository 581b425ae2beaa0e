/**
 * Splits functions that are too large: a run of statements becomes a function of its own, and a call of it. Engines take
 * time and memory for a function by the product of its locals and its branches - gigabytes for a rule of ten thousand
 * expressions -, and have limits on top.
 *
 * The run keeps its locals' numbers. Locals of others that it reads are its parameters; the locals that others read of it are
 * its result. A call fails where its function is undefined, just as the run would have failed.
 */

import {
  assignedBy,
  type Block,
  blocksOf,
  DATA,
  eachLocal,
  type Func,
  hasEffect,
  INPUT,
  type Local,
  local,
  mapSame,
  mapStmts,
  measure,
  type Plan,
  type Policy,
  type Stmt,
  undefinedLocals,
  withBlocks,
  withBody,
} from "../plan/index.ts";
import { highestLocal } from "./rename.ts";

/** Statements of a function that stays whole. */
const LARGE = 1_500;
/** Statements of a run. */
const RUN = 400;
/** Statements that are not worth a call. */
const SHORT = 20;
/** Values that a run may be passed. */
const MAX_PASSED = 60;

export function outlineRuns(policy: Policy): Policy {
  const added: Func[] = [];
  const blocksOfPart = (part: Plan | Func, name: string, first: Local): readonly Block[] =>
    measure(part.blocks).statements <= LARGE
      ? part.blocks
      : new Outliner(part.blocks, name, first, added).blocks(part.blocks);
  const plans = policy.plans.map((p) => withBody(p, () => blocksOfPart(p, `plan ${p.name}`, DATA + 1)));
  const funcs = policy.funcs.map((f) =>
    withBody(f, () => blocksOfPart(f, f.name, Math.max(f.result, ...f.params) + 1)),
  );
  return added.length === 0 ? policy : { ...policy, plans, funcs: [...funcs, ...added] };
}

/** How often statements mention each local, and how often they assign it. */
class Mentions {
  readonly all = new Map<Local, number>();
  readonly defs = new Map<Local, number>();
  /** Locals that are read before they are assigned, in the order of the statements. */
  readonly read = new Set<Local>();
  /** Locals that are tested: they may be undefined where they are. */
  readonly probed = new Set<Local>();
  /** Locals that a statement which may be passed over assigns. */
  readonly inner = new Set<Local>();
  /** Collections that are changed, but not made here. */
  changesOthers = false;

  add(stmt: Stmt, isInner = false): void {
    const inner = blocksOf(stmt);
    eachLocal(stmt, (l, kind) => {
      // A single assignment compares with the former value.
      if (kind !== "def" || stmt.kind === "AssignVarOnceStmt") {
        count(this.all, l);
        if (!this.defs.has(l)) this.read.add(l);
      }
      if (kind === "own" && stmt.kind !== "WithStmt" && !this.defs.has(l)) this.changesOthers = true;
      if (kind === "probe") this.probed.add(l);
    });
    for (const l of assignedBy(stmt)) {
      count(this.all, l);
      count(this.defs, l);
      if (isInner || inner.length > 0) this.inner.add(l);
    }
    for (const block of inner) for (const s of block.stmts) this.add(s, true);
  }
}

function count(counts: Map<Local, number>, l: Local): void {
  counts.set(l, (counts.get(l) ?? 0) + 1);
}

/** Whether all that a statement can do besides assigning is to fail. `depth`: blocks between it and the run. */
function isContained(stmt: Stmt, depth: number): boolean {
  if (stmt.kind === "BreakStmt") return stmt.index <= depth;
  if (stmt.kind === "CallDynamicStmt" || hasEffect(stmt, "leave", "answer")) return false;
  return blocksOf(stmt).every((b) => b.stmts.every((s) => isContained(s, depth + 1)));
}

function sizeOf(stmt: Stmt): number {
  return 1 + measure(blocksOf(stmt)).statements;
}

/** One function that is being split. */
class Outliner {
  private readonly name: string;
  private readonly added: Func[];
  private readonly whole = new Mentions();
  private readonly mayBeUndefined: ReadonlySet<Local>;
  private next: Local;
  private made = 0;

  constructor(blocks: readonly Block[], name: string, first: Local, added: Func[]) {
    this.name = name;
    this.added = added;
    for (const block of blocks) for (const stmt of block.stmts) this.whole.add(stmt);
    this.mayBeUndefined = new Set([...undefinedLocals(blocks), ...this.whole.probed]);
    this.next = Math.max(highestLocal(blocks) + 1, first);
  }

  blocks(blocks: readonly Block[]): readonly Block[] {
    return mapSame(blocks, (b) => this.block(b));
  }

  private block(original: Block): Block {
    const block = mapStmts(original, (s) => withBlocks(s, (b) => this.block(b)));
    const sizes = block.stmts.map(sizeOf);
    if (sizes.reduce((sum, n) => sum + n, 0) <= RUN) return block;
    const stmts: Stmt[] = [];
    for (let at = 0; at < block.stmts.length; ) {
      const run = this.runFrom(block.stmts, sizes, at);
      // Where this cannot be a function, one that begins a little further on may be.
      const taken = this.outline(run);
      const end = at + (taken === undefined ? Math.ceil(run.length / 4) : run.length);
      for (const stmt of taken ?? block.stmts.slice(at, end)) stmts.push(stmt);
      at = end;
    }
    return { stmts };
  }

  /** The longest run of statements from `at` on that fits into one function; at least one statement. */
  private runFrom(stmts: readonly Stmt[], sizes: readonly number[], at: number): readonly Stmt[] {
    let end = at;
    let size = 0;
    while (end < stmts.length && isContained(stmts[end] as Stmt, 0)) {
      const more = size + (sizes[end] as number);
      if (more > RUN && end > at) break;
      size = more;
      end++;
    }
    return stmts.slice(at, Math.max(end, at + 1));
  }

  /** The statements that stand for the run; `undefined` where it cannot be a function. */
  private outline(run: readonly Stmt[]): Stmt[] | undefined {
    const size = measure([{ stmts: run }]).statements;
    if (size < SHORT || !run.every((s) => isContained(s, 0))) return undefined;
    const own = new Mentions();
    for (const stmt of run) own.add(stmt);
    const passed = [...own.read].filter((l) => l !== INPUT && l !== DATA);
    // A local that it reads before it assigns it may have its value from an earlier turn of a loop.
    if (own.changesOthers || passed.some((l) => own.defs.has(l) || this.mayBeUndefined.has(l))) return undefined;
    const given = [...own.defs.keys()].filter((l) => own.all.get(l) !== this.whole.all.get(l));
    if (passed.length > MAX_PASSED || given.length > size / 8) return undefined;
    if (given.some((l) => own.inner.has(l) || this.whole.defs.get(l) !== 1 || this.mayBeUndefined.has(l)))
      return undefined;
    return this.replace(run, passed, given);
  }

  private replace(run: readonly Stmt[], passed: readonly Local[], given: readonly Local[]): Stmt[] {
    const { span } = run[0] as Stmt;
    const result = this.next++;
    const name = `${this.name} run ${this.made++}`;
    const end: Stmt[] =
      given.length === 0
        ? [{ kind: "AssignVarStmt", source: { kind: "Boolean", value: true }, target: result, span }]
        : given.length === 1
          ? [{ kind: "AssignVarStmt", source: local(given[0] as Local), target: result, span }]
          : [
              { kind: "MakeArrayStmt", capacity: given.length, target: result, span },
              ...given.map((l): Stmt => ({ kind: "ArrayAppendStmt", array: result, value: local(l), span })),
            ];
    this.added.push({
      name,
      path: [],
      params: [INPUT, DATA, ...passed],
      result,
      blocks: [{ stmts: [...run, ...end] }, { stmts: [{ kind: "ReturnLocalStmt", source: result, span }] }],
    });
    const answer = given.length === 1 ? (given[0] as Local) : this.next++;
    const call: Stmt = {
      kind: "CallStmt",
      func: name,
      args: [INPUT, DATA, ...passed].map(local),
      result: answer,
      span,
    };
    if (given.length < 2) return [call];
    const unpack = given.flatMap((target, value): Stmt[] => {
      const key = this.next++;
      return [
        { kind: "MakeNumberIntStmt", value, target: key, span },
        { kind: "DotStmt", source: local(answer), key: local(key), target, span },
      ];
    });
    return [call, ...unpack];
  }
}

/** Collections that a run of statements builds of constants: their locals, the end of the run, and its value. */

import {
  assignedBy,
  type Block,
  blocksOf,
  eachLocalIn,
  eachStmt,
  fieldsOf,
  hasEffect,
  type Local,
  type Operand,
  ownedBy,
  type Stmt,
  type StmtOf,
  someStmt,
} from "../plan/index.ts";
import type { Value } from "../value/index.ts";
import { ScopedMap } from "./scoped-map.ts";

type MakeStmt = StmtOf<"MakeArrayStmt" | "MakeObjectStmt" | "MakeSetStmt">;

export function isMake(stmt: Stmt): stmt is MakeStmt {
  return stmt.kind === "MakeArrayStmt" || stmt.kind === "MakeObjectStmt" || stmt.kind === "MakeSetStmt";
}

/** The local that a statement changes in place. A `with` does not count: it restores its local. */
function changedBy(stmt: Stmt): Local | undefined {
  return stmt.kind === "WithStmt" ? undefined : ownedBy(stmt);
}

/**
 * Locals that are changed only in the block that makes them. A constant must never be changed, so nothing is folded in a
 * function that changes a value it looked up or copied: that might be part of a constant.
 */
export function foldableLocals(blocks: readonly Block[]): ReadonlySet<Local> {
  if (!blocks.some((block) => someStmt(block.stmts, isMake))) return new Set();
  const changed = new Set<Local>();
  eachLocalIn(blocks, (l, kind) => {
    if (kind === "own") changed.add(l);
  });
  const survey = new Survey(changed);
  survey.blocks(blocks);
  return survey.changesOthers ? new Set() : new Set([...survey.made].filter((l) => !survey.changedElsewhere.has(l)));
}

/** Where a value in a local comes from: a statement that made it, or any other. */
type Origin = "made" | "other";

interface Assignment {
  readonly local: Local;
  readonly origin: Origin;
}

/** Where the values of the locals come from that are changed in place. */
class Survey {
  readonly made = new Set<Local>();
  readonly changedElsewhere = new Set<Local>();
  changesOthers = false;
  private readonly changed: ReadonlySet<Local>;
  private readonly origins = new ScopedMap<Local, Origin>();
  /** Assignments of those locals, in the order of the survey. */
  private readonly assignments: Assignment[] = [];

  constructor(changed: ReadonlySet<Local>) {
    this.changed = changed;
  }

  /** Blocks that run one after the other, each from wherever the one before it was left. */
  blocks(blocks: readonly Block[]): void {
    this.origins.inside(() => {
      for (const block of blocks) {
        const before = this.assignments.length;
        this.origins.inside(() => this.block(block));
        this.mayHaveAssignedSince(before);
      }
    });
  }

  private block(block: Block): void {
    const here = block.stmts.some(isMake) ? new Set<Local>() : undefined;
    for (const stmt of block.stmts) {
      const target = changedBy(stmt);
      if (target !== undefined && here?.has(target) !== true) {
        this.changedElsewhere.add(target);
        if (this.origins.get(target) !== "made") this.changesOthers = true;
      }
      for (const local of assignedBy(stmt)) {
        if (!this.changed.has(local)) continue;
        const origin = originOf(stmt);
        this.origins.set(local, origin);
        this.assignments.push({ local, origin });
        here?.delete(local);
      }
      const inner = blocksOf(stmt);
      if (inner.length > 0) {
        const before = this.assignments.length;
        this.origins.inside(() => {
          // A local that a loop's body assigns may have been assigned by the turn before.
          if (stmt.kind === "ScanStmt") this.mayAssignIn(stmt.block);
          this.blocks(inner);
        });
        this.mayHaveAssignedSince(before);
        if (here !== undefined) for (const { local } of this.assignments.slice(before)) here.delete(local);
      }
      if (isMake(stmt)) {
        here?.add(stmt.target);
        this.made.add(stmt.target);
      }
    }
  }

  /** A block may have run to any of its statements. */
  private mayHaveAssignedSince(before: number): void {
    for (let i = before; i < this.assignments.length; i++) this.mayAssign(this.assignments[i] as Assignment);
  }

  private mayAssignIn(block: Block): void {
    eachStmt([block], (stmt) => {
      for (const local of assignedBy(stmt))
        if (this.changed.has(local)) this.mayAssign({ local, origin: originOf(stmt) });
    });
  }

  private mayAssign({ local, origin }: Assignment): void {
    this.origins.set(local, (this.origins.get(local) ?? origin) === origin ? origin : "other");
  }
}

function originOf(stmt: Stmt): Origin {
  return isMake(stmt) ? "made" : "other";
}

/** A statement that may stand between those of a run: it cannot fail, leave the block, or run anything else. */
function isHarmless(stmt: Stmt): boolean {
  return hasEffect(stmt, "none", "assign", "extend") && stmt.kind !== "ResetLocalStmt";
}

function mentions(stmt: Stmt, local: Local): boolean {
  return fieldsOf(stmt).some((f) => {
    switch (f.kind) {
      case "def":
      case "use":
      case "probe":
      case "own":
        return f.value === local;
      case "operand":
        return f.value.kind === "Local" && f.value.local === local;
      case "operands":
        return f.value.some((o) => o.kind === "Local" && o.local === local);
      case "uses":
        return f.value.includes(local);
      case "path":
      case "int":
      case "text":
      case "func":
      case "block":
      case "blocks":
        return false;
    }
  });
}

/** The runs of statements of a block that make one collection each. */
export class Runs {
  private readonly stmts: readonly Stmt[];
  /** For the place where a collection is made: that of the last statement which changes it before it is made anew. */
  private readonly ends = new Map<number, number>();
  /** How many statements before a place are not harmless. */
  private readonly harmful: number[] = [0];

  constructor(stmts: readonly Stmt[]) {
    this.stmts = stmts;
    for (const stmt of stmts) this.harmful.push((this.harmful.at(-1) as number) + (isHarmless(stmt) ? 0 : 1));
    const lastChange = new Map<Local, number>();
    for (let i = stmts.length - 1; i >= 0; i--) {
      const stmt = stmts[i] as Stmt;
      const changed = changedBy(stmt);
      if (changed !== undefined && !lastChange.has(changed)) lastChange.set(changed, i);
      if (isMake(stmt)) this.ends.set(i, lastChange.get(stmt.target) ?? i);
      for (const local of assignedBy(stmt)) lastChange.delete(local);
    }
  }

  /**
   * The place of the last statement of the block that changes the collection made at `start` (`start` itself where none
   * does); `undefined` when something else happens to it, or may end the block, before.
   */
  endOf(start: number): number | undefined {
    const made = this.stmts[start] as MakeStmt;
    const last = this.ends.get(start);
    if (last === undefined || this.harmful[last + 1] !== this.harmful[start + 1]) return undefined;
    for (let i = start + 1; i <= last; i++) {
      const stmt = this.stmts[i] as Stmt;
      const isAddition = changedBy(stmt) === made.target;
      if (isAddition ? mentionsAsValue(stmt, made.target) : mentions(stmt, made.target)) return undefined;
    }
    return last;
  }
}

function mentionsAsValue(stmt: Stmt, local: Local): boolean {
  return fieldsOf(stmt).some((f) => f.kind === "operand" && f.value.kind === "Local" && f.value.local === local);
}

/** One such collection in the making. */
export class CollectionBuilder {
  readonly target: Local;
  /** Index, in the output, of the statement that makes it. */
  readonly at: number;
  /** Index, in the block, of the last statement of the run. */
  readonly last: number;
  /** Indexes, in the output, of the statements that add to it. */
  readonly additions: number[] = [];
  private readonly kind: MakeStmt["kind"];
  private readonly items: Value[] = [];
  private readonly entries: (readonly [Value, Value])[] = [];

  constructor(stmt: MakeStmt, at: number, last: number) {
    this.target = stmt.target;
    this.kind = stmt.kind;
    this.at = at;
    this.last = last;
  }

  static targetOf(stmt: Stmt): Local | undefined {
    if (stmt.kind === "ArrayAppendStmt") return stmt.array;
    if (stmt.kind === "ObjectInsertStmt") return stmt.object;
    return stmt.kind === "SetAddStmt" ? stmt.set : undefined;
  }

  /** Takes a statement that adds to the collection; false when the addition is unknown, or not for such a collection. */
  add(stmt: Stmt, index: number, know: (operand: Operand) => Value | undefined): boolean {
    this.additions.push(index);
    if (stmt.kind === "ObjectInsertStmt") {
      const [key, value] = [know(stmt.key), know(stmt.value)];
      if (key === undefined || value === undefined || this.kind !== "MakeObjectStmt") return false;
      this.entries.push([key, value]);
      return true;
    }
    if (stmt.kind !== "ArrayAppendStmt" && stmt.kind !== "SetAddStmt") return false;
    const value = know(stmt.value);
    if (value === undefined || (stmt.kind === "SetAddStmt") !== (this.kind === "MakeSetStmt")) return false;
    this.items.push(value);
    return this.kind !== "MakeObjectStmt";
  }

  value(): Value {
    switch (this.kind) {
      case "MakeArrayStmt":
        return { kind: "array", items: this.items };
      case "MakeObjectStmt":
        return { kind: "object", entries: this.entries };
      case "MakeSetStmt":
        return { kind: "set", items: this.items };
    }
  }
}

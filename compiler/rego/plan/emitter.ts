/**
 * Writes the statements of one function. There is one place to write at, the *cursor*: the end of a block. Iterating opens
 * a ScanStmt and leaves the cursor inside of it, so that whatever is planned next runs for each element; code that
 * goes on outside remembers the cursor and puts it back. Planning a body is thus a plain loop over its expressions, however
 * long it is.
 */

import type { Diagnostic, Span } from "../diagnostics/index.ts";
import { planDiagnostic } from "./codes.ts";
import { type Block, type Local, local, type Operand, type Stmt } from "./ir.ts";

/** Blocks nested in one function; engines and code generators recurse over them. */
export const MAX_BLOCK_DEPTH = 400;

/** Ends planning at once; `planPolicy` turns it into its diagnostic. */
export class PlanLimit extends Error {
  readonly diagnostic: Diagnostic;
  constructor(diagnostic: Diagnostic) {
    super(diagnostic.message);
    this.diagnostic = diagnostic;
  }
}

/** A block under construction. */
export interface Cursor {
  readonly stmts: Stmt[];
  readonly outer: Cursor | undefined;
  readonly depth: number;
}

export class Emitter {
  /** The blocks of the function, in order. */
  readonly blocks: Block[] = [];
  cursor: Cursor;
  /** Where the statements that follow come from. */
  at: Span | undefined;
  private nextLocal: Local;

  constructor(firstLocal: Local) {
    this.nextLocal = firstLocal;
    this.cursor = this.newBlock();
  }

  local(): Local {
    return this.nextLocal++;
  }

  emit(stmt: Stmt): void {
    // The statement was made for this call and is not shared yet. Copying each one would take most of the planning time.
    if (this.at !== undefined) (stmt as { span?: Span }).span = this.at;
    this.cursor.stmts.push(stmt);
  }

  /** Starts the next top-level block of the function and puts the cursor there. */
  newBlock(): Cursor {
    const stmts: Stmt[] = [];
    this.blocks.push({ stmts });
    this.cursor = { stmts, outer: undefined, depth: 0 };
    return this.cursor;
  }

  /** A block inside the cursor's; `wrap` makes the statement that holds it. The cursor moves in. */
  enter(wrap: (block: Block) => Stmt): Cursor {
    const outer = this.cursor;
    if (outer.depth >= MAX_BLOCK_DEPTH)
      throw new PlanLimit(planDiagnostic("plan/too-deep", { limit: MAX_BLOCK_DEPTH }, this.at));
    const inner: Cursor = { stmts: [], outer, depth: outer.depth + 1 };
    this.emit(wrap({ stmts: inner.stmts }));
    this.cursor = inner;
    return inner;
  }

  /** Plans `body` in a BlockStmt of its own and goes on after it. A failure inside leaves that block only. */
  block(body: (inner: Cursor) => void): void {
    const outer = this.cursor;
    body(this.enter((b) => ({ kind: "BlockStmt", blocks: [b] })));
    this.cursor = outer;
  }

  /** Plans one block for each number up to `count`; the one whose number `index` is runs. A failure inside leaves it only. */
  choose(index: Operand, count: number, body: (number: number) => void): void {
    const outer = this.cursor;
    if (outer.depth >= MAX_BLOCK_DEPTH)
      throw new PlanLimit(planDiagnostic("plan/too-deep", { limit: MAX_BLOCK_DEPTH }, this.at));
    const blocks = Array.from({ length: count }, (_, i): Block => {
      const inner: Cursor = { stmts: [], outer, depth: outer.depth + 1 };
      this.cursor = inner;
      body(i);
      return { stmts: inner.stmts };
    });
    this.cursor = outer;
    this.emit({ kind: "SwitchStmt", index, blocks });
  }

  /** Leaves the block `target`, which must hold the cursor: execution goes on after it. */
  leave(target: Cursor): void {
    this.emit({ kind: "BreakStmt", index: this.cursor.depth - target.depth });
  }

  /** The statements that follow never run. */
  fail(): void {
    this.emit({ kind: "BreakStmt", index: 0 });
  }

  /** Iterates over a collection: the cursor moves into the loop. */
  scan(source: Operand): { readonly key: Operand; readonly value: Operand } {
    const key = this.local();
    const value = this.local();
    const from = this.localOf(source);
    this.enter((block) => ({ kind: "ScanStmt", source: from, key, value, block }));
    return { key: local(key), value: local(value) };
  }

  /** `source[key]`, or failure. */
  dot(source: Operand, key: Operand): Operand {
    const target = this.local();
    this.emit({ kind: "DotStmt", source, key, target });
    return local(target);
  }

  /** The operand in a local. */
  localOf(op: Operand): Local {
    return op.kind === "Local" ? op.local : this.copyOf(op);
  }

  /** A local of its own for the operand's present value. */
  copyOf(source: Operand): Local {
    const target = this.local();
    this.emit({ kind: "AssignVarStmt", source, target });
    return target;
  }

  integer(value: number): Operand {
    const target = this.local();
    this.emit({ kind: "MakeNumberIntStmt", value, target });
    return local(target);
  }

  array(items: readonly Operand[]): Operand {
    const target = this.local();
    this.emit({ kind: "MakeArrayStmt", capacity: items.length, target });
    for (const value of items) this.emit({ kind: "ArrayAppendStmt", array: target, value });
    return local(target);
  }

  reset(): Local {
    const target = this.local();
    this.emit({ kind: "ResetLocalStmt", target });
    return target;
  }
}

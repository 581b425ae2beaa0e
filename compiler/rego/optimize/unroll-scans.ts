/**
 * Loop unrolling: a loop over a short constant array becomes a block for each turn, so that the keys of its look-ups are known.
 * A member of the input by a name from a list is then handed over as cheaply as one by a name in a rule.
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
  type Operand,
  type Policy,
  type Stmt,
  type StmtOf,
  withBlocks,
  withBody,
} from "../plan/index.ts";
import { FreshLocals, renameBlock } from "./rename.ts";

/** Turns of a loop, and statements of all of them together. */
const MOST_TURNS = 16;
const MOST_STATEMENTS = 400;
/** Statements that a function has when no more of its loops are unrolled. */
const FULL = 2000;

export function unrollScans(policy: Policy): Policy {
  const strings = [...policy.strings];
  const indexes = new Map(strings.map((text, i) => [text, i]));
  const text = (value: string): Operand => {
    const index = indexes.get(value) ?? strings.push(value) - 1;
    indexes.set(value, index);
    return { kind: "String", index };
  };
  const funcs = policy.funcs.map((func): Func => new Unroller(policy, func, text).result());
  return { ...policy, strings, funcs };
}

class Unroller {
  private readonly policy: Policy;
  private readonly func: Func;
  private readonly text: (value: string) => Operand;
  private readonly fresh: FreshLocals;
  private mentioned: Map<Local, number> | undefined;
  private size: number | undefined;

  constructor(policy: Policy, func: Func, text: (value: string) => Operand) {
    this.policy = policy;
    this.func = func;
    this.text = text;
    this.fresh = new FreshLocals(func);
  }

  /** How often each local is mentioned. */
  private get mentions(): Map<Local, number> {
    if (this.mentioned === undefined) {
      const { params, result, blocks } = this.func;
      this.mentioned = new Map([...params, result].map((l) => [l, 1]));
      count(blocks, this.mentioned);
    }
    return this.mentioned;
  }

  result(): Func {
    return withBody(this.func, (blocks) => mapSame(blocks, (b) => this.block(b)));
  }

  private block(block: Block): Block {
    /** Locals that hold a constant here. */
    const known = new Map<Local, Operand>();
    return mapStmts(block, (stmt): Stmt => {
      const unrolled = stmt.kind === "ScanStmt" ? this.unroll(stmt, known.get(stmt.source)) : undefined;
      const result = unrolled ?? withBlocks(stmt, (inner) => this.block(inner));
      if (known.size > 0) for (const target of targetsOf(stmt)) known.delete(target);
      if (stmt.kind === "AssignVarStmt" && stmt.source.kind === "Constant") known.set(stmt.target, stmt.source);
      return result;
    });
  }

  private unroll(stmt: StmtOf<"ScanStmt">, source: Operand | undefined): Stmt | undefined {
    const value = source?.kind === "Constant" ? this.policy.constants[source.index] : undefined;
    if (value?.kind !== "array" || value.items.length > MOST_TURNS) return undefined;
    const operands = value.items.map((item): Operand | undefined => {
      if (item.kind === "string") return this.text(item.value);
      return undefined;
    });
    const size = (measure([stmt.block]).statements + 2) * operands.length;
    this.size ??= measure(this.func.blocks).statements;
    if (size > MOST_STATEMENTS || this.size + size > FULL) return undefined;
    const turns: Block[] = [];
    for (const [i, operand] of operands.entries()) {
      if (operand === undefined) return undefined;
      turns.push(this.turn(stmt, i, operand));
    }
    this.size += size;
    return { kind: "BlockStmt", blocks: turns.map((b) => this.block(b)), span: stmt.span };
  }

  /** The loop's block in one turn. Locals that nothing outside the loop mentions are this turn's own. */
  private turn(stmt: StmtOf<"ScanStmt">, i: number, value: Operand): Block {
    const inside = new Map<Local, number>([
      [stmt.key, 1],
      [stmt.value, stmt.key === stmt.value ? 2 : 1],
    ]);
    count([stmt.block], inside);
    const names = new Map<Local, Local>();
    const rename = (old: Local): Local => {
      if (inside.get(old) !== this.mentions.get(old)) return old;
      const name = names.get(old) ?? this.fresh.next();
      names.set(old, name);
      return name;
    };
    const { span } = stmt;
    const bind: Stmt[] = [
      { kind: "AssignIntStmt", value: i, target: rename(stmt.key), span },
      { kind: "AssignVarStmt", source: value, target: rename(stmt.value), span },
    ];
    const turn: Block = { stmts: [...bind, ...renameBlock(stmt.block, rename).stmts] };
    // The new names are mentioned nowhere else, which loops inside this one will ask.
    count([turn], this.mentions);
    return turn;
  }
}

function count(blocks: readonly Block[], mentions: Map<Local, number>): void {
  eachLocalIn(blocks, (l) => mentions.set(l, (mentions.get(l) ?? 0) + 1));
}

function targetsOf(stmt: Stmt): Local[] {
  return changedIn([{ stmts: [stmt] }]);
}

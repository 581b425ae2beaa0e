/**
 * The wasm locals of a function. A local of the IR keeps its own only as long as the innermost block that has all of its uses;
 * then others take it over. Engines that compile fast keep the state of every local at every branch: the body of a rule over
 * hundreds of documents, with a local for each, took them the square of its length.
 */

import { type Block, blocksOf, eachLocal, type Local, type Stmt } from "../plan/index.ts";
import { innermost } from "./levels.ts";

interface Level {
  readonly block: Block;
  readonly depth: number;
  readonly around: Level | undefined;
}

export class WasmLocals {
  /** How many there are. */
  count: number;
  private readonly numbers = new Map<Local, number>();
  /** INVARIANT: none of these can be read before it is written, so that what it had before does not show. */
  private readonly owners: ReadonlyMap<Local, Block>;
  private readonly free: number[] = [];
  /** What is free at the end of each block that is being emitted, outermost first. */
  private readonly open: { readonly block: Block; readonly taken: number[] }[] = [];

  /** `reserved`: how many the function begins with, of which the first are `params`. */
  constructor(blocks: readonly Block[], params: readonly Local[], reserved: number, keep: ReadonlySet<Local>) {
    this.count = reserved;
    for (const [i, p] of params.entries()) this.numbers.set(p, i);
    this.owners = ownersOf(blocks, keep);
  }

  /** One that is free at the end of the block that is being emitted. */
  temporary(): number {
    const number = this.take();
    this.open.at(-1)?.taken.push(number);
    return number;
  }

  of(local: Local): number {
    let number = this.numbers.get(local);
    if (number === undefined) {
      const owner = this.owners.get(local);
      // One that is read before it is written has to be a zero then, as no used one is.
      number = owner === undefined ? this.count++ : this.take();
      this.numbers.set(local, number);
      if (owner !== undefined) this.open.findLast(({ block }) => block === owner)?.taken.push(number);
    }
    return number;
  }

  /** Emits the statements of a block. */
  within<T>(block: Block, emit: () => T): T {
    const level = { block, taken: [] };
    this.open.push(level);
    const emitted = emit();
    this.open.pop();
    this.free.push(...level.taken);
    return emitted;
  }

  private take(): number {
    return this.free.pop() ?? this.count++;
  }
}

/** The innermost block with all uses of a local. Locals that may be undefined have none: they have to begin as zeros. */
function ownersOf(blocks: readonly Block[], keep: ReadonlySet<Local>): ReadonlyMap<Local, Block> {
  const found = new Map<Local, Level | undefined>();
  for (const local of keep) found.set(local, undefined);
  const visit = (level: Level): void => {
    const { stmts } = level.block;
    for (let i = 0; i < stmts.length; i++) {
      const stmt = stmts[i] as Stmt;
      eachLocal(stmt, (local, kind) => {
        const isTested = kind === "probe" || (kind === "def" && stmt.kind === "AssignVarOnceStmt");
        if (isTested) found.set(local, undefined);
        else if (!found.has(local)) found.set(local, level);
        else {
          const around = found.get(local);
          if (around !== level && around !== undefined) found.set(local, innermost(around, level));
        }
      });
      const inner = blocksOf(stmt);
      for (let j = 0; j < inner.length; j++) visit({ block: inner[j] as Block, depth: level.depth + 1, around: level });
    }
  };
  for (const block of blocks) visit({ block, depth: 0, around: undefined });
  const owners = new Map<Local, Block>();
  for (const [local, level] of found) if (level !== undefined) owners.set(local, level.block);
  return owners;
}

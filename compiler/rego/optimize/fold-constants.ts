/**
 * Constant folding: follows the known values of locals through straight-line code, and replaces operands that are constants,
 * collections built of constants, look-ups and comparisons of them, and assignments that cannot conflict.
 *
 * INVARIANT: a fact holds from where it was learnt to the end of its block, and in the blocks inside, until a statement
 * that assigns the local. A statement with blocks may make any assignment inside them, and a loop's body may have made it
 * in an earlier turn.
 */

import {
  assignedBy,
  type Block,
  blocksOf,
  eachLocalIn,
  type Local,
  mapSame,
  type Operand,
  type Policy,
  type Stmt,
  undefinedLocals,
  withBlocks,
  withBodies,
  withStmts,
} from "../plan/index.ts";
import { compareValues, elementOf, type Value } from "../value/index.ts";
import { CollectionBuilder, foldableLocals, isMake, Runs } from "./collections.ts";
import { type ConstantOperand, ConstantTable, constantOf } from "./constants.ts";
import { mapOperands } from "./map-operands.ts";
import { ScopedMap } from "./scoped-map.ts";
import { simplifyBlocks } from "./simplify-blocks.ts";

/** Bodies in which there is nothing to fold: what they name by number stays what it is as long as they do. */
const settled = new WeakSet<readonly Block[]>();

export function foldConstants(policy: Policy): Policy {
  const constants = new ConstantTable(policy.constants);
  const body = (blocks: readonly Block[]): readonly Block[] => {
    if (settled.has(blocks)) return blocks;
    const folded = simplifyBlocks(new Folder(policy, constants, blocks).blocks(blocks));
    if (folded === blocks) settled.add(blocks);
    return folded;
  };
  return { ...withBodies(policy, body), constants: constants.values };
}

type Fact = ConstantOperand | "undefined";

/** A folded statement: itself or another one, nothing, or a failure that ends the block. */
type Folded = Stmt | "nothing" | "fails";

/** The collections that a block makes. */
interface Made {
  readonly runs: Runs;
  readonly builders: Map<Local, CollectionBuilder>;
}

class Folder {
  private readonly policy: Policy;
  private readonly constants: ConstantTable;
  private readonly foldable: ReadonlySet<Local>;
  private readonly mayBeUndefined: ReadonlySet<Local>;
  private readonly facts = new ScopedMap<Local, Fact>();
  /** The locals that statements assign, in the order in which these were folded. */
  private readonly assigned: Local[] = [];

  constructor(policy: Policy, constants: ConstantTable, blocks: readonly Block[]) {
    this.policy = policy;
    this.constants = constants;
    this.foldable = foldableLocals(blocks);
    this.mayBeUndefined = undefinedLocals(blocks);
  }

  /** Blocks that run one after the other, each from wherever the one before it was left. */
  blocks(blocks: readonly Block[]): readonly Block[] {
    return this.facts.inside(() =>
      mapSame(blocks, (block) => {
        const before = this.assigned.length;
        const folded = this.block(block);
        this.forgetAssignedSince(before);
        return folded;
      }),
    );
  }

  private block(block: Block): Block {
    return this.facts.inside(() => this.statements(block));
  }

  private statements(block: Block): Block {
    const made = block.stmts.some(isMake) ? { runs: new Runs(block.stmts), builders: new Map() } : undefined;
    const out: (Stmt | undefined)[] = [];
    for (let i = 0; i < block.stmts.length; i++) {
      const original = block.stmts[i] as Stmt;
      const stmt = mapOperands(original, this.resolve);
      for (const local of assignedBy(stmt)) this.assigned.push(local);
      if (made !== undefined && this.collect(stmt, made, i, out)) continue;
      const folded = this.stmt(stmt);
      if (folded === "nothing") continue;
      if (folded === "fails") {
        out.push({ kind: "BreakStmt", index: 0, span: original.span });
        break;
      }
      out.push(folded);
    }
    return withStmts(
      block,
      out.filter((s) => s !== undefined),
    );
  }

  /** Makes a collection of constants one constant; true when the statement has been dealt with. */
  private collect(stmt: Stmt, { runs, builders }: Made, at: number, out: (Stmt | undefined)[]): boolean {
    let builder: CollectionBuilder | undefined;
    if (isMake(stmt)) {
      this.facts.delete(stmt.target);
      builders.delete(stmt.target);
      const last = this.foldable.has(stmt.target) ? runs.endOf(at) : undefined;
      if (last === undefined) return false;
      builder = new CollectionBuilder(stmt, out.length, last);
      builders.set(stmt.target, builder);
      out.push(stmt);
    } else {
      const target = CollectionBuilder.targetOf(stmt);
      builder = target === undefined ? undefined : builders.get(target);
      if (builder === undefined) return false;
      if (!builder.add(stmt, out.length, (o) => this.valueOf(o))) builders.delete(builder.target);
      out.push(stmt);
    }
    if (at !== builder.last || !builders.has(builder.target)) return true;
    const constant = this.constants.operand(builder.value());
    out[builder.at] = { kind: "AssignVarStmt", source: constant, target: builder.target, span: stmt.span };
    for (const index of builder.additions) out[index] = undefined;
    this.learn(builder.target, constant);
    return true;
  }

  private stmt(stmt: Stmt): Folded {
    switch (stmt.kind) {
      case "AssignIntStmt":
      case "MakeNumberIntStmt":
        this.learn(stmt.target, this.constants.number(String(stmt.value)));
        return stmt;
      case "MakeNumberRefStmt":
        this.learn(stmt.target, this.constants.number(this.policy.strings[stmt.index] as string));
        return stmt;
      case "MakeNullStmt":
        this.learn(stmt.target, this.constants.null());
        return stmt;
      case "ResetLocalStmt":
        this.facts.set(stmt.target, "undefined");
        return stmt;
      case "AssignVarStmt":
        this.learn(stmt.target, stmt.source);
        return stmt;
      case "AssignVarOnceStmt":
        return this.assignOnce(stmt);
      case "DotStmt":
        return this.dot(stmt);
      case "EqualStmt":
      case "NotEqualStmt": {
        const [a, b] = [this.valueOf(stmt.a), this.valueOf(stmt.b)];
        if (a === undefined || b === undefined) return stmt;
        return (compareValues(a, b) === 0) === (stmt.kind === "EqualStmt") ? "nothing" : "fails";
      }
      case "IsUndefinedStmt":
        this.facts.set(stmt.source, "undefined");
        return stmt;
      case "ArrayAppendStmt":
      case "BlockStmt":
      case "BreakStmt":
      case "CallDynamicStmt":
      case "CallStmt":
      case "IsArrayStmt":
      case "IsDefinedStmt":
      case "IsObjectStmt":
      case "IsSetStmt":
      case "LenStmt":
      case "MakeArrayStmt":
      case "MakeObjectStmt":
      case "MakeSetStmt":
      case "NopStmt":
      case "NotStmt":
      case "ObjectInsertOnceStmt":
      case "ObjectInsertStmt":
      case "ObjectMergeStmt":
      case "PrefixStmt":
      case "ResultSetAddStmt":
      case "ReturnLocalStmt":
      case "ScanStmt":
      case "SetAddStmt":
      case "SwitchStmt":
      case "WithStmt":
        return this.rest(stmt);
    }
  }

  /** Statements that are not folded: the locals that they assign become unknown. */
  private rest(stmt: Stmt): Stmt {
    const inner = blocksOf(stmt);
    if (inner.length === 0) {
      for (const local of assignedBy(stmt)) this.facts.delete(local);
      return stmt;
    }
    const before = this.assigned.length;
    const folded = this.facts.inside((): Stmt => {
      if (stmt.kind === "ScanStmt") this.forgetAssignedIn(inner);
      for (const local of assignedBy(stmt)) this.facts.delete(local);
      if (stmt.kind === "WithStmt") this.facts.delete(stmt.local);
      // What is known in a block of a switch is known in any order of them.
      const blocks = this.blocks(inner);
      return withBlocks(stmt, (_, i) => blocks[i] as Block);
    });
    this.forgetAssignedSince(before);
    for (const local of assignedBy(stmt)) this.facts.delete(local);
    return folded;
  }

  private assignOnce(stmt: Extract<Stmt, { kind: "AssignVarOnceStmt" }>): Folded {
    const old = this.facts.get(stmt.target);
    const { source } = stmt;
    this.facts.delete(stmt.target);
    if (old !== "undefined") {
      const [a, b] = [old === undefined ? undefined : this.valueOf(old), this.valueOf(source)];
      if (a === undefined || b === undefined || compareValues(a, b) !== 0) return stmt;
      this.facts.set(stmt.target, old as Fact);
      return "nothing";
    }
    // An undefined source would fail here, and be copied by a plain assignment.
    if (source.kind === "Local" && this.mayBeUndefined.has(source.local)) return stmt;
    this.learn(stmt.target, source);
    return { kind: "AssignVarStmt", source, target: stmt.target, span: stmt.span };
  }

  private dot(stmt: Extract<Stmt, { kind: "DotStmt" }>): Folded {
    this.facts.delete(stmt.target);
    const [source, key] = [this.valueOf(stmt.source), this.valueOf(stmt.key)];
    if (source === undefined || key === undefined) return stmt;
    const element = elementOf(source, key);
    if (element === undefined) return "fails";
    const operand = this.constants.operand(element);
    this.facts.set(stmt.target, operand);
    return { kind: "AssignVarStmt", source: operand, target: stmt.target, span: stmt.span };
  }

  // Facts --------------------------------------------------------------------------------------------------------------

  private readonly resolve = (operand: Operand): Operand => {
    const fact = operand.kind === "Local" ? this.facts.get(operand.local) : undefined;
    return fact === undefined || fact === "undefined" ? operand : fact;
  };

  /** The local gets the operand's value; a copy of a local is unknown. */
  private learn(target: Local, operand: Operand): void {
    if (operand.kind === "Local") this.facts.delete(target);
    else this.facts.set(target, operand);
  }

  private forgetAssignedSince(before: number): void {
    for (let i = before; i < this.assigned.length; i++) this.facts.delete(this.assigned[i] as Local);
  }

  private forgetAssignedIn(blocks: readonly Block[]): void {
    eachLocalIn(blocks, (local, kind) => {
      if (kind === "def") this.facts.delete(local);
    });
  }

  private valueOf(operand: Operand): Value | undefined {
    return constantOf(operand, { strings: this.policy.strings, constants: this.constants.values });
  }
}

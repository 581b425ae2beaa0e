/**
 * Elimination of common subexpressions: a look-up, or a call of a rule, that was made before in the same block, or in one
 * around it, is not made again. Four expressions of a body that read `agent.spawn_depth` look it up once. Copies are seen
 * through: an inlined function reads its parameters, and those are copies of what its caller has.
 *
 * INVARIANT: an earlier look-up or call of the block found something, or else the block had been left.
 */

import {
  assignedBy,
  type Block,
  blocksOf,
  eachLocal,
  eachLocalIn,
  type FieldKind,
  type Local,
  local,
  mapSame,
  mapStmts,
  type Operand,
  type Policy,
  type Stmt,
  type StmtOf,
  withBlocks,
  withBodies,
} from "../plan/index.ts";
import { lookupName, operandName } from "./lookup-name.ts";
import { mapOperands } from "./map-operands.ts";
import { ScopedMap } from "./scoped-map.ts";

export function eliminateCommonSubexpressions(policy: Policy): Policy {
  const rules = new Set(policy.funcs.flatMap((f) => (f.path.length > 0 && f.params.length === 2 ? [f.name] : [])));
  return withBodies(policy, (blocks) => mapSame(blocks, (b) => eliminate(b, new Available(), rules)));
}

/** A statement whose result depends on its operands alone. */
type Expression = StmtOf<"DotStmt" | "CallStmt">;

function eliminate(block: Block, available: Available, rules: ReadonlySet<string>): Block {
  return available.inside(() =>
    mapStmts(block, (original): Stmt => {
      const stmt = available.resolved(original);
      // A rule is evaluated once an evaluation, whatever else it is; a function may do something each time, as `print` does.
      if (stmt.kind === "DotStmt" || (stmt.kind === "CallStmt" && rules.has(stmt.func))) return available.once(stmt);
      available.forgetChanged(stmt);
      if (stmt.kind === "AssignVarStmt") available.copy(stmt);
      return withBlocks(stmt, (b) => eliminate(b, available, rules));
    }),
  );
}

/** Something learnt at a time; it holds as long as its locals do not change. */
interface Learnt<T> {
  readonly what: T;
  readonly time: number;
}

/** What is known where a statement begins. Time passes with each change of a local. */
class Available {
  private time = 0;
  private readonly changes = new Map<Local, number>();
  private readonly expressions = new ScopedMap<string, Learnt<Expression>>();
  /** Locals by those that are equal to them. */
  private readonly copies = new ScopedMap<Local, Learnt<Local>>();

  /** What is learnt in a block holds to its end. */
  inside<T>(work: () => T): T {
    return this.expressions.inside(() => this.copies.inside(work));
  }

  /** Forgets what is known of the locals that the statement assigns, changes or overrides. */
  forgetChanged(stmt: Stmt): void {
    eachLocal(stmt, this.forgetDefined);
    // A turn of a loop begins with what the turn before it changed. Any other block is met once, with all that it changes.
    if (stmt.kind === "ScanStmt") eachLocalIn(blocksOf(stmt), this.forgetDefined);
  }

  copy({ target, source }: StmtOf<"AssignVarStmt">): void {
    if (source.kind === "Local") this.copies.set(target, { what: source.local, time: this.time });
  }

  /** The statement, reading what its operands are copies of. */
  resolved(stmt: Stmt): Stmt {
    if (stmt.kind !== "ScanStmt") return mapOperands(stmt, this.original);
    const source = this.originalOf(stmt.source);
    return source === stmt.source ? stmt : { ...stmt, source };
  }

  /** The expression, or a copy of its earlier result. */
  once(stmt: Expression): Stmt {
    const name = expressionName(stmt);
    const learnt = this.expressions.get(name);
    const before = learnt !== undefined && this.holds(learnt) ? resultOf(learnt.what) : undefined;
    const target = resultOf(stmt);
    this.forget(target);
    if (before !== undefined && before !== target) {
      const copy: StmtOf<"AssignVarStmt"> = { kind: "AssignVarStmt", source: local(before), target, span: stmt.span };
      this.copy(copy);
      return copy;
    }
    if (!operandsOf(stmt).some((o) => o.kind === "Local" && o.local === target))
      this.expressions.set(name, { what: stmt, time: this.time });
    return stmt;
  }

  private forget(changed: Local): void {
    this.changes.set(changed, ++this.time);
  }

  private readonly forgetDefined = (named: Local, kind: FieldKind): void => {
    if (kind === "def" || kind === "own") this.forget(named);
  };

  private readonly original = (operand: Operand): Operand => {
    const of = operand.kind === "Local" ? this.originalOf(operand.local) : undefined;
    return operand.kind === "Local" && of !== undefined && of !== operand.local ? local(of) : operand;
  };

  private originalOf(copy: Local): Local {
    const of = this.copies.get(copy);
    return of !== undefined && this.isUnchanged(copy, of.time) && this.isUnchanged(of.what, of.time) ? of.what : copy;
  }

  /** Whether neither the result nor an operand has changed since. */
  private holds({ what, time }: Learnt<Expression>): boolean {
    const isSame = (o: Operand): boolean => o.kind !== "Local" || this.isUnchanged(o.local, time);
    return this.isUnchanged(resultOf(what), time) && operandsOf(what).every(isSame);
  }

  private isUnchanged(l: Local, since: number): boolean {
    return (this.changes.get(l) ?? 0) <= since;
  }
}

function expressionName(stmt: Expression): string {
  if (stmt.kind === "DotStmt") return lookupName(stmt);
  return `${stmt.func}(${stmt.args.map(operandName).join()})`;
}

function resultOf(stmt: Expression): Local {
  return assignedBy(stmt)[0] as Local;
}

function operandsOf(stmt: Expression): readonly Operand[] {
  return stmt.kind === "DotStmt" ? [stmt.source, stmt.key] : stmt.args;
}

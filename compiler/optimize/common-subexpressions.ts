/**
 * Elimination of common subexpressions: a look-up, or a call of a rule, that was made before in the same block, or in one
 * around it, is not made again. Four expressions of a body that read `agent.spawn_depth` look it up once. Copies are seen
 * through: an inlined function reads its parameters, and those are copies of what its caller has.
 *
 * INVARIANT: an earlier look-up or call of the block found something, or else the block had been left.
 */

import { assignedBy, changedIn, withBlocks } from "../plan/fields.ts";
import { type Block, type Local, local, type Operand, type Policy, type Stmt, type StmtOf } from "../plan/ir.ts";
import { lookupName, operandName } from "./lookup-name.ts";
import { mapOperands } from "./map-operands.ts";

export function eliminateCommonSubexpressions(policy: Policy): Policy {
  const rules = new Set(policy.funcs.flatMap((f) => (f.path.length > 0 && f.params.length === 2 ? [f.name] : [])));
  const body = (blocks: readonly Block[]): Block[] => blocks.map((b) => eliminate(b, new Available(), rules));
  return {
    ...policy,
    plans: policy.plans.map((p) => ({ ...p, blocks: body(p.blocks) })),
    funcs: policy.funcs.map((f) => ({ ...f, blocks: body(f.blocks) })),
  };
}

/** A statement whose result depends on its operands alone. */
type Expression = StmtOf<"DotStmt" | "CallStmt">;

function eliminate(block: Block, outer: Available, rules: ReadonlySet<string>): Block {
  const available = outer.ofItsOwn();
  const stmts = block.stmts.map((original): Stmt => {
    const stmt = available.resolved(original);
    // A rule is evaluated once an evaluation, whatever else it is; a function may do something each time, as `print` does.
    if (stmt.kind === "DotStmt" || (stmt.kind === "CallStmt" && rules.has(stmt.func))) return available.once(stmt);
    // All that its blocks change, too: a loop may run them again.
    available.forget(changedIn([{ stmts: [stmt] }]));
    if (stmt.kind === "AssignVarStmt") available.copy(stmt);
    return withBlocks(stmt, (b) => eliminate(b, available, rules));
  });
  return { stmts };
}

/** What is known where a statement begins. */
class Available {
  /** Expressions whose operands and result have not changed since, by name. */
  private readonly expressions: Map<string, Expression>;
  /** Locals that are equal to another one, and that one. */
  private readonly copies: Map<Local, Local>;

  constructor(expressions?: ReadonlyMap<string, Expression>, copies?: ReadonlyMap<Local, Local>) {
    this.expressions = new Map(expressions);
    this.copies = new Map(copies);
  }

  /** The same for a block, which may learn more. */
  ofItsOwn(): Available {
    return new Available(this.expressions, this.copies);
  }

  forget(locals: readonly Local[]): void {
    if (locals.length === 0) return;
    const changed = new Set(locals);
    for (const [name, stmt] of this.expressions)
      if (changed.has(resultOf(stmt)) || reads(stmt, changed)) this.expressions.delete(name);
    for (const [copy, of] of this.copies) if (changed.has(copy) || changed.has(of)) this.copies.delete(copy);
  }

  copy({ target, source }: StmtOf<"AssignVarStmt">): void {
    if (source.kind === "Local") this.copies.set(target, source.local);
  }

  /** The statement, reading what its operands are copies of. */
  resolved(stmt: Stmt): Stmt {
    if (this.copies.size === 0) return stmt;
    const of = (l: Local): Local => this.copies.get(l) ?? l;
    if (stmt.kind === "ScanStmt") return { ...stmt, source: of(stmt.source) };
    return mapOperands(stmt, (o) => (o.kind === "Local" && this.copies.has(o.local) ? local(of(o.local)) : o));
  }

  /** The expression, or a copy of its earlier result. */
  once(stmt: Expression): Stmt {
    const name = nameOf(stmt);
    const before = this.expressions.get(name);
    const target = resultOf(stmt);
    this.forget([target]);
    if (before !== undefined && resultOf(before) !== target) {
      const copy: StmtOf<"AssignVarStmt"> = {
        kind: "AssignVarStmt",
        source: local(resultOf(before)),
        target,
        span: stmt.span,
      };
      this.copy(copy);
      return copy;
    }
    if (!reads(stmt, new Set([target]))) this.expressions.set(name, stmt);
    return stmt;
  }
}

function nameOf(stmt: Expression): string {
  if (stmt.kind === "DotStmt") return lookupName(stmt);
  return `${stmt.func}(${stmt.args.map(operandName).join()})`;
}

function resultOf(stmt: Expression): Local {
  return assignedBy(stmt)[0] as Local;
}

function reads(stmt: Expression, locals: ReadonlySet<Local>): boolean {
  const operands: readonly Operand[] = stmt.kind === "DotStmt" ? [stmt.source, stmt.key] : stmt.args;
  return operands.some((o) => o.kind === "Local" && locals.has(o.local));
}

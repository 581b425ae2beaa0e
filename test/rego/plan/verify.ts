/**
 * The verifier: rules that every policy in IR satisfies, whether it comes from the planner, a pass or a plan file. Tests run
 * it after each stage; the back end relies on it and need not check again.
 *
 * Checked: indexes of strings and constants; locals assigned before they are read (on some path: the IR allows a local
 * that may be undefined only where it is probed); targets of breaks, which may not leave a WithStmt; callees and their
 * arity; unique names; results only in plans and returns only in functions; collections changed in place were made by a Make
 * statement or looked up in one, never a parameter.
 */

import { InternalError } from "../../../compiler/rego/diagnostics/index.ts";
import { blocksOf, type Field, fieldsOf } from "../../../compiler/rego/plan/fields.ts";
import {
  type Block,
  DATA,
  type Func,
  INPUT,
  type Local,
  type Operand,
  type Policy,
  type Stmt,
  type StmtOf,
} from "../../../compiler/rego/plan/ir.ts";

export interface Finding {
  /** `plan p`, or `func f`, and the statement's path: `func g0.data.p: blocks[0].stmts[2]`. */
  readonly where: string;
  readonly message: string;
}

/** All findings; a good policy has none. */
export function verifyPolicy(policy: Policy): Finding[] {
  const findings: Finding[] = [];
  const callees = new Map<string, number>();
  for (const b of policy.builtins) {
    if (callees.has(b.name)) findings.push({ where: `builtin ${b.name}`, message: "declared twice" });
    callees.set(b.name, b.arity);
  }
  for (const f of policy.funcs) {
    if (callees.has(f.name)) findings.push({ where: `func ${f.name}`, message: "name is taken" });
    callees.set(f.name, f.params.length);
  }
  const names = new Set<string>();
  for (const plan of policy.plans) {
    if (names.has(plan.name)) findings.push({ where: `plan ${plan.name}`, message: "name is taken" });
    names.add(plan.name);
    new Body(policy, callees, `plan ${plan.name}`, undefined, findings).run(plan.blocks);
  }
  for (const f of policy.funcs) {
    const where = `func ${f.name}`;
    if (new Set(f.params).size !== f.params.length) findings.push({ where, message: "a parameter is repeated" });
    if (f.params.includes(f.result)) findings.push({ where, message: "the result is a parameter" });
    new Body(policy, callees, where, f, findings).run(f.blocks);
  }
  return findings;
}

/** For stages that promise a good policy: throws an InternalError that names the first findings. */
export function assertVerified(policy: Policy): void {
  const findings = verifyPolicy(policy);
  if (findings.length === 0) return;
  const shown = findings.slice(0, 5).map((f) => `${f.where}: ${f.message}`);
  throw new InternalError(
    `malformed IR: ${shown.join("; ")}${findings.length > 5 ? `; and ${findings.length - 5} more` : ""}`,
  );
}

/** A block being walked: its parent, and its next statement. */
interface Frame {
  readonly outer: Frame | undefined;
  /** `blocks[1]` or `block`: the path of the block in the statement of `outer` before `at`. */
  readonly step: string;
  /** It is the body of a WithStmt. */
  readonly with: boolean;
  readonly block: Block;
  at: number;
}

class Body {
  private readonly policy: Policy;
  private readonly callees: ReadonlyMap<string, number>;
  private readonly where: string;
  private readonly func: Func | undefined;
  private readonly findings: Finding[];
  private readonly assigned: Set<Local>;
  private frame: Frame | undefined;

  constructor(
    policy: Policy,
    callees: ReadonlyMap<string, number>,
    where: string,
    func: Func | undefined,
    findings: Finding[],
  ) {
    this.policy = policy;
    this.callees = callees;
    this.where = where;
    this.func = func;
    this.findings = findings;
    this.assigned = new Set(func?.params ?? [INPUT, DATA]);
  }

  run(blocks: readonly Block[]): void {
    // An explicit stack: a plan from a file may nest as deep as it likes.
    const stack: Frame[] = [];
    const push = (block: Block, step: string, outer: Frame | undefined, isWith: boolean) =>
      stack.push({ outer, step, with: isWith, block, at: 0 });
    for (let i = blocks.length - 1; i >= 0; i--) push(blocks[i] as Block, `blocks[${i}]`, undefined, false);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const stmt = top.block.stmts[top.at];
      if (stmt === undefined) {
        stack.pop();
        continue;
      }
      top.at++;
      this.frame = top;
      this.stmt(stmt, top);
      const inner = blocksOf(stmt);
      for (let i = inner.length - 1; i >= 0; i--)
        push(
          inner[i] as Block,
          stmt.kind === "BlockStmt" || stmt.kind === "SwitchStmt" ? `blocks[${i}]` : "block",
          top,
          stmt.kind === "WithStmt",
        );
    }
  }

  private report(message: string): void {
    const path: string[] = [];
    for (let f = this.frame; f !== undefined; f = f.outer) path.unshift(f.step, `stmts[${f.at - 1}]`);
    this.findings.push({ where: `${this.where}: ${path.join(".")}`, message });
  }

  private stmt(stmt: Stmt, frame: Frame): void {
    const fields = fieldsOf(stmt);
    for (const field of fields) this.reads(field, stmt);
    // INVARIANT: reads come before definitions, so `L1 = get L1 "a"` needs an earlier L1.
    for (const field of fields) if (field.kind === "def") this.define(field.value);
    if (stmt.kind === "BreakStmt") this.breaks(stmt.index, frame);
    else if (stmt.kind === "CallStmt") this.call(stmt);
    else if (stmt.kind === "CallDynamicStmt")
      this.refuse(stmt.args.length !== 2, "a dynamic call takes input and data");
    else if (stmt.kind === "ResultSetAddStmt")
      this.refuse(this.func !== undefined, "a function cannot add to the result set");
    else if (stmt.kind === "ReturnLocalStmt") this.returns(frame);
    else if (stmt.kind === "ScanStmt") this.refuse(stmt.key === stmt.value, "key and value are one local");
    else if (stmt.kind === "WithStmt")
      this.refuse(stmt.local !== INPUT && stmt.local !== DATA, "with overrides input or data only");
  }

  private refuse(wrong: boolean, message: string): void {
    if (wrong) this.report(message);
  }

  private call(stmt: StmtOf<"CallStmt">): void {
    const arity = this.callees.get(stmt.func);
    if (arity === undefined) this.report(`no function ${stmt.func}`);
    else if (arity !== stmt.args.length) this.report(`${stmt.func} takes ${arity} arguments, not ${stmt.args.length}`);
  }

  private returns(frame: Frame): void {
    this.refuse(this.func === undefined, "a plan cannot return");
    for (let f: Frame | undefined = frame; f !== undefined; f = f.outer) {
      this.refuse(f.with, "a return leaves a with");
    }
  }

  private reads(field: Field, stmt: Stmt): void {
    switch (field.kind) {
      case "use":
        this.use(field.value);
        return;
      case "own":
        if (stmt.kind !== "WithStmt" && (this.func?.params ?? [INPUT, DATA]).includes(field.value))
          this.report(`L${field.value} is a parameter and cannot be changed`);
        this.use(field.value);
        return;
      case "probe":
        if (field.value < 0) this.report(`no local ${field.value}`);
        return;
      case "operand":
        this.operand(field.value);
        return;
      case "operands":
        for (const op of field.value) this.operand(op);
        return;
      case "uses":
        for (const local of field.value) this.use(local);
        return;
      case "text":
        this.text(field.value);
        return;
      case "path":
        for (const index of field.value) this.text(index);
        return;
      case "int":
        if (!Number.isSafeInteger(field.value)) this.report(`${field.name} is not an integer`);
        if (stmt.kind === "MakeArrayStmt" && field.value < 0) this.report("negative capacity");
        return;
      case "def":
      case "func":
      case "block":
      case "blocks":
        return;
    }
  }

  private operand(op: Operand): void {
    if (op.kind === "Local") this.use(op.local);
    if (op.kind === "String") this.text(op.index);
    if (op.kind === "Constant" && this.policy.constants[op.index] === undefined) this.report(`no constant ${op.index}`);
  }

  private text(index: number): void {
    if (this.policy.strings[index] === undefined) this.report(`no string ${index}`);
  }

  private use(local: Local): void {
    if (!this.assigned.has(local)) this.report(`L${local} is read before it is assigned`);
  }

  private define(local: Local): void {
    if (!Number.isSafeInteger(local) || local < 0) this.report(`no local ${local}`);
    if (this.func?.params.includes(local) ?? (local === INPUT || local === DATA))
      this.report(`L${local} is a parameter and is assigned`);
    this.assigned.add(local);
  }

  private breaks(index: number, frame: Frame): void {
    if (index < 0) {
      this.report("negative break");
      return;
    }
    let at: Frame | undefined = frame;
    for (let i = 0; i < index && at !== undefined; i++) {
      if (at.with) this.report("a break leaves a with");
      at = at.outer;
    }
    if (at === undefined) this.report(`break ${index} leaves more blocks than there are`);
  }
}

/** Notes in the footprint of the input what one function does with parts of it. */

import { blocksOf, fieldsOf } from "../plan/fields.ts";
import type { Block, Func, Local, Operand, Policy, Stmt, StmtOf } from "../plan/ir.ts";
import { emptyFootprint, type Footprint } from "./footprint.ts";
import type { Parts } from "./footprint-of.ts";

/** Follows a call of a function of the policy with these parts; whether it is one. */
type Call = (name: string, parts: Parts) => boolean;

/** `parts`: what its parameters are of the input. */
export function readFunction(policy: Policy, func: Func, parts: Parts, call: Call): void {
  const reader = new FunctionReader(policy, parts, func, call);
  // More than once, as a loop may read a local before the statement that assigns it.
  do {
    reader.changed = false;
    func.blocks.forEach((block) => reader.block(block));
  } while (reader.changed);
}

class FunctionReader {
  changed = false;
  private readonly policy: Policy;
  private readonly call: Call;
  /** What part of the input a local may hold. One that is assigned from several parts makes each of them whole. */
  private readonly held = new Map<Local, Footprint>();

  constructor(policy: Policy, parts: Parts, func: Func, call: Call) {
    this.policy = policy;
    this.call = call;
    for (const [i, part] of parts.entries()) {
      const param = func.params[i];
      if (part !== undefined && param !== undefined) this.hold(param, part);
    }
  }

  block(block: Block): void {
    for (const stmt of block.stmts) {
      this.stmt(stmt);
      blocksOf(stmt).forEach((inner) => this.block(inner));
    }
  }

  private stmt(stmt: Stmt): void {
    switch (stmt.kind) {
      case "DotStmt":
        return this.dot(stmt);
      case "ScanStmt": {
        const source = this.held.get(stmt.source);
        if (source !== undefined) this.hold(stmt.value, eachOf(source));
        return;
      }
      case "LenStmt":
        return this.count(stmt.source);
      case "AssignVarStmt": {
        const source = this.part(stmt.source);
        if (source !== undefined) this.hold(stmt.target, source);
        return;
      }
      // What becomes a part of another value is needed, but nobody has compared it yet.
      case "AssignVarOnceStmt":
        return this.need(stmt.source);
      case "ObjectInsertStmt":
        this.use(stmt.key);
        return this.need(stmt.value);
      case "ArrayAppendStmt":
        return this.need(stmt.value);
      case "ReturnLocalStmt":
        return this.need({ kind: "Local", local: stmt.source });
      case "EqualStmt":
      case "NotEqualStmt":
        return this.compare(stmt.a, stmt.b);
      case "IsObjectStmt":
      case "IsArrayStmt":
      case "IsSetStmt":
      case "IsDefinedStmt":
      case "IsUndefinedStmt":
        return;
      case "CallStmt":
        return this.builtin(stmt);
      case "CallDynamicStmt":
        // Whatever it reaches may read anything.
        for (const arg of stmt.args) this.useLocal(arg);
        for (const part of stmt.path) this.use(part);
        return;
      case "AssignIntStmt":
      case "BlockStmt":
      case "BreakStmt":
      case "MakeArrayStmt":
      case "MakeNullStmt":
      case "MakeNumberIntStmt":
      case "MakeNumberRefStmt":
      case "MakeObjectStmt":
      case "MakeSetStmt":
      case "NopStmt":
      case "NotStmt":
      case "ObjectInsertOnceStmt":
      case "ObjectMergeStmt":
      case "ResetLocalStmt":
      case "ResultSetAddStmt":
      case "SetAddStmt":
      case "WithStmt":
        return this.useAll(stmt);
    }
  }

  private useAll(stmt: Stmt): void {
    for (const field of fieldsOf(stmt)) {
      if (field.kind === "operand") this.use(field.value);
      else if (field.kind === "operands") field.value.forEach((o) => this.use(o));
      else if (field.kind === "use" || field.kind === "own" || field.kind === "probe") this.useLocal(field.value);
      else if (field.kind === "uses") field.value.forEach((l) => this.useLocal(l));
    }
  }

  private dot({ source, key, target }: StmtOf<"DotStmt">): void {
    this.use(key);
    const from = this.part(source);
    if (from === undefined) return;
    const text = key.kind === "String" ? this.policy.strings[key.index] : undefined;
    this.hold(target, text === undefined ? eachOf(from) : memberOf(from, text));
  }

  private compare(a: Operand, b: Operand): void {
    // No part of a composite has to be there to tell it from what is none.
    const isScalar = this.isScalar(a) || this.isScalar(b);
    // A string tells "" from any other without a look-up.
    const isWritten = [a, b].some((o) => (this.textOf(o) ?? "") !== "");
    const parts = [this.part(a), this.part(b)].flatMap((part) => part ?? []);
    for (const part of parts) {
      part.whole ||= !isScalar;
      part.lookUp ||= isWritten || (!isScalar && parts.length === 1);
    }
  }

  /** How many there are is known when each of them is there, whatever of it. */
  private count(operand: Operand): void {
    const part = this.part(operand);
    if (part !== undefined) eachOf(part);
  }

  private builtin({ func: name, args }: StmtOf<"CallStmt">): void {
    const isFunction = this.call(
      name,
      args.map((arg) => this.part(arg)),
    );
    if (isFunction || TYPE_CHECKS.has(name)) return;
    for (const arg of args) {
      if (name === "count") this.count(arg);
      else if (TEXT_BUILTINS.test(name)) this.need(arg);
      else this.use(arg);
    }
  }

  private hold(target: Local, part: Footprint): void {
    const before = this.held.get(target);
    if (before === part) return;
    if (before === undefined) this.changed = true;
    else for (const either of [before, part]) useAll(either);
    this.held.set(target, part);
  }

  private part(operand: Operand): Footprint | undefined {
    return operand.kind === "Local" ? this.held.get(operand.local) : undefined;
  }

  private isScalar(operand: Operand): boolean {
    if (operand.kind !== "Constant") return operand.kind !== "Local";
    const kind = this.policy.constants[operand.index]?.kind;
    return kind === "null" || kind === "boolean" || kind === "number" || kind === "string";
  }

  private textOf(operand: Operand): string | undefined {
    const { strings, constants } = this.policy;
    if (operand.kind === "String") return strings[operand.index];
    const value = operand.kind === "Constant" ? constants[operand.index] : undefined;
    return value?.kind === "string" ? value.value : undefined;
  }

  private need(operand: Operand): void {
    const part = this.part(operand);
    if (part !== undefined) part.whole = true;
  }

  private use(operand: Operand): void {
    if (operand.kind === "Local") this.useLocal(operand.local);
  }

  private useLocal(local: Local): void {
    const part = this.held.get(local);
    if (part !== undefined) useAll(part);
  }
}

/** Anything may be asked of it. */
function useAll(part: Footprint): void {
  part.whole = true;
  part.lookUp = true;
}

/** Builtins that ask only of what type a value is. */
const TYPE_CHECKS = new Set([
  "is_array",
  "is_boolean",
  "is_null",
  "is_number",
  "is_object",
  "is_set",
  "is_string",
  "type_name",
]);

/** Builtins that read a string's bytes, whoever else has it. */
const TEXT_BUILTINS =
  /^(contains|endswith|startswith|indexof|indexof_n|lower|replace|sort|split|substring|trim\w*|upper|(strings|regex|glob|time)\..*)$/;

function memberOf(parent: Footprint, key: string): Footprint {
  let member = parent.members.get(key);
  if (member === undefined) {
    member = emptyFootprint();
    parent.members.set(key, member);
  }
  return member;
}

function eachOf(parent: Footprint): Footprint {
  parent.each ??= emptyFootprint();
  return parent.each;
}

/**
 * Points-to and escape analysis of one function, for the footprint of the input: which part of it each local points to, and
 * which parts escape to a use that may read all of them.
 */

import {
  eachStmt,
  type Func,
  fieldsOf,
  type Local,
  type Operand,
  type Policy,
  type Stmt,
  type StmtOf,
} from "../plan/index.ts";
import { emptyFootprint, type Footprint, markEscaped } from "./footprint.ts";
import type { Parts } from "./footprint-of.ts";

/** Follows a call of a function of the policy with these parts; whether it is one. */
type Call = (name: string, parts: Parts) => boolean;

/** `parts`: those to which its parameters point. */
export function readFunction(policy: Policy, func: Func, parts: Parts, call: Call): void {
  const reader = new FunctionReader(policy, parts, func, call);
  // More than once, as a loop may read a local before the statement that assigns it.
  do {
    reader.changed = false;
    eachStmt(func.blocks, (stmt) => reader.stmt(stmt));
  } while (reader.changed);
}

class FunctionReader {
  changed = false;
  private readonly policy: Policy;
  private readonly call: Call;
  /** The part of the input that a local points to. Where a local may point to several parts, each of them escapes. */
  private readonly pointsTo = new Map<Local, Footprint>();

  constructor(policy: Policy, parts: Parts, func: Func, call: Call) {
    this.policy = policy;
    this.call = call;
    for (const [i, part] of parts.entries()) {
      const param = func.params[i];
      if (part !== undefined && param !== undefined) this.point(param, part);
    }
  }

  stmt(stmt: Stmt): void {
    switch (stmt.kind) {
      case "DotStmt":
        return this.dot(stmt);
      case "ScanStmt": {
        const source = this.pointsTo.get(stmt.source);
        if (source !== undefined) this.point(stmt.value, eachOf(source));
        return;
      }
      case "LenStmt":
        return this.count(stmt.source);
      // It reads the text's bytes: looking it up gains nothing.
      case "PrefixStmt":
        return this.readBytes(stmt.text);
      case "AssignVarStmt": {
        const source = this.part(stmt.source);
        if (source !== undefined) this.point(stmt.target, source);
        return;
      }
      // A part of another value is needed whole, but nothing compares its strings yet.
      case "AssignVarOnceStmt":
        return this.need(stmt.source);
      case "ObjectInsertStmt":
        this.escape(stmt.key);
        return this.need(stmt.value);
      case "ArrayAppendStmt":
      // A set hashes its elements' bytes anyway, so looking an element up first gains nothing.
      case "SetAddStmt":
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
        // Its callee may read anything.
        for (const arg of stmt.args) this.escapeLocal(arg);
        for (const part of stmt.path) this.escape(part);
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
      case "SwitchStmt":
      case "WithStmt":
        return this.escapeAll(stmt);
    }
  }

  private escapeAll(stmt: Stmt): void {
    for (const field of fieldsOf(stmt)) {
      if (field.kind === "operand") this.escape(field.value);
      else if (field.kind === "operands") field.value.forEach((o) => this.escape(o));
      else if (field.kind === "use" || field.kind === "own" || field.kind === "probe") this.escapeLocal(field.value);
      else if (field.kind === "uses") field.value.forEach((l) => this.escapeLocal(l));
    }
  }

  private dot({ source, key, target }: StmtOf<"DotStmt">): void {
    this.escape(key);
    const from = this.part(source);
    if (from === undefined) return;
    const text = key.kind === "String" ? this.policy.strings[key.index] : undefined;
    this.point(target, text === undefined ? eachOf(from) : memberOf(from, text));
  }

  private compare(a: Operand, b: Operand): void {
    // A composite differs from a scalar by its type: none of its parts is needed.
    const isScalar = this.isScalar(a) || this.isScalar(b);
    const isLong = [a, b].some((o) => (this.knownText(o)?.length ?? 0) > SHORT);
    const parts = [this.part(a), this.part(b)].flatMap((part) => part ?? []);
    for (const part of parts) {
      part.whole ||= !isScalar;
      part.lookUp ||= isLong;
      part.compared ||= !isScalar && parts.length === 1;
      for (const other of parts) part.met.add(other);
    }
  }

  /** A count needs every element, but no part of one. */
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
    const [member, set] = args;
    if (name === "internal.member_2" && member !== undefined && this.isOfShortTexts(set)) return this.need(member);
    for (const arg of args) {
      if (name === "count") this.count(arg);
      else if (name === "trim_space") this.need(arg);
      else if (TEXT_BUILTINS.test(name)) this.readBytes(arg);
      else this.escape(arg);
    }
  }

  private point(target: Local, part: Footprint): void {
    const before = this.pointsTo.get(target);
    if (before === part) return;
    if (before === undefined) this.changed = true;
    else for (const either of [before, part]) markEscaped(either);
    this.pointsTo.set(target, part);
  }

  private part(operand: Operand): Footprint | undefined {
    return operand.kind === "Local" ? this.pointsTo.get(operand.local) : undefined;
  }

  private isScalar(operand: Operand): boolean {
    if (operand.kind !== "Constant") return operand.kind !== "Local";
    const kind = this.policy.constants[operand.index]?.kind;
    return kind === "null" || kind === "boolean" || kind === "number" || kind === "string";
  }

  private knownText(operand: Operand): string | undefined {
    const { strings, constants } = this.policy;
    if (operand.kind === "String") return strings[operand.index];
    const value = operand.kind === "Constant" ? constants[operand.index] : undefined;
    return value?.kind === "string" ? value.value : undefined;
  }

  private isOfShortTexts(operand: Operand | undefined): boolean {
    const set = operand?.kind === "Constant" ? this.policy.constants[operand.index] : undefined;
    return set?.kind === "set" && set.items.every((item) => item.kind === "string" && item.value.length <= SHORT);
  }

  private need(operand: Operand): void {
    const part = this.part(operand);
    if (part !== undefined) part.whole = true;
  }

  private readBytes(operand: Operand): void {
    const part = this.part(operand);
    if (part === undefined) return;
    part.whole = true;
    part.read = true;
  }

  private escape(operand: Operand): void {
    if (operand.kind === "Local") this.escapeLocal(operand.local);
  }

  private escapeLocal(local: Local): void {
    const part = this.pointsTo.get(local);
    if (part !== undefined) markEscaped(part);
  }
}

/**
 * Strings this short differ from most others by length alone, so a value compared only with them (a path with `/`) is
 * not worth hashing.
 */
const SHORT = 2;

/** Builtins that read the type of a value and nothing else. */
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

/** Builtins that read a string's bytes, but for `trim_space` in any case: looking it up gains nothing. */
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

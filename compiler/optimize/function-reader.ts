/**
 * Notes in the footprint of the input what one function does with parts of it: with themselves, with what is left of a text
 * when it is trimmed, and with the values that rules make with such parts inside.
 */

import { blocksOf, fieldsOf } from "../plan/fields.ts";
import type { Block, Func, Local, Operand, Stmt, StmtOf } from "../plan/ir.ts";
import { emptyFootprint, type Footprint, useText } from "./footprint.ts";
import type { InputReading, Parts } from "./input-reading.ts";

export const NONE: ReadonlySet<Footprint> = new Set();

export class FunctionReader {
  private readonly reading: InputReading;
  private readonly func: Func;
  /** What part of the input a local may hold. A local that is assigned from several parts makes each of them whole. */
  private readonly held = new Map<Local, Footprint>();
  /** Parts that may be in the value of a local, which a rule made. */
  private readonly within = new Map<Local, Set<Footprint>>();
  /** Locals that several statements assign, or one of a loop, each checking that it is the same value. */
  private readonly agreed: ReadonlySet<Local>;
  private readonly returned: Set<Footprint>;
  private changed = false;

  constructor(reading: InputReading, func: Func, parts: Parts, returned: Set<Footprint>) {
    this.reading = reading;
    this.func = func;
    this.returned = returned;
    this.agreed = agreedLocals(func);
    for (const [i, part] of parts.entries()) {
      const param = func.params[i];
      if (part !== undefined && param !== undefined) this.hold(param, part);
    }
  }

  run(): void {
    // More than once, as a loop may read a local before the statement that assigns it.
    do {
      this.changed = false;
      for (const block of this.func.blocks) this.block(block);
    } while (this.changed);
    for (const block of this.func.blocks) this.mixed(block);
  }

  /** What a local holds that may hold something else as well, a text of the policy for one, is compared as such, all of it. */
  private mixed(block: Block): void {
    for (const stmt of block.stmts) {
      for (const field of fieldsOf(stmt)) {
        if (field.kind !== "def" || this.isPart(stmt, field.value)) continue;
        const part = this.held.get(field.value);
        if (part !== undefined) this.reading.mixed.add(part);
      }
      blocksOf(stmt).forEach((b) => this.mixed(b));
    }
  }

  /** Whether what the statement assigns to the local is a part of the input, or nothing. */
  private isPart(stmt: Stmt, target: Local): boolean {
    switch (stmt.kind) {
      case "DotStmt":
      case "AssignVarStmt":
        return this.part(stmt.source) !== undefined;
      case "ScanStmt":
        return target === stmt.value && target !== stmt.key && this.held.has(stmt.source);
      case "CallStmt":
        return this.trimmedPart(stmt) !== undefined;
      case "ResetLocalStmt":
        return true;
      default:
        return false;
    }
  }

  private block(block: Block): void {
    for (const stmt of block.stmts) {
      this.stmt(stmt);
      blocksOf(stmt).forEach((b) => this.block(b));
    }
  }

  private stmt(stmt: Stmt): void {
    switch (stmt.kind) {
      case "DotStmt":
        return this.dot(stmt.source, stmt.key, stmt.target);
      case "ScanStmt": {
        const source = this.held.get(stmt.source);
        if (source !== undefined) this.hold(stmt.value, eachOf(source));
        return this.within.get(stmt.source)?.forEach(useText);
      }
      case "LenStmt":
        return this.count(stmt.source);
      case "AssignVarStmt": {
        const source = this.part(stmt.source);
        if (source !== undefined) this.hold(stmt.target, source);
        return this.putAll(stmt.target, this.withinOf(stmt.source));
      }
      case "AssignVarOnceStmt":
        return this.agreed.has(stmt.target) ? this.use(stmt.source) : this.put(stmt.target, stmt.source);
      case "ObjectInsertStmt":
        this.use(stmt.key);
        return this.put(stmt.object, stmt.value);
      case "ArrayAppendStmt":
        return this.put(stmt.array, stmt.value);
      case "ReturnLocalStmt":
        return this.return({ kind: "Local", local: stmt.source });
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
        return this.call(stmt);
      case "CallDynamicStmt":
        // Whatever it reaches may read anything.
        for (const arg of stmt.args) this.useLocal(arg);
        for (const part of stmt.path) this.use(part);
        return;
      default:
        for (const field of fieldsOf(stmt)) {
          if (field.kind === "operand") this.use(field.value);
          else if (field.kind === "operands") field.value.forEach((o) => this.use(o));
          else if (field.kind === "use" || field.kind === "own" || field.kind === "probe") this.useLocal(field.value);
          else if (field.kind === "uses") field.value.forEach((l) => this.useLocal(l));
        }
    }
  }

  private dot(from: Operand, key: Operand, target: Local): void {
    this.use(key);
    this.putAll(target, this.withinOf(from));
    const source = this.part(from);
    if (source === undefined) return;
    const text = key.kind === "String" ? this.reading.policy.strings[key.index] : undefined;
    this.hold(target, text === undefined ? eachOf(source) : memberOf(source, text));
  }

  private compare(a: Operand, b: Operand): void {
    // No part of a composite has to be there to tell it from what is none.
    const isScalar = this.isScalar(a) || this.isScalar(b);
    // Whether there is anything shows without reading it.
    const isText = this.isWrittenText(a) || this.isWrittenText(b);
    if (!isScalar || isText) for (const side of [a, b]) this.withinOf(side).forEach(useText);
    const parts = [this.part(a), this.part(b)].flatMap((part) => part ?? []);
    for (const part of parts) {
      part.raw = true;
      part.whole ||= !isScalar;
      if (parts.length === 2) continue;
      if (isText) {
        part.text = true;
        this.reading.constants.add(part);
      } else if (!isScalar) {
        part.text = true;
        part.matched = true;
      }
    }
    const [left, right] = parts;
    if (left !== undefined && right !== undefined) this.reading.compared.push([left, right]);
  }

  /** How many there are is known when each of them is there, whatever of it. */
  private count(operand: Operand): void {
    this.withinOf(operand).forEach(useText);
    const part = this.part(operand);
    if (part === undefined) return;
    eachOf(part);
    part.raw = true;
    part.text = true;
  }

  private call(stmt: StmtOf<"CallStmt">): void {
    const { func: name, args, result } = stmt;
    if (this.reading.funcs.has(name)) return this.callFunction(name, args, result);
    if (TYPE_CHECKS.has(name)) return;
    if (name === "count") return args.forEach((arg) => this.count(arg));
    const trimmed = this.trimmedPart(stmt);
    if (trimmed !== undefined) {
      for (const arg of args) this.withinOf(arg).forEach(useText);
      return this.hold(result, trimmed);
    }
    for (const arg of args) {
      if (TEXT_BUILTINS.test(name)) this.read(arg);
      else this.use(arg);
    }
  }

  private callFunction(name: string, args: readonly Operand[], result: Local): void {
    for (const arg of args) this.withinOf(arg).forEach(useText);
    this.putAll(
      result,
      this.reading.visit(
        name,
        args.map((arg) => this.part(arg)),
      ),
    );
  }

  /** What is left of a part, where the statement trims it of what no printable ASCII character is. */
  private trimmedPart({ func, args }: StmtOf<"CallStmt">): Footprint | undefined {
    const [text, cutset] = args;
    const part = text === undefined ? undefined : this.part(text);
    if (part === undefined || !TRIMS.test(func)) return undefined;
    const away = func === "trim_space" ? " " : cutset === undefined ? undefined : this.textOf(cutset);
    if (away === undefined || PRINTABLE.test(away)) return undefined;
    // A handle is then told from other objects.
    part.whole = true;
    this.reading.bytes.add(part);
    part.raw ||= !away.includes(" ");
    // What is left is trimmed already, as far as anybody can tell who sees a stand-in.
    if (this.reading.trimmed.has(part)) return part;
    part.trimmed ??= emptyFootprint();
    this.reading.trimmed.add(part.trimmed);
    return part.trimmed;
  }

  private hold(target: Local, part: Footprint): void {
    const before = this.held.get(target);
    if (before === part) return;
    if (before !== undefined) for (const either of [before, part]) useText(either);
    else this.changed = true;
    this.held.set(target, part);
  }

  /** What the operand is or has in it may be part of the answer. */
  private return(operand: Operand): void {
    this.answer(operand);
    for (const part of this.allOf(operand)) this.returned.add(part);
  }

  /** The value of the local has what the operand is or has in it, and may be part of the answer. */
  private put(target: Local, operand: Operand): void {
    this.answer(operand);
    this.putAll(target, this.allOf(operand));
  }

  private answer(operand: Operand): void {
    const part = this.part(operand);
    if (part === undefined) return;
    part.whole = true;
    part.raw = true;
  }

  private putAll(target: Local, parts: ReadonlySet<Footprint>): void {
    if (parts.size === 0) return;
    const within = this.within.get(target) ?? new Set();
    this.within.set(target, within);
    const before = within.size;
    for (const part of parts)
      if (within.size < MOST_WITHIN || within.has(part)) within.add(part);
      else useText(part);
    this.changed ||= within.size > before;
  }

  private part(operand: Operand): Footprint | undefined {
    return operand.kind === "Local" ? this.held.get(operand.local) : undefined;
  }

  private withinOf(operand: Operand): ReadonlySet<Footprint> {
    return (operand.kind === "Local" ? this.within.get(operand.local) : undefined) ?? NONE;
  }

  private allOf(operand: Operand): ReadonlySet<Footprint> {
    const part = this.part(operand);
    return part === undefined ? this.withinOf(operand) : new Set([part, ...this.withinOf(operand)]);
  }

  private isScalar(operand: Operand): boolean {
    if (operand.kind !== "Constant") return operand.kind !== "Local";
    const kind = this.reading.policy.constants[operand.index]?.kind;
    return kind === "null" || kind === "boolean" || kind === "number" || kind === "string";
  }

  private isWrittenText(operand: Operand): boolean {
    return (this.textOf(operand) ?? "") !== "";
  }

  private textOf(operand: Operand): string | undefined {
    const { strings, constants } = this.reading.policy;
    if (operand.kind === "String") return strings[operand.index];
    const value = operand.kind === "Constant" ? constants[operand.index] : undefined;
    return value?.kind === "string" ? value.value : undefined;
  }

  /** Something asks for all of it, but not whether it is one of the policy's strings. */
  private read(operand: Operand): void {
    this.withinOf(operand).forEach(useText);
    const part = this.part(operand);
    if (part === undefined) return;
    part.whole = true;
    part.raw = true;
    part.text = true;
    this.reading.bytes.add(part);
  }

  private use(operand: Operand): void {
    if (operand.kind === "Local") this.useLocal(operand.local);
  }

  private useLocal(local: Local): void {
    this.allOf({ kind: "Local", local }).forEach(useText);
  }
}

/** Locals that may have a value already when a statement assigns to them that checks for the same value. */
function agreedLocals(func: Func): ReadonlySet<Local> {
  const assigned = new Set<Local>(func.params);
  const agreed = new Set<Local>();
  const visit = (block: Block, inLoop: boolean): void => {
    for (const stmt of block.stmts) {
      if (stmt.kind === "AssignVarOnceStmt" && (inLoop || assigned.has(stmt.target))) agreed.add(stmt.target);
      for (const { kind, value } of fieldsOf(stmt))
        if (kind === "def" && stmt.kind !== "ResetLocalStmt") assigned.add(value);
      for (const inner of blocksOf(stmt)) visit(inner, inLoop || stmt.kind === "ScanStmt");
    }
  };
  for (const block of func.blocks) visit(block, false);
  return agreed;
}

/** Parts that a value is followed for: an answer has a few, and long chains of rules may gather any number. */
const MOST_WITHIN = 64;

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

/** Those that cut characters off the ends of a text. */
const TRIMS = /^trim(_left|_right|_space)?$/;
/** Printable ASCII characters: a text that begins and ends with one of them is left as it is, trimmed of others. */
const PRINTABLE = /[!-~]/;

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

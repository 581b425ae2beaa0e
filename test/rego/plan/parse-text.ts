/**
 * Reads the text form of `compiler/rego/plan/text.ts` back: tests of what runs IR are written in it. Strict: a line that it does
 * not know is an error with its number. Constants have no text form that can be read: the caller gives what `#0`, `#1`, … stand for.
 */

import type { Block, BuiltinDecl, Func, Operand, Plan, Policy, Stmt } from "../../../compiler/rego/plan/ir.ts";
import type { Value } from "../../../compiler/rego/value/value.ts";
import { type Line, PlanTextError, Scanner } from "./text-scanner.ts";

export function parsePolicyText(text: string, constants: readonly Value[] = []): Policy {
  const lines: Line[] = [];
  text.split("\n").forEach((raw, i) => {
    const body = raw.trim();
    if (body === "" || body.startsWith("//") || body.startsWith("constant #")) return;
    const indent = raw.length - raw.trimStart().length;
    if (indent % 2 !== 0) throw new PlanTextError(`line ${i + 1}: odd indentation`);
    lines.push({ number: i + 1, depth: indent / 2, text: body });
  });
  return { ...new Parser(lines).policy(), constants };
}

class Parser {
  private readonly lines: readonly Line[];
  private at = 0;
  private readonly strings: string[] = [];
  private readonly indexes = new Map<string, number>();

  constructor(lines: readonly Line[]) {
    this.lines = lines;
  }

  policy(): Policy {
    const base = this.lines[0]?.depth ?? 0;
    const builtins: BuiltinDecl[] = [];
    const plans: Plan[] = [];
    const funcs: Func[] = [];
    for (let line = this.lines[this.at]; line !== undefined; line = this.lines[this.at]) {
      const scan = new Scanner(line);
      if (line.depth !== base) scan.fail("unexpected indentation");
      this.at++;
      const kind = scan.take(/[a-z]+/);
      if (kind === "builtin") {
        const name = scan.take(/[A-Za-z0-9_.]+/);
        scan.expect("/");
        builtins.push({ name, arity: scan.int() });
      } else if (kind === "plan") {
        plans.push({ name: scan.word(), blocks: this.blocks(base + 1) });
      } else if (kind === "func") {
        const name = scan.word();
        const params = scan.list("(", ")", () => scan.local());
        scan.expect("->");
        const result = scan.local();
        const once = scan.next("once");
        if (once) scan.expect("once");
        const path = scan.more() ? scan.path() : [];
        funcs.push({ name, params, result, blocks: this.blocks(base + 1), path, ...(once ? { once } : {}) });
      } else scan.fail(`unknown item ${kind}`);
      scan.end();
    }
    return { strings: this.strings, constants: [], builtins, files: [], plans, funcs };
  }

  private blocks(depth: number): Block[] {
    const blocks: Block[] = [];
    for (let line = this.lines[this.at]; line !== undefined && line.depth >= depth; line = this.lines[this.at]) {
      if (line.depth !== depth || line.text !== "block") new Scanner(line).fail("expected `block`");
      this.at++;
      blocks.push(this.block(depth + 1));
    }
    return blocks;
  }

  private block(depth: number): Block {
    const stmts: Stmt[] = [];
    for (let line = this.lines[this.at]; line !== undefined && line.depth >= depth; line = this.lines[this.at]) {
      const scan = new Scanner(line);
      if (line.depth !== depth) scan.fail("unexpected indentation");
      this.at++;
      stmts.push(this.stmt(scan, depth));
      scan.end();
    }
    return { stmts };
  }

  private text(scan: Scanner): number {
    const value = scan.string();
    const known = this.indexes.get(value);
    if (known !== undefined) return known;
    this.indexes.set(value, this.strings.length);
    this.strings.push(value);
    return this.strings.length - 1;
  }

  private op(scan: Scanner): Operand {
    if (scan.next('"')) return { kind: "String", index: this.text(scan) };
    if (scan.next("L")) return { kind: "Local", local: scan.local() };
    if (scan.next("#")) {
      scan.expect("#");
      return { kind: "Constant", index: scan.int() };
    }
    const name = scan.take(/[a-z]+/);
    if (name !== "true" && name !== "false") scan.fail(`unknown operand ${name}`);
    return { kind: "Boolean", value: name === "true" };
  }

  private stmt(scan: Scanner, depth: number): Stmt {
    if (scan.nextLocal()) return this.assignment(scan);
    const word = scan.take(/[a-z-]+/);
    switch (word) {
      case "append":
        return { kind: "ArrayAppendStmt", array: scan.local(), value: this.op(scan) };
      case "insert":
        return { kind: "ObjectInsertStmt", object: scan.local(), key: this.op(scan), value: this.op(scan) };
      case "insert-once":
        return { kind: "ObjectInsertOnceStmt", object: scan.local(), key: this.op(scan), value: this.op(scan) };
      case "add":
        return { kind: "SetAddStmt", set: scan.local(), value: this.op(scan) };
      case "equal":
        return { kind: "EqualStmt", a: this.op(scan), b: this.op(scan) };
      case "not-equal":
        return { kind: "NotEqualStmt", a: this.op(scan), b: this.op(scan) };
      case "is-array":
        return { kind: "IsArrayStmt", source: this.op(scan) };
      case "is-object":
        return { kind: "IsObjectStmt", source: this.op(scan) };
      case "is-set":
        return { kind: "IsSetStmt", source: this.op(scan) };
      case "is-defined":
        return { kind: "IsDefinedStmt", source: scan.local() };
      case "is-undefined":
        return { kind: "IsUndefinedStmt", source: scan.local() };
      case "break":
        return { kind: "BreakStmt", index: scan.int() };
      case "nop":
        return { kind: "NopStmt" };
      case "result":
        return { kind: "ResultSetAddStmt", value: scan.local() };
      case "return":
        return { kind: "ReturnLocalStmt", source: scan.local() };
      case "blocks":
        return { kind: "BlockStmt", blocks: this.blocks(depth + 1) };
      case "switch":
        return { kind: "SwitchStmt", index: this.op(scan), blocks: this.blocks(depth + 1) };
      case "not":
        return { kind: "NotStmt", block: this.block(depth + 1) };
      case "scan": {
        const source = scan.local();
        scan.expect("as");
        const key = scan.local();
        scan.expect(",");
        return { kind: "ScanStmt", source, key, value: scan.local(), block: this.block(depth + 1) };
      }
      case "with": {
        const local = scan.local();
        const path = scan.list("[", "]", () => this.text(scan));
        scan.expect("=");
        return { kind: "WithStmt", local, path, value: this.op(scan), block: this.block(depth + 1) };
      }
      default:
        return scan.fail(`unknown statement ${word}`);
    }
  }

  private assignment(scan: Scanner): Stmt {
    const target = scan.local();
    scan.expect("=");
    if (scan.next('"') || scan.next("#") || scan.nextLocal())
      return { kind: "AssignVarStmt", target, source: this.op(scan) };
    const word = scan.take(/[a-z-]+/);
    switch (word) {
      case "true":
      case "false":
        return { kind: "AssignVarStmt", target, source: { kind: "Boolean", value: word === "true" } };
      case "assign-int":
        return { kind: "AssignIntStmt", target, value: scan.int() };
      case "once":
        return { kind: "AssignVarOnceStmt", target, source: this.op(scan) };
      case "dynamic": {
        const path = scan.list("[", "]", () => this.op(scan));
        return { kind: "CallDynamicStmt", result: target, path, args: scan.list("(", ")", () => scan.local()) };
      }
      case "call": {
        const func = scan.word();
        return { kind: "CallStmt", result: target, func, args: scan.list("(", ")", () => this.op(scan)) };
      }
      case "get":
        return { kind: "DotStmt", target, source: this.op(scan), key: this.op(scan) };
      case "prefix":
        return { kind: "PrefixStmt", target, source: this.op(scan), text: this.op(scan) };
      case "len":
        return { kind: "LenStmt", target, source: this.op(scan) };
      case "array":
        return { kind: "MakeArrayStmt", target, capacity: scan.int() };
      case "null":
        return { kind: "MakeNullStmt", target };
      case "int":
        return { kind: "MakeNumberIntStmt", target, value: scan.int() };
      case "number":
        return { kind: "MakeNumberRefStmt", target, index: this.text(scan) };
      case "object":
        return { kind: "MakeObjectStmt", target };
      case "set":
        return { kind: "MakeSetStmt", target };
      case "merge":
        return { kind: "ObjectMergeStmt", target, a: scan.local(), b: scan.local() };
      case "reset":
        return { kind: "ResetLocalStmt", target };
      default:
        return scan.fail(`unknown assignment ${word}`);
    }
  }
}

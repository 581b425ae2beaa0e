/**
 * The IR as text, for people, goldens and tests: one statement a line, blocks by indentation, strings in place of their
 * indexes. `test/rego/plan/parse-text.ts` reads it back.
 *
 *     builtin plus/2
 *     func g0.data.app.p(L0, L1) -> L2 path g0/app/p
 *       block
 *         L3 = get L0 "xs"
 *         scan L3 as L4, L5
 *           equal L5 true
 *           L2 = once true
 *       block
 *         return L2
 */

import { unreachable } from "../diagnostics/index.ts";
import { valueText } from "../value/index.ts";
import type { Block, Local, Operand, Policy, Stmt } from "./ir.ts";

export function policyToText(policy: Policy): string {
  const out: string[] = [];
  for (const b of policy.builtins) out.push(`builtin ${b.name}/${b.arity}`);
  policy.constants.forEach((value, i) => {
    out.push(`constant #${i} ${valueText(value)}`);
  });
  const printer = new Printer(policy.strings, out);
  for (const plan of policy.plans) {
    out.push(`plan ${word(plan.name)}`);
    printer.blocks(plan.blocks, 1);
  }
  for (const f of policy.funcs) {
    const path = f.path.length > 0 ? ` path ${word(f.path.map(escapeSlash).join("/"))}` : "";
    out.push(
      `func ${word(f.name)}(${f.params.map(localText).join(", ")}) -> ${localText(f.result)}${path}${f.once ? " once" : ""}`,
    );
    printer.blocks(f.blocks, 1);
  }
  return out.join("\n") + "\n";
}

const localText = (n: Local): string => `L${n}`;

/** Names go bare where that is unambiguous, quoted otherwise. */
function word(name: string): string {
  return /^[A-Za-z0-9_./~-]+$/.test(name) ? name : JSON.stringify(name);
}

/** `~1` and `~0`, as in JSON Pointer: a path segment may hold a slash. */
const escapeSlash = (segment: string): string => segment.replaceAll("~", "~0").replaceAll("/", "~1");

class Printer {
  private readonly strings: readonly string[];
  private readonly out: string[];

  constructor(strings: readonly string[], out: string[]) {
    this.strings = strings;
    this.out = out;
  }

  blocks(blocks: readonly Block[], depth: number): void {
    for (const b of blocks) {
      this.line(depth, "block");
      this.stmts(b, depth + 1);
    }
  }

  stmts(block: Block, depth: number): void {
    for (const s of block.stmts) this.stmt(s, depth);
  }

  private line(depth: number, text: string): void {
    this.out.push("  ".repeat(depth) + text);
  }

  private op(operand: Operand): string {
    switch (operand.kind) {
      case "Local":
        return localText(operand.local);
      case "Boolean":
        return String(operand.value);
      case "String":
        return this.string(operand.index);
      case "Constant":
        return `#${operand.index}`;
    }
  }

  private string(index: number): string {
    return JSON.stringify(this.strings[index] ?? `<no string ${index}>`);
  }

  private stmt(s: Stmt, depth: number): void {
    this.line(depth, this.head(s));
    if (s.kind === "BlockStmt" || s.kind === "SwitchStmt") this.blocks(s.blocks, depth + 1);
    if (s.kind === "NotStmt" || s.kind === "ScanStmt" || s.kind === "WithStmt") this.stmts(s.block, depth + 1);
  }

  private head(s: Stmt): string {
    switch (s.kind) {
      case "ArrayAppendStmt":
        return `append ${localText(s.array)} ${this.op(s.value)}`;
      case "AssignIntStmt":
        return `${localText(s.target)} = assign-int ${s.value}`;
      case "AssignVarOnceStmt":
        return `${localText(s.target)} = once ${this.op(s.source)}`;
      case "AssignVarStmt":
        return `${localText(s.target)} = ${this.op(s.source)}`;
      case "BlockStmt":
        return "blocks";
      case "BreakStmt":
        return `break ${s.index}`;
      case "CallDynamicStmt":
        return `${localText(s.result)} = dynamic [${s.path.map((p) => this.op(p)).join(", ")}](${s.args.map(localText).join(", ")})`;
      case "CallStmt":
        return `${localText(s.result)} = call ${word(s.func)}(${s.args.map((a) => this.op(a)).join(", ")})`;
      case "DotStmt":
        return `${localText(s.target)} = get ${this.op(s.source)} ${this.op(s.key)}`;
      case "EqualStmt":
        return `equal ${this.op(s.a)} ${this.op(s.b)}`;
      case "IsArrayStmt":
        return `is-array ${this.op(s.source)}`;
      case "IsDefinedStmt":
        return `is-defined ${localText(s.source)}`;
      case "IsObjectStmt":
        return `is-object ${this.op(s.source)}`;
      case "IsSetStmt":
        return `is-set ${this.op(s.source)}`;
      case "IsUndefinedStmt":
        return `is-undefined ${localText(s.source)}`;
      case "LenStmt":
        return `${localText(s.target)} = len ${this.op(s.source)}`;
      case "MakeArrayStmt":
        return `${localText(s.target)} = array ${s.capacity}`;
      case "MakeNullStmt":
        return `${localText(s.target)} = null`;
      case "MakeNumberIntStmt":
        return `${localText(s.target)} = int ${s.value}`;
      case "MakeNumberRefStmt":
        return `${localText(s.target)} = number ${this.string(s.index)}`;
      case "MakeObjectStmt":
        return `${localText(s.target)} = object`;
      case "MakeSetStmt":
        return `${localText(s.target)} = set`;
      case "NopStmt":
        return "nop";
      case "NotEqualStmt":
        return `not-equal ${this.op(s.a)} ${this.op(s.b)}`;
      case "NotStmt":
        return "not";
      case "ObjectInsertOnceStmt":
        return `insert-once ${localText(s.object)} ${this.op(s.key)} ${this.op(s.value)}`;
      case "ObjectInsertStmt":
        return `insert ${localText(s.object)} ${this.op(s.key)} ${this.op(s.value)}`;
      case "ObjectMergeStmt":
        return `${localText(s.target)} = merge ${localText(s.a)} ${localText(s.b)}`;
      case "PrefixStmt":
        return `${localText(s.target)} = prefix ${this.op(s.source)} ${this.op(s.text)}`;
      case "ResetLocalStmt":
        return `${localText(s.target)} = reset`;
      case "ResultSetAddStmt":
        return `result ${localText(s.value)}`;
      case "ReturnLocalStmt":
        return `return ${localText(s.source)}`;
      case "ScanStmt":
        return `scan ${localText(s.source)} as ${localText(s.key)}, ${localText(s.value)}`;
      case "SetAddStmt":
        return `add ${localText(s.set)} ${this.op(s.value)}`;
      case "SwitchStmt":
        return `switch ${this.op(s.index)}`;
      case "WithStmt":
        return `with ${localText(s.local)} [${s.path.map((p) => this.string(p)).join(", ")}] = ${this.op(s.value)}`;
      default:
        return unreachable(s);
    }
  }
}

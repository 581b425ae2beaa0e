/**
 * For plans that OPA made. Its interpreter addresses base data by text, so that `data.xs[2]` finds element 2 of an array and
 * the key "2" of an object; its plans look up the number alone. Our own plans have both look-ups (plan-data.ts).
 */

import { changedIn, withBlocks } from "../../../compiler/rego/plan/fields.ts";
import {
  type Block,
  DATA,
  type Func,
  type Local,
  local,
  type Plan,
  type Policy,
  type Stmt,
  type StmtOf,
} from "../../../compiler/rego/plan/ir.ts";

/** The same policy, in which an integer finds the value under its text in base data. */
export function addressDataByText(policy: Policy): Policy {
  const strings = [...policy.strings];
  const stringOf = (text: string): number => {
    const known = strings.indexOf(text);
    return known >= 0 ? known : strings.push(text) - 1;
  };
  const rewrite = (blocks: readonly Block[], params: readonly Local[]): Block[] =>
    new Rewriter(strings, stringOf, firstFree(blocks, params)).blocks(blocks);
  const plans: Plan[] = policy.plans.map((p) => ({ ...p, blocks: rewrite(p.blocks, []) }));
  const funcs: Func[] = policy.funcs.map((f) => ({ ...f, blocks: rewrite(f.blocks, f.params) }));
  return { ...policy, plans, funcs, strings };
}

/** A local that nothing uses, nor any above it. */
function firstFree(blocks: readonly Block[], params: readonly Local[]): Local {
  let highest = Math.max(DATA, ...params);
  for (const local of changedIn(blocks)) highest = Math.max(highest, local);
  return highest + 1;
}

class Rewriter {
  private readonly strings: readonly string[];
  private readonly stringOf: (text: string) => number;
  private next: Local;
  /** Locals that hold base data, and those that hold an integer, by its text. */
  private readonly data = new Set<Local>([DATA]);
  private readonly integers = new Map<Local, string>();

  constructor(strings: readonly string[], stringOf: (text: string) => number, next: Local) {
    this.strings = strings;
    this.stringOf = stringOf;
    this.next = next;
  }

  blocks(blocks: readonly Block[]): Block[] {
    return blocks.map(({ stmts }) => ({ stmts: stmts.flatMap((s) => this.stmt(s)) }));
  }

  private stmt(stmt: Stmt): Stmt[] {
    if (stmt.kind === "DotStmt") return this.dot(stmt);
    if (stmt.kind === "MakeNumberIntStmt") this.integers.set(stmt.target, String(stmt.value));
    if (stmt.kind === "MakeNumberRefStmt") this.integers.set(stmt.target, this.strings[stmt.index] as string);
    return [withBlocks(stmt, (block) => this.blocks([block])[0] as Block)];
  }

  private dot(stmt: StmtOf<"DotStmt">): Stmt[] {
    if (stmt.source.kind !== "Local" || !this.data.has(stmt.source.local)) return [stmt];
    this.data.add(stmt.target);
    const text = stmt.key.kind === "Local" ? this.integers.get(stmt.key.local) : undefined;
    if (text === undefined || !/^\d+$/.test(text)) return [stmt];
    const { span, target } = stmt;
    const attempt = (key: StmtOf<"DotStmt">["key"]): Block => {
      const found = this.next++;
      return {
        stmts: [
          { kind: "IsUndefinedStmt", source: target, span },
          { ...stmt, key, target: found },
          { kind: "AssignVarStmt", source: local(found), target, span },
        ],
      };
    };
    return [
      { kind: "ResetLocalStmt", target, span },
      {
        kind: "BlockStmt",
        blocks: [attempt(stmt.key), attempt({ kind: "String", index: this.stringOf(text) })],
        span,
      },
      { kind: "IsDefinedStmt", source: target, span },
    ];
  }
}

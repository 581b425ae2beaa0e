/**
 * IR to OPA's plan JSON (`opa build -t plan`, plan.json): fixed key order, nothing that depends on anything but the policy.
 * Format: https://www.openpolicyagent.org/docs/ir. A deviation from it in OPA's own output that we follow: the field of
 * MakeNumberRefStmt is called `Index`.
 */

import { assert, type Span } from "../diagnostics/index.ts";
import { fieldsOf } from "./fields.ts";
import type { Block, Operand, Policy, Stmt } from "./ir.ts";

/** The plan document of a policy, ready for JSON.stringify. Constants must have been written out before. */
export function writePlanJson(policy: Policy): unknown {
  assert(policy.constants.length === 0, "plan JSON has no constants");
  const at = locator(policy.files);
  const blocks = (list: readonly Block[]): unknown[] => list.map((b) => block(b));
  const block = (b: Block): unknown => ({ stmts: b.stmts.map((s) => writeStmt(s, at, blocks)) });
  return {
    static: {
      strings: policy.strings.map((value) => ({ value })),
      builtin_funcs: policy.builtins.map((b) => ({
        name: b.name,
        decl: {
          args: Array.from({ length: b.arity }, () => ({ type: "any" })),
          result: { type: "any" },
          type: "function",
        },
      })),
      files: policy.files.map((value) => ({ value })),
    },
    plans: { plans: policy.plans.map((p) => ({ name: p.name, blocks: blocks(p.blocks) })) },
    funcs: {
      funcs: policy.funcs.map((f) => ({
        name: f.name,
        params: f.params,
        return: f.result,
        blocks: blocks(f.blocks),
        ...(f.path.length > 0 ? { path: f.path } : {}),
      })),
    },
  };
}

/** The JSON key of a field: as ours, but for one. */
export function keyOf(stmt: string, field: string): string {
  return stmt === "MakeNumberRefStmt" && field === "index" ? "Index" : field;
}

function writeOperand(operand: Operand): unknown {
  switch (operand.kind) {
    case "Local":
      return { type: "local", value: operand.local };
    case "Boolean":
      return { type: "bool", value: operand.value };
    case "String":
      return { type: "string_index", value: operand.index };
    case "Constant":
      return assert(false, "plan JSON has no constant operands");
  }
}

type Location = { readonly file: number; readonly col: number; readonly row: number };

/** File names are looked up once; a statement without a span is at 0:0 of the first file, as OPA writes generated code. */
function locator(files: readonly string[]): (at: Span | undefined) => Location {
  const index = new Map(files.map((name, i) => [name, i]));
  return (at) => {
    const file = at && index.get(at.file.name);
    if (at === undefined || file === undefined) return { file: 0, col: 0, row: 0 };
    const { line, column } = at.file.positionAt(at.start);
    return { file, col: column, row: line };
  };
}

function writeStmt(
  stmt: Stmt,
  at: (at: Span | undefined) => Location,
  blocks: (list: readonly Block[]) => unknown[],
): unknown {
  const body: Record<string, unknown> = {};
  for (const field of fieldsOf(stmt)) {
    const key = keyOf(stmt.kind, field.name);
    if (field.kind === "operand") body[key] = writeOperand(field.value);
    else if (field.kind === "operands") body[key] = field.value.map(writeOperand);
    else if (field.kind === "block") body[key] = blocks([field.value])[0];
    else if (field.kind === "blocks") body[key] = blocks(field.value);
    else body[key] = field.value;
  }
  return { type: stmt.kind, stmt: { ...body, ...at(stmt.span) } };
}

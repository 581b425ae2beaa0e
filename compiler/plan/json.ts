/**
 * OPA's plan JSON (`opa build -t plan`, plan.json) to IR and back. Reading checks every field, since a plan may come from
 * anywhere; writing is canonical: fixed key order, nothing that depends on anything but the policy.
 * Format: https://www.openpolicyagent.org/docs/ir. Deviations from it in OPA's own output that we follow: the field of
 * MakeNumberRefStmt is called `Index`, and `funcs` may be null.
 */

import { assert } from "../base/assert.ts";
import type { SourceFile } from "../base/source-file.ts";
import { type Span, span } from "../base/span.ts";
import { type FieldKind, fieldKindsOf, fieldsOf } from "./fields.ts";
import type { Block, BuiltinDecl, Func, Operand, Plan, Policy, Stmt } from "./ir.ts";

/** What is wrong with a plan, and where in it (`plans[0].blocks[1].stmts[3].target`). */
export class PlanFormatError extends Error {
  override readonly name = "PlanFormatError";
}

/**
 * Reads a parsed plan document. `sources` turns file, row and column into spans where it knows the file; without it the
 * statements have none. Throws PlanFormatError. Names and indexes are not checked against each other: `verifyPolicy` does.
 */
export function readPlanJson(document: unknown, sources: readonly SourceFile[] = []): Policy {
  const root = objectAt(document, "plan");
  const statics = root["static"] == null ? {} : objectAt(root["static"], "static");
  const files = listAt(statics["files"], "static.files").map((f, i) => valueAt(f, `static.files[${i}]`));
  const reader = new Reader(files.map((name) => sources.find((s) => s.name === name)));
  const plans = root["plans"] == null ? {} : objectAt(root["plans"], "plans");
  const funcs = root["funcs"] == null ? {} : objectAt(root["funcs"], "funcs");
  return {
    strings: listAt(statics["strings"], "static.strings").map((s, i) => valueAt(s, `static.strings[${i}]`)),
    constants: [],
    builtins: listAt(statics["builtin_funcs"], "static.builtin_funcs").map(readBuiltin),
    files,
    plans: listAt(plans["plans"], "plans").map((p, i) => reader.plan(p, `plans[${i}]`)),
    funcs: listAt(funcs["funcs"], "funcs").map((f, i) => reader.func(f, `funcs[${i}]`)),
  };
}

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
function keyOf(stmt: string, field: string): string {
  return stmt === "MakeNumberRefStmt" && field === "index" ? "Index" : field;
}

class Reader {
  private readonly files: readonly (SourceFile | undefined)[];

  constructor(files: readonly (SourceFile | undefined)[]) {
    this.files = files;
  }

  plan(value: unknown, path: string): Plan {
    const o = objectAt(value, path);
    return { name: stringAt(o["name"], `${path}.name`), blocks: this.blocks(o["blocks"], `${path}.blocks`) };
  }

  func(value: unknown, path: string): Func {
    const o = objectAt(value, path);
    return {
      name: stringAt(o["name"], `${path}.name`),
      params: listAt(o["params"], `${path}.params`).map((p, i) => intAt(p, `${path}.params[${i}]`)),
      result: intAt(o["return"], `${path}.return`),
      blocks: this.blocks(o["blocks"], `${path}.blocks`),
      path: listAt(o["path"], `${path}.path`).map((p, i) => stringAt(p, `${path}.path[${i}]`)),
    };
  }

  private blocks(value: unknown, path: string): Block[] {
    return listAt(value, path).map((b, i) => this.block(b, `${path}[${i}]`));
  }

  private block(value: unknown, path: string): Block {
    if (value === null) return { stmts: [] };
    return {
      stmts: listAt(objectAt(value, path)["stmts"], `${path}.stmts`).map((s, i) => this.stmt(s, `${path}.stmts[${i}]`)),
    };
  }

  private stmt(value: unknown, path: string): Stmt {
    const o = objectAt(value, path);
    const kind = stringAt(o["type"], `${path}.type`);
    const body = objectAt(o["stmt"], `${path}.stmt`);
    const fields = fieldKindsOf(kind);
    if (fields === undefined) throw new PlanFormatError(`${path}.type: unknown statement ${kind}`);
    const stmt: Record<string, unknown> = { kind };
    for (const [name, fieldKind] of fields) {
      const key = keyOf(kind, name);
      stmt[name] = this.field(body[key], fieldKind, `${path}.${key}`);
    }
    const where = this.span(body);
    if (where !== undefined) stmt["span"] = where;
    return stmt as unknown as Stmt;
  }

  private field(value: unknown, kind: FieldKind, path: string): unknown {
    switch (kind) {
      case "def":
      case "use":
      case "probe":
      case "own":
      case "int":
      case "text":
        return intAt(value, path);
      case "operand":
        return readOperand(value, path);
      case "operands":
        return listAt(value, path).map((v, i) => readOperand(v, `${path}[${i}]`));
      case "uses":
      case "path":
        return listAt(value, path).map((v, i) => intAt(v, `${path}[${i}]`));
      case "func":
        return stringAt(value, path);
      case "block":
        return this.block(value ?? null, path);
      case "blocks":
        return this.blocks(value, path);
    }
  }

  private span(body: Record<string, unknown>): Span | undefined {
    const file = typeof body["file"] === "number" ? this.files[body["file"]] : undefined;
    if (file === undefined || typeof body["row"] !== "number" || typeof body["col"] !== "number") return undefined;
    const start = file.lineStarts()[body["row"] - 1];
    return start === undefined ? undefined : span(file, start + body["col"] - 1, start + body["col"] - 1);
  }
}

function readBuiltin(value: unknown, i: number): BuiltinDecl {
  const path = `static.builtin_funcs[${i}]`;
  const o = objectAt(value, path);
  const decl = objectAt(o["decl"], `${path}.decl`);
  return { name: stringAt(o["name"], `${path}.name`), arity: listAt(decl["args"], `${path}.decl.args`).length };
}

function readOperand(value: unknown, path: string): Operand {
  const o = objectAt(value, path);
  switch (o["type"]) {
    case "local":
      return { kind: "Local", local: intAt(o["value"], `${path}.value`) };
    case "bool":
      if (typeof o["value"] !== "boolean") throw new PlanFormatError(`${path}.value: expected a boolean`);
      return { kind: "Boolean", value: o["value"] };
    case "string_index":
      return { kind: "String", index: intAt(o["value"], `${path}.value`) };
    default:
      throw new PlanFormatError(`${path}.type: unknown operand type ${JSON.stringify(o["type"])}`);
  }
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

function objectAt(value: unknown, path: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new PlanFormatError(`${path}: expected an object`);
  return value as Record<string, unknown>;
}

/** Go writes an empty list as null, or leaves it out. */
function listAt(value: unknown, path: string): readonly unknown[] {
  if (value == null) return [];
  if (!Array.isArray(value)) throw new PlanFormatError(`${path}: expected a list`);
  return value;
}

function stringAt(value: unknown, path: string): string {
  if (typeof value !== "string") throw new PlanFormatError(`${path}: expected a string`);
  return value;
}

function intAt(value: unknown, path: string): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value))
    throw new PlanFormatError(`${path}: expected an integer`);
  return value;
}

/** `{"value": "…"}`, the shape of strings and file names. */
function valueAt(value: unknown, path: string): string {
  return stringAt(objectAt(value, path)["value"], `${path}.value`);
}

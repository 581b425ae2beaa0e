/**
 * OPA's plan JSON (`opa build -t plan`, plan.json) to IR: plans of the oracle are what tests of passes and of code generation
 * run. Every field is checked. `funcs` and empty lists may be null, as in OPA's own output.
 * Format: https://www.openpolicyagent.org/docs/ir
 */

import type { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { type Span, span } from "../../../compiler/rego/diagnostics/span.ts";
import { type FieldKind, fieldKindsOf } from "../../../compiler/rego/plan/fields.ts";
import type { Block, BuiltinDecl, Func, Operand, Plan, Policy, Stmt } from "../../../compiler/rego/plan/ir.ts";
import { keyOf } from "../../../compiler/rego/plan/json.ts";

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
  const reader = new PlanJsonReader(files.map((name) => sources.find((s) => s.name === name)));
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

class PlanJsonReader {
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

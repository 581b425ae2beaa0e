/** Statements with other locals: for moving them into another function. */

import {
  type Block,
  DATA,
  eachLocalIn,
  type Func,
  fieldsOf,
  INPUT,
  type Local,
  type Operand,
  type Plan,
  type Stmt,
} from "../plan/index.ts";

export function renameBlock(block: Block, rename: (local: Local) => Local): Block {
  return { stmts: block.stmts.map((stmt) => renameStmt(stmt, rename)) };
}

export function renameStmt(stmt: Stmt, rename: (local: Local) => Local): Stmt {
  const operand = (o: Operand): Operand => (o.kind === "Local" ? { kind: "Local", local: rename(o.local) } : o);
  const changed: Record<string, unknown> = {};
  for (const field of fieldsOf(stmt)) {
    switch (field.kind) {
      case "def":
      case "use":
      case "probe":
      case "own":
        changed[field.name] = rename(field.value);
        break;
      case "operand":
        changed[field.name] = operand(field.value);
        break;
      case "operands":
        changed[field.name] = field.value.map(operand);
        break;
      case "uses":
        changed[field.name] = field.value.map(rename);
        break;
      case "block":
        changed[field.name] = renameBlock(field.value, rename);
        break;
      case "blocks":
        changed[field.name] = field.value.map((b) => renameBlock(b, rename));
        break;
      case "int":
      case "text":
      case "path":
      case "func":
        break;
    }
  }
  return { ...stmt, ...changed } as Stmt;
}

/** Locals that a function or plan does not mention. Its body is looked through when the first is asked for. */
export class FreshLocals {
  private readonly func: Func | Plan;
  private following: Local | undefined;

  constructor(func: Func | Plan) {
    this.func = func;
  }

  next(): Local {
    const { blocks } = this.func;
    const own = "params" in this.func ? [this.func.result, ...this.func.params] : [INPUT, DATA];
    this.following ??= Math.max(highestLocal(blocks), ...own) + 1;
    return this.following++;
  }
}

/** The highest local that the blocks mention, or -1. */
export function highestLocal(blocks: readonly Block[]): Local {
  let highest = -1;
  eachLocalIn(blocks, (local) => {
    if (local > highest) highest = local;
  });
  return highest;
}

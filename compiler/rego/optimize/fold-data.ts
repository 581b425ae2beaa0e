/**
 * Makes references into the bundle's own data constants.
 *
 * A local is known within the block in which its only assignment stands, after it, and in the blocks inside: there it has
 * been assigned whenever it is read. Functions that run under a `with data…` over the bundle's data read the override, so they
 * are left alone. If they, or a reference with unknown parts, may reach the bundle's data at run time, every plan first puts
 * it where the host's data would be.
 */

import {
  type Block,
  DATA,
  eachLocalIn,
  type Func,
  fieldsOf,
  type Local,
  mapSame,
  type Operand,
  type Plan,
  type Policy,
  type Stmt,
  someStmt,
  withBlocks,
  withBody,
  withStmts,
} from "../plan/index.ts";
import { memberOf, type Value } from "../value/index.ts";
import { ConstantTable } from "./constants.ts";
import { underDataOverride } from "./data-overrides.ts";
import { mapOperands } from "./map-operands.ts";
import { simplifyBlocks } from "./simplify-blocks.ts";

/** `data` is an object; its top-level keys are the roots that belong to the bundle. */
export function foldData(policy: Policy, data: Value): Policy {
  if (data.kind !== "object" || data.entries.length === 0) return policy;
  const strings = new StringTable(policy.strings);
  const constants = new ConstantTable(policy.constants);
  const roots = new Set(data.entries.flatMap(([key]) => (key.kind === "string" ? [key.value] : [])));
  const overridden = underDataOverride(policy, roots);
  const folder = new Folder(policy.strings, constants, data);
  const funcs = policy.funcs.map(
    (f): Func => (overridden.has(f.name) ? f : withBody(f, (blocks) => folder.body(blocks, f.params))),
  );
  const folded = policy.plans.map((p): Plan => withBody(p, (blocks) => folder.body(blocks, [])));
  const names = new Set(policy.funcs.map((f) => f.name));
  const reads = [...funcs, ...folded].some(({ blocks }) =>
    blocks.some((b) => readsRoots(b, policy.strings, roots, names)),
  );
  const plans = reads ? folded.map((p) => withBundleData(p, data, strings, constants)) : folded;
  return { ...policy, strings: strings.texts, constants: constants.values, funcs, plans };
}

/** The known value of a local: the data document itself, or a constant. */
type Known = { readonly kind: "data" } | { readonly kind: "value"; readonly value: Value };
type Environment = ReadonlyMap<Local, Known>;

const DATA_DOCUMENT: Known = { kind: "data" };

class Folder {
  private readonly strings: readonly string[];
  private readonly constants: ConstantTable;
  private readonly data: Value;
  private assignments = new Map<Local, number>();

  constructor(strings: readonly string[], constants: ConstantTable, data: Value) {
    this.strings = strings;
    this.constants = constants;
    this.data = data;
  }

  body(blocks: readonly Block[], params: readonly Local[]): readonly Block[] {
    this.assignments = countAssignments(blocks, params);
    const known = new Map<Local, Known>();
    if ((this.assignments.get(DATA) ?? 0) === (params.includes(DATA) ? 1 : 0)) known.set(DATA, DATA_DOCUMENT);
    return simplifyBlocks(mapSame(blocks, (b) => this.block(b, known)));
  }

  private block(block: Block, outer: Environment): Block {
    const known = new Map(outer);
    const stmts: Stmt[] = [];
    for (const stmt of block.stmts) {
      const result = this.stmt(stmt, known);
      if (result === "fails") {
        stmts.push({ kind: "BreakStmt", index: 0, span: stmt.span });
        break;
      }
      stmts.push(result);
    }
    return withStmts(block, stmts);
  }

  private stmt(stmt: Stmt, known: Map<Local, Known>): Stmt | "fails" {
    if (stmt.kind === "DotStmt") return this.dot(stmt, known);
    if (stmt.kind === "AssignVarStmt") {
      const source = this.know(stmt.source, known);
      if (source !== undefined && this.assignedOnce(stmt.target)) known.set(stmt.target, source);
    }
    const inner = stmt.kind === "WithStmt" ? new Map(known) : known;
    // Data that a `with` replaces is not the bundle's.
    if (stmt.kind === "WithStmt" && stmt.local === DATA) inner.delete(DATA);
    return withBlocks(this.operands(stmt, known), (block) => this.block(block, inner));
  }

  private dot(stmt: Extract<Stmt, { kind: "DotStmt" }>, known: Map<Local, Known>): Stmt | "fails" {
    const source = this.know(stmt.source, known);
    const key = this.text(stmt.key, known);
    if (source === undefined || key === undefined) return this.operands(stmt, known);
    if (source.kind === "data") {
      const root = memberOf(this.data, key);
      return root === undefined ? stmt : this.assign(stmt, root, known);
    }
    if (source.value.kind !== "object") return this.operands(stmt, known);
    const member = memberOf(source.value, key);
    return member === undefined ? "fails" : this.assign(stmt, member, known);
  }

  private assign(stmt: Extract<Stmt, { kind: "DotStmt" }>, value: Value, known: Map<Local, Known>): Stmt {
    if (this.assignedOnce(stmt.target)) known.set(stmt.target, { kind: "value", value });
    return { kind: "AssignVarStmt", source: this.constants.operand(value), target: stmt.target, span: stmt.span };
  }

  /** The text of a key that is a string known here. */
  private text(operand: Operand, known: Environment): string | undefined {
    if (operand.kind === "String") return this.strings[operand.index];
    const value = this.know(operand, known);
    return value?.kind === "value" && value.value.kind === "string" ? value.value.value : undefined;
  }

  private know(operand: Operand, known: Environment): Known | undefined {
    if (operand.kind === "Local") return known.get(operand.local);
    if (operand.kind !== "Constant") return undefined;
    const value = this.constants.values[operand.index];
    return value === undefined ? undefined : { kind: "value", value };
  }

  private assignedOnce(target: Local): boolean {
    return this.assignments.get(target) === 1;
  }

  private operands<S extends Stmt>(stmt: S, known: Environment): S {
    return mapOperands(stmt, (operand) => {
      const value = operand.kind === "Local" ? known.get(operand.local) : undefined;
      return value?.kind === "value" ? this.constants.operand(value.value) : operand;
    });
  }
}

/** Assignments per local; a parameter counts as one. A `with` override does not count: it ends with its block. */
function countAssignments(blocks: readonly Block[], params: readonly Local[]): Map<Local, number> {
  const counts = new Map<Local, number>(params.map((p) => [p, 1]));
  eachLocalIn(blocks, (local, kind) => {
    if (kind === "def") counts.set(local, (counts.get(local) ?? 0) + 1);
  });
  return counts;
}

/** Whether the rest may read the bundle's data from the data document. Passing the document to a function reads nothing. */
function readsRoots(
  block: Block,
  strings: readonly string[],
  roots: ReadonlySet<string>,
  funcs: ReadonlySet<string>,
): boolean {
  return someStmt(block.stmts, (stmt) => {
    if (stmt.kind === "DotStmt" && isData(stmt.source)) {
      return stmt.key.kind !== "String" || roots.has(strings[stmt.key.index] as string);
    }
    return fieldsOf(stmt).some((field) => {
      switch (field.kind) {
        case "operand":
          return isData(field.value);
        case "operands":
          return field.value.some(
            (o, i) => isData(o) && !(stmt.kind === "CallStmt" && funcs.has(stmt.func) && i === DATA),
          );
        case "use":
        case "probe":
          return field.value === DATA;
        case "uses":
          return field.value.some((l, i) => l === DATA && i !== DATA);
        case "path":
        case "def":
        case "own":
        case "int":
        case "text":
        case "func":
        case "block":
        case "blocks":
          return false;
      }
    });
  });
}

function isData(operand: Operand): boolean {
  return operand.kind === "Local" && operand.local === DATA;
}

/** The plan under `with data.<root> as <the bundle's>` for each root. */
function withBundleData(plan: Plan, data: Value, strings: StringTable, constants: ConstantTable): Plan {
  if (data.kind !== "object") return plan;
  const inner: Stmt = { kind: "BlockStmt", blocks: plan.blocks };
  const wrapped = data.entries.reduce<Stmt>((stmt, [key, value]) => {
    if (key.kind !== "string") return stmt;
    return {
      kind: "WithStmt",
      local: DATA,
      path: [strings.index(key.value)],
      value: constants.operand(value),
      block: { stmts: [stmt] },
    };
  }, inner);
  return { ...plan, blocks: [{ stmts: [wrapped] }] };
}

class StringTable {
  readonly texts: string[];

  constructor(texts: readonly string[]) {
    this.texts = [...texts];
  }

  index(text: string): number {
    const known = this.texts.indexOf(text);
    return known >= 0 ? known : this.texts.push(text) - 1;
  }
}

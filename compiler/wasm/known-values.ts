/**
 * What look-ups are known to find: `policy.lanes[input.lane]` is one of the lanes of the policy's data, whichever it is, and
 * if all of them have the same keys, then where `roles` stands in it is known as well. Compiled code then reads the place
 * instead of searching for the key, and searches tables of constants as such.
 */

import { sortedEntries } from "../base/order.ts";
import type { Value } from "../base/value.ts";
import { memberOf } from "../optimize/constants.ts";
import { blocksOf, fieldsOf } from "../plan/fields.ts";
import type { Block, Func, Local, Operand, Policy, Stmt, StmtOf } from "../plan/ir.ts";

/** How a look-up can be made, when more is known of its source than its place in the program says. */
export type KnownDot =
  /** The source is an object of the policy, and the key is that of its entry of this number. */
  | { readonly kind: "entry"; readonly index: number }
  /** The source is an object, or a set, of the policy. */
  | { readonly kind: "object" }
  | { readonly kind: "set" };

export type KnownDots = ReadonlyMap<StmtOf<"DotStmt">, KnownDot>;

/** Groups of more values than this are left alone. */
const MANY = 1_000_000;

/** Values of the policy's data, one of which a local holds wherever it is defined. */
class Group {
  readonly values: readonly Value[];
  private readonly found = new Map<string | undefined, Group>();

  constructor(values: readonly Value[]) {
    this.values = values;
  }

  are(kind: Value["kind"]): boolean {
    return this.values.length > 0 && this.values.every((v) => v.kind === kind);
  }

  /** What looking a key up in one of them may find; without a key, what any key may find. */
  at(key: string | undefined): Group {
    let group = this.found.get(key);
    if (group === undefined) {
      group = new Group(this.values.flatMap((v) => (key === undefined ? elementsOf(v) : elementOf(v, key))));
      this.found.set(key, group);
    }
    return group;
  }

  /** The number of the entry that has this key, if it is the same in all of them. */
  entryOf(key: string): number | undefined {
    let index: number | undefined;
    for (const value of this.values) {
      if (value.kind !== "object") return undefined;
      const at = sortedEntries(value.entries).findIndex(([k]) => k.kind === "string" && k.value === key);
      if (at < 0 || (index !== undefined && index !== at)) return undefined;
      index = at;
    }
    return index;
  }
}

/** What a string finds in a value: a member of an object, or itself in a set. */
function elementOf(value: Value, key: string): readonly Value[] {
  if (value.kind === "set") return value.items.filter((item) => item.kind === "string" && item.value === key);
  const member = memberOf(value, key);
  return member === undefined ? [] : [member];
}

function elementsOf(value: Value): readonly Value[] {
  switch (value.kind) {
    case "object":
      return value.entries.map(([, v]) => v);
    case "array":
    case "set":
      return value.items;
    case "string":
    case "number":
    case "boolean":
    case "null":
      return [];
  }
}

export class KnownValues {
  private readonly policy: Policy;
  private readonly funcs: ReadonlyMap<string, Func>;
  private readonly constants = new Map<number, Group>();
  private readonly functions = new Map<string, FunctionValues>();

  constructor(policy: Policy) {
    this.policy = policy;
    this.funcs = new Map(policy.funcs.map((f) => [f.name, f]));
  }

  /** The look-ups of a function of which something is known. */
  dots(blocks: readonly Block[], params: readonly Local[]): KnownDots {
    return new FunctionValues(this, blocks, params).dots();
  }

  constant(index: number): Group {
    let group = this.constants.get(index);
    if (group === undefined) {
      group = new Group([this.policy.constants[index] as Value]);
      this.constants.set(index, group);
    }
    return group;
  }

  /** What a function of the policy returns. */
  result(name: string): Group | undefined {
    const func = this.funcs.get(name);
    if (func === undefined) return undefined;
    let values = this.functions.get(name);
    if (values === undefined) {
      values = new FunctionValues(this, func.blocks, func.params);
      this.functions.set(name, values);
    }
    return values.returned();
  }

  text(operand: Operand): string | undefined {
    return operand.kind === "String" ? this.policy.strings[operand.index] : undefined;
  }
}

class FunctionValues {
  private readonly known: KnownValues;
  private readonly blocks: readonly Block[];
  /** Statements that assign a local; a local that anything else changes has `undefined` among them. */
  private readonly definitions = new Map<Local, (Stmt | undefined)[]>();
  private readonly groups = new Map<Local, Group | undefined>();

  constructor(known: KnownValues, blocks: readonly Block[], params: readonly Local[]) {
    this.known = known;
    this.blocks = blocks;
    for (const param of params) this.define(param, undefined);
    const visit = (block: Block): void => {
      for (const stmt of block.stmts) {
        for (const f of fieldsOf(stmt)) {
          if (f.kind === "own") this.define(f.value, undefined);
          else if (f.kind === "def" && stmt.kind !== "ResetLocalStmt") this.define(f.value, stmt);
        }
        blocksOf(stmt).forEach(visit);
      }
    };
    blocks.forEach(visit);
  }

  private define(local: Local, stmt: Stmt | undefined): void {
    const list = this.definitions.get(local);
    if (list === undefined) this.definitions.set(local, [stmt]);
    else list.push(stmt);
  }

  dots(): KnownDots {
    const found = new Map<StmtOf<"DotStmt">, KnownDot>();
    const visit = (block: Block): void => {
      for (const stmt of block.stmts) {
        if (stmt.kind === "DotStmt") {
          const dot = this.dot(stmt);
          if (dot !== undefined) found.set(stmt, dot);
        }
        blocksOf(stmt).forEach(visit);
      }
    };
    this.blocks.forEach(visit);
    return found;
  }

  private dot(stmt: StmtOf<"DotStmt">): KnownDot | undefined {
    const source = this.of(stmt.source);
    if (source === undefined) return undefined;
    const key = this.known.text(stmt.key);
    const index = key === undefined ? undefined : source.entryOf(key);
    if (index !== undefined) return { kind: "entry", index };
    return source.are("object") ? { kind: "object" } : source.are("set") ? { kind: "set" } : undefined;
  }

  private of(operand: Operand): Group | undefined {
    if (operand.kind === "Constant") return this.known.constant(operand.index);
    return operand.kind === "Local" ? this.group(operand.local) : undefined;
  }

  /** What the function returns: mostly its result, but a plan from elsewhere may return any local. */
  returned(): Group | undefined {
    const sources: Local[] = [];
    const visit = (block: Block): void => {
      for (const stmt of block.stmts) {
        if (stmt.kind === "ReturnLocalStmt") sources.push(stmt.source);
        blocksOf(stmt).forEach(visit);
      }
    };
    this.blocks.forEach(visit);
    return union(sources.map((source) => this.group(source)));
  }

  /** What the local holds where it is defined; `undefined` when that is not known. */
  group(local: Local): Group | undefined {
    if (this.groups.has(local)) return this.groups.get(local);
    // For a local that depends on itself.
    this.groups.set(local, undefined);
    const groups = (this.definitions.get(local) ?? []).map((stmt) => stmt && this.assigned(stmt));
    const group = union(groups);
    this.groups.set(local, group);
    return group;
  }

  private assigned(stmt: Stmt): Group | undefined {
    if (stmt.kind === "AssignVarStmt" || stmt.kind === "AssignVarOnceStmt") return this.of(stmt.source);
    if (stmt.kind === "CallStmt") return this.known.result(stmt.func);
    return stmt.kind === "DotStmt" ? this.of(stmt.source)?.at(this.known.text(stmt.key)) : undefined;
  }
}

function union(groups: readonly (Group | undefined)[]): Group | undefined {
  const distinct = new Set(groups);
  if (distinct.size === 0 || distinct.has(undefined)) return undefined;
  const [first, ...others] = distinct as Set<Group>;
  const values = others.length === 0 ? undefined : [...distinct].flatMap((g) => (g as Group).values);
  const group = values === undefined ? first : new Group(values);
  return group !== undefined && group.values.length <= MANY ? group : undefined;
}

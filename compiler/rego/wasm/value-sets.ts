/**
 * Value sets: the constants that a local may have as its value. `policy.lanes[input.lane]` has one of the lanes of the
 * policy's data, whichever it is; if all lanes have the same keys, `roles` is the same entry in each. Compiled code then reads
 * that entry instead of searching for the key, and searches tables of constants as such.
 */

import {
  type Block,
  eachLocal,
  eachStmt,
  type Func,
  type Local,
  type Operand,
  type Policy,
  type Stmt,
  type StmtOf,
} from "../plan/index.ts";
import { memberOf, sortedEntries, type Value } from "../value/index.ts";

/** A look-up that needs no search, or no test of types, because of the values that its source may have. */
export type KnownDot =
  /** Each value of the source is an object of the policy, and the key is that of its entry of this number. */
  | { readonly kind: "entry"; readonly index: number }
  /** Each value of the source is an object, or each is a set, of the policy. */
  | { readonly kind: "object" }
  | { readonly kind: "set" };

export type KnownDots = ReadonlyMap<StmtOf<"DotStmt">, KnownDot>;

const NO_DOTS: KnownDots = new Map();

/** Larger sets are unknown ones: they would cost more than they tell. */
const MANY = 1_000_000;

/** Constants of the policy. INVARIANT: a local of this value set has one of them wherever it is defined. */
class ValueSet {
  readonly values: readonly Value[];
  private readonly found = new Map<string | undefined, ValueSet>();
  private readonly numbers = new Map<string, number | undefined>();
  private readonly kinds: ReadonlySet<Value["kind"]>;

  constructor(values: readonly Value[]) {
    this.values = [...new Set(values)];
    this.kinds = new Set(this.values.map((v) => v.kind));
  }

  are(kind: Value["kind"]): boolean {
    return this.kinds.size === 1 && this.kinds.has(kind);
  }

  /** The value set of a look-up in one of them; without a key, of a look-up of any key. */
  at(key: string | undefined): ValueSet {
    let set = this.found.get(key);
    if (set === undefined) {
      set = new ValueSet(this.values.flatMap((v) => (key === undefined ? elementsOf(v) : elementOf(v, key))));
      this.found.set(key, set);
    }
    return set;
  }

  /** The number of the entry with this key, if all of them agree on it. */
  entryOf(key: string): number | undefined {
    if (!this.numbers.has(key)) this.numbers.set(key, this.commonEntry(key));
    return this.numbers.get(key);
  }

  private commonEntry(key: string): number | undefined {
    let index: number | undefined;
    for (const value of this.values) {
      if (value.kind !== "object") return undefined;
      const entries = sortedEntries(value.entries);
      // Rows of a table have it at the same place, nearly always.
      if (index !== undefined && isKey(entries[index]?.[0], key)) continue;
      const at = entries.findIndex(([k]) => isKey(k, key));
      if (at < 0 || (index !== undefined && index !== at)) return undefined;
      index = at;
    }
    return index;
  }
}

function isKey(value: Value | undefined, key: string): boolean {
  return value?.kind === "string" && value.value === key;
}

/** The result of looking a string up: a member of an object, or itself in a set. */
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

export class ValueSets {
  private readonly policy: Policy;
  private readonly funcs: ReadonlyMap<string, Func>;
  private readonly constants = new Map<number, ValueSet>();
  private readonly functions = new Map<string, FunctionValues>();

  constructor(policy: Policy) {
    this.policy = policy;
    this.funcs = new Map(policy.funcs.map((f) => [f.name, f]));
  }

  /** The function's look-ups whose source has a value set. Without constants there is no set. */
  dots(blocks: readonly Block[], params: readonly Local[]): KnownDots {
    if (this.policy.constants.length === 0) return NO_DOTS;
    return new FunctionValues(this, blocks, params).dots();
  }

  constant(index: number): ValueSet {
    let set = this.constants.get(index);
    if (set === undefined) {
      set = new ValueSet([this.policy.constants[index] as Value]);
      this.constants.set(index, set);
    }
    return set;
  }

  /** The value set of the results of a function of the policy. */
  result(name: string): ValueSet | undefined {
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
  private readonly policySets: ValueSets;
  private readonly blocks: readonly Block[];
  /** Statements that assign a local; a local that anything else changes has `undefined` among them. */
  private readonly definitions = new Map<Local, (Stmt | undefined)[]>();
  private readonly sets = new Map<Local, ValueSet | undefined>();

  constructor(policySets: ValueSets, blocks: readonly Block[], params: readonly Local[]) {
    this.policySets = policySets;
    this.blocks = blocks;
    for (const param of params) this.define(param, undefined);
    eachStmt(blocks, (stmt) => {
      eachLocal(stmt, (local, kind) => {
        if (kind === "own") this.define(local, undefined);
        else if (kind === "def" && stmt.kind !== "ResetLocalStmt") this.define(local, stmt);
      });
    });
  }

  private define(local: Local, stmt: Stmt | undefined): void {
    const list = this.definitions.get(local);
    if (list === undefined) this.definitions.set(local, [stmt]);
    else list.push(stmt);
  }

  dots(): KnownDots {
    const found = new Map<StmtOf<"DotStmt">, KnownDot>();
    eachStmt(this.blocks, (stmt) => {
      const dot = stmt.kind === "DotStmt" ? this.dot(stmt) : undefined;
      if (stmt.kind === "DotStmt" && dot !== undefined) found.set(stmt, dot);
    });
    return found;
  }

  private dot(stmt: StmtOf<"DotStmt">): KnownDot | undefined {
    const source = this.of(stmt.source);
    if (source === undefined) return undefined;
    const key = this.policySets.text(stmt.key);
    const index = key === undefined ? undefined : source.entryOf(key);
    if (index !== undefined) return { kind: "entry", index };
    return source.are("object") ? { kind: "object" } : source.are("set") ? { kind: "set" } : undefined;
  }

  private of(operand: Operand): ValueSet | undefined {
    if (operand.kind === "Constant") return this.policySets.constant(operand.index);
    return operand.kind === "Local" ? this.valueSet(operand.local) : undefined;
  }

  /** The value set of the returned local: mostly the result, but a plan from elsewhere may return any. */
  returned(): ValueSet | undefined {
    const sources: Local[] = [];
    eachStmt(this.blocks, (stmt) => {
      if (stmt.kind === "ReturnLocalStmt") sources.push(stmt.source);
    });
    return union(sources.map((source) => this.valueSet(source)));
  }

  /** The value set of a local; `undefined` when it is unknown. */
  valueSet(local: Local): ValueSet | undefined {
    if (this.sets.has(local)) return this.sets.get(local);
    // A local that depends on itself is unknown.
    this.sets.set(local, undefined);
    const sets = (this.definitions.get(local) ?? []).map((stmt) => stmt && this.assigned(stmt));
    const set = union(sets);
    this.sets.set(local, set);
    return set;
  }

  private assigned(stmt: Stmt): ValueSet | undefined {
    if (stmt.kind === "AssignVarStmt" || stmt.kind === "AssignVarOnceStmt") return this.of(stmt.source);
    if (stmt.kind === "CallStmt") return this.policySets.result(stmt.func);
    return stmt.kind === "DotStmt" ? this.of(stmt.source)?.at(this.policySets.text(stmt.key)) : undefined;
  }
}

function union(sets: readonly (ValueSet | undefined)[]): ValueSet | undefined {
  const distinct = new Set(sets);
  if (distinct.size === 0 || distinct.has(undefined)) return undefined;
  const [first, ...others] = distinct as Set<ValueSet>;
  const values = others.length === 0 ? undefined : [...distinct].flatMap((g) => (g as ValueSet).values);
  const set = values === undefined ? first : new ValueSet(values);
  return set !== undefined && set.values.length <= MANY ? set : undefined;
}

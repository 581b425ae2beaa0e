/**
 * Evaluates planned rules for all requests at once. Each statement runs under the condition that it is reached, each local has
 * cases, and a block ends in several ways, each under its condition: as `Evaluator` of `@portcullis/rego/optimize` has them.
 *
 * INVARIANT: for every request, and what the unknowns then are, the result is that of the evaluation. What has no words in the
 * fragment makes the function around it give anything, or nothing, or fail: for the same arguments the same.
 */

import {
  type Block,
  type Func,
  isEvaluatedOnce,
  type Operand,
  type Policy,
  type Stmt,
  type StmtOf,
} from "@portcullis/rego/plan";
import { compareValues, type Value } from "@portcullis/rego/value";
import { Builtins, type KnownBuiltin } from "./builtins.ts";
import { type CaseMaker, type Cases, knownOf, type Made, type Part } from "./cases.ts";
import { END, Endings, type Ends, RETURN } from "./ends.ts";
import { Relations } from "./equality.ts";
import type { Formula, Formulas } from "./formula.ts";
import { type Constants, Frame } from "./frame.ts";
import { Growth } from "./growth.ts";
import { type LeftOpen, NotEncodable } from "./not-encodable.ts";
import { holdAnyOrder, localsOf } from "./own-locals.ts";
import { Turns } from "./turns.ts";
import type { Unknown, Unknowns } from "./unknowns.ts";

/** The key of the returned value in a frame. */
const RETURNED = -1;
const MAX_CALL_DEPTH = 100;

/** What a collection grows by. */
type Growing = Parameters<Growth["grown"]> extends [Cases, ...infer Rest] ? Rest : never;

/** What a function gives, and when it fails the whole evaluation. */
export interface Outcome {
  readonly value: Cases;
  readonly fails: Formula;
}

/** By the names of functions and their arguments. */
export type Outcomes = Map<string, Outcome>;

export interface MachineOptions {
  readonly policy: Policy;
  readonly data: Cases;
  /** Values of the data that the host gives. */
  readonly holes: ReadonlyMap<Value, Unknown>;
  readonly known: KnownBuiltin;
  /** Names functions: those of one name give the same for the same arguments, whatever they give. */
  readonly nameOf: (func: Func) => string;
  /** Outcomes that are known already. */
  readonly outcomes: Outcomes;
  /** Functions that are not looked at, and may give anything. */
  readonly leftOut: (func: Func) => boolean;
}

export class Machine {
  /** What was left open, each place once. */
  readonly open = new Map<string, LeftOpen>();
  private readonly policy: Policy;
  private readonly constants: Constants;
  private readonly maker: CaseMaker;
  private readonly relations: Relations;
  private readonly builtins: Builtins;
  private readonly unknowns: Unknowns;
  private readonly formulas: Formulas;
  private readonly nameOf: (func: Func) => string;
  private readonly funcs: ReadonlyMap<string, Func>;
  private readonly paths: ReadonlyMap<string, Func>;
  private readonly outcomes: Outcomes;
  private readonly leftOut: (func: Func) => boolean;
  private readonly endings: Endings;
  private readonly turns: Turns;
  private readonly growth: Growth;
  private depth = 0;

  constructor(maker: CaseMaker, { policy, data, holes, known, nameOf, outcomes, leftOut }: MachineOptions) {
    this.policy = policy;
    this.maker = maker;
    this.unknowns = maker.unknowns;
    this.formulas = maker.unknowns.formulas;
    this.constants = { maker, plan: policy, data };
    this.relations = new Relations(maker, holes);
    this.builtins = new Builtins(maker, this.relations, known);
    this.endings = new Endings(maker.unknowns.formulas);
    this.turns = new Turns(maker, this.relations);
    this.growth = new Growth(maker);
    this.nameOf = nameOf;
    this.outcomes = outcomes;
    this.leftOut = leftOut;
    this.funcs = new Map(policy.funcs.map((f) => [f.name, f]));
    this.paths = new Map(policy.funcs.filter((f) => f.path.length > 0).map((f) => [f.path.join("/"), f]));
  }

  /** The value of a rule, `a/b/rule`. */
  rule(path: string): Outcome {
    const func = this.paths.get(`g0/${path}`);
    if (func === undefined) throw new NotEncodable(`there is no rule \`${path}\``);
    return this.call(func, []);
  }

  /** When the value of a rule is an object with `allowed: true`, or is true itself, and nothing fails. */
  allows(path: string): Formula {
    const { formulas } = this;
    const { value, fails } = this.rule(path);
    const yes: Value = { kind: "boolean", value: true };
    const isTrue = this.compared(true, value, this.maker.known(yes));
    return formulas.or(formulas.and(isTrue, formulas.not(fails)), this.says(path, "allowed", yes));
  }

  /** When the value of a rule is an object with this member, and nothing fails. */
  says(path: string, name: string, said: Value): Formula {
    const { value, fails } = this.rule(path);
    const found = this.relations.element(value, this.maker.known({ kind: "string", value: name }));
    return this.formulas.and(this.compared(true, found, this.maker.known(said)), this.formulas.not(fails));
  }

  /** When the evaluation of a rule has no result, since two values stand against each other. */
  fails(path: string): Formula {
    return this.rule(path).fails;
  }

  private call(func: Func, args: readonly Cases[]): Outcome {
    const key = `${this.nameOf(func)}(${args.map((cases) => this.maker.keysOf(cases)).join(", ")})`;
    const known = this.outcomes.get(key);
    if (known !== undefined) return known;
    const outcome = this.callee(func, args);
    this.outcomes.set(key, outcome);
    return outcome;
  }

  private callee(func: Func, args: readonly Cases[]): Outcome {
    if (this.leftOut(func)) return this.anything(func, args);
    if (this.depth === MAX_CALL_DEPTH) throw new NotEncodable("calls that are too deep");
    const frame = new Frame(func, args, this.constants);
    this.depth++;
    try {
      this.blocks(func.blocks, frame, this.formulas.true);
    } catch (error) {
      if (!(error instanceof NotEncodable)) throw error;
      const span = func.blocks.flatMap(({ stmts }) => stmts).find((stmt) => stmt.span !== undefined)?.span;
      this.open.set(func.name, { what: `${func.path.join(".") || func.name}: ${error.why}`, span });
      return this.anything(func, args);
    } finally {
      this.depth--;
    }
    return { value: this.maker.interned(frame.locals.get(RETURNED) ?? []), fails: frame.fails };
  }

  private anything(func: Func, args: readonly Cases[]): Outcome {
    const name = `${this.nameOf(func)}(${args.map((cases) => this.maker.keysOf(cases)).join(", ")})`;
    const unknown = this.unknowns.named(name, { from: "result" });
    return { value: this.maker.unknown(unknown), fails: this.formulas.free(`${name} fails`) };
  }

  /** The ends of a block statement. */
  private blocks(blocks: readonly Block[], frame: Frame, reached: Formula): Ends {
    const ends: Ends = new Map();
    let live = reached;
    for (const block of blocks) {
      if (live === this.formulas.false) break;
      live = this.endings.after(this.block(block, frame, live), ends, live);
    }
    return this.endings.add(ends, END, live);
  }

  private block(block: Block, frame: Frame, reached: Formula): Ends {
    const ends: Ends = new Map();
    let live = reached;
    for (const stmt of block.stmts) {
      if (live === this.formulas.false) break;
      const ended = this.stmt(stmt, frame, live);
      live = ended.get(END) ?? this.formulas.false;
      for (const [left, when] of ended) if (left !== END) this.endings.add(ends, left, when);
    }
    return this.endings.add(ends, END, live);
  }

  /** Sets a local under a condition, and goes on where there is a value. */
  private set(frame: Frame, local: number, cases: Cases, reached: Formula): Ends {
    frame.assign(local, cases, reached);
    return this.endings.test(reached, this.maker.isDefined(cases));
  }

  private stmt(stmt: Stmt, frame: Frame, reached: Formula): Ends {
    const { formulas } = this;
    const read = (operand: Operand): Cases => frame.operand(operand, reached);
    const set = (local: number, cases: Cases): Ends => this.set(frame, local, cases, reached);
    const number = (text: string): Cases => this.maker.known({ kind: "number", text });
    const make = (kind: Made["kind"]): Cases => [{ when: formulas.true, item: this.maker.made(kind, []) }];
    switch (stmt.kind) {
      case "NopStmt":
        return this.endings.test(reached, formulas.true);
      case "AssignIntStmt":
      case "MakeNumberIntStmt":
        return set(stmt.target, number(String(stmt.value)));
      case "MakeNumberRefStmt":
        return set(stmt.target, number(this.policy.strings[stmt.index] as string));
      case "MakeNullStmt":
        return set(stmt.target, this.maker.known({ kind: "null" }));
      case "MakeArrayStmt":
        return set(stmt.target, make("array"));
      case "MakeSetStmt":
        return set(stmt.target, make("set"));
      case "MakeObjectStmt":
        return set(stmt.target, make("object"));
      case "AssignVarStmt":
        frame.assign(stmt.target, this.growth.handedOn(read(stmt.source)), reached);
        return this.endings.test(reached, formulas.true);
      case "AssignVarOnceStmt":
        return this.assignOnce(frame, stmt.target, this.growth.handedOn(read(stmt.source)), reached);
      case "ResetLocalStmt":
        frame.assign(stmt.target, [], reached);
        return this.endings.test(reached, formulas.true);
      case "DotStmt":
        return set(stmt.target, this.relations.element(read(stmt.source), read(stmt.key)));
      case "LenStmt":
        return set(stmt.target, this.builtins.call("count", [read(stmt.source)]));
      case "EqualStmt":
      case "NotEqualStmt":
        return this.endings.test(reached, this.compared(stmt.kind === "EqualStmt", read(stmt.a), read(stmt.b)));
      case "IsArrayStmt":
        return this.endings.test(reached, this.isOfKind(read(stmt.source), "array"));
      case "IsObjectStmt":
        return this.endings.test(reached, this.isOfKind(read(stmt.source), "object"));
      case "IsSetStmt":
        return this.endings.test(reached, this.isOfKind(read(stmt.source), "set"));
      case "IsDefinedStmt":
        return this.endings.test(reached, this.maker.isDefined(frame.read(stmt.source, reached)));
      case "IsUndefinedStmt":
        return this.endings.test(reached, formulas.not(this.maker.isDefined(frame.read(stmt.source, reached))));
      case "ArrayAppendStmt":
        return this.append(frame, "array", stmt.array, this.growth.handedOn(read(stmt.value)), reached);
      case "SetAddStmt":
        return this.append(frame, "set", stmt.set, this.growth.handedOn(read(stmt.value)), reached);
      case "ObjectInsertStmt":
      case "ObjectInsertOnceStmt":
        return this.insert(frame, stmt, read(stmt.key), this.growth.handedOn(read(stmt.value)), reached);
      case "BlockStmt":
        return this.blocks(stmt.blocks, frame, reached);
      case "BreakStmt":
        return new Map([[stmt.index, reached]]);
      case "NotStmt":
        return this.endings.negated(this.block(stmt.block, frame, reached));
      case "ScanStmt":
        return this.scan(stmt, frame, reached);
      case "CallStmt":
        return set(stmt.result, this.called(stmt, frame, reached));
      case "ReturnLocalStmt":
        frame.assign(RETURNED, this.growth.handedOn(frame.read(stmt.source, reached)), reached);
        return new Map([[RETURN, reached]]);
      case "CallDynamicStmt":
        return this.callDynamic(stmt, frame, reached);
      case "ObjectMergeStmt":
      case "PrefixStmt":
      case "ResultSetAddStmt":
      case "SwitchStmt":
      case "WithStmt":
        throw new NotEncodable(stmt.kind === "WithStmt" ? "`with`" : stmt.kind);
    }
  }

  private assignOnce(frame: Frame, local: number, cases: Cases, reached: Formula): Ends {
    const { formulas } = this;
    const old = frame.read(local, reached);
    for (const a of cases)
      for (const b of old) {
        const both = formulas.and(reached, a.when, b.when);
        if (both === formulas.false) continue;
        const differ = formulas.not(this.relations.equal(a.item, b.item));
        frame.fails = formulas.or(frame.fails, formulas.and(both, differ));
      }
    frame.assign(local, cases, formulas.and(reached, this.maker.isDefined(cases)));
    return this.endings.test(reached, this.maker.isDefined(cases));
  }

  private compared(isEqual: boolean, a: Cases, b: Cases): Formula {
    const { formulas } = this;
    return formulas.or(
      ...a.flatMap((x) =>
        b.map((y) => {
          const equal = this.relations.equal(x.item, y.item);
          return formulas.and(x.when, y.when, isEqual ? equal : formulas.not(equal));
        }),
      ),
    );
  }

  private isOfKind(cases: Cases, kind: "array" | "object" | "set"): Formula {
    const { formulas } = this;
    return formulas.or(...cases.map(({ when, item }) => formulas.and(when, this.relations.isOfKind(item, kind))));
  }

  private append(frame: Frame, kind: "array" | "set", local: number, value: Cases, reached: Formula): Ends {
    const isThere = this.maker.isDefined(value);
    this.grow(frame, local, kind, this.formulas.and(reached, isThere), () => [
      { when: this.formulas.true, value: this.maker.under(value, isThere), loose: kind === "array" && frame.loose > 0 },
    ]);
    return this.endings.test(reached, isThere);
  }

  private insert(
    frame: Frame,
    { kind, object }: StmtOf<"ObjectInsertStmt" | "ObjectInsertOnceStmt">,
    key: Cases,
    value: Cases,
    reached: Formula,
  ): Ends {
    const { formulas } = this;
    const isThere = formulas.and(this.maker.isDefined(key), this.maker.isDefined(value));
    const parts: Part[] = key.map(({ when, item }) => {
      if (item.is !== "known") throw new NotEncodable("an object with a key that is not known");
      return { when: this.maker.relative(when, isThere), key: item.value, value: this.maker.under(value, isThere) };
    });
    const here = formulas.and(reached, isThere);
    this.grow(frame, object, "object", here, (made, when) => {
      if (kind === "ObjectInsertOnceStmt") {
        for (const part of parts)
          for (const old of made) {
            if (compareValues(old.key as Value, part.key as Value) !== 0) continue;
            const differ = this.compared(false, old.value, part.value);
            frame.fails = formulas.or(frame.fails, formulas.and(here, when, old.when, part.when, differ));
          }
      }
      return parts;
    });
    return this.endings.test(reached, isThere);
  }

  private grow(frame: Frame, local: number, ...[kind, reached, more]: Growing): void {
    if (reached === this.formulas.false) return;
    frame.locals.set(local, this.growth.grown(frame.locals.get(local) ?? [], kind, reached, more));
  }

  private scan(stmt: StmtOf<"ScanStmt">, frame: Frame, reached: Formula): Ends {
    const ends: Ends = new Map();
    let live = reached;
    for (const { when, item } of frame.read(stmt.source, reached)) {
      for (const turn of this.turns.of(item)) {
        const here = this.formulas.and(live, when, turn.when);
        if (here === this.formulas.false) continue;
        if (turn.isLoose === true) holdAnyOrder(stmt, frame.func);
        // What an earlier turn left in its own locals is not read again.
        for (const local of localsOf(stmt, frame.func)) frame.locals.delete(local);
        frame.assign(stmt.key, turn.key, here);
        frame.assign(stmt.value, turn.value, here);
        if (turn.isLoose === true) frame.loose++;
        const goesOn = this.endings.after(this.block(stmt.block, frame, here), ends, here);
        if (turn.isLoose === true) frame.loose--;
        if (goesOn === here) continue;
        const isElsewhere = this.formulas.not(this.formulas.and(when, turn.when));
        live = this.formulas.or(goesOn, this.formulas.and(live, isElsewhere));
      }
    }
    return this.endings.add(ends, END, live);
  }

  private called(stmt: StmtOf<"CallStmt">, frame: Frame, reached: Formula): Cases {
    const { formulas } = this;
    const func = this.funcs.get(stmt.func);
    const args = (func === undefined ? stmt.args : stmt.args.slice(2)).map((arg) =>
      this.maker.interned(this.growth.handedOn(frame.operand(arg, reached))),
    );
    const areThere = formulas.and(...args.map((cases) => this.maker.isDefined(cases)));
    if (formulas.and(reached, areThere) === formulas.false) return [];
    if (func === undefined) {
      const before = this.builtins.open.size;
      const value = this.builtins.call(stmt.func, args);
      if (this.builtins.open.size > before)
        this.open.set(stmt.func, { what: `\`${stmt.func}\` of what is not known`, span: stmt.span });
      return value;
    }
    const { value, fails } = this.call(func, isEvaluatedOnce(func) ? [] : args);
    frame.fails = formulas.or(frame.fails, formulas.and(reached, areThere, fails));
    return this.maker.guarded(value, areThere);
  }

  /** Where there is no such function the statement fails; where it has no value, four blocks are left. */
  private callDynamic(stmt: StmtOf<"CallDynamicStmt">, frame: Frame, reached: Formula): Ends {
    const path = stmt.path.map((operand) => knownOf(frame.operand(operand, reached)));
    if (path.includes(undefined)) throw new NotEncodable("a rule whose name is not known");
    const names = path.map((part) => (part?.kind === "string" ? part.value : undefined));
    const func = names.includes(undefined) ? undefined : this.paths.get(names.join("/"));
    if (func === undefined) return this.endings.test(reached, this.formulas.false);
    const args = stmt.args.slice(2).map((arg) => this.maker.interned(this.growth.handedOn(frame.read(arg, reached))));
    const { value, fails } = this.call(func, args);
    frame.fails = this.formulas.or(frame.fails, this.formulas.and(reached, fails));
    frame.assign(stmt.result, value, reached);
    const isThere = this.maker.isDefined(value);
    const ends: Ends = new Map();
    this.endings.add(ends, END, this.formulas.and(reached, isThere));
    return this.endings.add(ends, 3, this.formulas.and(reached, this.formulas.not(isThere)));
  }
}

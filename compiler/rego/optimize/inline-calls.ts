/**
 * Inlining: the statements of a small function stand where it was called.
 *
 * INVARIANT: only a function of one body is inlined. It ends by assigning the result and fails where the function is
 * undefined; in its block, a call does just the same.
 *
 * A rule is evaluated once an evaluation, and its memo is read by every further call. So a rule is inlined when that costs
 * no more than its memo (it is short and calls nothing), or when it has one call, which runs once at most.
 */

import {
  assignedBy,
  type Block,
  blocksOf,
  DATA,
  eachLocal,
  eachLocalIn,
  eachStmt,
  type Func,
  INPUT,
  type Local,
  mapSame,
  mapStmts,
  measure,
  type Operand,
  type Policy,
  type Stmt,
  type StmtOf,
  someStmt,
  undefinedLocals,
  withBlocks,
  withBody,
} from "../plan/index.ts";
import { calledIn, calleesFirst } from "./call-order.ts";
import { FreshLocals, renameStmt } from "./rename.ts";

/** A rule of at most this many statements is inlined wherever it is called. */
const SHORT = 12;
/** A function of more statements than this is never inlined. */
const LONG = 60;
/** A function grows by inlining up to this many statements. */
const FULL = 1500;

export function inlineCalls(policy: Policy): Policy {
  const inliner = new Inliner(policy);
  // Callees first, so that a long chain of rules does not become as deep a recursion.
  for (const name of calleesFirst(policy)) inliner.result(name);
  return { ...policy, funcs: mapSame(policy.funcs, (f) => inliner.result(f.name) as Func) };
}

/** A function that can be inlined: the statements of its body, the last of which assigns the result. */
interface Template {
  readonly func: Func;
  readonly stmts: readonly Stmt[];
  readonly size: number;
  /** Short, without a loop or a call. */
  readonly cheap: boolean;
  /** Locals that may be read before they are assigned. They are reset first: an earlier turn may have assigned them. */
  readonly fresh: readonly Local[];
}

class Inliner {
  private readonly funcs: ReadonlyMap<string, Func>;
  private readonly callSites: ReadonlyMap<string, number>;
  private readonly done = new Map<string, Func>();
  private readonly templates = new Map<string, Template | undefined>();
  private readonly active = new Set<string>();

  constructor(policy: Policy) {
    this.funcs = new Map(policy.funcs.map((f) => [f.name, f]));
    this.callSites = countCalls(policy);
  }

  /** The function after inlining. Its callees come first, so that they are inlined in their final form. */
  result(name: string): Func | undefined {
    const known = this.done.get(name);
    const func = this.funcs.get(name);
    if (known !== undefined || func === undefined || this.active.has(name)) return known ?? func;
    this.active.add(name);
    const body = new Body(this, func);
    const inlined = withBody(func, (blocks) => mapSame(blocks, (b) => body.block(b, false)));
    this.active.delete(name);
    this.done.set(name, inlined);
    return inlined;
  }

  /** The template of `name`; `undefined` where it must stay a call. `again`: the call may run more than once. */
  template(name: string, again: boolean): Template | undefined {
    const func = this.result(name);
    if (func === undefined || func.once || this.active.has(name)) return undefined;
    if (!this.templates.has(name)) this.templates.set(name, templateOf(func));
    const template = this.templates.get(name);
    if (template === undefined || template.size > LONG) return undefined;
    if (template.cheap) return template;
    const isRule = func.params.length === 2;
    const once = this.callSites.get(name) === 1 && !(isRule && again);
    return once ? template : undefined;
  }
}

/** One function whose calls are being inlined. */
class Body {
  private readonly inliner: Inliner;
  private readonly func: Func;
  private readonly runsAgain: boolean;
  private readonly fresh: FreshLocals;
  private undefinedOnes: ReadonlySet<Local> | undefined;
  private size: number | undefined;

  constructor(inliner: Inliner, func: Func) {
    this.inliner = inliner;
    this.func = func;
    // A rule runs once an evaluation, a function as often as it is called.
    this.runsAgain = func.params.length > 2;
    this.fresh = new FreshLocals(func);
  }

  private mayBeUndefined(l: Local): boolean {
    this.undefinedOnes ??= undefinedLocals(this.func.blocks);
    return this.undefinedOnes.has(l);
  }

  block(block: Block, inLoop: boolean): Block {
    return mapStmts(block, (stmt) => this.stmt(stmt, inLoop));
  }

  private stmt(stmt: Stmt, inLoop: boolean): Stmt | readonly Stmt[] {
    if (stmt.kind !== "CallStmt") {
      return withBlocks(stmt, (block) => this.block(block, inLoop || stmt.kind === "ScanStmt"));
    }
    const template = this.inliner.template(stmt.func, inLoop || this.runsAgain);
    if (template === undefined || !passesInputAndData(stmt)) return stmt;
    this.size ??= measure(this.func.blocks).statements;
    if (this.size + template.size > FULL) return stmt;
    this.size += template.size;
    return this.inline(stmt, template);
  }

  private inline(call: StmtOf<"CallStmt">, template: Template): Stmt[] {
    const { func } = template;
    const names = new Map<Local, Local>([
      [INPUT, INPUT],
      [DATA, DATA],
    ]);
    const binds = func.params.slice(2).flatMap((param, i): Stmt[] => {
      const arg = call.args[i + 2] as Operand;
      names.set(param, this.fresh.next());
      const target = names.get(param) as Local;
      const check: Stmt[] =
        arg.kind === "Local" && this.mayBeUndefined(arg.local)
          ? [{ kind: "IsDefinedStmt", source: arg.local, span: call.span }]
          : [];
      return [...check, { kind: "AssignVarStmt", source: arg, target, span: call.span }];
    });
    // Only now: an argument may be the local that takes the result.
    names.set(func.result, call.result);
    const rename = (old: Local): Local => {
      let name = names.get(old);
      if (name === undefined) {
        name = this.fresh.next();
        names.set(old, name);
      }
      return name;
    };
    const resets = template.fresh.map((l): Stmt => ({ kind: "ResetLocalStmt", target: rename(l) }));
    return [...binds, ...resets, ...template.stmts.map((s) => renameStmt(s, rename))];
  }
}

/** Our planner passes every rule the input and data of its caller. A plan from elsewhere may not. */
function passesInputAndData(call: StmtOf<"CallStmt">): boolean {
  return [INPUT, DATA].every((l) => {
    const arg = call.args[l];
    return arg?.kind === "Local" && arg.local === l;
  });
}

function templateOf(func: Func): Template | undefined {
  const [body, end, ...others] = func.blocks;
  const [last, ...behind] = end?.stmts ?? [];
  if (body === undefined || others.length > 0 || behind.length > 0) return undefined;
  if (last?.kind !== "ReturnLocalStmt" || last.source !== func.result) return undefined;
  if (func.params[INPUT] !== INPUT || func.params[DATA] !== DATA) return undefined;
  const final = body.stmts[body.stmts.length - 1];
  const result = final === undefined ? undefined : resultOf(final, func.result);
  const before = body.stmts.slice(0, -1);
  if (result === undefined || before.some((s) => mentions(s, func.result)) || someStmt(before, isUnmovable))
    return undefined;
  const mayBeUndefined = undefinedLocals(func.blocks);
  const [, ...params] = func.params.slice(1);
  const mentioned = (l: Local): boolean => before.some((s) => mentions(s, l));
  const fresh = [...new Set([...probed(before), ...mayBeUndefined])].filter(
    (l) => l !== INPUT && l !== DATA && !params.includes(l) && l !== func.result && mentioned(l),
  );
  const check: Stmt[] =
    result.kind === "AssignVarStmt" && result.source.kind === "Local" && mayBeUndefined.has(result.source.local)
      ? [{ kind: "IsDefinedStmt", source: result.source.local, span: result.span }]
      : [];
  const size = measure([body]).statements;
  return {
    func,
    stmts: [...before, ...check, result],
    size,
    cheap: size <= SHORT && !someStmt(before, isDear) && !isDear(result),
    fresh,
  };
}

/** The statement that assigns the result, as a plain assignment: nothing was assigned before it. */
function resultOf(stmt: Stmt, result: Local): Stmt | undefined {
  if (stmt.kind === "AssignVarOnceStmt" && stmt.target === result) {
    return { kind: "AssignVarStmt", source: stmt.source, target: result, span: stmt.span };
  }
  const assigns = assignedBy(stmt).includes(result);
  if (!assigns || blocksOf(stmt).length > 0) return undefined;
  return stmt.kind === "ResetLocalStmt" ? undefined : stmt;
}

function mentions(stmt: Stmt, wanted: Local): boolean {
  let found = false;
  eachLocalIn([{ stmts: [stmt] }], (l) => {
    found ||= l === wanted;
  });
  return found;
}

/** Returns from inside, and dynamic calls, which leave blocks by number: in another function they mean something else. */
function isUnmovable(stmt: Stmt): boolean {
  return stmt.kind === "ReturnLocalStmt" || stmt.kind === "CallDynamicStmt" || stmt.kind === "ResultSetAddStmt";
}

const CHEAP_BUILTINS = /^(is_[a-z]+|equal|neq|lt|lte|gt|gte|startswith|endswith|internal\.member_2)$/;

function isDear(stmt: Stmt): boolean {
  if (stmt.kind === "ScanStmt" || stmt.kind === "WithStmt") return true;
  if (stmt.kind === "CallStmt") return !CHEAP_BUILTINS.test(stmt.func);
  return stmt.kind.startsWith("Make") && stmt.kind !== "MakeNullStmt" && !stmt.kind.startsWith("MakeNumber");
}

/** Locals that are tested, or assigned once: for these, undefined has a meaning. */
function probed(stmts: readonly Stmt[]): Local[] {
  const found = new Set<Local>();
  eachStmt([{ stmts }], (stmt) => {
    if (stmt.kind === "AssignVarOnceStmt") found.add(stmt.target);
    eachLocal(stmt, (l, kind) => {
      if (kind === "probe") found.add(l);
    });
  });
  return [...found];
}

function countCalls(policy: Policy): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { blocks } of [...policy.plans, ...policy.funcs])
    for (const name of calledIn(blocks)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

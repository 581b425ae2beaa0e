/**
 * A function of the IR as a function of the module. Locals become wasm locals, blocks become wasm blocks that a failing
 * statement leaves. A rule function (parameters input and data, nothing else) keeps its result in the memo frame, with the
 * number of the evaluation.
 */

import { COLLECTION_ITEMS } from "@portcullis/runtime/abi";
import {
  type Block,
  DATA,
  type Func,
  INPUT,
  type Local,
  mentionsIn,
  type Operand,
  type Plan,
  type Stmt,
  undefinedLocals,
} from "../plan/index.ts";
import { emitBlock } from "./emit-stmt.ts";
import { type InputDots, inputDots } from "./input-layout.ts";
import type { FuncTarget, PolicyLayout } from "./layout.ts";
import { HEAP_FLOOR, HEAP_POINTER, MEMO_EPOCH, MEMO_FRAME, STEPS_LEFT } from "./link.ts";
import { WasmLocals } from "./locals.ts";
import { code, type Expr, i32, none, type ValueType } from "./module/code.ts";
import { NumberedRecords } from "./numbered-records.ts";
import { type Reclaim, reclaimIn, type Scan } from "./reclaim.ts";
import type { KnownDots } from "./value-sets.ts";

/** Bytes of a slot of the memo frame. */
export const MEMO_SLOT_SIZE = 8;

/**
 * Look-ups and memos of a function that are looked into where a statement stands: engines keep all locals of a function at each
 * branch while they compile it, gigabytes for 25,000. Beyond as many, there are calls.
 */
const MOST_IN_PLACE = 500;

/** A block of the IR that is being emitted. */
interface Frame {
  /** Where a failing statement of the block goes. */
  readonly label: string;
  /** The state to restore when the block is left from inside, other than by failing. */
  readonly restore: (() => Expr[]) | undefined;
}

/** Wasm locals of a function that remembers results: its arguments as a key, and the entry that was found. */
interface Memo {
  readonly args: number;
  readonly entry: number;
}

/** The function that statements are emitted into. */
export class FunctionEmitter {
  readonly m = code;
  readonly layout: PolicyLayout;
  /** Label behind which the function ends, its result being in `resultLocal`; plans have none. */
  private readonly exit: { readonly label: string; readonly local: number } | undefined;
  /** The wasm local of a plan's result set. */
  readonly resultSet: number | undefined;
  /** Look-ups in the slot area and rows of the input. */
  readonly inputDots: InputDots;
  /** By the loops that would fill them and by their comparisons, sets that are not made: their locals hold lists. */
  readonly comparedSets = new Map<Stmt, { readonly list: Local; readonly other: Operand }>();
  /** Statements that were done where their array, object or set was made. */
  private readonly alreadyDone = new Set<Stmt>();
  private readonly locals: WasmLocals;
  private readonly findDots: () => KnownDots;
  private dots: KnownDots | undefined;
  private readonly blocks: readonly Block[];
  private readonly reclaim: Reclaim;
  /** The wasm locals in which loops that are being emitted keep where their turn gives back from. */
  private readonly marks = new Map<Scan, number>();
  private numbered: NumberedRecords | undefined;
  private named: ReadonlyMap<Local, number> | undefined;
  private readonly mayBeUndefined: ReadonlySet<Local>;
  private readonly frames: Frame[] = [];
  private labels = 0;
  private inPlace = 0;
  private readonly params: number;

  constructor(layout: PolicyLayout, blocks: readonly Block[], params: readonly Local[], isPlan: boolean) {
    this.layout = layout;
    this.params = params.length + (isPlan ? 1 : 0);
    this.mayBeUndefined = undefinedLocals(blocks);
    this.locals = new WasmLocals(blocks, params, this.params, this.mayBeUndefined);
    this.findDots = () => layout.valueSets.dots(blocks, params);
    this.inputDots = inputDots(layout.policy, blocks, params[0] === INPUT && !isPlan ? layout.slots : undefined);
    this.blocks = blocks;
    this.reclaim = reclaimIn(blocks, params, layout.making, layout.funcs);
    this.resultSet = isPlan ? params.length : undefined;
    this.exit = isPlan ? undefined : { label: "exit", local: this.temporary() };
  }

  /** Look-ups in constants. Most functions look nothing up. */
  get knownDots(): KnownDots {
    this.dots ??= this.findDots();
    return this.dots;
  }

  /** Records that differ by an index alone. Most functions make none. */
  get numberedRecords(): NumberedRecords {
    this.numbered ??= new NumberedRecords(this.blocks);
    return this.numbered;
  }

  /** How often statements name each local. */
  get mentions(): ReadonlyMap<Local, number> {
    this.named ??= mentionsIn(this.blocks);
    return this.named;
  }

  done(stmt: Stmt): void {
    this.alreadyDone.add(stmt);
  }

  isDone(stmt: Stmt): boolean {
    return this.alreadyDone.has(stmt);
  }

  // Turns of loops that give back ------------------------------------------------------------------------------------

  /** The wasm local for the mark of a loop; `undefined` where turns give nothing back. */
  markOf(scan: Scan): number | undefined {
    if (!this.reclaim.loops.has(scan)) return undefined;
    const mark = this.temporary();
    this.marks.set(scan, mark);
    return mark;
  }

  heap(): Expr {
    return this.m.global.get(HEAP_POINTER, i32);
  }

  /** What has to follow a statement by which something may get out of turns. */
  keepAfter(stmt: Stmt): Expr[] {
    const kept = this.reclaim.kept.get(stmt) ?? [];
    const marks = kept.flatMap((scan) => this.marks.get(scan) ?? []);
    const moved = marks.map((mark) => this.m.local.set(mark, this.heap()));
    return this.reclaim.floors.has(stmt) ? [...moved, this.keepAll()] : moved;
  }

  /** All that there is stays until the evaluation ends. */
  keepAll(): Expr {
    return this.m.global.set(HEAP_FLOOR, this.heap());
  }

  /** A wasm local for the rest of the block of the IR that is being emitted. */
  temporary(): number {
    return this.locals.temporary();
  }

  /** Emits the statements of a block of the IR. */
  within(block: Block, emit: () => Expr[]): Expr[] {
    return this.locals.within(block, emit);
  }

  /** Types of the locals that are not parameters. */
  vars(): ValueType[] {
    return new Array<ValueType>(this.locals.count - this.params).fill(i32);
  }

  read(local: Local): Expr {
    return this.m.local.get(this.locals.of(local), i32);
  }

  write(local: Local, value: Expr): Expr {
    return this.m.local.set(this.locals.of(local), value);
  }

  /** Writes a value that may be undefined, and leaves the block if it is. */
  writeOrFail(local: Local, value: Expr): Expr {
    return this.failUnless(this.m.local.tee(this.locals.of(local), value, i32));
  }

  operand(operand: Operand): Expr {
    return operand.kind === "Local" ? this.read(operand.local) : this.m.i32.const(this.layout.addressOf(operand));
  }

  /** Statements that leave the block when an operand is undefined; most cannot be. */
  failIfUndefined(...operands: readonly Operand[]): Expr[] {
    const tests: Expr[] = [];
    for (let i = 0; i < operands.length; i++) {
      const o = operands[i] as Operand;
      if (o.kind === "Local" && this.mayBeUndefined.has(o.local)) tests.push(this.failUnless(this.read(o.local)));
    }
    return tests;
  }

  // Control flow -----------------------------------------------------------------------------------------------------

  label(kind: string): string {
    return `${kind}${this.labels++}`;
  }

  /** Emits `body` as a block of the IR that failing statements leave. */
  inBlock(label: string, restore: (() => Expr[]) | undefined, body: () => Expr[]): Expr {
    this.frames.push({ label, restore });
    const children = body();
    this.frames.pop();
    return this.m.block(label, children, none);
  }

  private get failLabel(): string {
    return (this.frames[this.frames.length - 1] as Frame).label;
  }

  fail(): Expr {
    return this.m.br(this.failLabel);
  }

  failIf(condition: Expr): Expr {
    return this.m.br(this.failLabel, condition);
  }

  failUnless(condition: Expr): Expr {
    return this.failIf(this.m.i32.eqz(condition));
  }

  /** Leaves `count` + 1 blocks, or as many as there are. */
  leave(count: number): Expr[] {
    const target = Math.max(0, this.frames.length - 1 - count);
    return [...this.restoreDownTo(target + 1), this.m.br((this.frames[target] as Frame).label)];
  }

  returnValue(value: Expr): Expr[] {
    const exit = this.exit as { label: string; local: number };
    return [this.m.local.set(exit.local, value), ...this.restoreDownTo(0), this.m.br(exit.label)];
  }

  private restoreDownTo(frame: number): Expr[] {
    return this.frames
      .slice(frame)
      .reverse()
      .flatMap((f) => f.restore?.() ?? []);
  }

  // Pieces -----------------------------------------------------------------------------------------------------------

  /** A call of a function of rtlib that returns a value. */
  call(name: string, ...args: readonly Expr[]): Expr {
    return this.m.call(this.layout.rtlib.call(name), args, i32);
  }

  /** A call of a function of rtlib that returns nothing. */
  run(name: string, ...args: readonly Expr[]): Expr {
    return this.m.call(this.layout.rtlib.call(name), args, none);
  }

  /** Takes one step from the budget. */
  step(): Expr[] {
    const { m } = this;
    const left = m.i32.sub(m.global.get(STEPS_LEFT, i32), m.i32.const(1));
    return [
      m.global.set(STEPS_LEFT, left),
      m.if(m.i32.le_s(m.global.get(STEPS_LEFT, i32), m.i32.const(0)), this.run("exhausted")),
    ];
  }

  /** The whole body: its blocks one after the other, then the result. */
  body(blocks: readonly Block[], memoSlot: number | undefined, isInLoop: boolean): Expr {
    const { m, exit } = this;
    // Before the blocks, so that none of them takes these over.
    const memo =
      memoSlot !== undefined && this.params > 2 ? { args: this.temporary(), entry: this.temporary() } : undefined;
    const run = blocks.map((b) => this.inBlock(this.label("b"), undefined, () => emitBlock(this, b)));
    if (exit === undefined) return m.block(null, run, none);
    const result = (): Expr => m.local.get(exit.local, i32);
    const stays = isInLoop ? [this.keepAll()] : [];
    const whole = m.block(exit.label, run, none);
    if (memoSlot === undefined) return m.block(null, [...this.step(), whole, result()], i32);
    if (memo !== undefined) return this.remembering(memoSlot, memo, whole, result, stays);
    const remembered = this.memoAt(memoSlot);
    const known = m.if(remembered.isKnown, m.return(remembered.result));
    const keep = (offset: number, value: Expr): Expr =>
      m.i32.store(memoSlot * MEMO_SLOT_SIZE + offset, 4, m.global.get(MEMO_FRAME, i32), value);
    const kept = [keep(0, m.global.get(MEMO_EPOCH, i32)), keep(4, result())];
    return m.block(null, [known, whole, ...kept, ...stays, result()], i32);
  }

  /** Whether a branch more, where a call would do, costs engines little. Large policies wait for memory, and not for calls. */
  mayBranch(): boolean {
    return !this.layout.data.isLarge && this.inPlace++ < MOST_IN_PLACE;
  }

  /** The result of a function: out of its memo where it is a rule that was evaluated, else by the call. */
  resultOf({ func, memoSlot }: FuncTarget, call: Expr): Expr {
    if (memoSlot === undefined || func.params.length > 2 || !this.mayBranch()) return call;
    const { isKnown, result } = this.memoAt(memoSlot);
    return this.m.if(isKnown, result, call);
  }

  /** The memo of a rule: whether this evaluation has its result, and the result. */
  private memoAt(memoSlot: number): { readonly isKnown: Expr; readonly result: Expr } {
    const { m } = this;
    const field = (offset: number): Expr =>
      m.i32.load(memoSlot * MEMO_SLOT_SIZE + offset, 4, m.global.get(MEMO_FRAME, i32));
    return { isKnown: m.i32.eq(field(0), m.global.get(MEMO_EPOCH, i32)), result: field(4) };
  }

  /** The body of a function that asks its memo first, by its arguments. */
  private remembering(
    memoSlot: number,
    { args, entry }: Memo,
    whole: Expr,
    result: () => Expr,
    stays: readonly Expr[],
  ): Expr {
    const { m } = this;
    const slot = (): Expr => m.i32.add(m.global.get(MEMO_FRAME, i32), m.i32.const(memoSlot * MEMO_SLOT_SIZE));
    const get = (l: number): Expr => m.local.get(l, i32);
    const count = this.params - 2;
    const list = [
      m.local.set(args, this.call("newList", m.i32.const(count))),
      ...Array.from({ length: count }, (_, i) =>
        m.i32.store(0, 4, m.i32.add(m.i32.load(COLLECTION_ITEMS, 4, get(args)), m.i32.const(i * 4)), get(i + 2)),
      ),
    ];
    return m.block(
      null,
      [
        ...this.step(),
        ...(count === 1 ? [m.local.set(args, get(2))] : list),
        m.local.set(entry, this.call("recallResult", slot(), get(args))),
        m.if(get(entry), m.return(m.i32.load(4, 4, get(entry)))),
        whole,
        this.run("rememberResult", slot(), get(args), result()),
        ...stays,
        result(),
      ],
      i32,
    );
  }
}

/** Adds a function of the policy to the module. */
export function emitFunc(layout: PolicyLayout, func: Func): void {
  const target = layout.funcs.get(func.name);
  if (target === undefined) return;
  const emitter = new FunctionEmitter(layout, func.blocks, func.params, false);
  const body = emitter.body(func.blocks, target.memoSlot, layout.isInLoop(func.name));
  const params = func.params.map((): ValueType => i32);
  layout.rtlib.module.addFunc(target.internal, params, i32, emitter.vars(), body);
}

/** Adds a plan to the module: a function of input, data, and the set to which it adds its results. */
export function emitPlan(layout: PolicyLayout, plan: Plan, internal: string): void {
  const emitter = new FunctionEmitter(layout, plan.blocks, [INPUT, DATA], true);
  const body = emitter.body(plan.blocks, undefined, false);
  layout.rtlib.module.addFunc(internal, [i32, i32, i32], none, emitter.vars(), body);
}

/**
 * A function's tree as bytes. What only the whole module knows, the numbers of functions, globals and types, is left out: each
 * is a link, a place and a symbol, that is filled in when the module is written.
 */

import { assert } from "../../diagnostics/index.ts";
import { ByteWriter } from "./bytes.ts";
import { type Expr, none, Op, type Type, type ValueType } from "./code.ts";

/** What a link stands for. */
export const Link = { func: 0, global: 1, type: 2 } as const;

/** The body of a function with its declarations of locals, but without its size. */
export interface Body {
  readonly bytes: Uint8Array;
  /** Four numbers each, by place: the place, how many bytes there give way to the number, the kind of link, the symbol. */
  readonly links: readonly number[];
}

/** The numbers by which a module knows names until it is written. */
export interface Symbols {
  func(name: string): number;
  global(name: string): number;
  type(params: readonly ValueType[], result: Type): number;
}

const END = 0x0b;
const ELSE = 0x05;
/** The first byte of opcodes of two. */
const PREFIX = 0xfc;

/** `locals`: types of those that are not parameters. */
export function encodeBody(symbols: Symbols, locals: readonly ValueType[], body: Expr): Body {
  const encoder = new BodyEncoder(symbols);
  encoder.locals(locals);
  encoder.expr(body);
  encoder.out.byte(END);
  return { bytes: encoder.out.copy(), links: encoder.links };
}

/** INVARIANT: one body is encoded at a time, and copied when it is whole. */
const scratch = new ByteWriter(1 << 16);

class BodyEncoder {
  readonly out = scratch;
  readonly links: number[] = [];
  /** The blocks around, outermost first. */
  private readonly labels: (string | undefined)[] = [];
  private readonly symbols: Symbols;

  constructor(symbols: Symbols) {
    this.symbols = symbols;
    this.out.length = 0;
  }

  /** As runs of one type. */
  locals(types: readonly ValueType[]): void {
    const runs: { type: ValueType; count: number }[] = [];
    for (const type of types) {
      const last = runs.at(-1);
      if (last?.type === type) last.count++;
      else runs.push({ type, count: 1 });
    }
    this.out.unsigned(runs.length);
    for (const { type, count } of runs) {
      this.out.unsigned(count);
      this.out.byte(type);
    }
  }

  expr(expr: Expr): void {
    const { op } = expr;
    const { out } = this;
    switch (op) {
      case Op.block:
        if (expr.name === undefined) this.all(expr.operands);
        else this.block(expr, expr.operands);
        return;
      case Op.loop:
        this.block(expr, expr.operands);
        return;
      case Op.if:
        this.branches(expr);
        return;
      default:
    }
    this.all(expr.operands);
    if (op > 0xff) {
      out.byte(PREFIX);
      out.unsigned(op & 0xff);
    } else out.byte(op);
    this.immediates(expr);
  }

  private all(exprs: readonly Expr[]): void {
    for (let i = 0; i < exprs.length; i++) this.expr(exprs[i] as Expr);
  }

  private block({ op, type, name }: Expr, parts: readonly Expr[]): void {
    this.out.byte(op);
    this.out.byte(blockType(type));
    this.labels.push(name);
    this.all(parts);
    this.labels.pop();
    this.out.byte(END);
  }

  private branches({ type, operands: [condition, then, otherwise] }: Expr): void {
    this.expr(condition as Expr);
    this.out.byte(Op.if);
    this.out.byte(blockType(type));
    this.labels.push(undefined);
    this.expr(then as Expr);
    if (otherwise !== undefined) {
      this.out.byte(ELSE);
      this.expr(otherwise);
    }
    this.labels.pop();
    this.out.byte(END);
  }

  private immediates(expr: Expr): void {
    const { out } = this;
    const { op, value, name } = expr;
    switch (op) {
      case Op.br:
      case Op.brIf:
        this.depth(name);
        return;
      case Op.brTable: {
        const labels = expr.rest?.labels ?? [];
        out.unsigned(labels.length);
        for (const label of labels) this.depth(label);
        this.depth(name);
        return;
      }
      case Op.call:
        this.link(Link.func, this.symbols.func(name as string));
        return;
      case Op.callIndirect:
        this.link(Link.type, this.symbols.type(expr.rest?.params ?? [], expr.type));
        out.byte(0);
        return;
      case Op.globalGet:
      case Op.globalSet:
        this.link(Link.global, this.symbols.global(name as string));
        return;
      case Op.localGet:
      case Op.localSet:
      case Op.localTee:
      case Op.dataDrop:
        out.unsigned(value);
        return;
      case Op.memoryInit:
        out.unsigned(value);
        out.byte(0);
        return;
      case Op.memorySize:
      case Op.memoryGrow:
      case Op.memoryFill:
        out.byte(0);
        return;
      case Op.i32Const:
        out.signed(value);
        return;
      case Op.i64Const:
        out.signed64(expr.rest?.wide ?? 0n);
        return;
      default:
        if (op >= Op.firstAccess && op <= Op.lastAccess) {
          out.unsigned(value);
          out.unsigned(expr.offset);
        }
    }
  }

  /** How many blocks lie between here and the one of that name. */
  private depth(label: string | undefined): void {
    const at = this.labels.lastIndexOf(label);
    assert(label !== undefined && at >= 0, `no block is called ${label}`);
    this.out.unsigned(this.labels.length - 1 - at);
  }

  private link(kind: number, symbol: number): void {
    this.links.push(this.out.length, 0, kind, symbol);
  }
}

/** Whatever is never left has no value to leave. */
function blockType(type: Type): number {
  return type < 0 ? none : type;
}

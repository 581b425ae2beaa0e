/**
 * A module under construction: the functions and globals of a library, and functions, globals, data and exports of its own.
 * What nothing reaches from outside is left out when it is written.
 */

import { assert } from "../../diagnostics/index.ts";
import { type Expr, none, type Type, type ValueType } from "./code.ts";
import { type Body, encodeBody, type Symbols } from "./encode.ts";
import { linkedBody } from "./instructions.ts";
import type { Library } from "./library.ts";

/** A function that is called or defined; whichever comes first gives it its number here. */
export interface FuncSymbol {
  readonly name: string;
  /** Parameters and result as the section of types has them. */
  readonly type: Uint8Array;
  readonly source: Library["funcs"][number]["source"] | Body;
}

export interface GlobalSymbol {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface Export {
  readonly name: string;
  readonly kind: "func" | "global" | "memory";
  /** The symbol; 0 for the memory. */
  readonly symbol: number;
}

export interface CustomSection {
  readonly name: string;
  readonly content: Uint8Array;
}

/** Immutable numbers of 32 bits. */
const I32_CONSTANT = 0;

export class ModuleBuilder implements Symbols {
  /** By symbol; what was called is defined by the time that the module is written. */
  readonly funcs: (FuncSymbol | undefined)[] = [];
  readonly globals: GlobalSymbol[] = [];
  /** Symbols in the order in which they were defined. */
  readonly defined: number[] = [];
  readonly types: Uint8Array[] = [];
  readonly exports: Export[] = [];
  readonly segments: { readonly name: string; readonly data: Uint8Array }[] = [];
  readonly custom: CustomSection[] = [];
  /** Symbols of the functions that are called by an index. */
  table: readonly number[] = [];
  start: number | undefined;
  /** The pages that its imported memory has at least. */
  readonly pages: number;
  private readonly funcNumbers = new Map<string, number>();
  private readonly globalNumbers = new Map<string, number>();
  private readonly typeNumbers = new Map<string, number>();

  constructor(library: Library, pages: number) {
    this.pages = pages;
    for (const { name, type, source } of library.funcs) this.define(name, type, source);
    for (const { name, bytes } of library.globals) this.globalNumbers.set(name, this.globals.push({ name, bytes }) - 1);
  }

  func(name: string): number {
    let symbol = this.funcNumbers.get(name);
    if (symbol === undefined) {
      symbol = this.funcs.push(undefined) - 1;
      this.funcNumbers.set(name, symbol);
    }
    return symbol;
  }

  global(name: string): number {
    const symbol = this.globalNumbers.get(name);
    assert(symbol !== undefined, `no global is called ${name}`);
    return symbol;
  }

  type(params: readonly ValueType[], result: Type): number {
    return this.typeNumber(typeBytes(params, result));
  }

  typeNumber(bytes: Uint8Array): number {
    const key = bytes.join();
    let number = this.typeNumbers.get(key);
    if (number === undefined) {
      number = this.types.push(bytes) - 1;
      this.typeNumbers.set(key, number);
    }
    return number;
  }

  /** `locals`: types of those that are not parameters. */
  addFunc(name: string, params: readonly ValueType[], result: Type, locals: readonly ValueType[], body: Expr): void {
    this.define(name, typeBytes(params, result), encodeBody(this, locals, body));
  }

  addConstant(name: string, value: number): void {
    assert(value >= 0 && value < 64, "constants are small");
    const bytes = Uint8Array.of(0x7f, I32_CONSTANT, 0x41, value, 0x0b);
    this.globalNumbers.set(name, this.globals.push({ name, bytes }) - 1);
    this.exports.push({ name, kind: "global", symbol: this.global(name) });
  }

  /** Data that code copies; the number is what it is called by. */
  addData(name: string, data: Uint8Array): number {
    return this.segments.push({ name, data }) - 1;
  }

  exportFunc(internal: string, name: string): void {
    this.exports.push({ name, kind: "func", symbol: this.func(internal) });
  }

  exportMemory(name: string): void {
    this.exports.push({ name, kind: "memory", symbol: 0 });
  }

  /** The body of a function of this module; `undefined` for one that the host supplies. */
  bodyOf(symbol: number): Body | undefined {
    const { source } = this.definition(symbol);
    if ("links" in source) return source;
    if (!("body" in source)) return undefined;
    const body = linkedBody(source.body);
    this.funcs[symbol] = { ...this.definition(symbol), source: body };
    return body;
  }

  definition(symbol: number): FuncSymbol {
    const func = this.funcs[symbol];
    assert(func !== undefined, "a function is called that there is not");
    return func;
  }

  private define(name: string, type: Uint8Array, source: FuncSymbol["source"]): void {
    const symbol = this.func(name);
    assert(this.funcs[symbol] === undefined, `there are two functions ${name}`);
    this.funcs[symbol] = { name, type, source };
    this.defined.push(symbol);
  }
}

function typeBytes(params: readonly ValueType[], result: Type): Uint8Array {
  assert(params.length < 0x80, "a function has few parameters");
  return Uint8Array.of(params.length, ...params, ...(result === none ? [0] : [1, result]));
}

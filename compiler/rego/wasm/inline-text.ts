/**
 * Builtins of texts in place of a call, where a constant lets a few bytes tell: a short prefix or suffix, characters that are
 * trimmed off, prefixes as a tree. Any other value, and a string whose bytes are not written yet, is left to the builtin.
 */

import { STRING_BYTES, STRING_LENGTH, TAG_STRING, TRUE_VALUE } from "@portcullis/runtime/abi";
import type { Operand, StmtOf } from "../plan/index.ts";
import type { FunctionEmitter } from "./emit-func.ts";
import { type Expr, i32 } from "./module/code.ts";
import { prefixTree } from "./prefix-tree.ts";
import { boolean, isTag } from "./type-tests.ts";

/** The ends that a builtin trims. */
interface Ends {
  readonly left: boolean;
  readonly right: boolean;
}

const TRIMS: Readonly<Record<string, Ends | undefined>> = {
  trim: { left: true, right: true },
  trim_left: { left: true, right: false },
  trim_right: { left: false, right: true },
};

/** Builtins that test a text by another one. */
const TEXT_TESTS: ReadonlySet<string> = new Set(["contains", "endswith", "startswith"]);

/** Bytes that two loads of 32 bits compare. */
const SHORT = 8;

/**
 * Whether a text has a constant in it, or at an end of it, as a builtin asks; `undefined` for other builtins. `call` has the
 * builtin's own answer, and `as` makes of a condition what that is.
 */
export function inlineTextTest(
  e: FunctionEmitter,
  { func, args }: StmtOf<"CallStmt">,
  call: () => Expr,
  as: (holds: Expr) => Expr,
): Expr | undefined {
  const { m } = e;
  const [text, by] = args;
  if (text === undefined || by === undefined || !TEXT_TESTS.has(func)) return undefined;
  const constant = constantText(e, by);
  if (constant === undefined || constant === "") return undefined;
  const { condition, bytes, length } = written(e, text);
  const end = (): Expr => m.i32.add(bytes(), length());
  if (func === "contains") {
    const [wanted, n] = [m.i32.load(STRING_BYTES, 4, e.operand(by)), m.i32.load(STRING_LENGTH, 4, e.operand(by))];
    return m.if(condition, as(e.call("occurs", wanted, n, bytes(), end())), call());
  }
  const affix = shortBytes(constant);
  if (affix === undefined) return undefined;
  const last = (): Expr => m.i32.sub(end(), m.i32.const(affix.length));
  const same = bytesAre(e, func === "endswith" ? last : bytes, affix);
  return m.if(condition, as(m.if(m.i32.ge_u(length(), m.i32.const(affix.length)), same, m.i32.const(0))), call());
}

/** `call` calls the builtin; `undefined` where it always has to be called. */
export function inlineText(e: FunctionEmitter, stmt: StmtOf<"CallStmt">, call: () => Expr): Expr | undefined {
  const { func, args } = stmt;
  const [text, by] = args;
  if (text === undefined || by === undefined) return undefined;
  if (func === "strings.any_prefix_match") return anyPrefix(e, text, by, call);
  const tested = inlineTextTest(e, stmt, call, (holds) => boolean(e, holds));
  if (tested !== undefined) return tested;
  const constant = constantText(e, by);
  if (constant === undefined) return undefined;
  const ends = TRIMS[func];
  return ends === undefined ? undefined : trimmed(e, text, constant, ends, call);
}

/** The text that a constant is. */
function constantText(e: FunctionEmitter, o: Operand): string | undefined {
  if (o.kind === "String") return e.layout.text(o.index);
  const constant = e.layout.constantOf(o);
  return constant?.kind === "string" ? constant.value : undefined;
}

/** Whether a value is a text; `undefined` for a long one. `equal` tells of a string whose bytes are not written yet. */
export function isShortText(e: FunctionEmitter, o: Operand, text: string, equal: () => Expr): Expr | undefined {
  const { m } = e;
  const wanted = shortBytes(text);
  if (wanted === undefined) return undefined;
  const { isWritten, bytes, length } = written(e, o);
  const n = m.i32.const(wanted.length);
  const same =
    wanted.length === 0 ? m.i32.eqz(length()) : m.if(m.i32.eq(length(), n), bytesAre(e, bytes, wanted), m.i32.const(0));
  return m.if(isTag(e, o, TAG_STRING), m.if(isWritten, same, equal()), m.i32.const(0));
}

function shortBytes(text: string): Uint8Array | undefined {
  const bytes = new TextEncoder().encode(text);
  return bytes.length > SHORT ? undefined : bytes;
}

/** Whether the bytes at an address are these, of which there is one at least. */
function bytesAre(e: FunctionEmitter, from: () => Expr, wanted: Uint8Array): Expr {
  const { m } = e;
  const n = wanted.length;
  const view = new DataView(wanted.buffer, wanted.byteOffset, n);
  const byte = (at: number): Expr => m.i32.eq(m.i32.load8_u(at, 1, from()), m.i32.const(view.getUint8(at)));
  const half = (at: number): Expr => m.i32.eq(m.i32.load16_u(at, 1, from()), m.i32.const(view.getUint16(at, true)));
  const word = (at: number): Expr => m.i32.eq(m.i32.load(at, 1, from()), m.i32.const(view.getInt32(at, true)));
  const both = (part: (at: number) => Expr, size: number): Expr =>
    n === size ? part(0) : m.i32.and(part(0), part(n - size));
  return n === 1 ? byte(0) : n < 4 ? both(half, 2) : both(word, 4);
}

/** The text itself, where it neither begins nor ends with what is trimmed off. */
function trimmed(e: FunctionEmitter, text: Operand, cutset: string, ends: Ends, call: () => Expr): Expr {
  const { m } = e;
  const { condition, bytes, length } = written(e, text);
  const kept = e.layout.data.words(keptBytes(cutset));
  const first = (): Expr => m.i32.load8_u(kept, 1, m.i32.load8_u(0, 1, bytes()));
  const behind = m.i32.add(bytes(), length());
  const last = (): Expr => m.i32.load8_u(kept, 1, m.i32.load8_u(0, 1, m.i32.sub(behind, m.i32.const(1))));
  const isKept = ends.left && ends.right ? m.i32.and(first(), last()) : ends.left ? first() : last();
  const stays = m.if(condition, m.if(length(), isKept, m.i32.const(0)), m.i32.const(0));
  return m.if(stays, e.operand(text), call());
}

/** A table of all bytes: 1 for those that are ASCII characters and not in the cutset. */
function keptBytes(cutset: string): number[] {
  const bytes = new Uint8Array(256).fill(1, 0, 128);
  for (const character of cutset) {
    const code = character.codePointAt(0) as number;
    if (code < 128) bytes[code] = 0;
  }
  const view = new DataView(bytes.buffer);
  return Array.from({ length: 64 }, (_, i) => view.getInt32(i * 4, true));
}

/** A tree of the prefixes, in which the way down ends early mostly. */
function anyPrefix(e: FunctionEmitter, text: Operand, prefixes: Operand, call: () => Expr): Expr | undefined {
  const { m } = e;
  const constant = e.layout.constantOf(prefixes);
  if (constant?.kind !== "array" && constant?.kind !== "set") return undefined;
  const texts = constant.items.flatMap((v) => (v.kind === "string" ? [v.value] : []));
  if (texts.length === 0 || texts.length < constant.items.length) return undefined;
  const tree = e.layout.data.words(prefixTree([...new Set(texts)].map((prefix) => [prefix, TRUE_VALUE])));
  const found = e.call("longestPrefix", m.i32.const(tree), e.operand(text));
  return m.if(isTag(e, text, TAG_STRING), boolean(e, found), call());
}

/** Whether the bytes of a string are written, whether a value is a string with such, and then where they are and how many. */
function written(
  e: FunctionEmitter,
  text: Operand,
): { isWritten: Expr; condition: Expr; bytes: () => Expr; length: () => Expr } {
  const { m } = e;
  const at = e.temporary();
  const isWritten = m.local.tee(at, m.i32.load(STRING_BYTES, 4, e.operand(text)), i32);
  return {
    isWritten,
    condition: m.if(isTag(e, text, TAG_STRING), isWritten, m.i32.const(0)),
    bytes: () => m.local.get(at, i32),
    length: () => m.i32.load(STRING_LENGTH, 4, e.operand(text)),
  };
}

/**
 * The plain style of YAML in which nearly every policy is written: block mappings and lists, scalars on one line, short
 * flow collections on one line, comments; anchors of values, aliases and merge keys, as decision tests have them. Reading it directly is ten times as fast as the full parser, which matters with a
 * hundred thousand tools.
 *
 * INVARIANT: the result is exactly the tree of the full parser, locations included. A text that may not be plain (tags,
 * anchors elsewhere, text over several lines, an odd indentation, a duplicate key) gives `undefined`, and the full parser decides.
 * A differential test holds this.
 */

import type { SourceFile } from "../base/source-file.ts";
import { span } from "../base/span.ts";
import { mergedInto } from "./merge-keys.ts";
import { isWellFormed, MAX_ALIAS_NODES, MAX_DEPTH, type MappingEntry, type SourceNode } from "./tree.ts";

/** Characters that have a meaning, or a width, of their own to YAML or to line counting. */
const UNUSUAL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/;
const KEY = /(?:[A-Za-z_/][A-Za-z0-9_./-]*|<<)(?=:(?: |\n|$))/y;
const ANCHOR = /&[A-Za-z0-9_-]+(?= |\n|$)/y;
const ALIAS = /\*[A-Za-z0-9_-]+(?= |\n|$)/y;
const FLOW_ALIAS = /\*[A-Za-z0-9_-]+(?=[ ,\]}])/y;
/** How a plain scalar may begin here: with nothing that could be an indicator. */
const SCALAR_START = /[A-Za-z0-9_/.(\u0080-\uffff]/;
const FLOW_INDICATORS = ",[]{}";
const QUOTED: ReadonlyMap<string, RegExp> = new Map([
  // The escapes that JSON has too, which mean the same there.
  ['"', /"(?:[^"\\\n]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y],
  ["'", /'[^'\n]*'(?!')/y],
]);
const INTEGER = /^(?:0|-?[1-9][0-9]*)$/;
/** Every form of a number in the core schema (YAML 1.2.2, 10.3.2), but for `+`: no scalar here begins with one. */
const NUMBER =
  /^-?(?:[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+|(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|\.(?:inf|Inf|INF|nan|NaN|NAN))$/;
/** The full parser refuses longer keys. */
const MAX_KEY = 1000;
/** Mappings with more keys than this have a set of them: most have fewer, and need none. */
const FEW_KEYS = 16;
const WORD_VALUES: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["True", true],
  ["TRUE", true],
  ["false", false],
  ["False", false],
  ["FALSE", false],
  ["null", null],
  ["Null", null],
  ["NULL", null],
]);

const MERGE = "<<";

/** Thrown where the text leaves the plain style. */
const NOT_PLAIN = Symbol("not plain");

interface Line {
  /** Offset of the first character that is no blank. */
  readonly start: number;
  /** Offset of the end of the line. */
  readonly end: number;
  readonly indent: number;
}

export function parsePlainYaml(file: SourceFile, from: number, to: number): SourceNode | undefined {
  const whole = from === 0 && to === file.text.length;
  // A text for the patterns that ends where the part ends: `$` and look-ahead must not see beyond.
  const text = whole ? file.text : file.text.slice(0, to);
  UNUSUAL.lastIndex = 0;
  if (UNUSUAL.test(whole ? text : text.slice(from))) return undefined;
  try {
    return new PlainReader(file, text, from).read();
  } catch (reason) {
    if (reason === NOT_PLAIN) return undefined;
    throw reason;
  }
}

class PlainReader {
  private readonly file: SourceFile;
  private readonly text: string;
  /** The content line at which reading stands; `undefined` at the end. */
  private line: Line | undefined;
  /** Where to look for the next line. */
  private next: number;
  /** Each text once: a registry names the same few keys, lanes and tables in a hundred thousand entries. */
  private readonly texts = new Map<string, string>();
  private readonly anchors = new Map<string, { readonly node: SourceNode; readonly size: number }>();
  /** Nodes made so far; an alias counts as many as its target. */
  private size = 0;
  private aliased = 0;

  constructor(file: SourceFile, text: string, from: number) {
    this.file = file;
    this.text = text;
    this.next = from;
    this.advance();
  }

  read(): SourceNode {
    const first = this.line;
    if (first === undefined || first.indent !== 0) throw NOT_PLAIN;
    const root = this.block(first.start, 0, 0);
    if (this.line !== undefined) throw NOT_PLAIN;
    return root;
  }

  /** On to the next line that is neither blank nor a comment. */
  private advance(): void {
    const { text } = this;
    for (;;) {
      if (this.next >= text.length) {
        this.line = undefined;
        return;
      }
      const begin = this.next;
      const newline = text.indexOf("\n", begin);
      const end = newline < 0 ? text.length : newline;
      this.next = newline < 0 ? text.length : newline + 1;
      let start = begin;
      while (start < end && text.charCodeAt(start) === 32) start++;
      if (start === end || text[start] === "#") continue;
      // Document markers and directives stand at the beginning of a line.
      if (start === begin && /^(?:---|\.\.\.|%)/.test(text.slice(begin, begin + 3))) throw NOT_PLAIN;
      this.line = { start, end, indent: start - begin };
      return;
    }
  }

  /** The collection whose first entry stands at `start`, in column `indent`. */
  private block(start: number, indent: number, depth: number): SourceNode {
    if (depth > MAX_DEPTH) throw NOT_PLAIN;
    return this.isDash(start) ? this.sequence(start, indent, depth) : this.mapping(start, indent, depth);
  }

  private sequence(first: number, indent: number, depth: number): SourceNode {
    const items: SourceNode[] = [];
    let start = first;
    for (;;) {
      const { end } = this.line as Line;
      let at = start + 1;
      while (at < end && this.text.charCodeAt(at) === 32) at++;
      if (at >= end || this.isDash(at)) throw NOT_PLAIN;
      this.size++;
      const column = indent + (at - start);
      items.push(this.isKey(at) ? this.block(at, column, depth + 1) : this.inline(at, indent, depth + 1));
      const line = this.line;
      if (line === undefined || line.indent < indent || !this.isDash(line.start)) break;
      if (line.indent > indent) throw NOT_PLAIN;
      start = line.start;
    }
    if (this.line !== undefined && this.line.indent > indent) throw NOT_PLAIN;
    return { kind: "Sequence", items, span: span(this.file, first, (items.at(-1) as SourceNode).span.end) };
  }

  private mapping(first: number, indent: number, depth: number): SourceNode {
    const entries: MappingEntry[] = [];
    const keys = new Keys(entries);
    let merged: SourceNode | undefined;
    let end = first;
    let start = first;
    for (;;) {
      const key = this.key(start);
      if (key === undefined || key.length > MAX_KEY || keys.has(key)) throw NOT_PLAIN;
      const keySpan = span(this.file, start, start + key.length);
      const value = this.value(start + key.length + 1, indent, depth + 1);
      end = value.span.end;
      if (key !== MERGE) entries.push({ key, keySpan, value });
      else if (merged === undefined) merged = value;
      else throw NOT_PLAIN;
      const line = this.line;
      if (line === undefined || line.indent < indent) break;
      if (line.indent > indent) throw NOT_PLAIN;
      start = line.start;
    }
    return { kind: "Mapping", entries: this.merged(entries, merged), span: span(this.file, first, end) };
  }

  /** The entries with those of the merge key. */
  private merged(entries: readonly MappingEntry[], merged: SourceNode | undefined): readonly MappingEntry[] {
    if (merged === undefined) return entries;
    const parts = merged.kind === "Sequence" ? merged.items : [merged];
    return mergedInto(
      entries,
      parts.map((part) => {
        if (part.kind !== "Mapping") throw NOT_PLAIN;
        return part.entries;
      }),
    );
  }

  /** The value after a key's colon, with its anchor. Leaves `line` behind the value. */
  private value(from: number, indent: number, depth: number): SourceNode {
    const at = this.skip(from);
    const end = this.text[at] === "&" ? this.endOf(ANCHOR, at) : undefined;
    const before = this.size++;
    if (end === undefined) return this.unnamed(from, indent, depth);
    const { line } = this;
    const node = this.unnamed(end, indent, depth);
    if (node.kind === "Null" || this.text[node.span.start] === "*") throw NOT_PLAIN;
    // A list in the column of its key has no line for an anchor.
    if (node.kind === "Sequence" && this.columnOf(node.span.start) === indent && node.span.start > (line as Line).end)
      throw NOT_PLAIN;
    this.anchors.set(this.text.slice(at + 1, end), { node, size: this.size - before });
    return node;
  }

  /** On the same line, or the block below. */
  private unnamed(from: number, indent: number, depth: number): SourceNode {
    const { end } = this.line as Line;
    let at = from;
    while (at < end && this.text.charCodeAt(at) === 32) at++;
    if (at < end && this.text[at] !== "#") return this.inline(at, indent, depth);
    if (at < end && at === from) throw NOT_PLAIN;
    this.advance();
    const line = this.line;
    // A list may stand in the column of its key.
    if (line !== undefined && (line.indent > indent || (line.indent === indent && this.isDash(line.start)))) {
      return this.block(line.start, line.indent, depth);
    }
    return { kind: "Null", span: span(this.file, at, at) };
  }

  /** A scalar or flow collection that ends on its line. */
  private inline(at: number, indent: number, depth: number): SourceNode {
    const { end } = this.line as Line;
    const node = this.text[at] === "[" || this.text[at] === "{" ? this.flow(at, depth) : this.scalar(at, false);
    let rest = node.span.end;
    while (rest < end && this.text.charCodeAt(rest) === 32) rest++;
    if (rest < end && (this.text[rest] !== "#" || rest === node.span.end)) throw NOT_PLAIN;
    this.advance();
    // A deeper line would go on with the scalar.
    if (this.line !== undefined && this.line.indent > indent) throw NOT_PLAIN;
    return node;
  }

  private flow(start: number, depth: number): SourceNode {
    if (depth > MAX_DEPTH) throw NOT_PLAIN;
    const isList = this.text[start] === "[";
    const close = isList ? "]" : "}";
    const items: SourceNode[] | undefined = isList ? [] : undefined;
    const entries: MappingEntry[] = isList ? NO_ENTRIES : [];
    const keys = new Keys(entries);
    let merged: SourceNode | undefined;
    let at = this.skip(start + 1);
    if (this.text[at] !== close) {
      for (;;) {
        if (items !== undefined) {
          const item = this.flowItem(at, depth + 1);
          items.push(item);
          at = this.skip(item.span.end);
        } else {
          const key = this.key(at);
          if (key === undefined || key.length > MAX_KEY || keys.has(key)) throw NOT_PLAIN;
          const value = this.flowItem(this.skip(at + key.length + 1), depth + 1);
          if (key !== MERGE) entries.push({ key, keySpan: span(this.file, at, at + key.length), value });
          else if (merged === undefined) merged = value;
          else throw NOT_PLAIN;
          at = this.skip(value.span.end);
        }
        if (this.text[at] === close) break;
        if (this.text[at] !== ",") throw NOT_PLAIN;
        at = this.skip(at + 1);
      }
    }
    const location = span(this.file, start, at + 1);
    return items !== undefined
      ? { kind: "Sequence", items, span: location }
      : { kind: "Mapping", entries: this.merged(entries, merged), span: location };
  }

  private flowItem(at: number, depth: number): SourceNode {
    this.size++;
    const c = this.text[at];
    const node = c === "[" || c === "{" ? this.flow(at, depth) : this.scalar(at, true);
    // `[a: b]` is a mapping within the list.
    if (this.text[this.skip(node.span.end)] === ":") throw NOT_PLAIN;
    return node;
  }

  private scalar(at: number, flow: boolean): SourceNode {
    const first = this.text[at] ?? "";
    if (first === "*") return this.alias(at, flow);
    const quotes = QUOTED.get(first);
    if (quotes !== undefined) {
      const end = this.endOf(quotes, at);
      if (end === undefined) throw NOT_PLAIN;
      return { kind: "String", value: this.quoted(at, end), span: span(this.file, at, end) };
    }
    if (!SCALAR_START.test(first) && !this.isNegative(at)) throw NOT_PLAIN;
    const written = this.textOf(at, this.plainEnd(at, flow));
    const location = span(this.file, at, at + written.length);
    const word = WORD_VALUES.get(written);
    if (word === null) return { kind: "Null", span: location };
    if (word !== undefined) return { kind: "Boolean", value: word, span: location };
    if (first > "9" || !NUMBER.test(written)) return { kind: "String", value: written, span: location };
    if (!INTEGER.test(written)) throw NOT_PLAIN;
    return { kind: "Number", text: written, span: location };
  }

  private quoted(start: number, end: number): string {
    const inner = this.textOf(start + 1, end - 1);
    if (this.text[start] === "'" || !inner.includes("\\")) return inner;
    const value = JSON.parse(`"${inner}"`) as string;
    if (!isWellFormed(value)) throw NOT_PLAIN;
    return value;
  }

  private alias(at: number, flow: boolean): SourceNode {
    const end = this.endOf(flow ? FLOW_ALIAS : ALIAS, at);
    const target = end === undefined ? undefined : this.anchors.get(this.text.slice(at + 1, end));
    if (target === undefined || end === undefined) throw NOT_PLAIN;
    this.size += target.size;
    this.aliased += target.size;
    if (this.aliased > MAX_ALIAS_NODES) throw NOT_PLAIN;
    return { ...target.node, span: span(this.file, at, end) };
  }

  private columnOf(at: number): number {
    return at - 1 - this.text.lastIndexOf("\n", at - 1);
  }

  /** Where a plain scalar ends: before `: `, ` #`, the line's end, in flow collections their indicators; blanks apart. */
  private plainEnd(start: number, flow: boolean): number {
    const { text } = this;
    let at = start;
    for (; at < text.length; at++) {
      const c = text[at] as string;
      if (c === "\n" || (flow && FLOW_INDICATORS.includes(c))) break;
      if (c === "#" && text[at - 1] === " ") break;
      const next = text[at + 1] ?? "\n";
      if (c === ":" && (next === " " || next === "\n" || (flow && FLOW_INDICATORS.includes(next)))) break;
    }
    while (text[at - 1] === " ") at--;
    return at;
  }

  private skip(at: number): number {
    let i = at;
    while (this.text.charCodeAt(i) === 32) i++;
    return i;
  }

  /** Where the match of a sticky pattern at this place ends. */
  private endOf(pattern: RegExp, at: number): number | undefined {
    pattern.lastIndex = at;
    return pattern.test(this.text) ? pattern.lastIndex : undefined;
  }

  private key(at: number): string | undefined {
    const end = this.endOf(KEY, at);
    return end === undefined ? undefined : this.textOf(at, end);
  }

  private textOf(start: number, end: number): string {
    const text = this.text.slice(start, end);
    const known = this.texts.get(text);
    if (known !== undefined) return known;
    this.texts.set(text, text);
    return text;
  }

  private isDash(at: number): boolean {
    return this.text[at] === "-" && this.text[at + 1] === " ";
  }

  private isNegative(at: number): boolean {
    const digit = this.text[at + 1] ?? "";
    return this.text[at] === "-" && digit >= "0" && digit <= "9";
  }

  private isKey(at: number): boolean {
    return this.endOf(KEY, at) !== undefined;
  }
}

const NO_ENTRIES: MappingEntry[] = [];

/** The keys of the entries of a mapping that grows. */
class Keys {
  private readonly entries: readonly MappingEntry[];
  private known: Set<string> | undefined;

  constructor(entries: readonly MappingEntry[]) {
    this.entries = entries;
  }

  /** Whether there is such an entry. It is asked once for each key that is added. */
  has(key: string): boolean {
    const { entries } = this;
    if (entries.length <= FEW_KEYS) {
      for (const e of entries) if (e.key === key) return true;
      return false;
    }
    this.known ??= new Set(entries.map((e) => e.key));
    if (this.known.has(key)) return true;
    this.known.add(key);
    return false;
  }
}

/**
 * The plain style of YAML in which nearly every policy is written: block mappings and lists, scalars on one line, short
 * flow collections on one line, comments; anchors of values, aliases and merge keys, as decision tests have them. Reading it
 * directly is ten times as fast as the full parser, which matters with a hundred thousand tools.
 *
 * INVARIANT: the result is exactly the tree of the full parser, locations included. A text that may not be plain (tags,
 * anchors elsewhere, text over several lines, an odd indentation, a duplicate key) gives `undefined`, and the full parser decides.
 * A differential test holds this.
 */

import { type SourceFile, span } from "@portcullis/rego/diagnostics";
import { MAX_ALIAS_NODES, MAX_DOCUMENT_DEPTH, type SourceNode } from "./tree.ts";
import { MappingEntries } from "./yaml-plain-entries.ts";
import { canStartScalar, isWord, NOT_PLAIN, plainEnd, plainScalar, QUOTED, unquoted } from "./yaml-plain-scalars.ts";

/** Characters that have a meaning, or a width, of their own to YAML or to line counting. */
const UNUSUAL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/;
const KEY = /(?:[A-Za-z_/][A-Za-z0-9_./-]*|<<)(?=:(?: |\n|$))/y;
const ANCHOR = /&[A-Za-z0-9_-]+(?= |\n|$)/y;
const ALIAS = /\*[A-Za-z0-9_-]+(?= |\n|$)/y;
const FLOW_ALIAS = /\*[A-Za-z0-9_-]+(?=[ ,\]}])/y;
/** The full parser refuses longer keys. */
const MAX_KEY = 1000;
interface Line {
  /** Offset of the first character that is not a blank. */
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
    if (depth > MAX_DOCUMENT_DEPTH) throw NOT_PLAIN;
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
    const entries = new MappingEntries();
    let end = first;
    let start = first;
    for (;;) {
      const key = this.key(start);
      if (key === undefined || entries.has(key)) throw NOT_PLAIN;
      const keySpan = span(this.file, start, start + key.length);
      const value = this.value(start + key.length + 1, indent, depth + 1);
      end = value.span.end;
      entries.add({ key, keySpan, value });
      const line = this.line;
      if (line === undefined || line.indent < indent) break;
      if (line.indent > indent) throw NOT_PLAIN;
      start = line.start;
    }
    return { kind: "Mapping", entries: entries.merged(), span: span(this.file, first, end) };
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
    if (depth > MAX_DOCUMENT_DEPTH) throw NOT_PLAIN;
    return this.text[start] === "[" ? this.flowSequence(start, depth) : this.flowMapping(start, depth);
  }

  private flowSequence(start: number, depth: number): SourceNode {
    const items: SourceNode[] = [];
    const end = this.flowMembers(start, "]", (at) => {
      const item = this.flowItem(at, depth + 1);
      items.push(item);
      return item.span.end;
    });
    return { kind: "Sequence", items, span: span(this.file, start, end) };
  }

  private flowMapping(start: number, depth: number): SourceNode {
    const entries = new MappingEntries();
    const end = this.flowMembers(start, "}", (at) => {
      const key = this.key(at);
      if (key === undefined || entries.has(key)) throw NOT_PLAIN;
      const value = this.flowItem(this.skip(at + key.length + 1), depth + 1);
      entries.add({ key, keySpan: span(this.file, at, at + key.length), value });
      return value.span.end;
    });
    return { kind: "Mapping", entries: entries.merged(), span: span(this.file, start, end) };
  }

  /** What stands between the brackets, read one by one; `read` gives where a member ends. Gives where the brackets end. */
  private flowMembers(start: number, close: string, read: (at: number) => number): number {
    let at = this.skip(start + 1);
    if (this.text[at] === close) return at + 1;
    for (;;) {
      at = this.skip(read(at));
      if (this.text[at] === close) return at + 1;
      if (this.text[at] !== ",") throw NOT_PLAIN;
      at = this.skip(at + 1);
    }
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
      return {
        kind: "String",
        value: unquoted(first, this.writtenText(at + 1, end - 1)),
        span: span(this.file, at, end),
      };
    }
    if (!canStartScalar(this.text, at)) throw NOT_PLAIN;
    const written = this.writtenText(at, plainEnd(this.text, at, flow));
    return plainScalar(written, span(this.file, at, at + written.length));
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
    if (end === undefined || end - at > MAX_KEY) return undefined;
    const key = this.writtenText(at, end);
    if (isWord(key)) throw NOT_PLAIN;
    return key;
  }

  private writtenText(start: number, end: number): string {
    const text = this.text.slice(start, end);
    const known = this.texts.get(text);
    if (known !== undefined) return known;
    this.texts.set(text, text);
    return text;
  }

  private isDash(at: number): boolean {
    return this.text[at] === "-" && this.text[at + 1] === " ";
  }

  private isKey(at: number): boolean {
    return this.endOf(KEY, at) !== undefined;
  }
}

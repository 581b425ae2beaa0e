/**
 * JSON (RFC 8259) into the source tree, for `data.json` and samples. Stricter than `JSON.parse` where that would hide
 * something: a duplicate key, a lone surrogate. Number text is kept as written.
 */

import { type Diagnostic, type SourceFile, type Span, span } from "@portcullis/rego/diagnostics";
import { documentsDiagnostic } from "./codes.ts";
import { isWellFormed, MAX_DOCUMENT_DEPTH, type MappingEntry, type SourceNode } from "./tree.ts";

const WORDS = /[a-zA-Z0-9_]/;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const SPACE = /[ \t\r\n]*/y;
const ESCAPES = '"\\/bfnrt';
const UNIT = /[0-9a-fA-F]{4}/y;

export interface ParsedTree {
  /** Absent when the text is too broken to have a tree. */
  readonly root: SourceNode | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

class Stop extends Error {}

/** Characters that a string contains unescaped: all but quotes, backslashes and control characters. */
function isPlain(unit: number): boolean {
  return unit >= 0x20 && unit !== 0x22 && unit !== 0x5c;
}

/** Parses all of a file. Stops at the first syntax error, as nothing after it can be trusted; duplicates are all found. */
export function parseJson(file: SourceFile): ParsedTree {
  return new Parser(file).document();
}

/** One pass over a text, a method for each kind of value (RFC 8259, sections 3 to 7). */
class Parser {
  private readonly file: SourceFile;
  private readonly text: string;
  private readonly diagnostics: Diagnostic[] = [];
  private at = 0;

  constructor(file: SourceFile) {
    this.file = file;
    this.text = file.text;
  }

  document(): ParsedTree {
    const { diagnostics } = this;
    try {
      const root = this.value(0);
      this.skip();
      if (this.at < this.text.length) this.expected("the end of the file");
      return { root, diagnostics };
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      return { root: undefined, diagnostics };
    }
  }

  private value(depth: number): SourceNode {
    this.skip();
    if (depth > MAX_DOCUMENT_DEPTH) {
      this.diagnostics.push(
        documentsDiagnostic("sources/too-deep", { limit: MAX_DOCUMENT_DEPTH }, this.spanFrom(this.at, this.at + 1)),
      );
      throw new Stop();
    }
    const c = this.text[this.at];
    if (c === "{") return this.object(depth);
    if (c === "[") return this.array(depth);
    if (c === '"') {
      const { value, location } = this.string();
      return { kind: "String", value, span: location };
    }
    return this.scalar();
  }

  private object(depth: number): SourceNode {
    const start = this.at++;
    const entries: MappingEntry[] = [];
    const seen = new Map<string, Span>();
    this.skip();
    if (this.text[this.at] === "}") this.at++;
    else {
      do this.entry(depth, entries, seen);
      while (this.goesOn("}"));
    }
    return { kind: "Mapping", entries, span: this.spanFrom(start) };
  }

  private entry(depth: number, entries: MappingEntry[], seen: Map<string, Span>): void {
    this.skip();
    if (this.text[this.at] !== '"') this.expected("a key in double quotes");
    const { value: key, location: keySpan } = this.string();
    this.skip();
    if (this.text[this.at] !== ":") this.expected("`:` after the key");
    this.at++;
    const value = this.value(depth + 1);
    const first = seen.get(key);
    if (first === undefined) {
      seen.set(key, keySpan);
      entries.push({ key, keySpan, value });
      return;
    }
    const related = [{ message: "first written here", span: first }];
    this.diagnostics.push(documentsDiagnostic("sources/duplicate-key", { key }, keySpan, { related }));
  }

  private array(depth: number): SourceNode {
    const start = this.at++;
    const items: SourceNode[] = [];
    this.skip();
    if (this.text[this.at] === "]") this.at++;
    else {
      do items.push(this.value(depth + 1));
      while (this.goesOn("]"));
    }
    return { kind: "Sequence", items, span: this.spanFrom(start) };
  }

  /** Reads past the comma before another item, or past the bracket that closes the list of them. */
  private goesOn(close: "}" | "]"): boolean {
    this.skip();
    const c = this.text[this.at];
    if (c !== "," && c !== close) this.expected(`\`,\` or \`${close}\``);
    this.at++;
    return c === ",";
  }

  private string(): { value: string; location: Span } {
    const { text } = this;
    const start = this.at++;
    for (;;) {
      while (this.at < text.length && isPlain(text.charCodeAt(this.at))) this.at++;
      const c = text[this.at];
      if (c === '"') break;
      if (c === undefined) this.fail(start, this.at, "this string has no end");
      if (c !== "\\") this.fail(this.at, this.at + 1, "control characters must be escaped in a string");
      const mark = text[this.at + 1] ?? " ";
      UNIT.lastIndex = this.at + 2;
      if (ESCAPES.includes(mark)) this.at += 2;
      else if (mark === "u" && UNIT.test(text)) this.at += 6;
      else this.fail(this.at, Math.min(this.at + 2, text.length), "unknown escape");
    }
    this.at++;
    const location = this.spanFrom(start);
    // In one piece: put together part by part, a text of escapes takes many times its size.
    const value = JSON.parse(text.slice(start, this.at)) as string;
    if (!isWellFormed(value)) this.diagnostics.push(documentsDiagnostic("sources/lone-surrogate", {}, location));
    return { value, location };
  }

  /** A number, or one of the three words. */
  private scalar(): SourceNode {
    const start = this.at;
    NUMBER.lastIndex = start;
    const number = NUMBER.exec(this.text)?.[0];
    const word = number ?? /^(?:true|false|null)/.exec(this.text.slice(start, start + 5))?.[0] ?? "";
    if (word === "" || WORDS.test(this.text[start + word.length] ?? "")) this.expected("a value");
    this.at += word.length;
    const location = this.spanFrom(start);
    if (number !== undefined) return { kind: "Number", text: number, span: location };
    return word === "null"
      ? { kind: "Null", span: location }
      : { kind: "Boolean", value: word === "true", span: location };
  }

  private skip(): void {
    SPACE.lastIndex = this.at;
    SPACE.exec(this.text);
    this.at = SPACE.lastIndex;
  }

  private spanFrom(start: number, end = this.at): Span {
    return span(this.file, start, end);
  }

  private expected(what: string): never {
    const { text, at } = this;
    const found =
      at >= text.length ? "the end of the file" : `\`${String.fromCodePoint(text.codePointAt(at) as number)}\``;
    return this.fail(at, at + 1, `expected ${what}, found ${found}`);
  }

  private fail(start: number, end: number, problem: string): never {
    this.diagnostics.push(documentsDiagnostic("sources/invalid-json", { problem }, this.spanFrom(start, end)));
    throw new Stop();
  }
}

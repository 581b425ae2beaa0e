/**
 * JSON (RFC 8259) into the source tree, for `data.json` and samples. Stricter than `JSON.parse` where that would hide
 * something: a duplicate key, a lone surrogate. Number text is kept as written.
 */

import type { Diagnostic } from "../base/diagnostic.ts";
import type { SourceFile } from "../base/source-file.ts";
import { type Span, span } from "../base/span.ts";
import { report } from "./codes.ts";
import { isWellFormed, MAX_DEPTH, type MappingEntry, type SourceNode } from "./tree.ts";

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
  const text = file.text;
  const diagnostics: Diagnostic[] = [];
  let at = 0;

  const fail = (start: number, end: number, problem: string): never => {
    diagnostics.push(report("sources/invalid-json", { problem }, span(file, start, end)));
    throw new Stop();
  };
  const skip = (): void => {
    SPACE.lastIndex = at;
    SPACE.exec(text);
    at = SPACE.lastIndex;
  };
  const found = (): string =>
    at >= text.length ? "the end of the file" : `\`${String.fromCodePoint(text.codePointAt(at) as number)}\``;

  const string = (): { value: string; location: Span } => {
    const start = at++;
    for (;;) {
      while (at < text.length && isPlain(text.charCodeAt(at))) at++;
      const c = text[at];
      if (c === '"') break;
      if (c === undefined) fail(start, at, "this string has no end");
      if (c !== "\\") fail(at, at + 1, "control characters must be escaped in a string");
      const mark = text[at + 1] ?? " ";
      UNIT.lastIndex = at + 2;
      if (ESCAPES.includes(mark)) at += 2;
      else if (mark === "u" && UNIT.test(text)) at += 6;
      else fail(at, Math.min(at + 2, text.length), "unknown escape");
    }
    at++;
    const location = span(file, start, at);
    // In one piece: put together part by part, a text of escapes takes many times its size.
    const value = JSON.parse(text.slice(start, at)) as string;
    if (!isWellFormed(value)) diagnostics.push(report("sources/lone-surrogate", {}, location));
    return { value, location };
  };

  const object = (depth: number): SourceNode => {
    const start = at++;
    const entries: MappingEntry[] = [];
    const seen = new Map<string, Span>();
    skip();
    if (text[at] === "}") at++;
    else {
      for (;;) {
        skip();
        if (text[at] !== '"') fail(at, at + 1, `expected a key in double quotes, found ${found()}`);
        const { value: key, location: keySpan } = string();
        skip();
        if (text[at] !== ":") fail(at, at + 1, `expected \`:\` after the key, found ${found()}`);
        at++;
        const value = node(depth + 1);
        const first = seen.get(key);
        if (first === undefined) {
          seen.set(key, keySpan);
          entries.push({ key, keySpan, value });
        } else {
          diagnostics.push(
            report("sources/duplicate-key", { key }, keySpan, {
              related: [{ message: "first written here", span: first }],
            }),
          );
        }
        skip();
        const c = text[at];
        if (c !== "," && c !== "}") fail(at, at + 1, `expected \`,\` or \`}\`, found ${found()}`);
        at++;
        if (c === "}") break;
      }
    }
    return { kind: "Mapping", entries, span: span(file, start, at) };
  };

  const array = (depth: number): SourceNode => {
    const start = at++;
    const items: SourceNode[] = [];
    skip();
    if (text[at] === "]") at++;
    else {
      for (;;) {
        items.push(node(depth + 1));
        skip();
        const c = text[at];
        if (c !== "," && c !== "]") fail(at, at + 1, `expected \`,\` or \`]\`, found ${found()}`);
        at++;
        if (c === "]") break;
      }
    }
    return { kind: "Sequence", items, span: span(file, start, at) };
  };

  const node = (depth: number): SourceNode => {
    skip();
    if (depth > MAX_DEPTH) {
      diagnostics.push(report("sources/too-deep", { limit: MAX_DEPTH }, span(file, at, at + 1)));
      throw new Stop();
    }
    const c = text[at];
    if (c === "{") return object(depth);
    if (c === "[") return array(depth);
    if (c === '"') {
      const { value, location } = string();
      return { kind: "String", value, span: location };
    }
    const start = at;
    NUMBER.lastIndex = at;
    const number = NUMBER.exec(text)?.[0];
    const word = number ?? /^(?:true|false|null)/.exec(text.slice(at, at + 5))?.[0] ?? "";
    if (word === "" || WORDS.test(text[at + word.length] ?? ""))
      fail(start, start + 1, `expected a value, found ${found()}`);
    at += word.length;
    const location = span(file, start, at);
    if (number !== undefined) return { kind: "Number", text: number, span: location };
    return word === "null"
      ? { kind: "Null", span: location }
      : { kind: "Boolean", value: word === "true", span: location };
  };

  try {
    const root = node(0);
    skip();
    if (at < text.length) fail(at, at + 1, `expected the end of the file, found ${found()}`);
    return { root, diagnostics };
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return { root: undefined, diagnostics };
  }
}

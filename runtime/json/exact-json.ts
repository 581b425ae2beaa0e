/**
 * JSON that loses nothing: numbers keep their text, duplicate keys and halves of surrogate pairs are refused, since two
 * readers could understand them differently. Objects are Maps, so that `__proto__` is an ordinary key.
 */

import { SIMPLE_ESCAPES } from "../host/escapes.ts";

export type ExactJson = null | boolean | string | ExactNumber | readonly ExactJson[] | ExactObject;
/** A JSON object with its members in the order of the text. Keys like `__proto__` are keys like any other. */
export type ExactObject = ReadonlyMap<string, ExactJson>;

/** A JSON number that keeps its text: no digit is lost, whatever its size. */
export interface ExactNumber {
  /** JSON number text as written. */
  readonly number: string;
}

/** A fault of a text, and its offset in UTF-16 units. */
export class JsonTextError extends Error {
  override readonly name = "JsonTextError";
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(`${message} (at offset ${offset})`);
    this.offset = offset;
  }
}

/** Levels of objects and arrays that a text may have where nothing else is asked for. */
export const MAX_JSON_DEPTH = 500;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const SPACE = /[ \t\n\r]*/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** How a text is read. */
export interface ExactJsonOptions {
  /** Levels of objects and arrays that it may have; default 500. */
  readonly depth?: number;
  /** As OPA and our modules read: of a key that stands twice the last one, half of a surrogate pair as U+FFFD. Default: faults. */
  readonly asDecided?: boolean;
  /** Keys keep halves of surrogate pairs, so that two that differ in them alone stay two. */
  readonly keepHalves?: boolean;
}

/** A text with U+FFFD for each half of a surrogate pair, as UTF-8 has it. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

/** Reads one JSON text. A byte order mark at its start is skipped. Throws JsonTextError. */
export function parseExactJson(text: string, options: ExactJsonOptions = {}): ExactJson {
  return new Parser(text, options).document();
}

class Parser {
  private readonly text: string;
  private readonly deepest: number;
  private readonly asDecided: boolean;
  private readonly keepHalves: boolean;
  private at: number;
  private depth = 0;

  constructor(text: string, { depth = MAX_JSON_DEPTH, asDecided = false, keepHalves = false }: ExactJsonOptions) {
    this.text = text;
    this.deepest = depth;
    this.asDecided = asDecided;
    this.keepHalves = keepHalves;
    this.at = text.startsWith("\ufeff") ? 1 : 0;
  }

  document(): ExactJson {
    const value = this.value();
    this.space();
    if (this.at < this.text.length) this.fail("unexpected text after the value");
    return value;
  }

  private fail(message: string, at = this.at): never {
    throw new JsonTextError(message, at);
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? "";
    this.at += found.length;
    return found;
  }

  private space(): void {
    this.match(SPACE);
  }

  private eat(token: string): boolean {
    this.space();
    if (!this.text.startsWith(token, this.at)) return false;
    this.at += token.length;
    return true;
  }

  private value(): ExactJson {
    this.space();
    const c = this.text[this.at];
    if (c === "{") return this.nested(() => this.object());
    if (c === "[") return this.nested(() => this.array());
    if (c === '"') return this.string();
    if (this.eat("true")) return true;
    if (this.eat("false")) return false;
    if (this.eat("null")) return null;
    const number = this.match(NUMBER);
    if (number === "") this.fail(c === undefined ? "unexpected end of the text" : "expected a JSON value");
    return { number };
  }

  private nested<T>(read: () => T): T {
    if (++this.depth > this.deepest) this.fail(`nested more than ${this.deepest} levels deep`);
    this.at++;
    const value = read();
    this.depth--;
    return value;
  }

  private array(): ExactJson[] {
    const items: ExactJson[] = [];
    if (this.eat("]")) return items;
    do items.push(this.value());
    while (this.eat(","));
    if (!this.eat("]")) this.fail("expected `,` or `]`");
    return items;
  }

  private object(): ExactObject {
    const entries = new Map<string, ExactJson>();
    if (this.eat("}")) return entries;
    do {
      this.space();
      const start = this.at;
      if (this.text[start] !== '"') this.fail("expected a key in double quotes");
      const key = this.string(this.keepHalves);
      if (entries.has(key) && !this.asDecided) this.fail(`the key ${JSON.stringify(key)} stands twice`, start);
      if (!this.eat(":")) this.fail("expected `:`");
      entries.set(key, this.value());
    } while (this.eat(","));
    if (!this.eat("}")) this.fail("expected `,` or `}`");
    return entries;
  }

  private string(keepsHalves = false): string {
    const start = this.at++;
    let out = "";
    for (;;) {
      out += this.match(PLAIN);
      const c = this.text[this.at++];
      if (c === '"') break;
      if (c !== "\\")
        this.fail(c === undefined ? "the text ends in a string" : "a control character in a string", this.at - 1);
      out += this.escape();
    }
    if (keepsHalves) return out;
    if (this.asDecided) return wellFormed(out);
    if (LONE_SURROGATE.test(out)) this.fail("half of a surrogate pair in a string", start);
    return out;
  }

  private escape(): string {
    const c = this.text[this.at++] ?? "";
    const simple = SIMPLE_ESCAPES[c];
    if (simple !== undefined) return simple;
    const hex = this.text.slice(this.at, this.at + 4);
    if (c !== "u" || !/^[0-9a-fA-F]{4}$/.test(hex)) this.fail("an unknown escape in a string", this.at - 1);
    this.at += 4;
    return String.fromCharCode(Number.parseInt(hex, 16));
  }
}

/**
 * Values as text. `fromJson` reads strict JSON; `fromText` reads what `opa_value_dump` writes: JSON with `{1, 2}`,
 * `set()` and keys of any type. `toText` writes that form, `toJson` what Go's `json.Marshal` makes of a Rego value.
 */

import { hasBytes } from "./bytes.ts";
import { SIMPLE_ESCAPES } from "./escapes.ts";
import { compareStrings, sorted, sortedEntries } from "./order.ts";
import { HostNumber, isArray, isObject, isSet, type JsonLike } from "./value.ts";

/** Deeper texts are refused: reading, comparing and writing recurse. */
const maxDepth = 1000;

class Unreadable extends Error {}

const numberAt = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Whether a character of a string stands for itself: no quote, no backslash, no control, and not the end of the text. */
const isPlain = (code: number): boolean => code >= 32 && code !== 34 && code !== 92;

class TermReader {
  private at = 0;
  private depth = 0;
  private readonly text: string;
  private readonly sets: boolean;

  constructor(text: string, sets: boolean) {
    this.text = text;
    this.sets = sets;
  }

  document(): JsonLike {
    const value = this.value();
    this.space();
    if (this.at < this.text.length) throw new Unreadable();
    return value;
  }

  private space(): void {
    for (;;) {
      const c = this.text.charCodeAt(this.at);
      if (c !== 32 && c !== 10 && c !== 13 && c !== 9) return;
      this.at++;
    }
  }

  private skip(expected: string): boolean {
    this.space();
    if (!this.text.startsWith(expected, this.at)) return false;
    this.at += expected.length;
    return true;
  }

  private need(expected: string): void {
    if (!this.skip(expected)) throw new Unreadable();
  }

  private value(): JsonLike {
    this.space();
    switch (this.text[this.at]) {
      case "{":
        return this.nested(() => this.braces());
      case "[":
        return this.nested(() => this.list("]"));
      case '"':
        return this.string();
      case "t":
        this.need("true");
        return true;
      case "f":
        this.need("false");
        return false;
      case "n":
        this.need("null");
        return null;
      case "s":
        if (!this.sets) throw new Unreadable();
        this.need("set(");
        this.need(")");
        return new Set();
      default:
        return this.number();
    }
  }

  private nested<T>(read: () => T): T {
    if (++this.depth > maxDepth) throw new Unreadable();
    this.at++;
    const value = read();
    this.depth--;
    return value;
  }

  private list(end: string): JsonLike[] {
    const items: JsonLike[] = [];
    if (this.skip(end)) return items;
    do items.push(this.value());
    while (this.skip(","));
    this.need(end);
    return items;
  }

  private braces(): JsonLike {
    const entries = new Map<JsonLike, JsonLike>();
    if (this.skip("}")) return entries;
    const first = this.key();
    if (this.sets && !this.skip(":")) {
      if (this.skip(",")) return new Set([first, ...this.list("}")]);
      this.need("}");
      return new Set([first]);
    }
    if (!this.sets) this.need(":");
    entries.set(first, this.value());
    while (this.skip(",")) {
      const key = this.key();
      this.need(":");
      entries.set(key, this.value());
    }
    this.need("}");
    return entries;
  }

  private key(): JsonLike {
    const key = this.value();
    if (!this.sets && typeof key !== "string") throw new Unreadable();
    return key;
  }

  private number(): HostNumber {
    numberAt.lastIndex = this.at;
    const match = numberAt.exec(this.text);
    if (match === null) throw new Unreadable();
    this.at = numberAt.lastIndex;
    return new HostNumber(match[0]);
  }

  private string(): string {
    this.at++;
    let out = "";
    for (;;) {
      const start = this.at;
      while (isPlain(this.text.charCodeAt(this.at))) this.at++;
      out += this.text.slice(start, this.at);
      const c = this.text[this.at++];
      // In a value text halves of pairs are bytes (bytes.ts).
      if (c === '"') return this.sets ? out : wellFormed(out);
      if (c !== "\\") throw new Unreadable();
      const escaped = this.text[this.at++] ?? "";
      const simple = SIMPLE_ESCAPES[escaped];
      if (simple !== undefined) out += simple;
      else {
        const hex = this.text.slice(this.at, this.at + 4);
        if (escaped !== "u" || !/^[0-9a-fA-F]{4}$/.test(hex)) throw new Unreadable();
        this.at += 4;
        out += String.fromCharCode(Number.parseInt(hex, 16));
      }
    }
  }
}

/** A half of a surrogate pair stands for no character: as in Go, it becomes U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}

function read(text: string, sets: boolean): JsonLike | undefined {
  try {
    return new TermReader(text, sets).document();
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

/** The value of a JSON text; undefined when it is not one. The last of two equal keys wins. */
export function fromJson(text: string): JsonLike | undefined {
  return read(text, false);
}

/** The value of a text in Rego's syntax, sets and keys of any type included; undefined when it is not one. */
export function fromText(text: string): JsonLike | undefined {
  return read(text, true);
}

/** Rego's syntax, which `opa_value_parse` reads back exactly. */
export function toText(value: JsonLike): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof HostNumber) return value.text;
  if (isArray(value)) return `[${value.map(toText).join(",")}]`;
  if (isSet(value)) return value.size === 0 ? "set()" : `{${sorted(value).map(toText).join(",")}}`;
  return `{${sortedEntries(value)
    .map(([k, v]) => `${toText(k)}:${toText(v)}`)
    .join(",")}}`;
}

/** How JSON text is written. */
export interface JsonStyle {
  /** Writes `<`, `>` and `&` as escapes, as Go does where the text may reach a browser. */
  readonly html: boolean;
}

/** JSON with sorted keys and sets as sorted arrays. A key that is not a string is written as the string of its JSON. */
export function toJson(value: JsonLike, style: JsonStyle = { html: false }): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return quote(value, style);
  if (value instanceof HostNumber) return value.text;
  if (isArray(value)) return `[${value.map((item) => toJson(item, style)).join(",")}]`;
  if (isSet(value))
    return `[${sorted(value)
      .map((item) => toJson(item, style))
      .join(",")}]`;
  const fields = stringKeyed(value).map(([k, v]) => `${quote(k, style)}:${toJson(v, style)}`);
  return `{${fields.join(",")}}`;
}

/** The entries of an object under string keys, in their order. Go writes keys that are not strings with escapes for HTML. */
export function stringKeyed(value: Iterable<readonly [JsonLike, JsonLike]>): (readonly [string, JsonLike])[] {
  const entries = [...value].map(([k, v]) => [typeof k === "string" ? k : toJson(k, { html: true }), v] as const);
  return entries.sort((x, y) => compareStrings(x[0], y[0]));
}

/** The JSON form of a value: sets become arrays, keys become strings. */
export function plain(value: JsonLike): JsonLike {
  if (isArray(value)) return value.map(plain);
  if (isSet(value)) return sorted(value).map(plain);
  if (isObject(value)) return new Map(stringKeyed(value).map(([k, v]) => [k, plain(v)] as const));
  return value;
}

function quote(text: string, style: JsonStyle): string {
  let quoted = JSON.stringify(text).replace(/[\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16)}`);
  // A byte that is not text, as Go writes it.
  if (hasBytes(text)) quoted = quoted.replace(/\\(?:u[\da-f]{4}|.)/g, (c) => (c.startsWith("\\ud") ? "\\ufffd" : c));
  if (!style.html) return quoted;
  return quoted.replace(/[<>&]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`);
}

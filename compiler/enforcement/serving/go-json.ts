/**
 * JSON as Go's `encoding/json` writes it and complains about it, which is how OPA's answers look: members in order, `<`, `>`,
 * `&` and two line separators escaped, a newline at the end.
 */

import { compareStrings } from "@portcullis/runtime/host";

const ESCAPES: { readonly [character: string]: string } = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/** Members in their order, as those of a struct; those of a GoMap are sorted. Members that are `undefined` are left out. */
export function goJson(value: unknown, pretty = false): string {
  const text = write(value, pretty ? "\n" : "", false);
  return `${text.replace(/[<>&\u2028\u2029]/g, (character) => ESCAPES[character] as string)}\n`;
}

/** A value whose objects Go would have as maps: their members are sorted. */
export class GoMap {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/** `newline`: with the indentation of the value, or empty for a text on one line. By hand: JavaScript puts keys like `10` first. */
function write(value: unknown, newline: string, sorted: boolean): string {
  if (value instanceof GoMap) return write(value.value, newline, true);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = newline === "" ? "" : `${newline}  `;
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    return `[${inner}${value.map((item: unknown) => write(item, inner, sorted)).join(`,${inner}`)}${newline}]`;
  }
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  if (entries.length === 0) return "{}";
  if (sorted) entries.sort(([a], [b]) => compareStrings(a, b));
  const colon = newline === "" ? ":" : ": ";
  const members = entries.map(([key, item]) => `${JSON.stringify(key)}${colon}${write(item, inner, sorted)}`);
  return `{${inner}${members.join(`,${inner}`)}${newline}}`;
}

/** What Go's decoder says of a text that is not JSON. */
export function goProblem(text: string): string {
  try {
    new Scanner(text).document();
  } catch (error) {
    if (error instanceof Problem) return error.message;
    // The stack is full before Go's limit is reached.
    if (error instanceof RangeError) return TOO_DEEP;
    throw error;
  }
  return "invalid character after top-level value";
}

class Problem extends Error {}

const DEEPEST = 10_000;
const TOO_DEEP = "exceeded max depth";

class Scanner {
  private at = 0;
  private depth = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  document(): void {
    this.space();
    if (this.at === this.text.length) throw new Problem("EOF");
    this.value();
    this.space();
    if (this.at < this.text.length) this.fail("after top-level value");
  }

  private space(): void {
    while (" \t\r\n".includes(this.text[this.at] ?? "x")) this.at++;
  }

  private fail(where: string): never {
    const character = this.text.codePointAt(this.at);
    if (character === undefined) throw new Problem("unexpected EOF");
    // Go reads bytes: of a character beyond ASCII it shows the first one of its UTF-8.
    const [byte = character] = new TextEncoder().encode(String.fromCodePoint(character));
    const shown = String.fromCodePoint(byte);
    const plain = JSON.stringify(shown)
      .slice(1, -1)
      .replace(/^\\u00/, "\\x");
    const quoted = shown === "'" ? "\\'" : shown === '"' ? '"' : plain;
    throw new Problem(`invalid character '${quoted}' ${where}`);
  }

  private value(): void {
    this.space();
    const c = this.text[this.at] ?? "";
    if (c === "{" || c === "[") {
      if (++this.depth > DEEPEST) throw new Problem(TOO_DEEP);
      this.at++;
      if (c === "{") this.object();
      else this.array();
      this.depth--;
    } else if (c === '"') this.string();
    else if (c === "-" || (c >= "0" && c <= "9" && c !== "")) this.number();
    else if (c === "t") this.literal("true");
    else if (c === "f") this.literal("false");
    else if (c === "n") this.literal("null");
    else this.fail("looking for beginning of value");
  }

  private object(): void {
    this.space();
    if (this.skip("}")) return;
    do {
      this.space();
      if (this.text[this.at] !== '"') this.fail("looking for beginning of object key string");
      this.string();
      this.space();
      if (!this.skip(":")) this.fail("after object key");
      this.value();
      this.space();
    } while (this.skip(","));
    if (!this.skip("}")) this.fail("after object key:value pair");
  }

  private array(): void {
    this.space();
    if (this.skip("]")) return;
    do {
      this.value();
      this.space();
    } while (this.skip(","));
    if (!this.skip("]")) this.fail("after array element");
  }

  private skip(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  private literal(word: string): void {
    for (const [i, letter] of [...word].entries())
      if (!this.skip(letter)) this.fail(i === 0 ? "" : `in literal ${word} (expecting '${letter}')`);
  }

  private string(): void {
    this.at++;
    for (;;) {
      const c = this.text[this.at] ?? "";
      if (c === "" || c < " ") this.fail("in string literal");
      this.at++;
      if (c === '"') return;
      if (c !== "\\") continue;
      if (!'"\\/bfnrtu'.includes(this.text[this.at] ?? "x")) this.fail("in string escape code");
      if (this.text[this.at++] !== "u") continue;
      for (let i = 0; i < 4; i++, this.at++)
        if (!/[0-9a-fA-F]/.test(this.text[this.at] ?? "")) this.fail("in \\u hexadecimal character escape");
    }
  }

  private number(): void {
    if (this.skip("-") && !this.isDigit()) this.fail("in numeric literal");
    if (!this.skip("0")) this.digits();
    if (this.skip(".")) {
      if (!this.isDigit()) this.fail("after decimal point in numeric literal");
      this.digits();
    }
    if (!this.skip("e") && !this.skip("E")) return;
    if (!this.skip("+")) this.skip("-");
    if (!this.isDigit()) this.fail("in exponent of numeric literal");
    this.digits();
  }

  private isDigit(): boolean {
    return /[0-9]/.test(this.text[this.at] ?? "");
  }

  private digits(): void {
    while (this.isDigit()) this.at++;
  }
}

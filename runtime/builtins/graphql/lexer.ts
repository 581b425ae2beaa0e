/** The tokens of a GraphQL text, https://spec.graphql.org/October2021/#sec-Appendix-Grammar-Summary.Lexical-Tokens */

import { fail } from "../family.ts";

export interface Token {
  /** A punctuator by itself, or a kind in capitals. */
  readonly kind:
    | "END"
    | "NAME"
    | "INT"
    | "FLOAT"
    | "STRING"
    | "BLOCK"
    | "!"
    | "$"
    | "&"
    | "("
    | ")"
    | "..."
    | ":"
    | "="
    | "@"
    | "["
    | "]"
    | "{"
    | "}"
    | "|";
  readonly value: string;
  /** The comments right before the token, `#` included. */
  readonly comments: readonly string[];
}

const ignored = /[\t ,\n\r\ufeff]*/y;
const comment = /#[^\n\r]*/y;
const patterns: readonly (readonly [Token["kind"], RegExp])[] = [
  ["NAME", /[_A-Za-z][_0-9A-Za-z]*/y],
  ["FLOAT", /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)/y],
  ["INT", /-?(?:0|[1-9][0-9]*)/y],
];
const punctuators = ["...", "!", "$", "&", "(", ")", ":", "=", "@", "[", "]", "{", "}", "|"] as const;
const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

/** The texts of a block string without what indents all its lines, and without blank lines around it. */
function blockValue(raw: string): string {
  const lines = raw.split("\n");
  const indents = lines.filter((line) => /[^ \t]/.test(line)).map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0);
  const common = indents.reduce((least, indent) => Math.min(least, indent), Number.POSITIVE_INFINITY);
  const cut = lines.map((line, i) => (i === 0 || common === Number.POSITIVE_INFINITY ? line : line.slice(common)));
  while (cut.length > 0 && !/[^ \t]/.test(cut[0] as string)) cut.shift();
  while (cut.length > 0 && !/[^ \t]/.test(cut.at(-1) as string)) cut.pop();
  return cut.join("\n");
}

export class Lexer {
  private at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  next(): Token {
    const comments: string[] = [];
    for (;;) {
      this.match(ignored);
      const found = this.match(comment);
      if (found === undefined) break;
      comments.push(found);
    }
    if (this.at >= this.text.length) return { kind: "END", value: "", comments };
    if (this.text.startsWith('"""', this.at)) return { kind: "BLOCK", value: this.block(), comments };
    if (this.text[this.at] === '"') return { kind: "STRING", value: this.string(), comments };
    for (const [kind, pattern] of patterns) {
      const value = this.match(pattern);
      if (value === undefined) continue;
      const after = this.text[this.at] ?? "";
      const runsOn =
        kind === "INT" ? /[0-9.eE]/.test(after) : kind === "FLOAT" && /[eE]/.test(after) && !/[eE]/.test(value);
      return runsOn ? fail("invalid number") : { kind, value, comments };
    }
    const punctuator = punctuators.find((candidate) => this.text.startsWith(candidate, this.at));
    if (punctuator === undefined) return fail("unexpected character");
    this.at += punctuator.length;
    return { kind: punctuator, value: "", comments };
  }

  private string(): string {
    let out = "";
    for (this.at++; ; ) {
      const char = this.text[this.at++] ?? fail("unterminated string");
      if (char === '"') return out;
      if (char < " " && char !== "\t") fail("unterminated string");
      if (char !== "\\") {
        out += char;
        continue;
      }
      const escaped = this.text[this.at++] ?? "";
      if (escaped === "u") {
        const digits = this.text.slice(this.at, this.at + 4);
        const code = /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : fail("invalid escape");
        // Halves of pairs are taken one by one, and stand for nothing.
        out += code >= 0xd800 && code <= 0xdfff ? "\ufffd" : String.fromCharCode(code);
        this.at += 4;
      } else out += escapes.get(escaped) ?? fail("invalid escape");
    }
  }

  private block(): string {
    let out = "";
    for (this.at += 3; ; ) {
      if (this.at >= this.text.length) fail("unterminated string");
      const quotes = /"+/y;
      quotes.lastIndex = this.at;
      const run = quotes.exec(this.text)?.[0].length ?? 0;
      if (run >= 3) {
        // If there are more than three quotes, the last three close.
        this.at += run;
        return blockValue(out + '"'.repeat(run - 3));
      }
      const char = this.text[this.at] as string;
      if (char < " " && !"\t\n\r".includes(char)) fail("invalid character in a string");
      if (this.text.startsWith('\\"""', this.at)) {
        out += '"""';
        this.at += 4;
      } else if (char === "\r") {
        out += "\n";
        this.at += this.text[this.at + 1] === "\n" ? 2 : 1;
      } else {
        out += char;
        this.at++;
      }
    }
  }
}

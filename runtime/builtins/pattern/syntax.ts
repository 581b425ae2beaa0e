/**
 * The syntax of RE2, https://github.com/google/re2/wiki/Syntax, as a tree. What RE2 does not know (back references,
 * looking around) is an error, since no matcher in linear time can have it.
 */

import { type CharSet, foldedCase, namedClass, perlClass, unicodeClass, union } from "./char-set.ts";

export type Pattern =
  | { readonly kind: "Empty" }
  | { readonly kind: "Char"; readonly set: CharSet }
  | {
      readonly kind: "Assertion";
      readonly at: "textStart" | "textEnd" | "lineStart" | "lineEnd" | "wordEdge" | "noWordEdge";
    }
  | { readonly kind: "Sequence" | "Choice"; readonly parts: readonly Pattern[] }
  /** `max` undefined: no limit. Greediness does not matter for whether there is a match. */
  | { readonly kind: "Repeat"; readonly part: Pattern; readonly min: number; readonly max: number | undefined };

export class PatternError extends Error {}

interface Flags {
  readonly ignoreCase: boolean;
  readonly multiLine: boolean;
  readonly dotAll: boolean;
}

const maxRepeat = 1000;
const maxDepth = 200;
const maxLength = 10_000;

const controls: Readonly<Record<string, number>> = { a: 7, f: 12, t: 9, n: 10, r: 13, v: 11 };
const assertions = { A: "textStart", z: "textEnd", b: "wordEdge", B: "noWordEdge" } as const;

class Parser {
  private at = 0;
  private depth = 0;
  private flags: Flags = { ignoreCase: false, multiLine: false, dotAll: false };
  private readonly chars: readonly string[];

  constructor(text: string) {
    this.chars = [...text];
    if (this.chars.length > maxLength) throw new PatternError("pattern too long");
  }

  all(): Pattern {
    const pattern = this.choice();
    if (this.at < this.chars.length) throw new PatternError("unexpected )");
    return pattern;
  }

  private peek(text: string): boolean {
    return [...text].every((char, i) => this.chars[this.at + i] === char);
  }

  private skip(text: string): boolean {
    if (!this.peek(text)) return false;
    this.at += [...text].length;
    return true;
  }

  private next(): string {
    const char = this.chars[this.at++];
    if (char === undefined) throw new PatternError("pattern ends too soon");
    return char;
  }

  private choice(): Pattern {
    if (++this.depth > maxDepth) throw new PatternError("pattern nested too deep");
    const saved = this.flags;
    const parts = [this.sequence()];
    while (this.skip("|")) parts.push(this.sequence());
    this.flags = saved;
    this.depth--;
    return parts.length === 1 ? (parts[0] as Pattern) : { kind: "Choice", parts };
  }

  private sequence(): Pattern {
    const parts: Pattern[] = [];
    while (this.at < this.chars.length && !this.peek("|") && !this.peek(")")) {
      if (this.skip("\\Q")) {
        while (this.at < this.chars.length && !this.skip("\\E")) parts.push(this.literal(this.next()));
      } else {
        const part = this.atom();
        if (part !== undefined) parts.push(part);
      }
      // What repeats is the last part, even when only flags or quotes stand between.
      const bounds = this.repetition();
      if (bounds === undefined) continue;
      const part = parts.pop();
      if (part === undefined) throw new PatternError("nothing to repeat");
      this.skip("?");
      if (this.repetition() !== undefined) throw new PatternError("nested repetition");
      parts.push({ kind: "Repeat", part, ...bounds });
    }
    return { kind: "Sequence", parts };
  }

  private repetition(): { readonly min: number; readonly max: number | undefined } | undefined {
    if (this.skip("*")) return { min: 0, max: undefined };
    if (this.skip("+")) return { min: 1, max: undefined };
    if (this.skip("?")) return { min: 0, max: 1 };
    if (!this.peek("{")) return undefined;
    const match = /^\{(\d+)(?:(,)(\d*))?\}/.exec(this.chars.slice(this.at, this.at + 24).join(""));
    // Braces that are no repetition are characters.
    if (match === null) return undefined;
    this.at += match[0].length;
    const min = Number(match[1]);
    const max = match[2] === undefined ? min : match[3] === "" ? undefined : Number(match[3]);
    if (min > maxRepeat || (max !== undefined && (max > maxRepeat || max < min)))
      throw new PatternError("repeat count");
    return { min, max };
  }

  private set(set: CharSet): Pattern {
    return { kind: "Char", set: this.flags.ignoreCase ? foldedCase(set) : set };
  }

  private literal(char: string): Pattern {
    const code = char.codePointAt(0) as number;
    return this.set((c) => c === code);
  }

  /** Undefined for a group that only sets flags. */
  private atom(): Pattern | undefined {
    const char = this.next();
    switch (char) {
      case "(":
        return this.group();
      case "[":
        return this.bracket();
      case ".": {
        const { dotAll } = this.flags;
        return { kind: "Char", set: (c) => dotAll || c !== 10 };
      }
      case "^":
        return { kind: "Assertion", at: this.flags.multiLine ? "lineStart" : "textStart" };
      case "$":
        return { kind: "Assertion", at: this.flags.multiLine ? "lineEnd" : "textEnd" };
      case "\\":
        return this.escape();
      case "*":
      case "+":
      case "?":
        throw new PatternError("nothing to repeat");
      case "{":
        this.at--;
        if (this.repetition() !== undefined) throw new PatternError("nothing to repeat");
        this.at++;
        return this.literal(char);
      default:
        return this.literal(char);
    }
  }

  private group(): Pattern | undefined {
    if (!this.skip("?")) return this.closed(this.choice());
    if (this.skip("P<") || this.skip("<")) {
      const start = this.at;
      while (this.next() !== ">");
      const name = this.chars.slice(start, this.at - 1).join("");
      if (!/^\w+$/.test(name)) throw new PatternError("group name");
      return this.closed(this.choice());
    }
    return this.flagGroup();
  }

  private closed(pattern: Pattern): Pattern {
    if (!this.skip(")")) throw new PatternError("missing )");
    return pattern;
  }

  private flagGroup(): Pattern | undefined {
    const flags: { -readonly [K in keyof Flags]: Flags[K] } = { ...this.flags };
    let value = true;
    let count = 0;
    for (;;) {
      const char = this.next();
      if (char === ":" || char === ")") {
        if (!value && count === 0) throw new PatternError("flags");
        if (char === ")") {
          if (count === 0) throw new PatternError("flags");
          this.flags = flags;
          return undefined;
        }
        const saved = this.flags;
        this.flags = flags;
        const pattern = this.closed(this.choice());
        this.flags = saved;
        return pattern;
      }
      if (char === "-" && value) {
        value = false;
        count = 0;
        continue;
      }
      count++;
      if (char === "i") flags.ignoreCase = value;
      else if (char === "m") flags.multiLine = value;
      else if (char === "s") flags.dotAll = value;
      else if (char !== "U") throw new PatternError("flags");
    }
  }

  private escape(): Pattern {
    const char = this.chars[this.at];
    const assertion = Object.entries(assertions).find(([name]) => name === char)?.[1];
    if (assertion !== undefined) {
      this.at++;
      return { kind: "Assertion", at: assertion };
    }
    const set = this.classEscape();
    if (set !== undefined) return this.set(set);
    return this.literal(String.fromCodePoint(this.codeEscape()));
  }

  /** `\d`, `\pN`, `\p{Greek}` after the backslash; undefined when something else follows. */
  private classEscape(): CharSet | undefined {
    const char = this.chars[this.at] ?? "";
    const perl = perlClass(char.toLowerCase());
    if (perl !== undefined) {
      this.at++;
      return this.signed(perl, char !== char.toLowerCase());
    }
    if (char !== "p" && char !== "P") return undefined;
    this.at++;
    let name = this.next();
    if (name === "{") {
      const start = this.at;
      while (this.next() !== "}");
      name = this.chars.slice(start, this.at - 1).join("");
    }
    const negated = (char === "P") !== name.startsWith("^");
    const set = unicodeClass(name.replace(/^\^/, ""));
    if (set === undefined) throw new PatternError("unknown class");
    return this.signed(set, negated);
  }

  /** The set or all but it. Case is ignored before the negation: `(?i)\W` leaves out the Kelvin sign, a kind of k. */
  private signed(set: CharSet, negated: boolean): CharSet {
    if (!negated) return set;
    const left = this.flags.ignoreCase ? foldedCase(set) : set;
    return (c) => !left(c);
  }

  /** The code point of an escape after its backslash. */
  private codeEscape(): number {
    const char = this.next();
    if (char in controls && /^[a-z]$/.test(char)) return controls[char] as number;
    if (char === "x") return this.hexEscape();
    if (/^[0-7]$/.test(char)) {
      // A single digit that is not zero would be a back reference.
      if (char !== "0" && !/^[0-7]$/.test(this.chars[this.at] ?? "")) throw new PatternError("back reference");
      let digits = char;
      while (digits.length < 3 && /^[0-7]$/.test(this.chars[this.at] ?? "")) digits += this.next();
      return Number.parseInt(digits, 8);
    }
    const code = char.codePointAt(0) as number;
    if (code >= 0x80 || /^[A-Za-z0-9]$/.test(char)) throw new PatternError("unknown escape");
    return code;
  }

  private hexEscape(): number {
    let digits = "";
    if (this.skip("{")) {
      for (let char = this.next(); char !== "}"; char = this.next()) digits += char;
    } else digits = this.next() + this.next();
    const code = /^[0-9a-fA-F]{1,8}$/.test(digits) ? Number.parseInt(digits, 16) : Number.NaN;
    if (!(code <= 0x10ffff)) throw new PatternError("hexadecimal escape");
    return code;
  }

  private bracket(): Pattern {
    const negated = this.skip("^");
    const sets: CharSet[] = [];
    for (let first = true; first || !this.skip("]"); first = false) {
      sets.push(this.bracketPart());
    }
    const all = union(sets);
    const folded = this.flags.ignoreCase ? foldedCase(all) : all;
    return { kind: "Char", set: negated ? (c) => !folded(c) : folded };
  }

  private bracketPart(): CharSet {
    if (this.peek("[:")) {
      const end = this.chars.indexOf(":", this.at + 2);
      if (end >= 0 && this.chars[end + 1] === "]") {
        const named = namedClass(this.chars.slice(this.at + 2, end).join(""));
        if (named === undefined) throw new PatternError("unknown class");
        this.at = end + 2;
        return named;
      }
    }
    if (this.peek("\\")) {
      this.at++;
      const set = this.classEscape();
      if (set !== undefined) return set;
      this.at--;
    }
    const low = this.bracketChar();
    if (!this.peek("-") || this.chars[this.at + 1] === "]") return (c) => c === low;
    this.at++;
    const high = this.bracketChar();
    if (high < low) throw new PatternError("bad range");
    return (c) => c >= low && c <= high;
  }

  private bracketChar(): number {
    const char = this.next();
    return char === "\\" ? this.codeEscape() : (char.codePointAt(0) as number);
  }
}

/** The tree of a pattern; throws PatternError for one that RE2 would not take. */
export function parsePattern(text: string): Pattern {
  return new Parser(text).all();
}

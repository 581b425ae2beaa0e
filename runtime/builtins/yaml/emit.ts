/**
 * Values as YAML text, to the byte as Go's yaml package (a port of libyaml's emitter) writes them: what a policy compares or
 * signs. By hand, because libraries have styles of their own: where to fold, what to quote, the order of keys.
 */

import { formatFloat, type YamlValue } from "./decode.ts";
import { isOldBoolean, isTimestamp, resolveScalar } from "./resolve.ts";

/** Longer keys need a `?`. */
const maxSimpleKey = 128;

type Style = "plain" | "single" | "double" | "literal";

const isBreak = (char: string): boolean => char !== "" && "\n\r\u0085\u2028\u2029".includes(char);
const isBlank = (char: string): boolean => char === "" || char === " " || char === "\t" || isBreak(char);
/** Characters beyond the basic plane are escaped, as libyaml has it. */
const printable = /^[\n -~\u0085\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]$/u;

interface Analysis {
  readonly multiline: boolean;
  readonly plain: boolean;
  readonly single: boolean;
  readonly block: boolean;
}

/** In which styles a text can be written outside flow collections. */
function analyze(chars: readonly string[]): Analysis {
  if (chars.length === 0) return { multiline: false, plain: true, single: true, block: false };
  const at = (i: number): string => chars[i] ?? "";
  const last = chars.length - 1;
  const start = chars.slice(0, 3).join("");
  let indicators = start === "---" || start === "...";
  indicators ||= "#,[]{}&*!|>'\"%@`".includes(at(0)) || ("?:-".includes(at(0)) && isBlank(at(1)));
  indicators ||= chars.some(
    (char, i) => i > 0 && ((char === ":" && isBlank(at(i + 1))) || (char === "#" && isBlank(at(i - 1)))),
  );
  const special = chars.some((char) => !printable.test(char));
  const breaks = chars.some(isBreak);
  const breakSpace = chars.some((char, i) => char === " " && isBreak(at(i - 1)));
  const spaceBreak = chars.some((char, i) => isBreak(char) && at(i - 1) === " ");
  const edges = [at(0), at(last)].some((char) => char === " " || isBreak(char));
  return {
    multiline: breaks,
    plain: !(edges || breakSpace || spaceBreak || special || breaks || indicators),
    single: !(breakSpace || spaceBreak || special),
    block: !(at(last) === " " || spaceBreak || chars.some((char) => char !== "\t" && !printable.test(char))),
  };
}

const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

const escapes: ReadonlyMap<string, string> = new Map([
  ["\0", "0"],
  ["\x07", "a"],
  ["\b", "b"],
  ["\t", "t"],
  ["\n", "n"],
  ["\v", "v"],
  ["\f", "f"],
  ["\r", "r"],
  ["\x1b", "e"],
  ['"', '"'],
  ["\\", "\\"],
  ["\u0085", "N"],
  ["\u00a0", "_"],
  ["\u2028", "L"],
  ["\u2029", "P"],
]);

function escaped(char: string): string {
  const simple = escapes.get(char);
  if (simple !== undefined) return `\\${simple}`;
  const code = char.codePointAt(0) as number;
  const [letter, digits] = code <= 0xff ? ["x", 2] : code <= 0xffff ? ["u", 4] : ["U", 8];
  return `\\${letter}${code
    .toString(16)
    .toUpperCase()
    .padStart(digits as number, "0")}`;
}

class Emitter {
  private out = "";

  private write(text: string): void {
    this.out += text;
  }

  private newLine(indent: number): void {
    if (!this.out.endsWith("\n")) this.out += "\n";
    this.out += " ".repeat(indent);
  }

  document(value: YamlValue): string {
    this.node(value, -1, false);
    return this.out.endsWith("\n") ? this.out : `${this.out}\n`;
  }

  /** A node whose children stand at `indent + 2`; `afterDash`: it may begin on the current line. */
  node(value: YamlValue, indent: number, afterKey: boolean): void {
    if (Array.isArray(value)) this.sequence(value as readonly YamlValue[], indent, afterKey);
    else if (value instanceof Map) this.mapping(value as ReadonlyMap<string, YamlValue>, indent, afterKey);
    else
      this.scalar(
        value as Exclude<YamlValue, readonly YamlValue[] | ReadonlyMap<string, YamlValue>>,
        Math.max(indent, 0),
        false,
      );
  }

  private sequence(items: readonly YamlValue[], indent: number, afterKey: boolean): void {
    if (items.length === 0) return this.write("[]");
    const column = indent < 0 ? 0 : indent + 2;
    for (const [i, item] of items.entries()) {
      if (i > 0 || afterKey) this.newLine(column);
      this.write("- ");
      this.node(item, column, false);
    }
  }

  private mapping(entries: ReadonlyMap<string, YamlValue>, indent: number, afterKey: boolean): void {
    if (entries.size === 0) return this.write("{}");
    const column = indent < 0 ? 0 : indent + 2;
    for (const [i, key] of [...entries.keys()].sort(compareKeys).entries()) {
      const value = entries.get(key) as YamlValue;
      if (i > 0 || afterKey) this.newLine(column);
      const chars = [...key];
      const bytes = new TextEncoder().encode(key).length;
      if (!analyze(chars).multiline && bytes <= maxSimpleKey) {
        this.scalar(key, column, true);
        this.write(":");
        this.value(value, column);
      } else {
        this.write("? ");
        this.scalar(key, column, false);
        this.newLine(column);
        this.write(": ");
        this.node(value, column, false);
      }
    }
  }

  /** What follows a simple key: a scalar on its line, a collection below it. */
  private value(value: YamlValue, column: number): void {
    const collection = (Array.isArray(value) && value.length > 0) || (value instanceof Map && value.size > 0);
    if (!collection) this.write(" ");
    this.node(value, column, collection);
  }

  private scalar(
    value: Exclude<YamlValue, readonly YamlValue[] | ReadonlyMap<string, YamlValue>>,
    indent: number,
    isKey: boolean,
  ): void {
    if (typeof value === "number") return this.write(formatFloat(value));
    if (typeof value !== "string") return this.write(String(value));
    const chars = [...value];
    const inner = indent + 2;
    switch (styleOf(value, chars, isKey)) {
      case "plain":
        return this.line(chars, inner, false);
      case "single":
        this.write("'");
        this.line(chars, inner, true);
        return this.write("'");
      case "double":
        return this.double(chars);
      case "literal":
        return this.literal(value, chars, inner);
    }
  }

  /** Plain or single-quoted text, on one line however long. */
  private line(chars: readonly string[], indent: number, quoted: boolean): void {
    for (const [i, char] of chars.entries()) {
      // A line or paragraph separator stands for itself, and what follows it is indented.
      if (isBreak(char)) {
        this.out += char;
      } else {
        if (i > 0 && isBreak(chars[i - 1] as string)) this.write(" ".repeat(indent));
        this.write(quoted && char === "'" ? "''" : char);
      }
    }
  }

  private double(chars: readonly string[]): void {
    // go-yaml looks for a byte order mark in front of the text, whichever character it asks about.
    const marked = chars[0] === "\ufeff";
    const parts = chars.map((char) =>
      marked || !printable.test(char) || char === "\ufeff" || isBreak(char) || char === '"' || char === "\\"
        ? escaped(char)
        : char,
    );
    this.write(`"${parts.join("")}"`);
  }

  private literal(value: string, chars: readonly string[], indent: number): void {
    this.write("|");
    if (value.startsWith(" ") || isBreak(chars[0] as string)) this.write("2");
    const last = chars.at(-1) as string;
    if (!isBreak(last)) this.write("-");
    else if (chars.length === 1 || isBreak(chars.at(-2) as string)) this.write("+");
    this.out += "\n";
    let lineBegins = true;
    for (const char of chars) {
      if (isBreak(char)) {
        this.out += char;
        lineBegins = true;
      } else {
        if (lineBegins) this.write(" ".repeat(indent));
        this.write(char);
        lineBegins = false;
      }
    }
  }
}

function styleOf(value: string, chars: readonly string[], isKey: boolean): Style {
  const allowed = analyze(chars);
  const staysText =
    resolveScalar(value, true, "") === value && !isTimestamp(value) && !base60.test(value) && !isOldBoolean(value);
  let style: Style = value.includes("\n") ? "literal" : staysText ? "plain" : "double";
  if (isKey && allowed.multiline) style = "double";
  if (style === "plain" && (!allowed.plain || (chars.length === 0 && isKey))) style = "single";
  if (style === "single" && !allowed.single) style = "double";
  if (style === "literal" && (!allowed.block || isKey)) style = "double";
  return style;
}

const isLetter = (char: string): boolean => /^\p{L}$/u.test(char);
const isDigit = (char: string | undefined): boolean => char !== undefined && /^\p{Nd}$/u.test(char);

/**
 * Keys in the order in which people would put them: runs of digits count as numbers. Letters stand behind all else, but
 * before it where both follow a digit.
 */
export function compareKeys(a: string, b: string): number {
  const [x, y] = [[...a], [...b]];
  for (let i = 0; i < x.length && i < y.length; i++) {
    const [p, q] = [x[i] as string, y[i] as string];
    if (p === q) continue;
    const code = (p.codePointAt(0) as number) - (q.codePointAt(0) as number);
    const [pLetter, qLetter] = [isLetter(p), isLetter(q)];
    if (pLetter && qLetter) return code;
    if (pLetter || qLetter) return (isDigit(x[i - 1]) ? pLetter : qLetter) ? -1 : 1;
    return compareRuns(x, y, i) || code;
  }
  return x.length - y.length;
}

/** Compares the digits from `i` on as numbers, after any digits before that are common to both. */
function compareRuns(x: readonly string[], y: readonly string[], i: number): number {
  let base = 0n;
  if (x[i] === "0" || y[i] === "0") {
    for (let j = i - 1; j >= 0 && isDigit(x[j]); j--) {
      if (x[j] !== "0") {
        base = 1n;
        break;
      }
    }
  }
  const run = (chars: readonly string[]): readonly [bigint, number] => {
    let value = base;
    let end = i;
    for (; isDigit(chars[end]); end++) {
      value = BigInt.asIntN(64, value * 10n + BigInt((chars[end] as string).codePointAt(0) as number) - 48n);
    }
    return [value, end];
  };
  const [[a, aEnd], [b, bEnd]] = [run(x), run(y)];
  return a !== b ? (a < b ? -1 : 1) : aEnd - bEnd;
}

export function emitYaml(value: YamlValue): string {
  return new Emitter().document(value);
}

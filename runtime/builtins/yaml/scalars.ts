/** Reading scalars: plain, quoted, literal and folded. */

import { bad } from "./node.ts";
import type { Source } from "./source.ts";

/** Joins lines: one break is a space, more are all but the first. */
function fold(breaks: string): string {
  if (breaks === "") return "";
  if (!breaks.startsWith("\n")) return breaks;
  return breaks.length === 1 ? " " : breaks.slice(1);
}

/** Whether a plain scalar ends here. */
function endsPlain(source: Source, inFlow: boolean): boolean {
  const { char } = source;
  if (char === ":" && source.isBlankOrEnd(source.peek(1))) return true;
  if (!inFlow) return false;
  return ",?[]{}".includes(char) || (char === ":" && ",?[]{}".includes(source.peek(1)));
}

/** A plain scalar; its further lines must stand deeper than `indent`. */
export function readPlain(source: Source, indent: number, inFlow: boolean): string {
  let out = "";
  let spaces = "";
  let breaks = "";
  for (;;) {
    if (source.atMarker() || (source.char === "#" && (spaces !== "" || breaks !== "" || out === ""))) break;
    let read = "";
    while (!source.isBlankOrEnd(source.char) && !endsPlain(source, inFlow)) read += source.text[source.at++];
    if (read === "") break;
    out += (breaks !== "" ? fold(breaks) : spaces) + read;
    spaces = "";
    breaks = "";
    const before = { at: source.at, lineStart: source.lineStart };
    while (source.char !== "" && source.isBlankOrEnd(source.char)) {
      if (source.isBreak(source.char)) breaks += source.takeBreak();
      else {
        if (breaks !== "" && source.char === "\t" && source.column < indent + 1)
          bad("tab where indentation is awaited");
        if (breaks === "") spaces += source.char;
        source.at++;
      }
    }
    if (breaks !== "" && !inFlow && source.column <= indent) {
      Object.assign(source, before);
      break;
    }
    if (source.char === "" || source.char === "#") {
      // Blanks before a comment belong to no scalar.
      if (breaks === "") Object.assign(source, before);
      break;
    }
  }
  return out;
}

const simpleEscapes: ReadonlyMap<string, string> = new Map([
  ["0", "\0"],
  ["a", "\x07"],
  ["b", "\b"],
  ["t", "\t"],
  ["\t", "\t"],
  ["n", "\n"],
  ["v", "\v"],
  ["f", "\f"],
  ["r", "\r"],
  ["e", "\x1b"],
  [" ", " "],
  ['"', '"'],
  ["'", "'"],
  ["\\", "\\"],
  ["N", "\u0085"],
  ["_", "\u00a0"],
  ["L", "\u2028"],
  ["P", "\u2029"],
]);

const hexEscapes: ReadonlyMap<string, number> = new Map([
  ["x", 2],
  ["u", 4],
  ["U", 8],
]);

function readEscape(source: Source): string {
  const char = source.text[source.at++] ?? "";
  const simple = simpleEscapes.get(char);
  if (simple !== undefined) return simple;
  const length = hexEscapes.get(char) ?? bad("unknown escape");
  const digits = source.text.slice(source.at, source.at + length);
  if (!new RegExp(`^[0-9a-fA-F]{${length}}$`).test(digits)) bad("hexadecimal digits expected");
  source.at += length;
  const code = Number.parseInt(digits, 16);
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) bad("no such character");
  return String.fromCodePoint(code);
}

/** A quoted scalar, from its opening quote to behind its closing one. */
export function readQuoted(source: Source): string {
  const quote = source.text[source.at++] as string;
  let out = "";
  for (;;) {
    if (source.atMarker()) bad("document ends in a quoted scalar");
    let escapedBreak = false;
    while (!source.isBlankOrEnd(source.char)) {
      if (quote === "'" && source.char === "'" && source.peek(1) === "'") {
        out += "'";
        source.at += 2;
      } else if (source.char === quote) {
        source.at++;
        return out;
      } else if (quote === '"' && source.char === "\\" && source.isBreak(source.peek(1))) {
        source.at++;
        source.takeBreak();
        escapedBreak = true;
        break;
      } else if (quote === '"' && source.char === "\\") {
        source.at++;
        out += readEscape(source);
      } else out += source.text[source.at++];
    }
    if (source.atEnd) bad("quoted scalar does not end");
    let spaces = "";
    let breaks = "";
    while (source.char !== "" && source.isBlankOrEnd(source.char)) {
      if (source.isBreak(source.char)) breaks += source.takeBreak();
      else {
        if (breaks === "" && !escapedBreak) spaces += source.char;
        source.at++;
      }
    }
    if (escapedBreak) out += breaks;
    else out += breaks === "" ? spaces : fold(breaks);
  }
}

interface Header {
  readonly chomping: "clip" | "strip" | "keep";
  readonly indent: number | undefined;
}

function readHeader(source: Source): Header {
  let chomping: Header["chomping"] = "clip";
  let indent: number | undefined;
  for (;;) {
    const { char } = source;
    if (chomping === "clip" && (char === "+" || char === "-")) chomping = char === "+" ? "keep" : "strip";
    else if (indent === undefined && /[0-9]/.test(char)) indent = char === "0" ? bad("indentation of 0") : Number(char);
    else break;
    source.at++;
  }
  while (source.char === " " || source.char === "\t") source.at++;
  if (source.char === "#") while (!source.atEnd && !source.isBreak(source.char)) source.at++;
  if (!source.atEnd && !source.isBreak(source.char)) bad("comment or line break expected");
  if (!source.atEnd) source.takeBreak();
  return { chomping, indent };
}

/** Passes empty lines and the indentation of the next; gives the breaks and the deepest column seen. */
function skipIndent(source: Source, indent: number | undefined): { breaks: string; deepest: number } {
  let breaks = "";
  let deepest = 0;
  for (;;) {
    while ((indent === undefined || source.column < indent) && source.char === " ") source.at++;
    deepest = Math.max(deepest, source.column);
    if ((indent === undefined || source.column < indent) && source.char === "\t")
      bad("tab where indentation is awaited");
    if (!source.isBreak(source.char)) return { breaks, deepest };
    breaks += source.takeBreak();
  }
}

/** A literal (`|`) or folded (`>`) scalar below a parent at column `parent`. */
export function readBlockScalar(source: Source, parent: number): string {
  const folded = source.text[source.at++] === ">";
  const { chomping, indent: explicit } = readHeader(source);
  const given = explicit === undefined ? undefined : Math.max(parent, 0) + explicit;
  const first = skipIndent(source, given);
  const indent = given ?? Math.max(first.deepest, parent + 1, 1);
  let out = "";
  let leading = "";
  let trailing = first.breaks;
  let blank = false;
  while (source.column === indent && !source.atEnd) {
    const startsBlank = source.char === " " || source.char === "\t";
    if (folded && leading.startsWith("\n") && !blank && !startsBlank) out += trailing === "" ? " " : "";
    else out += leading;
    out += trailing;
    blank = startsBlank;
    while (!source.atEnd && !source.isBreak(source.char)) out += source.text[source.at++];
    leading = source.atEnd ? "" : source.takeBreak();
    trailing = skipIndent(source, indent).breaks;
  }
  if (chomping !== "strip") out += leading;
  return chomping === "keep" ? out + trailing : out;
}

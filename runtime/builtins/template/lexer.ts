/** A template as texts and actions, https://pkg.go.dev/text/template: `{{ }}`, trimmed where a hyphen says so. */

import { fail } from "../family.ts";

export type Piece =
  | { readonly kind: "Text"; readonly text: string }
  | { readonly kind: "Action"; readonly tokens: readonly Token[] };

export type Token =
  | { readonly kind: "Word"; readonly text: string }
  /** `.a`, which follows something directly or stands by itself. */
  | { readonly kind: "Field"; readonly text: string; readonly attached: boolean }
  | { readonly kind: "Variable"; readonly text: string }
  | { readonly kind: "String"; readonly text: string }
  | { readonly kind: "Number"; readonly text: string }
  | { readonly kind: "Char"; readonly text: string }
  | { readonly kind: "Mark"; readonly text: "." | "|" | "(" | ")" | "," | ":=" | "="; readonly attached: boolean };

const space = /[ \t\r\n]+/y;
const patterns: readonly (readonly [Token["kind"], RegExp])[] = [
  ["Field", /\.[\p{L}_][\p{L}\p{Nd}_]*/uy],
  ["Variable", /\$(?:[\p{L}_][\p{L}\p{Nd}_]*)?/uy],
  ["Word", /[\p{L}_][\p{L}\p{Nd}_]*/uy],
  [
    "Number",
    /[+-]?(?:0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO]?[0-7_]+|[0-9][0-9_]*(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?)/y,
  ],
  ["String", /"(?:[^"\\\n]|\\.)*"|`[^`]*`/uy],
  ["Char", /'(?:[^'\\\n]|\\.)+'/uy],
  ["Mark", /:=|[.|(),=]/y],
];

/** The end of an action: not inside a string. Returns the offset of `}}`. */
function closing(text: string, from: number): number {
  const part = /"(?:[^"\\\n]|\\.)*"|`[^`]*`|'(?:[^'\\\n]|\\.)*'|\}\}|[^"`'}]+|[\s\S]/y;
  for (part.lastIndex = from; part.lastIndex < text.length; ) {
    const at = part.lastIndex;
    if (part.exec(text)?.[0] === "}}") return at;
  }
  return fail("unclosed action");
}

function tokenize(source: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < source.length; ) {
    space.lastIndex = at;
    const blank = space.exec(source)?.[0].length ?? 0;
    at += blank;
    if (at >= source.length) break;
    const attached = blank === 0 && tokens.length > 0;
    const found = patterns.map(([kind, pattern]) => {
      pattern.lastIndex = at;
      return [kind, pattern.exec(source)?.[0]] as const;
    });
    const [kind, text] = found.find(([, match]) => match !== undefined) ?? fail("unexpected character in an action");
    if (text === undefined) fail("unexpected character in an action");
    const after = source[at + (text as string).length] ?? " ";
    if (kind !== "Mark" && !/[\s.,|:()=]/.test(after)) fail("bad character in an action");
    tokens.push({ kind, text, attached } as Token);
    at += (text as string).length;
  }
  return tokens;
}

export function splitTemplate(source: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let trim = false;
  for (let at = 0; ; ) {
    const open = source.indexOf("{{", at);
    let text = source.slice(at, open < 0 ? undefined : open);
    if (trim) text = text.replace(/^[ \t\r\n]+/, "");
    if (open < 0) {
      pieces.push({ kind: "Text", text });
      return pieces;
    }
    const trimsLeft = /^-[ \t\r\n]/.test(source.slice(open + 2, open + 4));
    if (trimsLeft) text = text.replace(/[ \t\r\n]+$/, "");
    pieces.push({ kind: "Text", text });
    const start = open + (trimsLeft ? 4 : 2);
    const isComment = source.startsWith("/*", trimsLeft ? start : open + 2);
    const commentEnd = isComment ? source.indexOf("*/", start) : -1;
    if (isComment && commentEnd < 0) fail("unclosed comment");
    const end = isComment
      ? commentEnd + 2 + (/^[ \t\r\n]+-\}\}/.exec(source.slice(commentEnd + 2))?.[0].length ?? 2) - 2
      : closing(source, open + 2);
    if (!source.startsWith("}}", end)) fail("comment ends before its action");
    const inner = source.slice(Math.min(start, end), end);
    trim = /[ \t\r\n]-$/.test(source.slice(open + 2, end));
    if (!isComment) pieces.push({ kind: "Action", tokens: tokenize(trim ? inner.slice(0, -1) : inner) });
    at = end + 2;
  }
}

/** How strings and names are written. */

import type { NumberTerm, StringTerm } from "./ast.ts";
import { isKeyword } from "./keywords.ts";

/** Whether a part of a reference is written `.name`. A keyword in quotes keeps them. */
export function isPlainName(part: StringTerm): boolean {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(part.value)) return false;
  return !(isKeyword(part.value) && part.span.file.text[part.span.start] === '"');
}

/** A string as it was written, or in quotes if it was not written as a string. */
export function stringText(term: StringTerm): string {
  const { file, start, end } = term.span;
  const text = file.text.slice(start, end);
  return /^(?:".*"|`[^`]*`)$/s.test(text) ? text : quote(term.value);
}

/** Between double quotes, with JSON's escapes. Invisible characters are escaped as well: a reader has to see them. */
export function quote(text: string): string {
  return JSON.stringify(text).replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, (char) =>
    [...Array(char.length).keys()].map((i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, "0")}`).join(""),
  );
}

/** As it was written: `.5` without the zero. */
export function numberText({ text, span }: NumberTerm): string {
  const written = span.file.text.slice(span.start, span.end).replaceAll(/\s/g, "");
  return written === text.replace("0.", ".") ? written : text;
}

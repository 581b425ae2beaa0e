/** Scalars of the plain style: how one begins, where it ends, and what it means. */

import type { Span } from "@portcullis/rego/diagnostics";
import { isWellFormed, type SourceNode } from "./tree.ts";
import { isNumberElsewhere } from "./yaml-elsewhere.ts";

/** Thrown where the text leaves the plain style. */
export const NOT_PLAIN = Symbol("not plain");

/** How a plain scalar may begin here: with nothing that could be an indicator. */
const SCALAR_START = /[A-Za-z0-9_/.(\u0080-\uffff]/;
const FLOW_INDICATORS = ",[]{}";
/** By its quote. */
export const QUOTED: ReadonlyMap<string, RegExp> = new Map([
  // The escapes that JSON has too, which mean the same there.
  ['"', /"(?:[^"\\\n]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y],
  ["'", /'[^'\n]*'(?!')/y],
]);
const INTEGER = /^(?:0|-?[1-9][0-9]*)$/;
/** Every form of a number in the core schema (YAML 1.2.2, 10.3.2), but for `+`: no scalar here begins with one. */
const NUMBER =
  /^-?(?:[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+|(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|\.(?:inf|Inf|INF|nan|NaN|NAN))$/;
const WORD_VALUES: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["True", true],
  ["TRUE", true],
  ["false", false],
  ["False", false],
  ["FALSE", false],
  ["null", null],
  ["Null", null],
  ["NULL", null],
]);

/** Whether a key without quotes would be no text as a value. */
export function isWord(key: string): boolean {
  return WORD_VALUES.has(key);
}

export function canStartScalar(text: string, at: number): boolean {
  return SCALAR_START.test(text[at] ?? "") || isNegative(text, at);
}

function isNegative(text: string, at: number): boolean {
  const digit = text[at + 1] ?? "";
  return text[at] === "-" && digit >= "0" && digit <= "9";
}

/** Where a plain scalar ends: before `: `, ` #`, the line's end, in flow collections their indicators; blanks apart. */
export function plainEnd(text: string, start: number, flow: boolean): number {
  let at = start;
  for (; at < text.length; at++) {
    const c = text[at] as string;
    if (c === "\n" || (flow && FLOW_INDICATORS.includes(c))) break;
    if (c === "#" && text[at - 1] === " ") break;
    const next = text[at + 1] ?? "\n";
    if (c === ":" && (next === " " || next === "\n" || (flow && FLOW_INDICATORS.includes(next)))) break;
  }
  while (text[at - 1] === " ") at--;
  return at;
}

/** What a scalar without quotes means. */
export function plainScalar(written: string, span: Span): SourceNode {
  const word = WORD_VALUES.get(written);
  if (word === null) return { kind: "Null", span };
  if (word !== undefined) return { kind: "Boolean", value: word, span };
  if ((written[0] as string) > "9") return { kind: "String", value: written, span };
  if (!NUMBER.test(written)) {
    if (isNumberElsewhere(written)) throw NOT_PLAIN;
    return { kind: "String", value: written, span };
  }
  if (!INTEGER.test(written)) throw NOT_PLAIN;
  return { kind: "Number", text: written, span };
}

/** The text that stands between these quotes. */
export function unquoted(quote: string, inner: string): string {
  if (quote === "'" || !inner.includes("\\")) return inner;
  const value = JSON.parse(`"${inner}"`) as string;
  if (!isWellFormed(value)) throw NOT_PLAIN;
  return value;
}

/**
 * The texts of a JSON value's parts: numbers in them keep every digit, which a parsed value would not. Members are found as Go
 * finds them: https://pkg.go.dev/encoding/json#Unmarshal
 */

/** `object` is the text of an object, and valid JSON; `key` is in lower case. A key counts in any case; of several the last one. */
export function memberText(object: string, key: string): string | undefined {
  return partsOf(object).findLast(({ name }) => name.toLowerCase() === key)?.text;
}

/** A member of an object, or an element of an array. */
export interface Part {
  /** Empty for an element. */
  readonly name: string;
  /** The value's text. */
  readonly text: string;
  /** The whole member's text: key and value. */
  readonly whole: string;
}

/** The parts of an object or array in their order; `text` is valid JSON. */
export function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let depth = 0;
  let isObject = false;
  let name = "";
  /** Where the part begins, and its value; -1 between parts. */
  let start = -1;
  let value = -1;
  for (let at = 0; at < text.length; at++) {
    const c = text[at] as string;
    if (start < 0 && depth === 1 && !/[\s,\]}]/.test(c)) {
      start = at;
      if (!isObject) value = at;
    }
    if (c === '"') {
      const end = endOfString(text, at);
      if (start === at && isObject) name = JSON.parse(text.slice(at, end + 1)) as string;
      at = end;
    } else if (c === "{" || c === "[") {
      if (++depth === 1) isObject = c === "{";
    } else if (c === ":" && depth === 1) value = at + 1;
    else if ((c === "," && depth === 1) || ((c === "}" || c === "]") && --depth === 0)) {
      if (value >= 0) parts.push({ name, text: text.slice(value, at).trim(), whole: text.slice(start, at) });
      start = -1;
      value = -1;
    }
  }
  return parts;
}

function endOfString(text: string, from: number): number {
  for (let at = from + 1; ; at++) {
    const c = text[at];
    if (c === "\\") at++;
    else if (c === '"' || c === undefined) return at;
  }
}

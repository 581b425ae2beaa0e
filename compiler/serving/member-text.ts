/**
 * The text of a member of a JSON object: numbers in it keep every digit, which a parsed value would not. Members are found as
 * Go finds them: https://pkg.go.dev/encoding/json#Unmarshal
 */

/** `object` is the text of an object, and valid JSON; `key` is in lower case. A key counts in any case; of several the last one. */
export function memberText(object: string, key: string): string | undefined {
  let found: string | undefined;
  let depth = 0;
  let isKey = false;
  let name = "";
  let start = -1;
  for (let at = 0; at < object.length; at++) {
    const c = object[at];
    if (c === '"') {
      const end = endOfString(object, at);
      if (depth === 1 && isKey) name = JSON.parse(object.slice(at, end + 1)) as string;
      at = end;
    } else if (c === "{" || c === "[") {
      if (++depth === 1) isKey = true;
    } else if (c === ":" && depth === 1) {
      isKey = false;
      start = at + 1;
    } else if ((c === "," && depth === 1) || ((c === "}" || c === "]") && --depth === 0)) {
      if (name.toLowerCase() === key && start >= 0) found = object.slice(start, at).trim();
      isKey = true;
      start = -1;
    }
  }
  return found;
}

function endOfString(text: string, from: number): number {
  for (let at = from + 1; ; at++) {
    const c = text[at];
    if (c === "\\") at++;
    else if (c === '"' || c === undefined) return at;
  }
}

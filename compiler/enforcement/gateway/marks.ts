/** How many values a text of JSON can have, before any of them is made: to make them takes a hundred times as long. */

/** Brackets and commas outside of strings. JSON has at most one value more than these. */
export function marksIn(text: string): number {
  let marks = 0;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const c = text[at];
    // Outside of a string it is no JSON, and refused when it is read.
    if (c === "\\") at++;
    else if (c === '"') isString = !isString;
    else if (!isString && (c === "[" || c === "{" || c === ",")) marks++;
  }
  return marks;
}

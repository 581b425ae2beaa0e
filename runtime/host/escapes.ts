/** What stands behind a backslash in a JSON string, `\u` aside (RFC 8259, section 7): the letter, and what it means. */
export const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** What the decisions mean by text that shows something. */

export type Members = Readonly<Record<string, unknown>>;

const SHOWN = /[^\s\u0085]/;

/** A string with something in it that is not white space. */
export function isWritten(value: unknown): value is string {
  return typeof value === "string" && SHOWN.test(value);
}

export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function trimmed(text: string): string {
  return text.replace(/^[\s\u0085]+|[\s\u0085]+$/g, "");
}

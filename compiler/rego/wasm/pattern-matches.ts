/** Regular expressions as the module matches them: the builtin `regex.match`. */

import { callBuiltin } from "./call-builtin.ts";

/** `undefined` for one that takes too long to match. */
export function patternMatches(pattern: string, text: string): boolean | "no pattern" | undefined {
  const term = (value: string) => ({ kind: "string", value }) as const;
  const matched = callBuiltin("regex.match", [term(pattern), term(text)]);
  if (matched === undefined) return "no pattern";
  return typeof matched === "object" && matched.kind === "boolean" ? matched.value : undefined;
}

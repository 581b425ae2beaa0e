/**
 * Patterns as Go's `regexp` reads them, by `re2js`: a matcher in time proportional to pattern × text, whatever both are. It
 * answers only whether there is a match.
 */

import { RE2JS } from "re2js";

export type Matcher = (text: string) => boolean;

/** Undefined for a pattern that Go refuses. */
export function compilePattern(pattern: string): Matcher | undefined {
  try {
    const compiled = RE2JS.compile(pattern);
    return (text) => compiled.matcher(text).find();
  } catch {
    return undefined;
  }
}

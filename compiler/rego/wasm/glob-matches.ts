/** Globs as OPA matches paths with them where it reads manifests: the builtin `glob.match`, without delimiters. */

import { callBuiltin } from "./call-builtin.ts";

/** `undefined` if `pattern` is not a glob, or takes too long to match. */
export function globMatches(pattern: string, path: string): boolean | undefined {
  const text = (value: string) => ({ kind: "string", value }) as const;
  const matched = callBuiltin("glob.match", [text(pattern), { kind: "null" }, text(path)]);
  return typeof matched === "object" && matched.kind === "boolean" ? matched.value : undefined;
}

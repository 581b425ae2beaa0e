/** What OPA's module leaves to its host and stock opa-wasm does not have. Undefined for what is not a text, as in OPA. */
export const HOST_BUILTINS = {
  "strings.any_prefix_match": (text: unknown, prefixes: readonly string[]): boolean | undefined =>
    typeof text === "string" ? prefixes.some((prefix) => text.startsWith(prefix)) : undefined,
  "regex.find_n": (pattern: string, text: unknown, most: number): readonly string[] | undefined =>
    typeof text === "string"
      ? [...text.matchAll(new RegExp(pattern, "gu"))].slice(0, most < 0 ? undefined : most).map(([found]) => found)
      : undefined,
  // The library replaces by nothing, which has no `$`.
  "regex.replace": (text: unknown, pattern: string, value: string): string | undefined =>
    typeof text === "string" ? text.replaceAll(new RegExp(pattern, "gu"), value) : undefined,
};

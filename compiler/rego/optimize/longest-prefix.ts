import type { Value } from "../value/index.ts";

/** As PrefixStmt has it: the value of the longest of an object's keys with which a text begins. */
export function longestPrefix(source: Value, text: Value): Value | undefined {
  if (source.kind !== "object" || text.kind !== "string") return undefined;
  let longest = -1;
  let found: Value | undefined;
  for (const [key, value] of source.entries) {
    if (key.kind !== "string" || key.value.length <= longest || !text.value.startsWith(key.value)) continue;
    longest = key.value.length;
    found = value;
  }
  return found;
}

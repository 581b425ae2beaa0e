/** Merge keys (`<<`, https://yaml.org/type/merge.html), the same for both readers of YAML. */

import type { MappingEntry } from "./tree.ts";

/** A key of its own wins over a merged one, and an earlier merge over a later one. */
export function mergedInto(
  own: readonly MappingEntry[],
  parts: readonly (readonly MappingEntry[])[],
): readonly MappingEntry[] {
  const entries = [...own];
  const keys = new Set(own.map((e) => e.key));
  for (const entry of parts.flat()) {
    if (keys.has(entry.key)) continue;
    keys.add(entry.key);
    entries.push(entry);
  }
  return entries;
}

/** The entries of a mapping in the plain style, while it is read. */

import { mergedInto } from "./merge-keys.ts";
import type { MappingEntry, SourceNode } from "./tree.ts";
import { NOT_PLAIN } from "./yaml-plain-scalars.ts";

/** Mappings with more keys than this have a set of them: most have fewer, and need none. */
const FEW_KEYS = 16;
const MERGE = "<<";

export class MappingEntries {
  private readonly own: MappingEntry[] = [];
  private keys: Set<string> | undefined;
  private merge: SourceNode | undefined;

  /** Whether there is such an entry. It is asked once for each key that is added. */
  has(key: string): boolean {
    const { own } = this;
    if (own.length <= FEW_KEYS) {
      for (const e of own) if (e.key === key) return true;
      return false;
    }
    this.keys ??= new Set(own.map((e) => e.key));
    if (this.keys.has(key)) return true;
    this.keys.add(key);
    return false;
  }

  add(entry: MappingEntry): void {
    if (entry.key !== MERGE) this.own.push(entry);
    else if (this.merge === undefined) this.merge = entry.value;
    else throw NOT_PLAIN;
  }

  /** All, with those of the merge key. */
  merged(): readonly MappingEntry[] {
    const { own, merge } = this;
    if (merge === undefined) return own;
    const parts = merge.kind === "Sequence" ? merge.items : [merge];
    return mergedInto(
      own,
      parts.map((part) => {
        if (part.kind !== "Mapping") throw NOT_PLAIN;
        return part.entries;
      }),
    );
  }
}

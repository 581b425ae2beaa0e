/** What was done between two listings: which paths came, went, moved, or changed in content or mode. */

import type { FileOperation } from "@portcullis/runtime";
import { type Entry, EXECUTABLE, FILE, type Listing } from "./objects.ts";

export interface Done {
  readonly path: string;
  readonly operation: FileOperation;
}

/**
 * A path that changed in content and in mode is there twice. A path that went and one that came with the very same content
 * are a rename, and both are called one: a content that is only alike is another content.
 */
export function operationsBetween(before: Listing, after: Listing): Done[] {
  const gone = new Map<string, { readonly path: string; readonly mode: number }[]>();
  const done: Done[] = [];
  for (const [path, entry] of before) {
    const now = after.get(path);
    if (now === undefined) {
      const key = contentOf(entry);
      gone.set(key, [...(gone.get(key) ?? []), { path, mode: entry.mode }]);
      continue;
    }
    if (now.hash !== entry.hash) done.push({ path, operation: "WRITE" });
    if (now.mode !== entry.mode) done.push({ path, operation: "MODE" });
  }
  for (const [path, entry] of after) {
    if (before.has(path)) continue;
    const from = gone.get(contentOf(entry))?.shift();
    done.push({ path, operation: from === undefined ? "CREATE" : "RENAME" });
    if (from === undefined) continue;
    done.push({ path: from.path, operation: "RENAME" });
    if (from.mode !== entry.mode) done.push({ path, operation: "MODE" });
  }
  for (const left of gone.values()) for (const { path } of left) done.push({ path, operation: "DELETE" });
  return done;
}

/** A file is the same content whether it may be executed or not; a link to a name is another thing than a file with it. */
function contentOf({ mode, hash }: Entry): string {
  return `${mode === EXECUTABLE ? FILE : mode} ${hash}`;
}

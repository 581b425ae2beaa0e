/** Copies of syntax trees, which the parser has not noted anything about. */

import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";

/** A deep copy; the file that spans point into stays the same object. */
export function treeCopy<T>(tree: T): T {
  if (typeof tree !== "object" || tree === null || tree instanceof SourceFile) return tree;
  if (Array.isArray(tree)) return tree.map(treeCopy) as T;
  return Object.fromEntries(Object.entries(tree).map(([key, value]) => [key, treeCopy(value)])) as T;
}

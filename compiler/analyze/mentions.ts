/** Whether a source mentions a word at all: cheaper than going over its tree, and never wrong about absence. */

import type { SourceFile } from "../base/source-file.ts";

const known = new WeakMap<SourceFile, Map<string, boolean>>();

export function mentions(file: SourceFile, word: string): boolean {
  let words = known.get(file);
  if (words === undefined) {
    words = new Map();
    known.set(file, words);
  }
  let found = words.get(word);
  if (found === undefined) {
    found = file.text.includes(word);
    words.set(word, found);
  }
  return found;
}

/** Syntax trees of Rego, one for each version of a text: the same file is asked for by many. */

import type { SourceFile } from "@portcullis/rego/diagnostics";
import { type ParsedModule, parseModule } from "@portcullis/rego/syntax";

const known = new WeakMap<SourceFile, ParsedModule>();

export function parsed(file: SourceFile): ParsedModule {
  const before = known.get(file);
  if (before !== undefined) return before;
  const now = parseModule(file);
  known.set(file, now);
  return now;
}

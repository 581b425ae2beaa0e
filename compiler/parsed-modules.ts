/** Modules as trees: those of the library as the build parsed them, others by the parser. */

import { adapterModules, libraryModules, libraryTrees } from "@portcullis/governance/library";
import type { SourceFile } from "@portcullis/rego/diagnostics";
import { type ParsedModule, parseModule, unpackTree } from "@portcullis/rego/syntax";

let trees: ReadonlyMap<string, string> | undefined;

/** `parseModule`, and the same tree. A module of v1 is the library's when its text is: by whatever name, and from whatever bundle. */
export function moduleTree(file: SourceFile): ParsedModule {
  trees ??= new Map(
    [...libraryModules, ...adapterModules].map(({ name, text }) => [text, libraryTrees[name] as string]),
  );
  const packed = file.regoVersion === 1 ? trees.get(file.text) : undefined;
  return packed === undefined ? parseModule(file) : { module: unpackTree(packed, file), diagnostics: [] };
}

/** Paths of Rego files within a bundle: one that two files have makes a bundle that no host loads. */

import { type Diagnostic, type SourceFile, span } from "@portcullis/rego/diagnostics";
import { pipelineDiagnostic } from "./codes.ts";

/** A file, and its path within the bundle. */
interface Packed {
  readonly path: string;
  readonly file: SourceFile;
}

/** `packed`: all Rego of a bundle, the library's first. */
export function checkBundlePaths(packed: readonly Packed[]): Diagnostic[] {
  const first = new Map<string, SourceFile>();
  return packed.flatMap(({ path, file }) => {
    const before = first.get(path);
    if (before === undefined) {
      first.set(path, file);
      return [];
    }
    return pipelineDiagnostic("pipeline/path-twice", { path }, span(file, 0, 0), {
      help: "give one of them another name",
      related: [{ message: "the other file of this path", span: span(before, 0, 0) }],
    });
  });
}

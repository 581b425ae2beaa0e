/** Splits an instruction file into YAML front matter and body. */

import { type Diagnostic, type SourceFile, span } from "@portcullis/rego/diagnostics";
import { documentsDiagnostic } from "./codes.ts";
import type { SourceNode } from "./tree.ts";
import { parseYaml } from "./yaml.ts";

export interface FrontMatter {
  /** Absent when the file has none, or none that parses. */
  readonly root: SourceNode | undefined;
  /** Where the body begins. */
  readonly bodyStart: number;
  readonly diagnostics: readonly Diagnostic[];
}

/** Front matter stands between a first line `---` and the next line `---`; blanks after the dashes do not matter. */
export function splitFrontMatter(file: SourceFile): FrontMatter {
  const starts = file.lineStarts();
  if (!isFence(file, 1)) return { root: undefined, bodyStart: 0, diagnostics: lateFrontMatter(file, starts.length) };
  for (let line = 2; line <= starts.length; line++) {
    if (!isFence(file, line)) continue;
    const { root, diagnostics } = parseYaml(file, starts[1] as number, starts[line - 1] as number);
    return { root, bodyStart: starts[line] ?? file.text.length, diagnostics };
  }
  return {
    root: undefined,
    bodyStart: file.text.length,
    diagnostics: [documentsDiagnostic("sources/unclosed-front-matter", {}, span(file, 0, 3))],
  };
}

/** Front matter below other lines is a part of the body, and says nothing. */
function lateFrontMatter(file: SourceFile, lines: number): Diagnostic[] {
  let first = 1;
  while (first <= lines && file.lineText(first).trim() === "") first++;
  // Below blank lines any key tells it from a rule across the page; below text only the one key that decides.
  const begins = isFence(file, first) ? /^[A-Za-z_][\w-]*[ \t]*:/ : /^subagents[ \t]*:/i;
  while (first <= lines && !isFence(file, first)) first++;
  for (let line = first + 1; line <= lines; line++) {
    // Between two rules across the page stand sentences, not keys.
    if (isFence(file, line)) break;
    if (!begins.test(file.lineText(line))) continue;
    const start = file.lineStarts()[first - 1] as number;
    return [documentsDiagnostic("sources/late-front-matter", {}, span(file, start, start + 3))];
  }
  return [];
}

function isFence(file: SourceFile, line: number): boolean {
  return /^---[ \t]*$/.test(file.lineText(line));
}

/** `# regal ignore:RULE,RULE` silences the findings of its own line and of the one below. */

import type { Diagnostic } from "../diagnostics/index.ts";
import type { Module } from "../syntax/index.ts";

const DIRECTIVE = /regal ignore:\s*(.*)$/;

/** Tells of a finding whether a comment silences it. */
export function isIgnored(modules: readonly Module[]): (found: Diagnostic) => boolean {
  const silenced = new Map(modules.map((module) => [module.span.file, directivesOf(module)]));
  return ({ code, span }) => {
    const rows = span && silenced.get(span.file);
    if (span === undefined || rows === undefined || rows.size === 0) return false;
    const { line } = span.file.positionAt(span.start);
    const name = code.slice(code.indexOf("/") + 1);
    return rows.get(line)?.has(name) === true || rows.get(line - 1)?.has(name) === true;
  };
}

/** The names that the comments of each line have. */
function directivesOf({ comments, span: { file } }: Module): ReadonlyMap<number, ReadonlySet<string>> {
  const rows = new Map<number, ReadonlySet<string>>();
  for (const { text, span } of comments) {
    const names = DIRECTIVE.exec(text)?.[1];
    if (names !== undefined) rows.set(file.positionAt(span.start).line, new Set(names.trim().split(/,\s*/)));
  }
  return rows;
}

/** Quick fixes: what a finding carries to mend it. */

import { type CodeAction, CodeActionKind, type Diagnostic, type TextEdit } from "vscode-languageserver";
import type { FixData } from "./diagnostics.ts";

/** `published`: the findings of the document as it was told them last, for clients that do not hand their data back. */
export function codeActions(
  uri: string,
  diagnostics: readonly Diagnostic[],
  published: readonly Diagnostic[],
): CodeAction[] {
  const actions: CodeAction[] = [];
  // Each once: what an alias of YAML repeats is found at one place, and mended by one edit.
  const renames = new Map<string, TextEdit>();
  for (const diagnostic of diagnostics) {
    for (const { kind, title, edits } of fixesOf(diagnostic, published)) {
      const changes = edits.map(({ range, newText }) => ({ range: range ?? diagnostic.range, newText }));
      if (kind === "rename") for (const change of changes) renames.set(JSON.stringify(change), change);
      actions.push({
        title,
        kind: CodeActionKind.QuickFix,
        isPreferred: true,
        diagnostics: [diagnostic],
        edit: { changes: { [uri]: changes } },
      });
    }
  }
  if (renames.size > 1)
    actions.push({
      title: `Write all ${renames.size} names that were meant`,
      kind: CodeActionKind.QuickFix,
      edit: { changes: { [uri]: [...renames.values()] } },
    });
  return actions;
}

function fixesOf(diagnostic: Diagnostic, published: readonly Diagnostic[]): readonly FixData[] {
  const { source, code, message, range } = diagnostic;
  if (source !== "portcullis") return [];
  const place = JSON.stringify([code, message, range]);
  const same = (d: Diagnostic): boolean => JSON.stringify([d.code, d.message, d.range]) === place;
  const data = (diagnostic.data ?? published.find(same)?.data) as { fixes?: readonly FixData[] } | undefined;
  return data?.fixes ?? [];
}

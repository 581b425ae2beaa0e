/** The names that were meant, and rules that are written again, as changes of the text: what `check --fix` writes. */

import type { Diagnostic, Edit, SourceFile } from "@portcullis/rego/diagnostics";

/** By file, in the order of the text. Where two findings propose different names for one place, neither is taken. */
export function renamesOf(diagnostics: readonly Diagnostic[]): ReadonlyMap<SourceFile, readonly Edit[]> {
  const found = new Map<SourceFile, Edit[]>();
  const renames = diagnostics.flatMap(({ fixes = [] }) => fixes.filter(({ kind }) => kind !== "rewrite"));
  for (const edit of renames.flatMap(({ edits }) => edits)) {
    const same = found.get(edit.at.file);
    if (same === undefined) found.set(edit.at.file, [edit]);
    else same.push(edit);
  }
  for (const [file, edits] of found) found.set(file, apart(edits));
  return new Map([...found].filter(([, edits]) => edits.length > 0));
}

/** The text of a file after its edits. */
export function editedText(file: SourceFile, edits: readonly Edit[]): string {
  let text = "";
  let end = 0;
  for (const edit of edits) {
    text += file.text.slice(end, edit.at.start) + edit.text;
    end = edit.at.end;
  }
  return text + file.text.slice(end);
}

function apart(edits: readonly Edit[]): Edit[] {
  const sorted = [...edits].sort((a, b) => a.at.start - b.at.start || a.at.end - b.at.end);
  const same = (a: Edit, b: Edit): boolean => a.at.start === b.at.start && a.at.end === b.at.end && a.text === b.text;
  const once = sorted.filter((edit, i) => i === 0 || !same(edit, sorted[i - 1] as Edit));
  return once.filter((edit) =>
    once.every((other) => other === edit || other.at.end <= edit.at.start || edit.at.end <= other.at.start),
  );
}

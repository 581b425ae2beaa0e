/** Quick fixes: what a finding proposes, written where it points. */

import { type CodeAction, CodeActionKind, type Diagnostic, type TextEdit } from "vscode-languageserver";
import { span } from "../../base/span.ts";
import type { SetFile } from "./id-index.ts";
import { offsetOf, retext } from "./text.ts";

const MEANT = /^did you mean `([^`]+)`\?$/;
/** `write `true`, without quotes`, `write `[x]`` */
const WRITE = /^write `([^`]+)`(?:, without quotes)?$/;

export function codeActions(
  uri: string,
  { read: { file } }: SetFile,
  diagnostics: readonly Diagnostic[],
): CodeAction[] {
  const actions: CodeAction[] = [];
  const edits: TextEdit[] = [];
  for (const diagnostic of diagnostics) {
    const help = helpOf(diagnostic);
    const { start, end } = diagnostic.range;
    const at = span(file, offsetOf(file, start), offsetOf(file, end));
    if (help === undefined || at.start === at.end) continue;
    const meant = MEANT.exec(help)?.[1];
    const written = WRITE.exec(help)?.[1];
    const edit =
      meant !== undefined
        ? retext(at, meant)
        : written !== undefined
          ? { range: diagnostic.range, newText: written }
          : undefined;
    if (edit === undefined) continue;
    if (meant !== undefined) edits.push(edit);
    actions.push({
      title: `Write \`${meant ?? written}\``,
      kind: CodeActionKind.QuickFix,
      isPreferred: true,
      diagnostics: [diagnostic],
      edit: { changes: { [uri]: [edit] } },
    });
  }
  if (edits.length > 1)
    actions.push({
      title: `Write all ${edits.length} names that were meant`,
      kind: CodeActionKind.QuickFix,
      edit: { changes: { [uri]: edits } },
    });
  return actions;
}

/** Clients hand `data` back as it was; of one that does not, the message has the help in its second line. */
function helpOf({ source, data, message }: Diagnostic): string | undefined {
  if (source !== "portcullis") return undefined;
  const help = (data as { help?: unknown } | undefined)?.help;
  return typeof help === "string" ? help : String(message).split("\n", 2)[1];
}

/** Faults of a text that make a parser say many things, none of them the cause. */

import { confusable, type Diagnostic, type SourceFile, span } from "@portcullis/rego/diagnostics";
import { documentsDiagnostic } from "./codes.ts";

/** A merge that was not finished: the file is two files. */
export function mergeConflict(file: SourceFile): Diagnostic | undefined {
  const begin = /^<{7}(?: .*)?$/m.exec(file.text);
  if (begin === null || !/^={7}$/m.test(file.text) || !/^>{7}(?: .*)?$/m.test(file.text)) return undefined;
  return documentsDiagnostic("sources/merge-conflict", {}, span(file, begin.index, begin.index + begin[0].length));
}

/**
 * Line ends that not every reader takes for one, marks that show text in another order (Unicode TR 36, Trojan Source), and
 * control characters.
 */
const HIDDEN = /\r(?!\n)|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
const LINE_ENDS = new Set([0x0d, 0x85, 0x2028, 0x2029]);

/** The first character before `end` by which an editor may show another text than the one that is read. */
export function hiddenCharacter(file: SourceFile, end = file.text.length): Diagnostic | undefined {
  const at = HIDDEN.exec(file.text)?.index ?? end;
  if (at >= end) return undefined;
  const code = file.text.charCodeAt(at);
  const params = {
    code: code.toString(16).toUpperCase().padStart(4, "0"),
    problem: LINE_ENDS.has(code)
      ? "ends a line for some readers, and not for others"
      : code >= 0x202a
        ? "shows the text in another order than it is read"
        : "is a control character, which not every reader takes or shows",
  };
  return documentsDiagnostic("sources/hidden-character", params, span(file, at, at + 1));
}

/** Codes of texts that do not parse. */
function isSyntax({ code }: Diagnostic): boolean {
  return /^sources\/invalid-(?:yaml|toml|json)$/.test(code) || code.startsWith("rego/");
}

/** The one cause of the syntax errors of each file: a tab, a character that looks like another, or else the first of them. */
export function syntaxCauses(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const byFile = new Map<SourceFile, Diagnostic[]>();
  for (const d of diagnostics) {
    if (d.span === undefined || !isSyntax(d) || d.severity !== "error") continue;
    const same = byFile.get(d.span.file);
    if (same === undefined) byFile.set(d.span.file, [d]);
    else same.push(d);
  }
  const causes = new Map([...byFile].map(([file, errors]) => [file, causeOf(file, errors)]));
  return diagnostics.flatMap((d) => {
    const cause = d.span && isSyntax(d) && d.severity === "error" ? causes.get(d.span.file) : undefined;
    if (cause === undefined) return [d];
    // The Rego parser recovers at the next rule, so each conflict is reported.
    if (cause === d || (d.code.startsWith("rego/") && cause.code.startsWith("rego/"))) return [d];
    return byFile.get(d.span?.file as SourceFile)?.[0] === d ? [cause] : [];
  });
}

function causeOf(file: SourceFile, errors: readonly Diagnostic[]): Diagnostic {
  const first = [...errors].sort((a, b) => (a.span?.start ?? 0) - (b.span?.start ?? 0))[0] as Diagnostic;
  const tab = first.code === "sources/invalid-yaml" ? /^ *\t+/m.exec(file.text) : null;
  if (tab !== null)
    return documentsDiagnostic("sources/tab-indentation", {}, span(file, tab.index, tab.index + tab[0].length));
  for (const { span: at } of errors) {
    const line = at === undefined ? 0 : file.positionAt(at.start).line;
    const found = line === 0 ? undefined : confusableIn(file, line);
    if (found !== undefined) return found;
  }
  return first;
}

function confusableIn(file: SourceFile, line: number): Diagnostic | undefined {
  const text = file.lineText(line);
  for (const c of text) {
    const found = confusable(c);
    // Letters of other alphabets are what texts are written in.
    if (found === undefined || /\p{Letter}/u.test(c)) continue;
    const start =
      file.text
        .split("\n")
        .slice(0, line - 1)
        .join("\n").length +
      (line > 1 ? 1 : 0) +
      text.indexOf(c);
    const params = { character: found.name, ascii: found.ascii };
    return documentsDiagnostic("sources/confusable-character", params, span(file, start, start + c.length), {
      help: `write ${JSON.stringify(found.ascii)}`,
    });
  }
  return undefined;
}

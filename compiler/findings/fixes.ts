/** What findings propose with "did you mean", as changes of the text: the name alone, all around it as it was written. */

import type { Diagnostic } from "../base/diagnostic.ts";
import { requoted } from "../base/requote.ts";
import type { SourceFile } from "../base/source-file.ts";
import type { Span } from "../base/span.ts";
import { nearest } from "../base/suggest.ts";

/** One name that another takes the place of. */
export interface Fix {
  readonly at: Span;
  readonly text: string;
}

/** By file, in the order of the text. Where two findings propose different names for one place, none is taken. */
export function fixesOf(diagnostics: readonly Diagnostic[]): ReadonlyMap<SourceFile, readonly Fix[]> {
  const found = new Map<SourceFile, Fix[]>();
  for (const { span, help } of diagnostics) {
    const meant = /^did you mean `([^`]+)`\?$/.exec(help ?? "")?.[1];
    if (span === undefined || meant === undefined || !standsFor(span, meant)) continue;
    found.set(span.file, [...(found.get(span.file) ?? []), { at: span, text: requoted(span, meant) }]);
  }
  for (const [file, fixes] of found) found.set(file, apart(fixes));
  return new Map([...found].filter(([, fixes]) => fixes.length > 0));
}

/** The text of a file with its fixes. */
export function fixedText(file: SourceFile, fixes: readonly Fix[]): string {
  let text = "";
  let end = 0;
  for (const fix of fixes) {
    text += file.text.slice(end, fix.at.start) + fix.text;
    end = fix.at.end;
  }
  return text + file.text.slice(end);
}

/** Whether the place holds the misspelt name and nothing else: some findings point at a rule in which the name is. */
function standsFor({ file, start, end }: Span, meant: string): boolean {
  const written = file.text.slice(start, end).replace(/^(["'`])(.*)\1$/s, "$2");
  return /^[^\s]+$/.test(written) && written !== meant && nearest(written, [meant]) === meant;
}

function apart(fixes: readonly Fix[]): Fix[] {
  const sorted = [...fixes].sort((a, b) => a.at.start - b.at.start || a.at.end - b.at.end);
  const same = (a: Fix, b: Fix): boolean => a.at.start === b.at.start && a.at.end === b.at.end && a.text === b.text;
  const once = sorted.filter((fix, i) => i === 0 || !same(fix, sorted[i - 1] as Fix));
  return once.filter((fix) =>
    once.every((other) => other === fix || other.at.end <= fix.at.start || fix.at.end <= other.at.start),
  );
}

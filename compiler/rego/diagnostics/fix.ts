/** Ways to mend a finding, as changes of the text: made where the finding is made, and read by `check --fix` and editors. */

import { requoted } from "./requote.ts";
import type { Span } from "./span.ts";
import { nearest } from "./suggest.ts";

/** `text` in the place of what stands at `at`. */
export interface Edit {
  readonly at: Span;
  readonly text: string;
}

/** One way to mend a finding: changes of the text that belong together. */
export interface Fix {
  /**
   * `rename`: a misspelt name becomes the one that was meant, and all around it stays; `check --fix` writes these. `rewrite`: the
   * form changes too, and an author looks at each. `restate`: a rule is written again so that it means what its author must have
   * meant; `check --fix` writes these, too.
   */
  readonly kind: "rename" | "rewrite" | "restate";
  /** What an editor offers, as `Write \`implemented\``. */
  readonly title: string;
  readonly edits: readonly Edit[];
}

/** The name that was meant, where one was and the place holds the misspelt one and nothing else: some findings mark more. */
export function renaming(at: Span | undefined, meant: readonly string[] = []): Fix[] {
  const [name] = meant;
  if (at === undefined || name === undefined || meant.length > 1 || !standsFor(at, name)) return [];
  return [{ kind: "rename", title: `Write \`${name}\``, edits: [{ at, text: requoted(at, name) }] }];
}

/** Another text for what the finding marks. */
export function rewriting(at: Span, text: string): Fix[] {
  return [{ kind: "rewrite", title: `Write \`${text}\``, edits: [{ at, text }] }];
}

function standsFor({ file, start, end }: Span, meant: string): boolean {
  const written = file.text.slice(start, end).replace(/^(["'`])(.*)\1$/s, "$2");
  return /^[^\s]+$/.test(written) && written !== meant && nearest(written, [meant]) === meant;
}

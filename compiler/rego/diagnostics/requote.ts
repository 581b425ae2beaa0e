/** Another text in the place of a string, in the way of quoting that is there. */

import type { Span } from "./span.ts";

/** A plain scalar of YAML that means the same text in every position, flow collections included. */
const PLAIN = /^(?!(?:true|false|null|yes|no|on|off|y|n)$)[A-Za-z_][A-Za-z0-9_./@-]*$/i;

export function requoted(at: Span, text: string): string {
  const quote = at.file.text[at.start];
  if (quote === '"') return JSON.stringify(text);
  if (quote === "'") return at.file.name.endsWith(".toml") ? JSON.stringify(text) : `'${text.replace(/'/g, "''")}'`;
  if (quote === "`") return text.includes("`") ? JSON.stringify(text) : `\`${text}\``;
  return PLAIN.test(text) ? text : JSON.stringify(text);
}

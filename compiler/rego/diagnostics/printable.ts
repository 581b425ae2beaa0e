/**
 * Texts from outside as a terminal may show them: control characters and what reorders text are `\uXXXX`, which JSON reads back
 * as the same text.
 */

/** All but line feed and tab: C0, C1, line separators, marks that reorder or hide text, halves of surrogates. */
const UNPRINTABLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

export function escapeUnprintable(text: string): string {
  return text.replace(UNPRINTABLE, escapeCharacter);
}

/** One UTF-16 unit, as JSON escapes it. */
export function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

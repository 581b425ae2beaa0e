/**
 * Texts from outside as a terminal may show them: control characters and what reorders text are `\uXXXX`, which JSON reads back
 * as the same text.
 */

/** What shows nothing. Joiners and variation selectors do show something, but not behind ASCII. */
export const INVISIBLE =
  /(?!\u200c|\u200d|\ufe0e|\ufe0f)[\u2800\p{Default_Ignorable_Code_Point}]|(?<=^|[\0-\u007f])(?:\u200c|\u200d|\ufe0e|\ufe0f)/u;

/** And all but line feed and tab of: C0, C1, line separators, marks that reorder text, halves of surrogates. */
const UNPRINTABLE = new RegExp(
  `[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\ufff9-\\ufffb\\p{Cs}]|${INVISIBLE.source}`,
  "gu",
);

export function escapeUnprintable(text: string): string {
  return text.replace(UNPRINTABLE, (found) => found.replace(/[\s\S]/g, escapeCharacter));
}

/** One UTF-16 unit, as JSON escapes it. */
export function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

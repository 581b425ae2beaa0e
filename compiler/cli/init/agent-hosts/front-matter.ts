/** What may be a key in front matter. It is searched and not read, since hosts read what is not quite YAML, each in its own way. */

/** To its end, or to any place before it. */
const FRONT = /(?:(?!\n---)[\s\S])*/.source;
const BEGIN = /^\uFEFF?---/.source;
/** Letters of a text by their numbers, or a line that ends within it. */
const ESCAPE = /\\(?:[xuU][0-9a-fA-F]{2}|\r?\n)/.source;
/** Behind a sign, too: hosts read what stands there with no blank between. */
const ANCHOR = /[\s{}[\],:?"'-]&[^ \t\r\n]/.source;
const ALIAS = /[\s{}[\],:?"'-]\*[^ \t\r\n]/.source;
const KEY_OF_ITS_OWN = /[\s{}[\],:"']\?\s/.source;

/**
 * Front matter with this key, or with what YAML lets stand for it: with a comment before its colon, as an escape, as an alias, as a key
 * of its own line. `behind`: what else has to be in it.
 */
export function naming(key: string, behind = ""): RegExp {
  const named = `${FRONT}(?:\\b${key}["']?\\s*[:#]|${ESCAPE})`;
  const byAlias = `(?=${FRONT}${ANCHOR})${FRONT}${ALIAS}`;
  const hidden = `(?=${FRONT}\\b${key}\\b)(?:${byAlias}|${FRONT}${KEY_OF_ITS_OWN})`;
  return new RegExp(`${BEGIN}(?=${named}|${hidden})${behind === "" ? "" : `${FRONT}${behind}`}`);
}

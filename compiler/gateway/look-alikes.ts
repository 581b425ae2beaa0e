/** Names that some readers take for one: JSON decoders that pass over case, and texts that look the same. */

/** Without case, width, and what is not seen. */
function folded(name: string): string {
  const plain = name.normalize("NFKC").replace(/[\p{Cc}\p{Cf}\p{White_Space}\p{Default_Ignorable_Code_Point}]/gu, "");
  return plain.toUpperCase().toLowerCase();
}

/** A member that is none of the names, though it could be read as one. */
export function lookAlike(members: object, names: readonly string[]): string | undefined {
  const known = new Set(names.map(folded));
  return Object.keys(members).find((key) => !names.includes(key) && known.has(folded(key)));
}

/** What every reader reads alike: letters, digits and signs of ASCII. */
export function isPlain(name: string): boolean {
  return /^[!-~]+$/.test(name);
}

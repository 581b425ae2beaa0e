/** Names that some readers take for one: JSON decoders that pass over case, and texts that look the same. */

/**
 * Most characters of a name from outside. To fold a text takes time in the square of its length (marks are put in order one by one),
 * so a longer one is never folded, and all names together take time linear in their sizes.
 */
export const LONGEST_NAME = 256;

/** Without case, width, and what is not seen. INVARIANT: the text has at most `LONGEST_NAME` characters. */
function folded(name: string): string {
  const plain = name.normalize("NFKC").replace(/[\p{Cc}\p{Cf}\p{White_Space}\p{Default_Ignorable_Code_Point}]/gu, "");
  return plain.toUpperCase().toLowerCase();
}

/** A member that could be read as one of the names, though it is not; one that is too long to tell is such a member, too. */
export function lookAlike(members: object, names: readonly string[]): string | undefined {
  const others = Object.keys(members).filter((key) => !names.includes(key));
  return others.find((key) => {
    if (key.length > LONGEST_NAME) return true;
    const read = folded(key);
    return names.some((name) => folded(name) === read);
  });
}

/**
 * A member that could be read as another one of the same object (`cents`, `Cents`): a tool may act on it where the policy has decided
 * by the other. Beside others, one that is too long to tell, too. Ask it of arguments that go to a program which passes over case.
 */
export function lookAlikeAmong(members: object): string | undefined {
  const keys = Object.keys(members);
  const seen = new Set<string>();
  return keys.length < 2 ? undefined : keys.find((key) => key.length > LONGEST_NAME || !isNew(folded(key), seen));
}

function isNew(text: string, seen: Set<string>): boolean {
  const before = seen.size;
  return seen.add(text).size > before;
}

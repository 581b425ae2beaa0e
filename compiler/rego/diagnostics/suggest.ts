/** "Did you mean": the known name nearest to a misspelt one, if one is near enough to be worth saying. */

/** Names longer than this are not compared: the distance is quadratic, and authors do not misspell so much. */
const MAX_LENGTH = 100;
/** With more candidates than this, only those with the same first or last letter are compared. */
const MANY = 5_000;

/** The nearest of `known` within a third of the length of `name`, ignoring case; the first in order among equals. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const wanted = name.toLowerCase();
  const limit = Math.max(1, Math.floor(name.length / 3));
  const candidates = [...known].filter(
    (k) => k !== name && k.length <= MAX_LENGTH && Math.abs(k.length - name.length) <= limit,
  );
  const close = (k: string): boolean => k[0]?.toLowerCase() === wanted[0] || k.at(-1)?.toLowerCase() === wanted.at(-1);
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of candidates.length > MANY ? candidates.filter(close) : candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** What a diagnostic says of names that were meant: spreads into its extras. */
export interface Suggestion {
  readonly help?: string;
  readonly meant?: readonly string[];
}

/** That `name` was meant. */
export function meaning(name: string): Required<Suggestion> {
  return { help: `did you mean \`${name}\`?`, meant: [name] };
}

/** The nearest of the known names, or nothing. */
export function didYouMean(name: string, known: Iterable<string>): Suggestion {
  const near = nearest(name, known);
  return near === undefined ? {} : meaning(near);
}

/** As `didYouMean`; of several known names without a comma between them, the commas. */
export function didYouMeanOf(
  name: string,
  known: { has(name: string): boolean; keys(): Iterable<string> },
): Suggestion {
  const names = name.split(/\s+/);
  const isList = names.length > 1 && names.every((part) => known.has(part));
  return isList
    ? { help: `write commas between the names: \`${names.join(", ")}\``, meant: names }
    : didYouMean(name, known.keys());
}

/** The known word that a text is one slip away from, ignoring case and white space around it: `unimplemented` is two, and means what it says. */
export function slipOf(text: string, known: readonly string[]): string | undefined {
  if (known.includes(text)) return undefined;
  return known.find((word) => editDistance(text.trim().toLowerCase(), word, 2) < 2);
}

/** Insertions, deletions, replacements and swaps of neighbours; `limit` when there are as many or more. */
export function editDistance(a: string, b: string, limit: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(
        (last[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (last[j - 1] as number) + (same ? 0 : 1),
      );
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) cost = Math.min(cost, (beforeLast[j - 2] as number) + 1);
      row.push(cost);
      least = Math.min(least, cost);
    }
    if (least >= limit) return limit;
    beforeLast = last;
    last = row;
  }
  return Math.min(last[b.length] as number, limit);
}

/**
 * Names of people and agents, as people read them: one table of the characters that stand for each letter. It stands in the
 * bundle's data, so that every engine folds alike, whatever Unicode it knows.
 */

import { FOLDS, OTHERS } from "./folds.ts";
import type { Table } from "./tables.ts";

export interface NameFolds {
  /** Letters, and the characters that stand for them in place of themselves: for letters of the policy's names alone. */
  readonly folds: Table<string>;
  /** RE2: characters that are not letters or digits, and stand for nothing. */
  readonly others: string;
}

/** `names`: those that others are compared with. Cost: a walk over some 10,000 characters; none before the first call. */
export function nameFolds(names: Iterable<string>): NameFolds {
  known ??= new Map(Object.entries(JSON.parse(FOLDS) as { readonly [letters: string]: string }));
  const alphabet = new Set<string>();
  const written = new Set([...names].flatMap((name) => [...name]));
  for (const character of written) alphabet.add(character);
  for (const [letters, characters] of known)
    if ([...characters].some((character) => written.has(character))) for (const letter of letters) alphabet.add(letter);
  const folds = Object.create(null) as { [letters: string]: string };
  for (const [letters, characters] of known)
    if ([...letters].every((letter) => alphabet.has(letter))) folds[letters] = characters;
  return { folds, others: OTHERS };
}

let known: ReadonlyMap<string, string> | undefined;

/**
 * Paths, as file systems compare them that tell no case and no form of a letter: one table of what each character stands for. It
 * stands in the bundle's data, so that every engine folds alike, whatever Unicode it knows.
 */

import { NOTHING, PATH_FOLDS } from "./path-fold-table.ts";
import type { Table } from "./tables.ts";

/** The text without case, marks and format characters. Cost: the first call reads some 6,000 characters. */
export function foldedPath(text: string): string {
  return [...text].map((character) => foldOf(character)).join("");
}

/**
 * What each character stands for, in place of itself: as far as paths can be compared with `folded` texts by it. A character of
 * which something is left that no such text has stands for itself, and is as different.
 */
export function pathFolds(folded: Iterable<string>): Table<string> {
  const alphabet = new Set([...folded].flatMap((text) => [...text]));
  const result = Object.create(null) as { [character: string]: string };
  for (const [character, text] of table()) if ([...text].every((c) => alphabet.has(c))) result[character] = text;
  for (let code = FIRST_SYLLABLE; code <= LAST_SYLLABLE; code++) {
    const jamo = decomposed(code);
    if ([...jamo].every((c) => alphabet.has(c))) result[String.fromCodePoint(code)] = jamo;
  }
  return result;
}

function foldOf(character: string): string {
  const code = character.codePointAt(0) as number;
  if (code >= FIRST_SYLLABLE && code <= LAST_SYLLABLE) return decomposed(code);
  return table().get(character) ?? character;
}

let known: ReadonlyMap<string, string> | undefined;

function table(): ReadonlyMap<string, string> {
  if (known !== undefined) return known;
  const folds = JSON.parse(PATH_FOLDS) as { readonly [text: string]: string };
  const made = new Map(Object.entries(folds).flatMap(([text, from]) => [...from].map((c) => [c, text] as const)));
  for (const range of NOTHING.split(" ")) {
    const [first = 0, last = first] = range.split("-").map((code) => Number.parseInt(code, 16));
    for (let code = first; code <= last; code++) made.set(String.fromCodePoint(code), "");
  }
  known = made;
  return made;
}

/** Syllables of Hangul are composed by a rule: 19 first consonants, 21 vowels, 27 last consonants or none. */
const FIRST_SYLLABLE = 0xac00;
const LAST_SYLLABLE = 0xd7a3;

function decomposed(syllable: number): string {
  const place = syllable - FIRST_SYLLABLE;
  const last = place % 28;
  const jamo = [0x1100 + Math.floor(place / 588), 0x1161 + (Math.floor(place / 28) % 21)];
  return String.fromCodePoint(...jamo, ...(last === 0 ? [] : [0x11a7 + last]));
}

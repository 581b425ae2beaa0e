/**
 * Names of people and agents, as people read them: one table of the characters that stand for each letter. It stands in the
 * bundle's data, so that every engine folds alike, whatever Unicode it knows.
 */

import type { Diagnostic } from "@portcullis/rego/diagnostics";
import type { Named } from "../model/index.ts";
import { lowerDiagnostic } from "./codes.ts";
import { APART, FOLDS, OTHERS, SECOND } from "./folds.ts";
import type { Table } from "./tables.ts";

export interface NameFolds {
  /** Letters, and the characters that stand for them in place of themselves: for letters of the policy's names alone. */
  readonly folds: Table<string>;
  /** RE2: characters that are not letters or digits, and stand for nothing. */
  readonly others: string;
  /** RE2: a character that no person's name has. */
  readonly apart: string;
  /** What stands for several letters and looks like one (`ß`): the letter for the second reading. */
  readonly second: Table<string>;
}

/** `names`: those that others are compared with. Cost: a walk over some 10,000 characters; none before the first call. */
export function nameFolds(names: Iterable<string>): NameFolds {
  const known = characterFolds();
  const alphabet = new Set<string>();
  const written = new Set([...names].flatMap((name) => [...name].flatMap((c) => [c, SECOND[c] ?? c])));
  for (const character of written) alphabet.add(character);
  for (const [letters, characters] of known)
    if ([...characters].some((character) => written.has(character))) for (const letter of letters) alphabet.add(letter);
  const folds = Object.create(null) as { [letters: string]: string };
  for (const [letters, characters] of known)
    if ([...letters].every((letter) => alphabet.has(letter))) folds[letters] = characters;
  return { folds, others: OTHERS, apart: APART, second: SECOND };
}

/**
 * How a name is read, as by `readings` of the library's `agents.rego`: in one way, or in two for a name with `ß`. `undefined` for a
 * name with a character apart, which no person has.
 */
export function readingsOf(name: string): readonly string[] | undefined {
  if (apartPattern().test(name)) return undefined;
  const table = letterOf();
  const read = (text: string): string =>
    [...text]
      .map((c) => table.get(c) ?? c)
      .join("")
      .replace(new RegExp(OTHERS.replaceAll("\\x{", "\\u{"), "gu"), "");
  return [...new Set([read(name), read([...name].map((c) => SECOND[c] ?? c).join(""))])];
}

let letters: ReadonlyMap<string, string> | undefined;

/** By character, the letters that it stands for. */
function letterOf(): ReadonlyMap<string, string> {
  letters ??= new Map(
    [...characterFolds()].flatMap(([of, characters]) => [...characters].map((c) => [c, of] as const)),
  );
  return letters;
}

const apartPattern = (): RegExp => new RegExp(APART.replaceAll("\\x{", "\\u{"), "u");

/** Agents whose names hold a character apart: what people read as such a name is not known. */
export function namesApart(names: Iterable<Named>): Diagnostic[] {
  const apart = apartPattern();
  return [...names].flatMap(({ name, span }) => {
    const found = apart.exec(name)?.[0];
    if (found === undefined) return [];
    const composed = name.normalize("NFC");
    const help = apart.test(composed) ? undefined : `write \`${composed}\`, which is composed`;
    return [
      lowerDiagnostic("lower/name-apart", { name, character: codeOf(found) }, span, help === undefined ? {} : { help }),
    ];
  });
}

const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

let parsed: ReadonlyMap<string, string> | undefined;

/** Letters, and all characters that stand for them. */
function characterFolds(): ReadonlyMap<string, string> {
  parsed ??= new Map(Object.entries(JSON.parse(FOLDS) as { readonly [letters: string]: string }));
  return parsed;
}

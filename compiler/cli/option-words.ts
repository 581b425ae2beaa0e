/** Options as a table: Commander makes help and completion of it. */

import { CliError } from "./exit.ts";

export interface OptionWord {
  readonly name: string;
  /** A letter, which may stand for the name. */
  readonly short?: string;
  /** Stands for its value in help; absent for a switch. */
  readonly value?: string;
  readonly text: string;
  readonly isRequired?: true;
  /** It may be given several times; a path of several may have a name, `ID=FILE`. */
  readonly isMany?: true;
  /** Its value is the path of a file. */
  readonly isPath?: true;
  /** Its value may be a URL instead. */
  readonly mayBeUrl?: true;
  readonly choices?: readonly string[];
  readonly preset?: string;
}

/** By the options' names in camel case; absent where an option is not given and has no preset. */
export type Flags = Readonly<Record<string, string | readonly string[] | boolean>>;

/** `ID=FILE`. A path that could be read so is written `./a=b.pem`. */
const NAMED_FILE = /^([\w.:-]+)=(.*)$/s;

/** The file of `FILE` or `ID=FILE`. */
export function pathOf(given: string): string {
  return NAMED_FILE.exec(given)?.[2] ?? given;
}

/** The name of `ID=FILE`. */
export function fileName(given: string): string | undefined {
  return NAMED_FILE.exec(given)?.[1];
}

/** The value of a flag that counts something. Throws CliError. */
export function wholeNumber(flag: string, text: string, most = Number.MAX_SAFE_INTEGER): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0 && value <= most) return value;
  const needed = most === Number.MAX_SAFE_INTEGER ? "a whole number above zero" : `a whole number from 1 to ${most}`;
  throw new CliError(`\`${flag} ${text}\`: ${needed} is needed`);
}

/** A word that names another place than a file of this machine. */
export function isUrl(word: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(word);
}

export function flagOf(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

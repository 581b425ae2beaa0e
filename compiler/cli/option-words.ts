/** Options as a table: Commander makes help and completion of it, and a hook reads its arguments by it without Commander. */

import { isAbsolute } from "node:path";
import { parseArgs } from "node:util";
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

/** The flags of a command line that has options alone. Throws CliError. */
export function readFlags(argv: readonly string[], options: readonly OptionWord[]): Flags {
  const given = valuesOf(argv, options);
  const flags: Record<string, Flags[string]> = {};
  for (const { name, value, isMany, isRequired, choices, preset } of options) {
    const found = given[name] ?? (isMany ? [] : value === undefined ? false : preset);
    if (found === undefined && isRequired) throw new CliError(`\`--${name}\` is missing`);
    if (typeof found === "string" && choices?.includes(found) === false)
      throw new CliError(`\`--${name} ${found}\` is not one of ${choices.join(", ")}`);
    if (found !== undefined) flags[flagOf(name)] = found;
  }
  return flags;
}

/** The words that `readFlags` reads these flags from. What is preset is left out. */
export function flagWords(flags: Flags, options: readonly OptionWord[]): string[] {
  return options.flatMap(({ name, preset }) => {
    const flag = flags[flagOf(name)];
    if (flag === undefined || flag === false || flag === preset) return [];
    if (flag === true) return [`--${name}`];
    return [flag].flat().flatMap((value) => [`--${name}`, value]);
  });
}

/** Throws CliError for a path that would be read where the agent is. */
export function demandAbsolute(flags: Flags, options: readonly OptionWord[]): void {
  for (const { name, mayBeUrl, isMany } of options.filter(({ isPath }) => isPath))
    for (const given of [flags[flagOf(name)]].flat()) {
      if (typeof given !== "string") continue;
      const path = isMany ? pathOf(given) : given;
      if (!isAbsolute(path) && !(mayBeUrl && isUrl(path)))
        throw new CliError(`\`--${name} ${given}\` is relative: hosts run a hook where the agent changed to last`);
    }
}

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

function valuesOf(argv: readonly string[], options: readonly OptionWord[]): Flags {
  const known = options.map(({ name, short, value, isMany }) => [
    name,
    {
      type: value === undefined ? ("boolean" as const) : ("string" as const),
      multiple: isMany ?? false,
      ...(short === undefined ? {} : { short }),
    },
  ]);
  try {
    const { values } = parseArgs({ args: [...argv], options: Object.fromEntries(known), strict: true });
    return values as Flags;
  } catch (error) {
    // Behind the first sentence it tells what other programs take.
    throw new CliError((error as Error).message.split(". ")[0] as string);
  }
}

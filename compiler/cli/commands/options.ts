/** Small pieces of option parsing that several commands share. */

import { CliError } from "../exit.ts";

/** For options that may be repeated. */
export function collect(value: string, previous: readonly string[]): string[] {
  return [...previous, value];
}

/** The value of a flag that counts something. Throws CliError. */
export function wholeNumber(flag: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new CliError(`\`${flag} ${text}\`: a whole number above zero is needed`);
}

/** `1 file`, `2 files`, `20,000 files`. */
export function count(n: number, word: string): string {
  return `${n.toLocaleString("en-US")} ${word}${n === 1 ? "" : "s"}`;
}

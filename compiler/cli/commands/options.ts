/** Small pieces of option parsing that several commands share. */

import { Option } from "commander";

export { wholeNumber } from "../option-words.ts";

/** What most commands can print. */
export type HumanOrJson = "human" | "json";

/** `--format` of a command that takes a policy, which may be a folder of sources with findings. */
export const POLICY_FORMAT = "output format, also of findings in the sources: as `check` prints them";

/** `--format human|json`. */
export function formatOption(description = "output format"): Option {
  return new Option("--format <format>", description).choices(["human", "json"]).default("human");
}

/** `--strict` of what compiles a policy set. */
export const STRICT_OPTION = [
  "--strict",
  "OPA's strict mode (unused imports, variables and arguments are errors), and warnings are errors",
  false,
] as const;

/** For options that may be repeated. */
export function collect(value: string, previous: readonly string[]): string[] {
  return [...previous, value];
}

/** Timers take no longer times, and fire at once for them. */
export const MOST_SECONDS = Math.floor((2 ** 31 - 1) / 1000);

/** `1 file`, `2 files`, `20,000 files`. */
export function count(n: number, word: string): string {
  return `${n.toLocaleString("en-US")} ${word}${n === 1 ? "" : "s"}`;
}

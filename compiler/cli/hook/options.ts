/** The options of `portcullis hook`, which are read without Commander. */

import { isAbsolute } from "node:path";
import { parseArgs } from "node:util";
import { HOOK_FORMATS, type HookFormat } from "@portcullis/enforcement/gateway";
import { CALLER_OPTIONS, type CallerFlags } from "../caller-options.ts";
import { CliError } from "../exit.ts";
import { DATA_OPTION } from "../host-data.ts";
import { type Flags, flagOf, isUrl, type OptionWord, pathOf } from "../option-words.ts";
import { VERIFICATION_OPTIONS, type VerificationFlags } from "../verification-options.ts";
import { DEADLINE_SECONDS } from "./limits.ts";

export interface HookFlags extends CallerFlags, VerificationFlags {
  readonly data?: string;
  readonly format: HookFormat;
  readonly governance?: string;
  readonly ask: boolean;
  readonly deadline: string;
}

export const HOOK_OPTIONS: readonly OptionWord[] = [
  { name: "policy", value: "<file>", text: "bundle", isRequired: true, isPath: true },
  DATA_OPTION,
  ...VERIFICATION_OPTIONS,
  ...CALLER_OPTIONS,
  {
    ...{ name: "format", value: "<host>", choices: HOOK_FORMATS, preset: "auto" },
    text: "who asks; auto tells by the input; ended: a call is over, and `succeeded` says how",
  },
  {
    ...{ name: "governance", value: "<file>", isPath: true },
    text: "JSON with who approved that sub-agents are started; without it none is",
  },
  { name: "ask", text: "where only an approval is missing, let Claude Code or Copilot CLI ask a person" },
  {
    ...{ name: "deadline", value: "<seconds>", preset: String(DEADLINE_SECONDS) },
    text: "time for the answer; then it is a denial",
  },
];

/** The flags of a command line that has options alone. Throws CliError. */
export function readHookFlags(argv: readonly string[]): HookFlags {
  const given = valuesOf(argv);
  const flags: Record<string, Flags[string]> = {};
  for (const { name, value, isMany, isRequired, choices, preset } of HOOK_OPTIONS) {
    const found = given[name] ?? (isMany ? [] : value === undefined ? false : preset);
    if (found === undefined && isRequired) throw new CliError(`\`--${name}\` is missing`);
    if (typeof found === "string" && choices?.includes(found) === false)
      throw new CliError(`\`--${name} ${found}\` is not one of ${choices.join(", ")}`);
    if (found !== undefined) flags[flagOf(name)] = found;
  }
  return flags as unknown as HookFlags;
}

/** The words that `readHookFlags` reads these flags from. What is preset is left out. */
export function hookWords(flags: Flags): string[] {
  return HOOK_OPTIONS.flatMap(({ name, preset }) => {
    const flag = flags[flagOf(name)];
    if (flag === undefined || flag === false || flag === preset) return [];
    if (flag === true) return [`--${name}`];
    return [flag].flat().flatMap((value) => [`--${name}`, value]);
  });
}

/** Throws CliError for a path that would be read where the agent is. */
export function demandAbsolute(flags: HookFlags): void {
  for (const { name, mayBeUrl, isMany } of HOOK_OPTIONS.filter(({ isPath }) => isPath))
    for (const given of [(flags as unknown as Flags)[flagOf(name)]].flat()) {
      if (typeof given !== "string") continue;
      const path = isMany ? pathOf(given) : given;
      if (!isAbsolute(path) && !(mayBeUrl && isUrl(path)))
        throw new CliError(`\`--${name} ${given}\` is relative: hosts run a hook where the agent changed to last`);
    }
}

function valuesOf(argv: readonly string[]): Flags {
  const known = HOOK_OPTIONS.map(({ name, short, value, isMany }) => [
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

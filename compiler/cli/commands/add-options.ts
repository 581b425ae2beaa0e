/** The options of a table, as Commander knows them. */

import { type Command, Option } from "commander";
import type { OptionWord } from "../option-words.ts";
import { collect } from "./options.ts";

export function addOptions(command: Command, options: readonly OptionWord[]): Command {
  for (const word of options) command.addOption(optionOf(word));
  return command;
}

function optionOf({ name, short, value, text, isRequired, isMany, choices, preset }: OptionWord): Option {
  const words = short === undefined ? `--${name}` : `-${short}, --${name}`;
  const option = new Option(value === undefined ? words : `${words} ${value}`, text);
  if (isRequired) option.makeOptionMandatory();
  if (choices !== undefined) option.choices(choices);
  if (isMany) return option.argParser<readonly string[]>(collect).default([]);
  return option.default(value === undefined ? false : preset);
}

/** What may stand at the end of a command line, from the definitions that `--help` prints. */

import { Argument, type Command, type Option } from "commander";
import { type Offer, offerOf } from "./offer.ts";
import type { Named } from "./policy-ids.ts";

export interface Candidate {
  /** The whole word, with `--option=` where the value is written after it. */
  readonly value: string;
  readonly description: string;
}

export interface Completion {
  readonly candidates: readonly Candidate[];
  /** What the shell itself may put there. */
  readonly besides: Offer["besides"];
}

const NOTHING: Completion = { candidates: [], besides: "nothing" };

/**
 * `words` are those after the program's name; the last is the one that is being written, perhaps empty. `root` holds every
 * command by name, and the one that the words name with all its options.
 */
export async function complete(root: Command, words: readonly string[]): Promise<Completion> {
  const current = words.at(-1) ?? "";
  const read = readWords(root, words.slice(0, -1));
  const { command, open, positional, behindDashes } = read;
  if (open !== undefined) return valuesOf(open, "", current, read);
  const [, long, value] = /^(--[^=]+)=(.*)$/s.exec(current) ?? [];
  if (long !== undefined && !behindDashes) {
    const option = optionsOf(command).find((o) => o.long === long);
    return option === undefined ? NOTHING : valuesOf(option, `${long}=`, value as string, read);
  }
  if (current.startsWith("-") && current !== "-" && !behindDashes) return beginning(current, optionNames(command));
  if (command.commands.length > 0 && positional.length === 0) {
    const names = visible(command).map((sub) => ({ value: sub.name(), description: sub.description() }));
    return beginning(current, names);
  }
  const { registeredArguments: all } = command;
  const argument = all[positional.length] ?? (all.at(-1)?.variadic === true ? all.at(-1) : undefined);
  return argument === undefined ? NOTHING : valuesOf(argument, "", current, read);
}

interface ReadWords extends Named {
  readonly command: Command;
  /** The option that the last word asks a value for. */
  readonly open: Option | undefined;
  readonly behindDashes: boolean;
}

/** Goes down the commands, and tells options, their values and arguments apart. */
function readWords(root: Command, words: readonly string[]): ReadWords {
  let command = root;
  let open: Option | undefined;
  let behindDashes = false;
  const positional: string[] = [];
  const options = new Map<string, string>();
  for (const word of words) {
    if (open !== undefined) {
      options.set(open.attributeName(), word);
      open = undefined;
    } else if (word === "--" && !behindDashes) behindDashes = true;
    else if (word.startsWith("-") && word !== "-" && !behindDashes) {
      const [name, value] = word.split(/=(.*)/s);
      const option = optionsOf(command).find((o) => o.long === name || o.short === name);
      if (value !== undefined && option !== undefined) options.set(option.attributeName(), value);
      else if (option?.required) open = option;
    } else {
      const sub = positional.length === 0 ? visible(command).find((c) => c.name() === word) : undefined;
      // After `help` stands a command, and nothing after that.
      if (sub === undefined || words[0] === "help") positional.push(word);
      else command = sub;
    }
  }
  if (words[0] === "help" && positional[0] === "help") positional.shift();
  return { command, open, positional, options, behindDashes, argumentNames: argumentNames(command) };
}

async function valuesOf(of: Option | Argument, prefix: string, current: string, named: Named): Promise<Completion> {
  const placeholder = of instanceof Argument ? of.name() : /[<[]([^>\]]+)[>\]]/.exec(of.flags)?.[1];
  const { values, besides } =
    of.argChoices === undefined
      ? await offerOf(placeholder?.replace(/\.\.\.$/, "") ?? "", named)
      : { values: of.argChoices.map((value) => ({ value, description: "" })), besides: "nothing" as const };
  const candidates = values.map((v) => ({ value: prefix + v.value, description: v.description }));
  return { ...beginning(prefix + current, candidates), besides };
}

function beginning(current: string, all: readonly Candidate[]): Completion {
  return { candidates: all.filter(({ value }) => value.startsWith(current)), besides: "nothing" };
}

function argumentNames(command: Command): string[] {
  return command.registeredArguments.map((a) => a.name());
}

function visible(command: Command): readonly Command[] {
  return command.createHelp().visibleCommands(command);
}

function optionsOf(command: Command): readonly Option[] {
  return command.createHelp().visibleOptions(command);
}

function optionNames(command: Command): Candidate[] {
  return optionsOf(command).flatMap(({ long, short, description }) => {
    const name = long ?? short;
    return name === undefined ? [] : [{ value: name, description }];
  });
}

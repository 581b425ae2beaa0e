/** `portcullis completion SHELL`: the script that makes a shell complete its commands, options, values and ids. */

import { Argument, type Command, Option } from "commander";
import { type Completion, complete } from "../completion/complete.ts";
import { SCRIPTS, SHELLS, type Shell } from "../completion/scripts.ts";
import type { Context } from "../context.ts";
import { CliError, EXIT_OK, EXIT_USAGE } from "../exit.ts";
import { printableLine } from "../printer.ts";

export function registerCompletion(root: Command, context: Context): void {
  root
    .command("completion")
    .description("print the script that completes commands, options, their values, and a policy's ids in a shell")
    .addArgument(new Argument("<shell>", "the shell that loads it").choices(SHELLS))
    .argument("[words...]", "what the script itself adds: the words of the line, behind `--`")
    .usage("[options] <shell>")
    .addOption(new Option("--words", "answer for the words of a command line").default(false).hideHelp())
    .addHelpText(
      "after",
      `
Examples:
  eval "$(portcullis completion bash)"                                            # in ~/.bashrc
  eval "$(portcullis completion zsh)"                                             # in ~/.zshrc, after compinit
  portcullis completion fish > ~/.config/fish/completions/portcullis.fish

Where a command line names a policy, its roles, lanes, tools, agents, modes and entrypoints complete too; they are read from the
sources or the bundle at each Tab. No word that you have typed is run.

Exit codes: 0 printed; 2 no such shell.`,
    )
    .action(async (shell: Shell, words: string[], flags: { words: boolean }) => {
      if (!flags.words) {
        if (words.length > 0) throw new CliError(`\`${words[0]}\`: one shell is enough`, EXIT_USAGE);
        context.terminal.out(SCRIPTS[shell]);
      } else context.terminal.out(answer(await complete(await context.definitions(words), words)));
      context.finish(EXIT_OK);
    });
}

/** `VALUE<TAB>DESCRIPTION` a line, and last what may stand there besides. What is not one line cannot be completed. */
function answer({ candidates, besides }: Completion): string {
  const lines = candidates
    .filter(({ value }) => printableLine(value) === value)
    .map(({ value, description }) => `${value}\t${printableLine(description)}`);
  return [...lines, `:${besides}`, ""].join("\n");
}

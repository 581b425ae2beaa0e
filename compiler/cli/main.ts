/** The command line: argv in, exit code out. Every command lives in `commands/`, and no stack trace ever reaches a user. */

import { didYouMean, InternalError } from "@portcullis/rego/diagnostics";
import { Command, CommanderError, Option } from "commander";
import { COMMANDS } from "./commands.ts";
import type { Context } from "./context.ts";
import { CliError, EXIT_OK, EXIT_USAGE, type ExitCode } from "./exit.ts";
import { printableLine, printing } from "./printer.ts";
import { nodeVoice, type Terminal, type Voice } from "./terminal.ts";
import { VERSION } from "./version.ts";

/** Runs one command line (without `node` and the script's name). Never throws. */
export async function main(argv: readonly string[], given?: Voice): Promise<number> {
  const terminal = printing(given ?? nodeVoice());
  let exitCode: number = EXIT_OK;
  const context: Context = {
    terminal,
    finish: (code) => {
      exitCode = code;
    },
    definitions: (words) => program(context, words),
  };
  let root: Command | undefined;
  try {
    root = await program(context, argv);
    await root.parseAsync(argv as string[], { from: "user" });
    return exitCode;
  } catch (error) {
    return report(error, terminal, commandPath(root, argv));
  }
}

/** The command that `argv` names is loaded; the others are there by name, for help and for suggestions. */
async function program(context: Context, argv: readonly string[]): Promise<Command> {
  const root = new Command("portcullis")
    .description(
      "Compiles the governance of AI agents, and any Rego v1, into OPA bundles with WebAssembly, and decides with them.",
    )
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help, with examples")
    .helpCommand("help [command]", "print help on a command")
    .addOption(new Option("--explain <code>", "explain a diagnostic code"))
    .showSuggestionAfterError(true)
    .allowExcessArguments(true)
    // Behind a command's name, an option is the command's own.
    .enablePositionalOptions()
    .exitOverride()
    .hook("preAction", (_, command) => refuseDash(command))
    .configureOutput({
      writeOut: (text) => context.terminal.out(text),
      writeErr: (text) => context.terminal.err(text),
    })
    .addHelpText(
      "after",
      `
Examples:
  portcullis check policies
  portcullis build policies -o out
  echo '{"role":"WRITER","lane":"DRAFTING"}' | portcullis eval out/bundle.tar.gz portcullis/lane/decision --input -
  portcullis --explain model/undefined-role

Exit codes: 0 success; 1 findings, or a denial with --fail; 2 wrong usage or an internal error.`,
    )
    .action(async (options: { explain?: string }, command: Command) => {
      if (options.explain !== undefined) {
        const { explainCode } = await import("./commands/explain-code.ts");
        context.finish(explainCode(context.terminal, options.explain));
      } else if (command.args.length > 0)
        throw new CliError(
          `unknown command \`${command.args[0]}\``,
          EXIT_USAGE,
          didYouMean(
            command.args[0] as string,
            COMMANDS.map((c) => c.name),
          ).help ?? "`portcullis --help` lists the commands",
        );
      else command.help({ error: true });
    });
  const named = namedCommand(argv);
  for (const { name, summary, load } of COMMANDS) {
    if (name === named) {
      (await load())(root, context);
      for (const command of root.commands.filter((c) => c.name() === name)) refuseExcess(command);
    } else root.command(name).description(summary);
  }
  return root;
}

/** An argument that nothing reads was meant for something. */
function refuseExcess(command: Command): void {
  command.allowExcessArguments(command.commands.length > 0);
  for (const inner of command.commands) refuseExcess(inner);
}

/** To other programs `-` is standard output; here it would be a file of that name, or a folder. */
function refuseDash(command: Command): void {
  for (const option of command.options) {
    if (option.long !== "--output" && option.long !== "--out") continue;
    if (command.getOptionValue(option.attributeName()) !== "-") continue;
    const kind = option.flags.includes("<dir>") ? "folder" : "file";
    throw new CliError(
      `\`${option.long} -\` names no ${kind}`,
      EXIT_USAGE,
      kind === "file" ? "name a file; standard output is `/dev/stdout`" : "name a folder",
    );
  }
}

/** The command that a command line asks for, or asks for help on, if there is one. */
function namedCommand(argv: readonly string[]): string | undefined {
  const word = argv[0] === "help" ? argv[1] : argv[0];
  return COMMANDS.find((c) => c.name === word)?.name;
}

/** The command that runs, with those above it: `audit verify`. */
function commandPath(root: Command | undefined, argv: readonly string[]): string | undefined {
  const path: string[] = [];
  let at = root;
  for (const word of argv) {
    at = at?.commands.find((command) => command.name() === word);
    if (at === undefined) break;
    path.push(word);
  }
  return path.length === 0 ? namedCommand(argv) : path.join(" ");
}

function report(error: unknown, terminal: Terminal, command: string | undefined): ExitCode {
  const { red, cyan } = terminal.paint;
  const usage = `\`portcullis ${command === undefined ? "" : `${command} `}--help\` shows what it takes, with examples`;
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT_OK;
    // Commander has reported the fault; where it printed the help itself there is nothing to add.
    if (!error.code.startsWith("commander.help")) terminal.err(`${cyan("help:")} ${usage}\n`);
    return EXIT_USAGE;
  }
  if (error instanceof CliError) {
    terminal.err(`${red("error:")} ${printableLine(error.message)}\n`);
    const help = error.help ?? (error.exitCode === EXIT_USAGE ? usage : undefined);
    if (help !== undefined) terminal.err(`${cyan("help:")} ${help}\n`);
    return error.exitCode;
  }
  const kind =
    error instanceof InternalError
      ? error.message
      : error instanceof Error
        ? `${error.name}: ${error.message}`
        : String(error);
  terminal.err(`${red("internal error:")} ${printableLine(kind)}\n`);
  terminal.err(
    "This is a fault of portcullis, not of your policy. Nothing was written. Please report it with the sources that led to it.\n",
  );
  return EXIT_USAGE;
}

/** command-line.md: every command with its arguments, options and exit codes, from commander's own definitions. */

import { Command, type Option } from "commander";
import { COMMANDS } from "../../cli/commands.ts";
import type { Context } from "../../cli/context.ts";
import { main } from "../../cli/main.ts";
import { printing } from "../../cli/printer.ts";
import type { Voice } from "../../cli/terminal.ts";
import { code, page, prose, table } from "./markdown.ts";

export async function commandLinePage(): Promise<string> {
  // The width of the terminal that this runs in must not show.
  Object.defineProperty(process.stdout, "isTTY", { value: false });
  const root = new Command("portcullis");
  let help = "";
  const voice = silentVoice((text) => {
    help += text;
  });
  const context: Context = { terminal: printing(voice), finish: () => {}, definitions: async () => root };
  for (const { load } of COMMANDS) (await load())(root, context);
  await main(["--help"], voice);
  return page(
    "Command line",
    "the commands' own definitions",
    "`portcullis COMMAND --help` prints the same.",
    fenced(help),
    ...root.commands.flatMap((command) => sections(command, "portcullis")),
  );
}

/** A command, and those below it. */
function sections(command: Command, parent: string): string[] {
  const name = `${parent} ${command.name()}`;
  const options = command.options.filter((option) => !option.hidden);
  const parts = [
    `## ${name}`,
    `${sentence(command.description())}`,
    fenced(`${name} ${command.usage()}`, "sh"),
    ...(command.registeredArguments.length === 0
      ? []
      : [
          table(
            ["argument", ""],
            command.registeredArguments.map((a) => [code(argumentText(a)), prose(a.description)]),
          ),
        ]),
    ...(options.length === 0 ? [] : [table(["option", ""], options.map(optionRow))]),
    ...(command.commands.length === 0
      ? []
      : [
          table(
            ["command", ""],
            command.commands.map((sub) => [code(`${name} ${sub.name()}`), prose(sub.description())]),
          ),
        ]),
    ...textBehindHelp(command),
  ];
  return [parts.join("\n\n"), ...command.commands.flatMap((sub) => sections(sub, name))];
}

function argumentText(argument: Command["registeredArguments"][number]): string {
  const text = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${text}>` : `[${text}]`;
}

function optionRow({
  flags,
  description,
  mandatory,
  argChoices,
  defaultValue,
  defaultValueDescription,
}: Option): string[] {
  const isTold =
    defaultValue !== undefined && defaultValue !== false && !(Array.isArray(defaultValue) && defaultValue.length === 0);
  const facts = [
    ...(mandatory ? ["required"] : []),
    ...(argChoices === undefined ? [] : [`one of ${argChoices.map(code).join(", ")}`]),
    ...(isTold ? [`default ${defaultValueDescription ?? code(String(defaultValue))}`] : []),
  ];
  return [code(flags), `${prose(description)}${facts.length === 0 ? "" : ` (${facts.join("; ")})`}`];
}

/** Examples and exit codes: what commander prints behind the help proper. */
function textBehindHelp(command: Command): string[] {
  let text = "";
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  const help = command.helpInformation();
  command.outputHelp();
  const behind = text.slice(help.length).trim();
  return behind === "" ? [] : [fenced(behind)];
}

function sentence(text: string): string {
  return `${prose(text.charAt(0).toUpperCase() + text.slice(1))}.`;
}

function fenced(text: string, language = "text"): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
}

function silentVoice(out: (text: string) => void): Voice {
  const plain = (text: string): string => text;
  return {
    out,
    outBytes: () => {},
    err: () => {},
    readInput: async () => new Uint8Array(),
    paint: { bold: plain, dim: plain, red: plain, green: plain, yellow: plain, cyan: plain },
    interactive: false,
  };
}

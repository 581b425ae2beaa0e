/** Examples of the help texts can be typed as they stand: their commands, options and what an option needs are there. */

import { Command, CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../compiler/cli/commands.ts";
import type { Context } from "../../compiler/cli/context.ts";
import { pageText } from "../pages/page.ts";

/** A command's options and arguments, which do nothing. */
async function definition(name: string): Promise<Command> {
  const root = new Command("portcullis").enablePositionalOptions();
  const entry = COMMANDS.find((command) => command.name === name);
  (await entry?.load())?.(root, {} as Context);
  const still = (command: Command): void => {
    command
      .exitOverride()
      .configureOutput({ writeErr: () => {} })
      .allowExcessArguments(command.commands.length > 0);
    if (command.commands.length === 0) command.action(() => {});
    for (const inner of command.commands) still(inner);
  };
  still(root);
  return root;
}

/** The words of a line of a shell, up to a pipe, a redirection or a remark. */
function wordsOf(line: string): string[] {
  const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map((m) => m[1] ?? m[2] ?? m[3] ?? "");
  const end = words.findIndex((word) => /^(?:[|&<>#]|\d?>)/.test(word));
  return end === -1 ? words : words.slice(0, end);
}

const page = pageText("generated/reference/command-line.md").replaceAll(/ \\\n +/g, " ");
const lines = [...page.matchAll(/^ {2}(?:[^`\n]*[|(] ?)?portcullis (.+)$/gm)].map((m) => m[1] ?? "");

describe("the examples", () => {
  it("are many", () => expect(lines.length).toBeGreaterThan(90));

  it.each(lines)("portcullis %s", async (line) => {
    const words = wordsOf(line.replace(/\)"/, ""));
    const [name = ""] = words;
    if (name.startsWith("--")) return;
    const error = await (await definition(name)).parseAsync(words, { from: "user" }).catch((e: unknown) => e);
    expect(error instanceof CommanderError ? error.message : "").toBe("");
  });
});

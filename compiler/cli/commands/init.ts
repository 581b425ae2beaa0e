/** `portcullis init [DIR]`: a small, complete policy folder that builds, passes its tests and can be changed step by step. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import type { Context } from "../context.ts";
import { CliError, EXIT_OK, EXIT_USAGE, fileProblem } from "../exit.ts";
import { SCAFFOLD } from "../init/scaffold.ts";
import { writeAllAtomic } from "../write.ts";
import { formatOption, type HumanOrJson } from "./options.ts";

interface InitFlags {
  readonly format: HumanOrJson;
}

export function registerInit(root: Command, context: Context): void {
  root
    .command("init")
    .description(
      "write a small, complete policy folder: roles, lanes, tools, agents, manifests, tests, an extension rule",
    )
    .argument("[dir]", "an empty folder, or one that is not there yet", ".")
    .addOption(formatOption())
    .addHelpText(
      "after",
      `
Examples:
  portcullis init policies
  portcullis test policies
  portcullis build policies -o out

Nothing is ever overwritten: a folder with files in it is refused (hidden ones, like .git, do not count).
Exit codes: 0 written; 2 the folder is not empty, or cannot be written.`,
    )
    .action((dir: string, flags: InitFlags) => {
      const there = visibleEntries(dir);
      if (there.length > 0) {
        throw new CliError(
          `\`${dir}\` is not empty: it holds \`${there[0]}\`${there.length > 1 ? ` and ${there.length - 1} more` : ""}`,
          EXIT_USAGE,
          "name a new folder: `portcullis init policies`",
        );
      }
      writeAllAtomic(SCAFFOLD.map(({ path, text }) => ({ path: join(dir, path), content: text })));
      const files = SCAFFOLD.map(({ path }) => join(dir, path));
      if (flags.format === "json") context.terminal.out(`${JSON.stringify({ files }, null, 2)}\n`);
      else {
        const { bold, dim } = context.terminal.paint;
        for (const file of files) context.terminal.out(`${dim("wrote")} ${file}\n`);
        context.terminal.out(`${bold("next:")} portcullis test ${dir}\n`);
      }
      context.finish(EXIT_OK);
    });
}

function visibleEntries(dir: string): string[] {
  try {
    return readdirSync(dir).filter((name) => !name.startsWith("."));
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return [];
    throw new CliError(`cannot write to \`${dir}\`: ${fileProblem(error)}`, EXIT_USAGE, "name a folder");
  }
}

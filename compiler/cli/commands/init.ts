/** `portcullis init [DIR]`: a small, complete policy folder that builds, passes its tests and can be changed step by step. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { HOOK_FORMATS } from "@portcullis/enforcement/gateway";
import { type Command, Option } from "commander";
import type { Context } from "../context.ts";
import { CliError, EXIT_OK, EXIT_USAGE, fileProblem } from "../exit.ts";
import { HOOK_OPTIONS } from "../hook/options.ts";
import type { ForFlags } from "../init/configure.ts";
import { SCAFFOLD } from "../init/scaffold.ts";
import type { Flags } from "../option-words.ts";
import { writeAllAtomic } from "../write.ts";
import { addOptions } from "./add-options.ts";
import { collect, formatOption, type HumanOrJson } from "./options.ts";

interface InitFlags extends Partial<ForFlags> {
  readonly format: HumanOrJson;
}

const HOSTS = HOOK_FORMATS.filter((name) => !["auto", "generic", "ended"].includes(name));
/** A hook's options; its format is the host's. */
const HOOK_WORDS = HOOK_OPTIONS.filter(({ name }) => name !== "format").map(({ isRequired: _, ...word }) => word);

export function registerInit(root: Command, context: Context): void {
  const command = root
    .command("init")
    .description(
      "write a small, complete policy folder: roles, lanes, tools, agents, manifests, tests, an extension rule; or an agent host's hook",
    )
    .argument("[dir]", "an empty folder, or one that is not there yet")
    .addOption(formatOption())
    .addOption(new Option("--for <host>", "configure this agent host instead").choices(HOSTS))
    .option("--check", "say what is wrong with the hook that is configured", false)
    .option("--file <file>", "where the host's hook stands (default: where it stands for every project of this user)")
    .option("--project <dir>", "folder that the agent may write (default: this one; repeatable)", collect, [])
    .option("--unsigned", "take a bundle that no key verifies", false)
    .option("--host-version <version>", "version of the host (default: what it says itself)")
    .option("--try <json>", "a call to show as allowed: { tool, args }")
    .option("--yes", "write without asking", false)
    .option("--dry-run", "only show what would be written", false);
  addOptions(command, HOOK_WORDS)
    .addHelpText(
      "after",
      `
Examples:
  portcullis init policies
  portcullis test policies
  portcullis build policies -o out
  portcullis init --for claude-code --policy /etc/portcullis/bundle.tar.gz --verification-key /etc/portcullis/key.pem \\
    --role WRITER --lane DRAFTING --map Bash=draft.create
  portcullis init --for claude-code --check

Nothing is ever overwritten: a folder with files in it is refused (hidden ones, like .git, do not count).
--for writes a hook before every tool, and after it where a limit waits for a success, into the host's own configuration, with
everything else kept: absolute paths, time-outs, and a line that denies where the hook is missing, crashes or does not end. It
shows the difference and asks. It refuses what the host does not obey, and files that the agent may write. Then it runs the
hook: a denial, and an allow. The options from --policy on are those of \`portcullis hook\`.
Exit codes: 0 written, or nothing is wrong; 1 something is wrong with the hook, or it was not written; 2 the folder is not
empty, or cannot be written, wrong usage.`,
    )
    .action(async (named: string | undefined, flags: InitFlags) => {
      if (flags.for !== undefined) {
        if (named !== undefined)
          throw new CliError("`--for` writes no policy folder", EXIT_USAGE, "leave the folder out");
        const { configureHost } = await import("../init/configure.ts");
        return context.finish(await configureHost(context.terminal, flags as ForFlags, flags as unknown as Flags));
      }
      const stray = command.options.find(
        (o) => o.long !== "--format" && command.getOptionValueSource(o.attributeName()) === "cli",
      );
      if (stray !== undefined) throw new CliError(`\`${stray.long}\` needs \`--for\``);
      const dir = named ?? ".";
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

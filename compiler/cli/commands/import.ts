/** `portcullis import`: drafts of policy files from what an agent host or an MCP server has. */

import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { type Command, Option } from "commander";
import type { Context } from "../context.ts";
import { CliError, EXIT_FINDINGS, EXIT_OK, EXIT_USAGE, fileProblem } from "../exit.ts";
import { importClaudeAgents } from "../import/claude-agents.ts";
import { importClaudeSettings } from "../import/claude-settings.ts";
import type { Draft } from "../import/draft.ts";
import { importMcpTools } from "../import/mcp-tools.ts";
import { isThere } from "../output-file.ts";
import { writeAllAtomic } from "../write.ts";
import { formatOption, type HumanOrJson } from "./options.ts";
import { nameOf, readBytes, readJson, textOf } from "./read.ts";

interface ImportFlags {
  readonly from: "claude-settings" | "claude-agents" | "mcp";
  readonly output: string;
  readonly format: HumanOrJson;
}

export function registerImport(root: Command, context: Context): void {
  root
    .command("import")
    .description("draft policy files from what an agent host or an MCP server has, and say what they cannot say")
    .argument(
      "<source>",
      "a settings file, a folder of agent files, or a saved answer to `tools/list`; - for standard input",
    )
    .addOption(
      new Option("--from <kind>", "what the source is")
        .choices(["claude-settings", "claude-agents", "mcp"])
        .makeOptionMandatory(),
    )
    .requiredOption("-o, --output <dir>", "folder of the policy set; the drafts get a folder of their own in it")
    .addOption(formatOption())
    .addHelpText(
      "after",
      `
A draft allows nothing that its source does not. What it cannot say is left out: it is a comment in the draft, and a line of the
report. No file is written over.

Examples:
  portcullis import --from claude-settings .claude/settings.json -o policies
  portcullis import --from claude-agents .claude/agents -o policies
  portcullis import --from mcp filesystem.json -o policies
  portcullis check policies

Exit codes: 0 all came over; 1 something is left out; 2 wrong usage, a source that cannot be read, or a file that is there already.`,
    )
    .action(async (source: string, { from, output, format }: ImportFlags) => {
      const { terminal } = context;
      const draft = await draftOf(context, source, from);
      const files = draft.files.map(({ path, text }) => ({ path: join(output, path), content: text }));
      const there = files.find(({ path }) => isThere(path));
      if (there !== undefined)
        throw new CliError(
          `\`${there.path}\` is there already`,
          EXIT_USAGE,
          "name another folder, or move the file away",
        );
      if (files.length > 0) writeAllAtomic(files);
      const { kept, leftOut } = draft;
      if (format === "json") {
        const report = { files: files.map(({ path }) => path), kept, left_out: leftOut };
        terminal.out(`${JSON.stringify(report, null, 2)}\n`);
      } else {
        const { bold, dim, yellow } = terminal.paint;
        for (const { path } of files) terminal.line(`${dim("wrote")} ${path}`);
        for (const { what, why } of leftOut) terminal.line(`${yellow("left out:")} ${what}: ${why}`);
        terminal.out(`${kept} ${kept === 1 ? "entry" : "entries"} came over, ${leftOut.length} left out\n`);
        terminal.out(`${bold("next:")} portcullis check ${output}\n`);
      }
      context.finish(leftOut.length > 0 ? EXIT_FINDINGS : EXIT_OK);
    });
}

async function draftOf({ terminal }: Context, source: string, from: ImportFlags["from"]): Promise<Draft> {
  if (from === "claude-agents") return importClaudeAgents(agentFiles(source));
  const value = await readJson(terminal, source);
  if (from === "claude-settings") {
    const drafted = importClaudeSettings(value, isOfProject(source));
    if (drafted === undefined)
      throw new CliError(`${nameOf(source)} has no \`permissions\`: there is nothing to import`);
    return drafted;
  }
  const server = source === "-" ? "server" : basename(source).replace(/\.[^.]*$/, "");
  const draft = importMcpTools(server, value);
  if (draft === undefined)
    throw new CliError(`${nameOf(source)} is no answer to \`tools/list\`: it has no list \`tools\``);
  return draft;
}

/** Whether it stands in the `.claude` of a project, which the user's own folder is not. */
function isOfProject(source: string): boolean {
  const folder = dirname(resolve(source));
  const own = resolve(process.env["CLAUDE_CONFIG_DIR"] ?? join(homedir(), ".claude"));
  return source !== "-" && basename(folder) === ".claude" && folder !== own;
}

function agentFiles(folder: string): { name: string; text: string }[] {
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith(".md"));
  } catch (error) {
    throw new CliError(`cannot read \`${folder}\`: ${fileProblem(error)}`, EXIT_USAGE, "name a folder of agent files");
  }
  if (names.length === 0) throw new CliError(`\`${folder}\` has no agent files (*.md)`);
  return names
    .sort()
    .map((name) => ({ name, text: textOf(readBytes(join(folder, name)), `\`${join(folder, name)}\``) }));
}

/** `--data FILE`: what the host of a policy supplies, outside of the bundle's roots. */

import { parseJson, SourceFile, toPlain } from "@portcullis/documents";
import { beyondDouble } from "@portcullis/enforcement/gateway";
import type { Policy } from "@portcullis/runtime";
import { nameOf, readBytes, readText, textOf } from "./commands/read.ts";
import { CliError, EXIT_USAGE } from "./exit.ts";
import type { OptionWord } from "./option-words.ts";
import type { Terminal } from "./terminal.ts";

export const DATA_OPTION: OptionWord = {
  ...{ name: "data", short: "d", value: "<file>", isPath: true },
  text: "file with host data as JSON, outside the bundle's roots",
};

/** The same for Commander. */
export const DATA_FLAG = ["-d, --data <file>", DATA_OPTION.text] as const;

type HostData = { readonly [name: string]: unknown };

/** A file, and no standard input, which the commands that run on read otherwise. Throws CliError, as `hostDataOf`. */
export function readHostData(path: string): HostData {
  const name = `\`${path}\``;
  return hostDataOf(textOf(readBytes(path), name), name);
}

/** A file, or standard input for `-`. */
export async function readHostDataOrInput(terminal: Terminal, path: string): Promise<HostData> {
  return hostDataOf(await readText(terminal, path), nameOf(path));
}

/**
 * The data of a text. Throws CliError unless it is a JSON object that all readers read alike: without a member that stands twice
 * or a number that a double rounds.
 */
function hostDataOf(text: string, name: string): HostData {
  const { root, diagnostics } = parseJson(new SourceFile(name, text));
  const [found] = diagnostics;
  if (found !== undefined || root === undefined)
    throw new CliError(`${name} is not data: ${found?.message ?? "it is empty"}`);
  if (root.kind !== "Mapping") throw new CliError(`${name} is no JSON object`);
  const number = beyondDouble(root);
  if (number !== undefined) throw new CliError(`${name} holds the number ${number.text}, which a double rounds`);
  return toPlain(root) as HostData;
}

/** Throws CliError for a policy that denies everything, as it needs data that it was not given. */
export function demandHostData({ missingData }: Policy, path: string | undefined): void {
  if (missingData.length === 0) return;
  const missing = missingData.map((name) => `\`data.${name}\``).join(", ");
  throw new CliError(
    `the policy denies everything without ${missing}, which its host supplies`,
    EXIT_USAGE,
    path === undefined ? "name a file that holds it with `--data`" : `put it into \`${path}\``,
  );
}

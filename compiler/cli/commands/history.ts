/** `portcullis history show|clear DIR|URL`: what a store of history holds, and how a person takes it away. */

import { statSync } from "node:fs";
import { type ClearedHistory, type HistoryEntry, historyKey, type KeptHistory } from "@portcullis/runtime";
import type { Command } from "commander";
import { agreed, type Consent } from "../agreed.ts";
import type { Context } from "../context.ts";
import { CliError, EXIT_FINDINGS, EXIT_OK, EXIT_USAGE } from "../exit.ts";
import { openHistory } from "../history.ts";
import { isUrl } from "../option-words.ts";
import { printableLine } from "../printer.ts";
import type { Terminal } from "../terminal.ts";
import { count, formatOption, type HumanOrJson } from "./options.ts";

interface HistoryFlags {
  readonly limit?: string;
  readonly values?: string;
  readonly name: string;
  readonly format: HumanOrJson;
}

export function registerHistory(root: Command, context: Context): void {
  const history = root.command("history").description("show or clear what was counted for a policy's limits");
  selecting(history.command("show"))
    .description("show what stands in a history")
    .addHelpText(
      "after",
      `
Examples:
  portcullis history show /var/lib/portcullis/history
  portcullis history show redis://127.0.0.1:6379 --format json
  portcullis history show /var/lib/portcullis/history --limit PAYOUTS --values '["WRITER","c-7"]'

Values that limits count by are not in a history: each key is a hash of the policy's name, the limit and its values, which --values
makes anew. What has expired stands there until it is looked for. What is damaged is named, and denies the calls of its key.
Exit codes: 0; 1 something in it is damaged; 2 wrong usage, a history that cannot be read.`,
    )
    .action(async (place: string, flags: HistoryFlags) => {
      const which = selected(flags);
      const entries = await opened(place, (store) => store.entries());
      const shown = entries.filter((entry) => isSelected(entry, which));
      if (flags.format === "json") context.terminal.out(`${JSON.stringify(shown, null, 2)}\n`);
      else print(context.terminal, shown);
      context.finish(shown.some(isDamaged) ? EXIT_FINDINGS : EXIT_OK);
    });
  selecting(history.command("clear"))
    .description("take away what was counted, as if the calls had never been")
    .option("--yes", "clear without asking", false)
    .option("--dry-run", "only show what would be cleared", false)
    .addHelpText(
      "after",
      `
Examples:
  portcullis history clear /var/lib/portcullis/history --limit PAYOUTS
  portcullis history clear redis://127.0.0.1:6379 --limit PAYOUTS --values '["WRITER","c-7"]' --yes
  portcullis history clear /var/lib/portcullis/history --yes

Without --limit everything goes: approvals that were used can be used again until they expire, and a clock that was wrong once is
forgotten. What is damaged goes with everything, or with the --values that its key is made of.
Exit codes: 0 cleared, or there was nothing; 1 nothing was cleared, or what is damaged is left; 2 wrong usage, a history that cannot
be read.`,
    )
    .action(async (place: string, flags: HistoryFlags & Consent) => {
      const which = selected(flags);
      const code = await opened(place, async (store) => {
        const found = (await store.entries()).filter((entry) => isSelected(entry, which));
        const isLeft = (entry: HistoryEntry): boolean =>
          isDamaged(entry) && which.limit !== undefined && which.key === undefined;
        if (flags.format === "human") print(context.terminal, found);
        if (!found.every(isLeft) && !(await agreed(context.terminal, flags))) return EXIT_FINDINGS;
        const cleared = await store.clear(which);
        if (flags.format === "json") context.terminal.out(`${JSON.stringify({ cleared })}\n`);
        else context.terminal.out(`cleared ${count(cleared, "key")}\n`);
        return found.some(isLeft) ? EXIT_FINDINGS : EXIT_OK;
      });
      context.finish(code);
    });
}

function selecting(command: Command): Command {
  return command
    .argument("<dir|url>", "folder, or redis://host, as `--history` names it")
    .option("--limit <id>", "of this limit alone")
    .option("--values <json>", "with --limit: of these values of its `per`, a list of texts in their order")
    .option("--name <name>", "with --values: the policy's name (bundle.name of portcullis.yaml)", "policy")
    .addOption(formatOption());
}

/** Throws CliError. */
function selected({ limit, values, name }: HistoryFlags): ClearedHistory {
  if (values === undefined) return limit === undefined ? {} : { limit };
  if (limit === undefined) throw new CliError("`--values` needs `--limit`");
  let list: unknown;
  try {
    list = JSON.parse(values);
  } catch {
    list = undefined;
  }
  if (!Array.isArray(list) || !list.every((value) => typeof value === "string"))
    throw new CliError(`\`--values ${values}\` is not a list of texts`, EXIT_USAGE, 'as \'["WRITER","c-7"]\'');
  return { limit, key: historyKey(name, limit, list) };
}

function isDamaged({ kind }: HistoryEntry): boolean {
  return kind === "damaged";
}

/** Which limit a damaged one is of cannot be read. */
function isSelected(entry: HistoryEntry, { limit, key }: ClearedHistory): boolean {
  if (isDamaged(entry)) return key === undefined || entry.key === `limit-${key}`;
  return (limit === undefined || entry.limit === limit) && (key === undefined || entry.key === key);
}

/** Looking makes no folder. Throws CliError for one that cannot be read. */
async function opened<T>(place: string, work: (store: KeptHistory) => Promise<T>): Promise<T> {
  if (!isUrl(place) && statSync(place, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new CliError(`\`${place}\` is not a folder`);
  const { store, close } = await openHistory(place, false);
  try {
    return await work(store as KeptHistory);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`the history cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await close();
  }
}

function print(terminal: Terminal, entries: readonly HistoryEntry[]): void {
  for (const { kind, key, limit, calls = 0, sum = 0, last_ms = {}, expires, problem } of entries) {
    if (problem !== undefined) {
      terminal.err(`${terminal.paint.red("damaged:")} ${printableLine(problem)}\n`);
      continue;
    }
    const counted = limit === undefined ? [] : [count(calls, "call"), ...(sum > 0 ? [`sum ${sum}`] : [])];
    const lasts = Object.entries(last_ms).map(([tool, time]) => `${tool} ${new Date(time).toISOString()}`);
    const until = expires === undefined ? "for ever" : `until ${new Date(expires).toISOString()}`;
    const parts = [limit ?? kind, key.slice(0, 12), ...counted, ...lasts, until];
    terminal.out(`${printableLine(parts.join("  "))}\n`);
  }
  if (entries.length === 0) terminal.out("nothing is counted\n");
}

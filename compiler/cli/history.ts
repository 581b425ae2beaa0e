/** `--history`: where the history of calls is kept, a folder of this machine or a Redis of many. */

import type { FactPolicy, KeptHistory } from "@portcullis/runtime";
import { fileHistory } from "@portcullis/runtime/node";
import { isUrl, type OptionWord } from "./option-words.ts";
import type { Terminal } from "./terminal.ts";

export const HISTORY_OPTION: OptionWord = {
  ...{ name: "history", value: "<dir|url>", isPath: true, mayBeUrl: true },
  text: "where calls are counted for limits: a folder, or redis://host; without it what they count is denied",
};

/** The same for Commander. */
export const HISTORY_FLAG = ["--history <dir|url>", HISTORY_OPTION.text] as const;

export interface OpenedHistory {
  readonly store: KeptHistory | undefined;
  close(): Promise<void>;
}

/**
 * Throws CliError for a URL of another kind, and for a Redis that cannot be reached, or cannot keep a history. `count`: whether calls
 * are counted there, and not only looked at.
 */
export async function openHistory(place: string | undefined, count = true): Promise<OpenedHistory> {
  if (place !== undefined && isUrl(place)) return (await import("./redis-history.ts")).openRedisHistory(place, count);
  return { store: place === undefined ? undefined : fileHistory(place), close: async () => {} };
}

/** A server is told what has succeeded, or nothing has. */
export function noteSuccesses({ limits = {} }: FactPolicy, isTold: boolean, terminal: Terminal): void {
  const way = isTold ? "`POST /succeeded/…` says it" : "without `--token-file` no client may say it";
  for (const [id, { only_after }] of Object.entries(limits))
    if (only_after !== undefined)
      terminal.err(`note: \`${id}\` waits until ${Object.keys(only_after.tools).join(" or ")} has succeeded: ${way}\n`);
}

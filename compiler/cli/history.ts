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

/** Throws CliError for a URL of another kind, and for a Redis that cannot be reached. */
export async function openHistory(place: string | undefined): Promise<OpenedHistory> {
  if (place !== undefined && isUrl(place)) return (await import("./redis-history.ts")).openRedisHistory(place);
  return { store: place === undefined ? undefined : fileHistory(place), close: async () => {} };
}

/** A server does not hear what becomes of a call. */
export function noteSuccesses({ limits = {} }: FactPolicy, terminal: Terminal): void {
  for (const [id, { only_after }] of Object.entries(limits))
    if (only_after !== undefined)
      terminal.err(
        `note: for \`${id}\` an allow of ${Object.keys(only_after.tools).join(", ")} is a success already\n`,
      );
}

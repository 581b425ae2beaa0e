/** Hosts that take a file of its own for each hook: the whole file is ours, or somebody else's. */

import { CliError } from "../../exit.ts";
import type { Configured, Hook } from "./agent-host.ts";
import { commandLine, isHookLine, readCommandLine } from "./command.ts";
import { settingsOf } from "./json-hooks.ts";
import { ours } from "./ours.ts";

/** Copilot CLI. */
export function copilotFile({ command, seconds, hearsEnds }: Hook): string {
  const entry = { type: "command", bash: commandLine(command), timeoutSec: seconds };
  const hooks = { PreToolUse: [entry], ...(hearsEnds ? { PostToolUse: [entry] } : {}) };
  return `${JSON.stringify({ version: 1, hooks }, null, 2)}\n`;
}

export function readCopilotFile(text: string): Configured {
  try {
    const { hooks } = settingsOf(text) as {
      hooks?: { PreToolUse?: { bash?: string; timeoutSec?: number }[]; PostToolUse?: unknown };
    };
    const [entry] = hooks?.PreToolUse ?? [];
    const given = { seconds: entry?.timeoutSec ?? 0, hearsEnds: hooks?.PostToolUse !== undefined };
    return ours(readCommandLine(entry?.bash ?? ""), given, copilotFile, text);
  } catch (error) {
    return { hooks: [], problems: [(error as Error).message] };
  }
}

/** Cline, which has no time-out of a hook to set. What hears the end of a call is another file, with the same text. */
export function clineScript({ command }: Hook): string {
  return `#!/bin/sh\n${commandLine(command)}\n`;
}

export function readClineScript(text: string): Configured {
  const command = readCommandLine(text.split("\n")[1] ?? "");
  return ours(command, { seconds: Number.POSITIVE_INFINITY, hearsEnds: false }, clineScript, text);
}

/** The text, if it is ours to replace. Throws CliError for somebody else's. */
export function replacing(read: (text: string) => Configured, text: string | undefined, written: string): string {
  if (text !== undefined && text.trim() !== "" && read(text).hooks.length === 0 && !isHookLine(text))
    throw new CliError("there is a hook of another program, and this host takes one of this name: move it first");
  return written;
}

/**
 * Where history and approvals of calls are kept: in places of this user's, or, with `--state`, by a `portcullis serve` of another one.
 */

import type { StatePlace } from "@portcullis/enforcement/state";
import type { ApprovalSource, FactPolicy, HistoryStore, Replaceable } from "@portcullis/runtime";
import { approvalFolder } from "@portcullis/runtime/node";
import { socketOf } from "./addresses.ts";
import { readBytes } from "./commands/read.ts";
import { CliError, EXIT_USAGE } from "./exit.ts";
import { openHistory } from "./history.ts";
import type { OptionWord } from "./option-words.ts";

export interface StateFlags {
  readonly history?: string;
  readonly approvals?: string;
  readonly state?: string;
  readonly stateToken?: string;
}

export const STATE_OPTIONS: readonly OptionWord[] = [
  {
    ...{ name: "state", value: "<url>" },
    text: "in place of --history and --approvals: `portcullis serve --state` of another user, at http://127.0.0.1:PORT or unix:/PATH",
  },
  {
    ...{ name: "state-token", value: "<file>", isPath: true },
    text: "with --state: file with the token that the server asks for",
  },
];

export interface OpenedState {
  readonly history: HistoryStore | undefined;
  readonly approvals: ApprovalSource | undefined;
  close(): Promise<void>;
}

/** Asks no one yet. Throws CliError for flags that do not go together, and for what cannot be read. */
export async function openState(flags: StateFlags, policy: Replaceable<FactPolicy>): Promise<OpenedState> {
  const { state, stateToken } = flags;
  if (state === undefined) {
    if (stateToken !== undefined) throw new CliError("`--state-token` needs `--state`");
    const { store, close } = await openHistory(flags.history);
    const approvals = flags.approvals === undefined ? undefined : approvalFolder(flags.approvals);
    return { history: store, approvals, close };
  }
  for (const other of ["history", "approvals"] as const)
    if (flags[other] !== undefined) throw new CliError(`\`--${other}\` and \`--state\` are two places for one thing`);
  if (stateToken === undefined) throw new CliError("`--state` needs `--state-token`");
  const place = placeOf(state);
  const { remoteState } = await import("@portcullis/enforcement/state");
  return { ...remoteState(place, readToken(stateToken), policy), close: async () => {} };
}

/** A token goes to this machine alone: there is no encryption on the way. Throws CliError. */
export function placeOf(state: string): StatePlace {
  const socketPath = socketOf("--state", state);
  if (socketPath !== undefined) return { socketPath };
  const [, ipv4, ipv6, port] = /^http:\/\/(?:(127(?:\.\d{1,3}){3})|\[(::1)\]):(\d{1,5})\/?$/.exec(state) ?? [];
  const host = ipv4 ?? ipv6;
  if (host !== undefined && Number(port) < 65_536) return { host, port: Number(port) };
  throw new CliError(`\`--state ${state}\`: http://127.0.0.1:PORT, http://[::1]:PORT or unix:/PATH is needed`);
}

/** The word in a file. Throws CliError. */
export function readToken(path: string): string {
  const token = new TextDecoder().decode(readBytes(path)).trim();
  if (/^\S{16,}$/.test(token)) return token;
  throw new CliError(
    `\`${path}\` holds no token`,
    EXIT_USAGE,
    "a token is one word of at least 16 characters: `openssl rand -hex 32`",
  );
}

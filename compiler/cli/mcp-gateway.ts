/** `portcullis mcp --listen`: the gateway in front of a remote server. */

import {
  type HttpGatewayOptions,
  isLoopback,
  jwtIdentity,
  keySet,
  readIdentity,
  serveGateway,
} from "@portcullis/enforcement/gateway";
import { metrics, type Policy, type ReloadablePolicy } from "@portcullis/runtime";
import { addressOf, listening } from "./addresses.ts";
import type { CallerFlags } from "./caller-options.ts";
import { MOST_SECONDS } from "./commands/options.ts";
import { CliError, EXIT_USAGE, fileProblem, orFail } from "./exit.ts";
import { type OptionWord, wholeNumber } from "./option-words.ts";

export interface RemoteFlags {
  readonly listen?: string;
  readonly upstream?: string;
  readonly sse: boolean;
  readonly identity?: string;
  readonly maxSessions: string;
  readonly sessionTimeout: string;
  readonly maxConnections: string;
}

export const REMOTE_OPTIONS: readonly OptionWord[] = [
  {
    ...{ name: "listen", value: "<host:port>" },
    text: "in front of a remote server: address to listen on, at /mcp; 127.0.0.1:0 for any port",
  },
  {
    ...{ name: "upstream", value: "<url>" },
    text: "with --listen: where the remote server is, as http(s) URL of its endpoint",
  },
  { name: "sse", text: "with --upstream: the server speaks the oldest transport, HTTP with SSE (revision 2024-11-05)" },
  {
    ...{ name: "identity", value: "<words>" },
    text: "with --listen: who calls, by the claims of verified tokens: jwks=FILE|URL,role=CLAIM,…",
  },
  {
    ...{ name: "max-sessions", value: "<n>" },
    text: "with --listen: sessions at a time; further ones are refused",
    preset: "1000",
  },
  {
    ...{ name: "session-timeout", value: "<seconds>" },
    text: "with --listen: sessions that are not used for so long end",
    preset: "3600",
  },
  {
    ...{ name: "max-connections", value: "<n>" },
    text: "with --listen: connections at a time; further ones are closed",
    preset: "1024",
  },
];

type Remote = Pick<
  HttpGatewayOptions,
  "upstream" | "isSse" | "host" | "port" | "identity" | "sessions" | "maxConnections"
>;

/** What stands behind: a remote server, or `undefined` for a command. Throws CliError for neither, and for both. */
export function remoteOf(
  flags: RemoteFlags & Pick<CallerFlags, "role">,
  command: string | undefined,
): Omit<Remote, "identity"> | undefined {
  if (flags.listen === undefined && flags.upstream === undefined) {
    if (command === undefined)
      throw new CliError("name the command of a server behind `--`, or `--listen` and `--upstream`");
    if (flags.sse) throw new CliError("`--sse` needs `--upstream`");
    if (flags.identity !== undefined)
      throw new CliError("`--identity` needs `--listen`: behind a pipe there is one caller");
    return undefined;
  }
  if (flags.listen === undefined || flags.upstream === undefined || command !== undefined)
    throw new CliError("`--listen` needs `--upstream`, and both take the place of a command");
  const { host, port } = addressOf("--listen", flags.listen);
  if (flags.identity === undefined && !isLoopback(host))
    throw new CliError(
      `others reach \`${flags.listen}\`, and each would be \`${flags.role}\``,
      EXIT_USAGE,
      "say who calls with `--identity`",
    );
  return {
    ...{ host, port, upstream: urlOf(flags.upstream), isSse: flags.sse },
    maxConnections: wholeNumber("--max-connections", flags.maxConnections),
    sessions: {
      most: wholeNumber("--max-sessions", flags.maxSessions),
      idleMs: wholeNumber("--session-timeout", flags.sessionTimeout, MOST_SECONDS) * 1000,
    },
  };
}

function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new CliError(`\`--upstream ${text}\` is no http(s) URL`);
  if (url.username !== "" || url.password !== "")
    throw new CliError("`--upstream` holds no password: clients send their own `Authorization`");
  return url;
}

/** Until a signal comes. Throws CliError for an address that cannot be had, and for keys that cannot. */
export async function runGateway(
  options: Omit<HttpGatewayOptions, "metrics" | "identity">,
  policy: Policy | ReloadablePolicy,
  signalled: Promise<NodeJS.Signals>,
  flags: RemoteFlags,
): Promise<void> {
  const words = flags.identity === undefined ? undefined : orFail(readIdentity(flags.identity));
  const keys = words && keySet(words.jwks);
  await keys?.(true).catch((error: unknown) => {
    throw new CliError(`cannot read the keys \`${words?.jwks}\`: ${fileProblem(error)}`);
  });
  const meter = metrics(policy);
  const running = await listening(flags.listen ?? "", () =>
    serveGateway({
      ...options,
      identity: words && keys && jwtIdentity(words, options.caller, keys),
      metrics: () => meter.toPrometheus(),
    }),
  );
  options.log(`listening on ${running.url}, in front of ${options.upstream.href}`);
  if (words !== undefined && words.audience === undefined)
    options.log("`--identity` names no audience: tokens that were made for another service are valid here");
  await signalled;
  await running.close();
}

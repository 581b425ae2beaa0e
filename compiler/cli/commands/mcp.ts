/** `portcullis mcp … -- SERVER`: the call decision in front of the tools of an MCP server, over standard input and output. */

import { constants } from "node:buffer";
import { randomUUID } from "node:crypto";
import { LIMITS, runProxy, type ToolMap, toolsOf } from "@portcullis/enforcement/gateway";
import type { Policy, ReloadablePolicy } from "@portcullis/runtime";
import { projectPaths } from "@portcullis/runtime/node";
import type { Command } from "commander";
import { CALLER_OPTIONS, type CallerFlags, readCaller } from "../caller-options.ts";
import type { Context } from "../context.ts";
import { decisionLog } from "../decision-log.ts";
import { CliError, EXIT_FINDINGS, EXIT_OK, EXIT_USAGE } from "../exit.ts";
import { isFolder } from "../files.ts";
import { DATA_OPTION, readHostData } from "../host-data.ts";
import { IGNORED_SIGNALS } from "../ignored-signals.ts";
import { REMOTE_OPTIONS, type RemoteFlags, remoteOf, runGateway } from "../mcp-gateway.ts";
import type { OptionWord } from "../option-words.ts";
import { acceptKept, openPins, PIN_OPTIONS, type PinFlags } from "../pinned-tools.ts";
import { type FollowedBundle, followBundle } from "../policy/followed-bundle.ts";
import { openDecidingPolicy } from "../policy/policy-argument.ts";
import { openState } from "../state.ts";
import { streamsOf } from "../streams.ts";
import type { Terminal } from "../terminal.ts";
import { toldHistory } from "../told-failures.ts";
import { unknownIds } from "../unknown-ids.ts";
import { VERIFICATION_OPTIONS, type VerificationFlags, verificationOf } from "../verification-options.ts";
import { addOptions } from "./add-options.ts";
import { MOST_SECONDS, wholeNumber } from "./options.ts";

interface McpFlags extends CallerFlags, PinFlags, RemoteFlags, VerificationFlags {
  readonly server?: string;
  readonly data?: string;
  readonly timeout: string;
  readonly maxMessage: string;
  readonly maxRate: string;
  readonly staleAfter: string;
}

const SERVER_OPTION: OptionWord = {
  ...{ name: "server", value: "<name>" },
  text: "this is one of several servers: its tool `x` is `name/x`, in the map and in the registry",
};

const STALE_OPTION: OptionWord = {
  ...{ name: "stale-after", value: "<seconds>", preset: "300" },
  text: "deny everything once the bundle could not be read and verified for so long",
};

/** Handed on to the server, and the proxy ends. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export function registerMcp(root: Command, context: Context): void {
  const command = root.command("mcp").requiredOption("--policy <path>", "bundle, its URL, or folder of sources");
  addOptions(command, [
    DATA_OPTION,
    ...VERIFICATION_OPTIONS,
    STALE_OPTION,
    ...CALLER_OPTIONS,
    SERVER_OPTION,
    ...PIN_OPTIONS,
    ...REMOTE_OPTIONS,
  ])
    .description("stand in front of an MCP server: only tools that the policy allows are seen and called")
    .usage("[options] -- <server> [args...]\n       portcullis mcp [options] --listen <host:port> --upstream <url>")
    .argument("[server...]", "command of the server, with its arguments")
    .option("--timeout <seconds>", "time for an answer of the server", String(LIMITS.answerMs / 1000))
    .option("--max-message <bytes>", "longer messages are refused", String(LIMITS.messageBytes))
    .option(
      "--max-rate <count>",
      "messages a second that are read from one side of a pipe",
      String(LIMITS.messagesPerSecond),
    )
    .addHelpText(
      "after",
      `
Examples:
  portcullis mcp --policy policies --role WRITER --lane DRAFTING --lineage news_desk --scope story_id=s-118 \\
    --scope run_id=r-7 --map create=draft.create -- npx -y @example/drafts-server
  portcullis mcp --policy out/bundle.tar.gz --data shifts.json --role WRITER --lane DRAFTING -- node server.mjs
  portcullis mcp --policy out/bundle.tar.gz --role RESEARCHER --lane RESEARCH --tools mcp.yaml -- node server.mjs
  portcullis mcp --policy out/bundle.tar.gz --role WRITER --lane DRAFTING --server drafts --tools mcp.yaml \\
    --pin drafts.pins.json -- node server.mjs
  portcullis mcp --policy out/bundle.tar.gz --role WRITER --lane DRAFTING --pin drafts.pins.json --accept
  portcullis mcp --policy out/bundle.tar.gz --role WRITER --lane DRAFTING --listen 127.0.0.1:8300 \\
    --upstream https://drafts.example/mcp
  portcullis mcp --policy out/bundle.tar.gz --role WRITER --lane DRAFTING --listen 127.0.0.1:8300 \\
    --upstream http://127.0.0.1:9000/mcp --identity jwks=https://id.example/jwks.json,role=desk_role,audience=drafts

where mcp.yaml is, for example,
  tools:
    find: archive.lookup
    pay:
      tool: payout.release
      scope: { contributor_id: contributor }   # the argument \`contributor\` is the scope's contributor_id
      writes: [{ table: payouts, mode: append }]

Write this in the host's configuration where the server's own command stood. A tool of the server is the registry's tool of
the same id, or the one that it is mapped to; any other is denied. \`tools/list\` shows the tools that may be called; one that
lacks only a scope, a write or an approval is shown. \`tools/call\` is decided with its arguments; a denial is a result with
\`isError\`, which names gate and reason. A role, a lane and a tool of the map that the policy does not have end the start.
Resources and prompts are shown and read where \`mcp\` of portcullis.yaml lists them for the lane, and denied without it:
  mcp:
    resources: [{ lane: DRAFTING, names: ["memo://style", "file:///desk/*"] }]
    prompts: pass                                        # all of them, in every lane
A relative path in an argument counts from the folder that this runs in, as for a server that it starts.
Everything else goes through unread, in every revision of the protocol: what a server asks people, by requests or in rounds,
and subscriptions, which may stay open longer than --timeout. A message over --max-message is answered with an error at once.

--pin FILE holds tools to what somebody has accepted: a tool that is not in the file, or that the server lists with another
description or schema, is hidden and denied (gate PIN), its difference goes to standard error, and its definition into FILE.new.
The same line with --accept shows that difference, takes it into FILE, and ends; the proxy that runs takes it with the next list.
A FILE.new that is there is replaced only as a proxy left it: edited or somebody else's, it ends the start, and no list is shown.
One file for each server, out of the agent's reach. --server NAME tells servers apart that have a tool of one name: the tool
\`create\` is \`NAME/create\` in the map, or else as it is without --server, and an unmapped one is the registry's \`NAME/create\`.
\`hook\` finds \`NAME/create\` of the same map for \`mcp__NAME__create\`.

With --listen clients ask http://HOST:PORT/mcp over Streamable HTTP, in every revision that has it. A server of the oldest transport
(revision 2024-11-05, with an \`endpoint\` of its own) needs --sse, and --upstream is its stream. What clients send goes on with its headers, \`Authorization\` too, which no log has; a server
that redirects is refused. A session is its opener's alone. GET /health, and /metrics for Prometheus. Without --identity programs
of this machine alone are answered, as --role: another Host, an Origin and what a browser sends from a page are a 403. Limits
of a session count by the session of older revisions; since 2026-07-28 MCP has no sessions, and they count by who calls.
--identity takes with commas between: jwks=FILE|URL, the public keys; role=CLAIM, lane=CLAIM and scope.KEY=CLAIM, in place of
what the command line says; issuer=TEXT and audience=TEXT, which tokens must name: without audience, tokens that were made for
another service of the issuer are valid here. A request without a valid token, or without one of the claims, is a 401. A token
needs an end and a subject (\`exp\`, \`sub\`): sessions are its issuer's and subject's, with what the claims above say.

A bundle is taken again when its file, or what its URL gives, changes: every call is decided by one revision. One that is refused, that
lacks an id of this command line, or (with --verification-key) is not signed changes nothing, and is told on standard error; after
--stale-after without a good one everything is denied. Replace the file by renaming another over it. Sources are compiled once.
A policy with rego.host_data needs --data, which is read once.
Faults and the server's standard error go to standard error. The server ends with the proxy, with all that it started.
Exit codes: 0 the client left, or a signal came; 1 the server ended by itself, or findings in the sources; 2 wrong usage, a
refused bundle, a server that cannot be started, an address that cannot be had.`,
    )
    .action(async (server: readonly string[], flags: McpFlags) => {
      const { terminal } = context;
      if (flags.accept) {
        if (flags.pin === undefined) throw new CliError("`--accept` needs `--pin`");
        terminal.out(acceptKept(flags.pin));
        return context.finish(EXIT_OK);
      }
      const { caller, tools: map } = await readCaller(flags);
      const limits = {
        ...LIMITS,
        answerMs: wholeNumber("--timeout", flags.timeout, MOST_SECONDS) * 1000,
        messageBytes: wholeNumber("--max-message", flags.maxMessage, constants.MAX_STRING_LENGTH),
        messagesPerSecond: wholeNumber("--max-rate", flags.maxRate),
      };
      const [command, ...args] = server;
      const remote = remoteOf(flags, command);
      if (flags.data === "-") throw new CliError("`--data -`: standard input is the client's");
      const log = (line: string): void => void terminal.err(`portcullis mcp: ${line}\n`);
      const opened = await openPolicy(terminal, flags, map, log);
      if (opened === undefined) return context.finish(EXIT_FINDINGS);
      const { policy } = opened;
      const paths = flags.root === undefined ? undefined : projectPaths(folderOf("--root", flags.root), process.cwd());
      if (flags.approvals !== undefined) folderOf("--approvals", flags.approvals);
      const state = await openState(flags, policy);
      // Behind a pipe the proxy serves one client, from its start to its end: that is a session.
      const history = toldHistory(state.history, log);
      const facts = { paths, history, session: randomUUID(), approvals: state.approvals };
      const decisions = decisionLog(flags.decisionLog);
      const signals = listen();
      const tools = flags.server === undefined ? map : toolsOf(map, flags.server);
      const pins = flags.pin === undefined ? undefined : openPins(flags.pin, log);
      const shared = { policy, caller, tools, limits, facts, pins, record: decisions.write, log };
      try {
        if (remote !== undefined) {
          await runGateway({ ...shared, ...remote }, policy, signals.first, flags);
          return context.finish(EXIT_OK);
        }
        const { input, output } = await streamsOf(terminal);
        const started = [command as string, ...args] as const;
        const end = await runProxy({ ...shared, server: started, input, output, signalled: signals.first });
        if (end.why === "exhausted") return context.finish(EXIT_FINDINGS);
        if (end.why !== "server-ended") return context.finish(EXIT_OK);
        log(`\`${command}\` ${end.message}`);
        context.finish(end.started ? EXIT_FINDINGS : EXIT_USAGE);
      } finally {
        opened.close();
        signals.close();
        decisions.close();
        await state.close();
      }
    });
}

interface Deciding {
  readonly policy: Policy | ReloadablePolicy;
  close(): void;
}

/** `undefined`: a folder of sources has findings, and they are printed. Throws CliError. */
async function openPolicy(
  terminal: Terminal,
  flags: McpFlags,
  map: ToolMap,
  log: (line: string) => void,
): Promise<Deciding | undefined> {
  const unfit: FollowedBundle["unfit"] = (opened) => unknownIds(opened, flags, map)[0];
  const verification = verificationOf(flags);
  const staleSeconds = wholeNumber("--stale-after", flags.staleAfter, MOST_SECONDS);
  if (!isFolder(flags.policy)) {
    const data = flags.data === undefined ? undefined : readHostData(flags.data);
    const options = { data, ...(verification === undefined ? {} : { verification }) };
    const policy = await followBundle(flags.policy, { options, data: flags.data, staleSeconds, unfit, log });
    return { policy, close: () => policy.close() };
  }
  if (verification !== undefined) throw new CliError("`--verification-key` needs a bundle: sources have no signature");
  const opened = await openDecidingPolicy(terminal, flags.policy, { data: flags.data });
  if (opened === undefined) return undefined;
  const problem = unfit(opened);
  if (problem !== undefined) throw new CliError(problem);
  return { policy: opened.policy, close: () => {} };
}

function folderOf(option: string, path: string): string {
  if (isFolder(path, `\`${option}\` takes a folder`)) return path;
  throw new CliError(`\`${option} ${path}\` is not a folder`, EXIT_USAGE);
}

function listen(): { readonly first: Promise<NodeJS.Signals>; close(): void } {
  let heard: (name: NodeJS.Signals) => void = () => {};
  const first = new Promise<NodeJS.Signals>((resolve) => {
    heard = resolve;
  });
  const nothing = (): void => undefined;
  for (const name of SIGNALS) process.on(name, heard);
  for (const name of IGNORED_SIGNALS) process.on(name, nothing);
  return {
    first,
    close: () => {
      for (const name of SIGNALS) process.off(name, heard);
      for (const name of IGNORED_SIGNALS) process.off(name, nothing);
    },
  };
}

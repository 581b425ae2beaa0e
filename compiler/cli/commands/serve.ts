/** `portcullis serve BUNDLE|URL`: decisions over HTTP, until a signal ends it. */

import { constants } from "node:buffer";
import { statSync } from "node:fs";
import { join } from "node:path";
import { builtins } from "@portcullis/builtins";
import { CheckServerError, type Server, serve } from "@portcullis/enforcement/serving";
import { KeptState } from "@portcullis/enforcement/state";
import {
  type BundleStore,
  decisionLog,
  type HistoryStore,
  type LoadOptions,
  metrics,
  type Verification,
} from "@portcullis/runtime";
import { approvalFolder, fileStore } from "@portcullis/runtime/node";
import type { Command } from "commander";
import { addressOf, listening, socketOf } from "../addresses.ts";
import type { Context } from "../context.ts";
import { closeLog, demandWritable, eventSink } from "../event-log.ts";
import { CliError, EXIT_OK, EXIT_USAGE } from "../exit.ts";
import { HISTORY_FLAG, noteSuccesses, openHistory } from "../history.ts";
import { DATA_FLAG } from "../host-data.ts";
import { IGNORED_SIGNALS } from "../ignored-signals.ts";
import { demandEntrypoint } from "../policy/known-entrypoint.ts";
import { SOURCES } from "../policy/load-policy.ts";
import { showing } from "../policy/remote-source.ts";
import { type Following, type OpenedPolicy, openPolicy } from "../policy/served-policy.ts";
import { readVerificationKey, type SigningFlags, signatureOptions, VERIFICATION_KEY } from "../signing-options.ts";
import { readToken } from "../state.ts";
import type { Terminal } from "../terminal.ts";
import { toldHistory, toldSink } from "../told-failures.ts";
import { bundleVerification } from "../verification-keys.ts";
import { SEVERAL_KEYS } from "../verification-options.ts";
import { VERSION } from "../version.ts";
import { PrimaryLink } from "../workers/primary-link.ts";
import { WorkerPool } from "../workers/worker-pool.ts";
import { collect, MOST_SECONDS, wholeNumber } from "./options.ts";

interface ServeFlags extends SigningFlags {
  readonly data?: string;
  readonly addr: string;
  readonly authzen?: string;
  readonly extAuthz?: string;
  readonly tokenFile?: string;
  readonly anonymous: boolean;
  readonly state: boolean;
  readonly approvals?: string;
  readonly maxBody: string;
  readonly maxConnections: string;
  readonly timeout: string;
  readonly verificationKey: readonly string[];
  readonly decisionLog?: string;
  readonly logRequired: boolean;
  readonly trustFacts: boolean;
  readonly history?: string;
  readonly shadow?: string;
  readonly sourceToken?: string;
  readonly sourceRegion?: string;
  readonly follow?: string;
  readonly staleAfter?: string;
  readonly persist?: string;
  readonly workers: string;
}

const GRACE_MS = 10_000;
const MOST_WORKERS = 256;
/** The library's adapter, which a policy without `adapters.authzen` does not have. */
const AUTHZEN = "portcullis/authzen/evaluation";

/** A client that may take longer to send a request holds a connection; a number of milliseconds is refused. */
const MOST_WAIT_SECONDS = 3600;

export function registerServe(root: Command, context: Context): void {
  signatureOptions(
    root
      .command("serve")
      .description("decide over HTTP: OPA's data API and AuthZEN's evaluation and search APIs")
      .argument("<bundle>", "bundle.tar.gz with a module, its http(s) URL, or oci://HOST/REPOSITORY:TAG")
      .option(...DATA_FLAG)
      .option("--addr <host:port>", "address to listen on, or unix:/PATH", "127.0.0.1:8181")
      .option("--authzen <pkg/rule>", `entrypoint that answers AuthZEN's requests (default: "${AUTHZEN}")`)
      .option("--ext-authz <host:port>", "take Envoy's external authorization over gRPC here; needs @grpc/grpc-js")
      .option("--token-file <file>", "file with the token that requests must bear (`Authorization: Bearer …`)")
      .option("--anonymous", "answer everybody, also on an address that others reach", false)
      .option("--max-body <bytes>", "of a request, packed or unpacked", "1048576")
      .option("--max-connections <n>", "connections at a time; more are closed", "1024")
      .option("--timeout <seconds>", "for a request to arrive", "30")
      .option("--decision-log <target>", "a file for decision events, or the http(s) URL of OPA's decision log service")
      .option("--log-required", "with --decision-log: deny what is not in the log; answers wait for it", false)
      .option(
        "--shadow <bundle>",
        "a second bundle, or its URL, that decides beside and never answers: metrics and log tell",
      )
      .option("--trust-facts", "take `facts` of requests: every client is a host that finds them out itself", false)
      .option(...HISTORY_FLAG)
      .option("--state", "keep history and approvals for `hook --state` and `mcp --state` of other users", false)
      .option("--approvals <dir>", "with --state: folder where approvals are found, and calls kept that wait for one")
      .option(
        "--source-token <file>",
        "file with the token that the bundle's URL wants; it is read again for each check",
      )
      .option(
        "--source-region <region>",
        "sign requests to the bundle's URL as object stores ask for it (SigV4), with AWS_ACCESS_KEY_ID and the like of the environment; needs aws4fetch",
      )
      .option("--follow <seconds>", "ask the URL again every so often, and take what is new and good")
      .option("--stale-after <seconds>", "with --follow: deny everything when the URL gave no good answer for so long")
      .option(
        "--persist <dir>",
        "with --follow: keep the last good bundle here, verify and serve it after a restart while the URL is away",
      )
      .option(
        "--workers <n>",
        "processes that decide, on as many cores; with more than one, another follows the bundle and writes the log",
        "1",
      )
      .option(
        "--verification-key <file>",
        `the bundle must be signed: ${VERIFICATION_KEY}; or a JWKS; ${SEVERAL_KEYS}`,
        collect,
        [],
      ),
  )
    .addHelpText(
      "after",
      `
Examples:
  portcullis serve out/bundle.tar.gz
  portcullis serve out/bundle.tar.gz --decision-log decisions.jsonl --log-required
  portcullis serve https://bundles.example/policy.tar.gz --follow 30 --verification-key public.pem --token-file token
  portcullis serve oci://registry.example/policies/newsroom:stable --follow 30 --verification-key public.pem --token-file token
  portcullis serve out/bundle.tar.gz --data shifts.json
  portcullis serve out/bundle.tar.gz --ext-authz 127.0.0.1:9191
  portcullis serve out/bundle.tar.gz --shadow next/bundle.tar.gz --decision-log decisions.jsonl
  portcullis serve out/bundle.tar.gz --history redis://127.0.0.1:6379
  portcullis serve out/bundle.tar.gz --workers 4 --decision-log decisions.jsonl
  portcullis serve out/bundle.tar.gz --addr unix:/run/portcullis/state.sock --token-file token --state \\
    --history /var/lib/portcullis/history --approvals /var/lib/portcullis/approvals
  curl -s localhost:8181/v1/data/portcullis/lane/decision -d '{"input": {"role": "WRITER", "lane": "DRAFTING"}}'

Serves: GET and POST /v1/data/<entrypoint>, POST /v0/data/<entrypoint> (the body is the input), GET /health, GET /metrics,
POST /access/v1/evaluation and /evaluations, Envoy's external authorization below /ext-authz.
A request with \`facts\` is a 400: what the host finds out, as where the file of an argument lies, is not a client's to say.
With --history calls are counted for the policy's limits, by \`portcullis/call/decision\` and by AuthZEN's requests. A client
with the token says that a call has succeeded, which \`only_after\` waits for: POST /succeeded/<path>, with the same body.
--state keeps history and approvals, out of the reach of agents, for \`hook --state\` and \`mcp --state\`, which decide by the same
bundle; --addr unix:/run/portcullis/state.sock listens on a socket, in a folder that this user alone may write.
AuthZEN's request is the input of --authzen: the library's adapter, which adapters.authzen of portcullis.yaml maps, or a
rule of your own that gives {decision, context?}. Anything else is a denial.
Envoy's checks, over HTTP and at --ext-authz over gRPC, are decided by portcullis/envoy/authz, which adapters.envoy of portcullis.yaml
maps. With --token-file they bear the token, too. Anything but an allow is a denial to Envoy (\`failure_mode_allow: false\`).
Without --token-file it answers programs of this machine: another Host, an Origin and what a browser sends from a page are a 403.
What OPA has besides is refused: packages, queries, policies, explanations, writes, bodies in YAML. SIGHUP loads the bundle and the data again, and with --follow
asks the URL at once; a bad one changes nothing.
--persist keeps the bundle in a folder that this user alone may write. What is read there is verified as what is fetched, is as old as
its last good check, and the URL cannot go back behind it.
--shadow asks the second bundle what each decision asked, with the same data and key, and never answers by it: where it answers
otherwise, the event in the log has \`shadow\`, and /metrics counts newly_allowed, newly_denied, otherwise, failed and unasked. It
counts no calls: it is asked with the facts that the first was asked with. SIGHUP loads it again, too.
--workers share the address, one log, the counts of --history and the metrics; each takes its part of --max-connections. It is said that a
bundle is served when all decide by it. A worker that ends is replaced. --state and --shadow are for one process.
With rego.host_data the policy needs --data: without all of it nothing is served, and a bundle that needs more denies everything.
SIGTERM and SIGINT end it, after the requests under way.
Exit codes: 0 ended by a signal; 2 wrong usage, a refused bundle, an address that cannot be had.`,
    )
    .action(async (source: string, flags: ServeFlags) => {
      const link = flags.workers === "1" ? undefined : PrimaryLink.open();
      try {
        await serveUntilSignal(source, flags, link, context.terminal);
      } finally {
        link?.close();
      }
      context.finish(EXIT_OK);
    });
}

/** `link`: in a worker. The primary process of workers answers nothing: all else of it is as where there is one process. */
async function serveUntilSignal(
  source: string,
  flags: ServeFlags,
  link: PrimaryLink | undefined,
  terminal: Terminal,
): Promise<void> {
  const socketPath = socketOf("--addr", flags.addr);
  const { host, port } = socketPath === undefined ? addressOf("--addr", flags.addr) : { host: "localhost", port: 0 };
  const checks = flags.extAuthz === undefined ? undefined : addressOf("--ext-authz", flags.extAuthz);
  if (flags.tokenFile === undefined && !flags.anonymous)
    for (const name of checks === undefined ? [host] : [host, checks.host]) holdLocal(name);
  if (socketPath !== undefined && flags.tokenFile === undefined)
    throw new CliError(`\`--addr ${flags.addr}\` needs \`--token-file\`: a socket does not tell who asks`);
  const maxConnections = wholeNumber("--max-connections", flags.maxConnections);
  const workers = workersOf(flags, maxConnections);
  const limits = {
    maxBodyBytes: wholeNumber("--max-body", flags.maxBody, constants.MAX_STRING_LENGTH),
    maxConnections: Math.floor(maxConnections / workers),
    requestMs: wholeNumber("--timeout", flags.timeout, MOST_WAIT_SECONDS) * 1000,
  };
  if (flags.logRequired && flags.decisionLog === undefined)
    throw new CliError("`--log-required` needs `--decision-log`");
  const say = (line: string): void => void terminal.err(`${line}\n`);
  const target = flags.decisionLog;
  const sink = target === undefined ? undefined : toldSink(eventSink(target), flags.logRequired, say);
  // Not where a worker is replaced: the others go on without their log, and this one would not start.
  if (target !== undefined && link === undefined) demandWritable(target);
  const pool = workers > 1 && link === undefined ? new WorkerPool(workers, sink, terminal) : undefined;
  const log = sink && pool === undefined ? decisionLog({ sink: link?.sinkOf(sink) ?? sink }) : undefined;
  // What a worker is given is verified.
  const verification = link === undefined ? verificationOf(flags) : undefined;
  const supplied = { builtins, sources: SOURCES, ...(verification === undefined ? {} : { verification }) };
  const shadow = await shadowOf(flags, supplied, terminal);
  const options = {
    ...supplied,
    ...(shadow === undefined ? {} : { shadow: shadow.policies }),
    ...(log === undefined ? {} : { onDecision: log }),
    ...(flags.logRequired && log !== undefined ? { unrecorded: "deny" as const } : {}),
  };
  const history = await openHistory(flags.history);
  const store = toldHistory(history.store, say);
  const state = stateOf(flags, store);
  const openOwn = (): Promise<OpenedPolicy> => {
    const choice = { ...showing(source, flags), options, follow: followOf(flags), data: flags.data };
    return openPolicy(source, { ...choice, ...(pool && { spread: pool.spread }) }, terminal);
  };
  const opened = link === undefined ? await openOwn() : undefined;
  // Without the option a policy may have no such entrypoint.
  if (flags.authzen !== undefined && opened !== undefined)
    demandEntrypoint(opened.policies.current, flags.authzen, source);
  const { policies, token } =
    opened === undefined
      ? await (link as PrimaryLink).join(options)
      : { ...opened, token: flags.tokenFile === undefined ? undefined : readToken(flags.tokenFile) };
  const meter = metrics(policies);
  const listen = (): Promise<Server> =>
    serve({
      served: () => ({ policy: policies.current, isStale: policies.status()?.stale === true }),
      metrics: link?.metrics ?? meter.toPrometheus,
      host,
      port,
      token,
      anonymous: flags.anonymous,
      requiredLog: flags.logRequired ? log : undefined,
      authzen: flags.authzen ?? AUTHZEN,
      trustFacts: flags.trustFacts,
      facts: { history: store },
      state,
      socketPath,
      checks: flags.extAuthz,
      ...limits,
      graceMs: GRACE_MS,
      version: VERSION,
    }).catch((error: unknown) => {
      throw error instanceof CheckServerError ? new CliError(error.message) : error;
    });
  const server =
    pool && opened
      ? await pool.begin({ token, inForce: opened.inForce, metrics: meter.toPrometheus })
      : await listening(flags.addr, listen);
  let over = (): void => undefined;
  if (opened === undefined) await link?.serve(server.url, meter.toPrometheus);
  else {
    // Before it is said that it serves: a signal that is not awaited yet would end the process.
    const ended = untilSignal(shadow === undefined ? [opened] : [opened, shadow], terminal);
    terminal.err(`serving revision ${policies.current.revision ?? "-"} on ${server.url}\n`);
    if (store !== undefined && !flags.state) noteSuccesses(policies.current, token !== undefined, terminal);
    if (flags.extAuthz !== undefined) terminal.err(`Envoy's checks over gRPC on ${flags.extAuthz}\n`);
    if (shadow !== undefined) terminal.err(`shadow revision ${shadow.policies.current.revision ?? "-"}\n`);
    over = await ended;
  }
  policies.close();
  await server.close();
  await history.close();
  await closeLog(log, meter, terminal);
  over();
}

/** Throws CliError for what only one process can do. */
function workersOf({ workers, shadow, state }: ServeFlags, maxConnections: number): number {
  const count = wholeNumber("--workers", workers, MOST_WORKERS);
  if (count === 1) return count;
  const alone = state ? "--state" : shadow === undefined ? undefined : "--shadow";
  const help = "leave `--workers` out, or start another `serve` for it";
  if (alone !== undefined) throw new CliError(`\`${alone}\` is for one process`, EXIT_USAGE, help);
  if (count > maxConnections)
    throw new CliError("`--max-connections` is less than `--workers`: each takes one at least");
  return count;
}

/** Throws CliError for an address that programs of other machines reach. */
function holdLocal(host: string): void {
  if (["127.0.0.1", "::1", "localhost"].includes(host)) return;
  throw new CliError(
    `others reach \`${host}\`, and no client would have to show a token`,
    EXIT_USAGE,
    "name a `--token-file`, or say `--anonymous` where something in front asks who it is",
  );
}

/**
 * Resolves with SIGTERM or SIGINT; SIGHUP loads each again, one after the other. What it resolves to is called when all is over: until
 * then another of these signals would end the process, with requests under way and decisions that are in no log yet.
 */
function untilSignal(policies: readonly OpenedPolicy[], terminal: Terminal): Promise<() => void> {
  let last = Promise.resolve();
  const onHangUp = (): void => {
    for (const policy of policies)
      last = last
        .then(() => policy.reload())
        .catch((error: unknown) => {
          terminal.err(`warning: the policy stays as it was: ${(error as Error).message}\n`);
        });
  };
  const nothing = (): void => undefined;
  const held = ["SIGHUP", ...IGNORED_SIGNALS] as const;
  process.on("SIGHUP", onHangUp);
  for (const signal of held) process.on(signal, nothing);
  return new Promise((resolve) => {
    const end = (): void => {
      process.off("SIGHUP", onHangUp);
      for (const signal of ["SIGTERM", "SIGINT"]) process.off(signal, end);
      resolve(() => {
        for (const signal of held) process.off(signal, nothing);
      });
    };
    for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, end);
  });
}

/** Throws CliError where nothing would be kept, or anybody could ask for it. */
function stateOf(flags: ServeFlags, history: HistoryStore | undefined): KeptState | undefined {
  const { approvals } = flags;
  if (!flags.state) {
    if (approvals !== undefined) throw new CliError("`--approvals` needs `--state`");
    return undefined;
  }
  if (flags.tokenFile === undefined) throw new CliError("`--state` needs `--token-file`");
  if (history === undefined && approvals === undefined)
    throw new CliError("`--state` needs `--history` or `--approvals`: nothing would be kept");
  if (approvals !== undefined && statSync(approvals, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new CliError(`\`--approvals ${approvals}\` is not a folder`);
  return new KeptState({ history, approvals: approvals === undefined ? undefined : approvalFolder(approvals) });
}

/** Throws CliError for a bundle that is refused: who asks for a shadow wants to know what it says. */
async function shadowOf(
  { shadow, data }: ServeFlags,
  options: LoadOptions,
  terminal: Terminal,
): Promise<OpenedPolicy | undefined> {
  if (shadow === undefined) return undefined;
  return openPolicy(shadow, { options, follow: undefined, data, says: "shadow" }, terminal);
}

function verificationOf(flags: ServeFlags): Verification | undefined {
  if (flags.verificationKey.length === 0) return undefined;
  return bundleVerification({
    files: flags.verificationKey,
    algorithm: flags.signingAlg,
    keyId: flags.verificationKeyId,
    scope: flags.scope,
    read: (path) => readVerificationKey(path, flags),
  });
}

function followOf({ follow, staleAfter, persist }: ServeFlags): Following | undefined {
  if (follow === undefined && persist !== undefined) throw new CliError("`--persist` needs `--follow`");
  if (follow === undefined && staleAfter !== undefined) throw new CliError("`--stale-after` needs `--follow`");
  if (follow === undefined) return undefined;
  return {
    seconds: wholeNumber("--follow", follow, MOST_SECONDS),
    staleAfter: staleAfter === undefined ? undefined : wholeNumber("--stale-after", staleAfter, MOST_SECONDS),
    persist: persist === undefined ? undefined : storeIn(persist),
  };
}

/** Throws CliError for a folder in which others could put a bundle: without keys it would be believed. */
function storeIn(dir: string): BundleStore {
  const found = statSync(dir, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true)
    throw new CliError(`\`--persist ${dir}\` is not a folder`, EXIT_USAGE, "`mkdir -m 700` it");
  const self = process.getuid?.();
  const isOurs = self === undefined || ((found.uid === self || found.uid === 0) && (found.mode & 0o022) === 0);
  if (!isOurs) throw new CliError(`other users may write into \`--persist ${dir}\``, EXIT_USAGE, "`chmod 700` it");
  return fileStore(join(dir, "bundle.tar.gz"));
}

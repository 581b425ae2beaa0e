/** The policy that `serve` answers with: from a file, a URL or a registry, loaded again when it is told to, or followed. */

import {
  type BundleSource,
  type BundleStore,
  type FollowStatus,
  type HttpSourceOptions,
  type LoadOptions,
  type Policy,
  ReloadablePolicy,
  SourceError,
} from "@portcullis/runtime";
import { holdFile } from "../commands/read.ts";
import { CliError, EXIT_USAGE } from "../exit.ts";
import { readBundleFile } from "../files.ts";
import { demandHostData, readHostData } from "../host-data.ts";
import type { Terminal } from "../terminal.ts";
import { refusing } from "./refusing.ts";
import { isRemote, remoteSource } from "./remote-source.ts";

export interface OpenedPolicy {
  readonly policies: ReloadablePolicy;
  /** What other processes decide by: it is verified. */
  inForce(): InForce;
  /** Rejects with the reason why the policy stays as it was. */
  reload(): Promise<void>;
}

export interface InForce {
  readonly bytes: Uint8Array;
  readonly data: unknown;
  /** Milliseconds since 1970, from which on it denies everything; `undefined`: never. */
  readonly staleAt: number | undefined;
}

const FETCH_MS = 30_000;

/** How a URL is followed. */
export interface Following {
  /** How often it is asked again. */
  readonly seconds: number;
  /** Seconds without a good answer after which everything is denied; absent: never. */
  readonly staleAfter: number | undefined;
  /** Keeps the last good bundle for a restart. */
  readonly persist: BundleStore | undefined;
}

export interface PolicyChoice {
  readonly options: LoadOptions;
  /** A URL is asked again and again; without it, on `reload`. */
  readonly follow: Following | undefined;
  /** Sent to the server of a URL. */
  readonly headers?: HttpSourceOptions["headers"];
  /** The file of the host's data, which is read again on `reload`. */
  readonly data: string | undefined;
  /** What is said of a revision that was loaded again: `serving`, or what else the policy is for. */
  readonly says?: string;
  /** Called when what is in force is another, and awaited before it is said. Never rejects. */
  readonly spread?: () => Promise<void>;
}

/** Throws CliError for what cannot be had or is refused, and for a policy that lacks data of its host. */
export async function openPolicy(
  source: string,
  { options: given, follow, data: file, headers, says = "serving", spread = async () => undefined }: PolicyChoice,
  terminal: Terminal,
): Promise<OpenedPolicy> {
  const read = (): HostData => (file === undefined ? {} : { data: readHostData(file) });
  const options = { ...given, ...read() };
  const dataNow = (): HostData => {
    if (file !== undefined) holdFile(file);
    return read();
  };
  const asking = headers === undefined ? {} : { headers };
  const opened =
    follow === undefined
      ? await reloaded(source, asking, options, dataNow, async (policy) => {
          await spread();
          tellServed(policy, says, terminal);
        })
      : await followed(source, { ...follow, ...asking }, options, dataNow, { terminal, spread });
  try {
    demandHostData(opened.policies.current, file);
  } catch (error) {
    opened.policies.close();
    throw error;
  }
  return opened;
}

interface HostData {
  readonly data?: unknown;
}

type Asking = Pick<HttpSourceOptions, "headers">;

async function reloaded(
  source: string,
  asking: Asking,
  options: LoadOptions,
  dataNow: () => HostData,
  tell: (policy: Policy) => Promise<void>,
): Promise<OpenedPolicy> {
  let inForce: InForce = { bytes: await bytesOf(source, asking), data: options.data, staleAt: undefined };
  const policies = await refusing(source, () => ReloadablePolicy.load(inForce.bytes, options));
  return {
    policies,
    inForce: () => inForce,
    reload: async () => {
      if (!isRemote(source)) holdFile(source);
      const data = dataNow();
      const bytes = await bytesOf(source, asking);
      const { ok, error } = await policies.reload(bytes, data);
      if (!ok) throw error;
      inForce = { ...inForce, bytes, ...data };
      await tell(policies.current);
    },
  };
}

async function followed(
  source: string,
  { seconds, staleAfter, persist, ...asking }: Following & Asking,
  options: LoadOptions,
  dataNow: () => HostData,
  { terminal, spread }: { readonly terminal: Terminal; readonly spread: () => Promise<void> },
): Promise<OpenedPolicy> {
  if (!isRemote(source)) throw new CliError("`--follow` needs a URL", EXIT_USAGE, "a file is loaded again on SIGHUP");
  if (seconds < 1) throw new CliError("`--follow` asks once a second at most");
  const delay = seconds * 1000;
  if (staleAfter !== undefined && staleAfter <= seconds)
    throw new CliError(
      "`--stale-after` is longer than `--follow`",
      EXIT_USAGE,
      "a policy that was just checked is not stale",
    );
  const remote = remoteSource(source, {
    ...{ minDelay: delay, maxDelay: delay, timeout: FETCH_MS },
    ...asking,
    ...(staleAfter === undefined ? {} : { staleAfter: staleAfter * 1000 }),
  });
  /** By the check under way, or the last one; and kept before. */
  let [fetched, kept]: (Uint8Array | undefined)[] = [];
  let inUse: Uint8Array | undefined;
  const watched: BundleSource = {
    ...remote,
    fetch: async (...asked) => {
      const answer = await remote.fetch(...asked);
      fetched = answer.bytes;
      return answer;
    },
  };
  const read = async (): Promise<Uint8Array | undefined> => {
    const bytes = await persist?.read();
    kept ??= bytes;
    return bytes;
  };
  const telling = new Telling(terminal);
  const onStatus = async (status: FollowStatus): Promise<void> => {
    // INVARIANT: what a good check fetched is in use, and what another fetched is not. Some servers send the same again and again.
    const isGood = status.failures === 0 && !status.stale;
    if (isGood && fetched !== undefined && Buffer.compare(fetched, inUse ?? new Uint8Array()) !== 0) inUse = fetched;
    const policy = telling.policies?.current;
    await spread();
    telling.status(status, policy);
  };
  const policies = await refusing(source, async () => {
    try {
      const persisting = persist === undefined ? {} : { persist: { ...persist, read } };
      return await ReloadablePolicy.follow(watched, { ...options, ...persisting, stale: "deny", onStatus });
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      throw new CliError(`cannot fetch \`${source}\`: ${error.message}`);
    }
  });
  inUse ??= kept;
  telling.begin(policies);
  let { data } = options;
  const staleAt = (): number | undefined => {
    const { stale, lastCheck = new Date() } = policies.status() as FollowStatus;
    if (stale) return 0;
    return staleAfter === undefined ? undefined : lastCheck.getTime() + staleAfter * 1000;
  };
  return {
    policies,
    inForce: () => ({ bytes: inUse as Uint8Array, data, staleAt: staleAt() }),
    reload: async () => {
      const fresh = dataNow();
      if (fresh.data !== undefined) {
        policies.setData(fresh.data);
        ({ data } = fresh);
        // The source may take long to answer.
        await spread();
      }
      telling.again();
      await policies.check();
    },
  };
}

/** Says what becomes of a policy that is followed, each thing once. */
class Telling {
  private readonly terminal: Terminal;
  policies: ReloadablePolicy | undefined;
  private problem: string | undefined;
  /** Told last. */
  private policy: Policy | undefined;

  constructor(terminal: Terminal) {
    this.terminal = terminal;
  }

  /** What serves from now on is said by who begins it. */
  begin(policies: ReloadablePolicy): void {
    this.policies = policies;
    this.policy = policies.current;
    if (policies.status()?.stale === true) this.terminal.err(STALE);
  }

  /** Says everything anew after the next check. */
  again(): void {
    this.problem = undefined;
    this.policy = undefined;
  }

  /** `policy`: the one that served when it was so. */
  status({ lastError, stale }: FollowStatus, policy: Policy | undefined): void {
    const problem = lastError?.message;
    if (problem !== undefined && problem !== this.problem)
      this.terminal.err(`warning: the policy stays as it was: ${problem}\n`);
    this.problem = problem;
    if (policy === undefined || policy === this.policy) return;
    this.policy = policy;
    if (stale) this.terminal.err(STALE);
    else tellServed(policy, "serving", this.terminal);
  }
}

const STALE = "warning: the policy is stale: everything is denied until its source answers\n";

/** Also that a policy denies everything, because it needs data that its host does not have. */
function tellServed(policy: Policy, says: string, terminal: Terminal): void {
  terminal.err(`${says} revision ${policy.revision ?? "-"}\n`);
  const missing = policy.missingData.map((name) => `\`data.${name}\``).join(", ");
  if (missing !== "") terminal.err(`warning: the policy denies everything without ${missing}: \`--data\` has none\n`);
}

async function bytesOf(source: string, asking: Asking): Promise<Uint8Array> {
  if (!isRemote(source)) return readBundleFile(source);
  // As when it is followed: at most as many bytes, and no redirect away from TLS.
  const remote = remoteSource(source, { ...asking, timeout: FETCH_MS });
  try {
    const { bytes } = await remote.fetch(undefined, new AbortController().signal);
    return bytes ?? new Uint8Array();
  } catch (error) {
    throw new CliError(`cannot fetch \`${source}\`: ${(error as Error).message}`);
  }
}

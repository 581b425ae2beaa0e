/** The policy that `serve` answers with: from a file, a URL or a registry, loaded again when it is told to, or followed. */

import { readFileSync } from "node:fs";
import type { ServedPolicy } from "@portcullis/enforcement/serving";
import {
  type BundleStore,
  type FollowStatus,
  type HttpSourceOptions,
  type LoadOptions,
  type Policy,
  ReloadablePolicy,
  SourceError,
} from "@portcullis/runtime";
import { CliError, EXIT_USAGE, fileProblem } from "../exit.ts";
import { demandHostData, readHostData } from "../host-data.ts";
import type { Terminal } from "../terminal.ts";
import { refusing } from "./refusing.ts";
import { isRemote, remoteSource } from "./remote-source.ts";

export interface OpenedPolicy {
  readonly policies: ReloadablePolicy;
  served(): ServedPolicy;
  /** Rejects with the reason why the policy stays as it was. */
  reload(): Promise<void>;
  close(): void;
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
}

/** Throws CliError for what cannot be had or is refused, and for a policy that lacks data of its host. */
export async function openPolicy(
  source: string,
  { options: given, follow, data: file, headers, says = "serving" }: PolicyChoice,
  terminal: Terminal,
): Promise<OpenedPolicy> {
  const dataNow = (): HostData => (file === undefined ? {} : { data: readHostData(file) });
  const options = { ...given, ...dataNow() };
  const asking = headers === undefined ? {} : { headers };
  const opened =
    follow === undefined
      ? await reloaded(source, asking, options, dataNow, (policy) => tellServed(policy, says, terminal))
      : await followed(source, { ...follow, ...asking }, options, dataNow, terminal);
  try {
    demandHostData(opened.policies.current, file);
  } catch (error) {
    opened.close();
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
  tell: (policy: Policy) => void,
): Promise<OpenedPolicy> {
  const first = await bytesOf(source, asking);
  const policies = await refusing(source, () => ReloadablePolicy.load(first, options));
  return {
    policies,
    served: () => ({ policy: policies.current }),
    reload: async () => {
      const data = dataNow();
      const { ok, error } = await policies.reload(await bytesOf(source, asking), data);
      if (!ok) throw error;
      tell(policies.current);
    },
    close: () => undefined,
  };
}

async function followed(
  source: string,
  { seconds, staleAfter, persist, ...asking }: Following & Asking,
  options: LoadOptions,
  dataNow: () => HostData,
  terminal: Terminal,
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
  const telling = new Telling(terminal);
  const onStatus = (status: FollowStatus): void => telling.status(status);
  const policies = await refusing(source, async () => {
    try {
      const kept = persist === undefined ? {} : { persist };
      return await ReloadablePolicy.follow(remote, { ...options, ...kept, stale: "deny", onStatus });
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      throw new CliError(`cannot fetch \`${source}\`: ${error.message}`);
    }
  });
  telling.begin(policies);
  return {
    policies,
    served: () => ({ policy: policies.current, isStale: policies.status()?.stale === true }),
    reload: async () => {
      const { data } = dataNow();
      if (data !== undefined) policies.setData(data);
      telling.again();
      await policies.check();
    },
    close: () => policies.close(),
  };
}

/** Says what becomes of a policy that is followed, each thing once. */
class Telling {
  private readonly terminal: Terminal;
  private policies: ReloadablePolicy | undefined;
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

  status({ lastError, stale }: FollowStatus): void {
    const problem = lastError?.message;
    if (problem !== undefined && problem !== this.problem)
      this.terminal.err(`warning: the policy stays as it was: ${problem}\n`);
    this.problem = problem;
    const policy = this.policies?.current;
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
  if (!isRemote(source)) {
    try {
      return readFileSync(source);
    } catch (error) {
      throw new CliError(`cannot read \`${source}\`: ${fileProblem(error)}`);
    }
  }
  try {
    // As when it is followed: at most as many bytes, and no redirect away from TLS.
    const { bytes } = await remoteSource(source, { ...asking, timeout: FETCH_MS }).fetch(
      undefined,
      new AbortController().signal,
    );
    return bytes ?? new Uint8Array();
  } catch (error) {
    throw new CliError(`cannot fetch \`${source}\`: ${(error as Error).message}`);
  }
}

/** The policy that `serve` answers with: from a file or a URL, loaded again when it is told to, or followed. */

import { readFileSync } from "node:fs";
import type { ServedPolicy } from "@portcullis/enforcement/serving";
import {
  type BundleSource,
  describeBundle,
  type FollowStatus,
  httpSource,
  type LoadOptions,
  ReloadablePolicy,
  type ReloadOptions,
  SourceError,
} from "@portcullis/runtime";
import { CliError, EXIT_USAGE, fileProblem } from "../exit.ts";
import { demandHostData, readHostData } from "../host-data.ts";
import type { Terminal } from "../terminal.ts";
import { refusing } from "./refusing.ts";

export interface OpenedPolicy {
  readonly policies: ReloadablePolicy;
  /** Policy and roots of one bundle. */
  served(): ServedPolicy;
  /** Rejects with the reason why the policy stays as it was. */
  reload(): Promise<void>;
  close(): void;
}

const FETCH_MS = 30_000;

export interface FollowTimes {
  /** How often a URL is asked again. */
  readonly seconds: number;
  /** Seconds without a good answer after which everything is denied; absent: never. */
  readonly staleAfter: number | undefined;
}

export interface PolicyChoice {
  readonly options: LoadOptions;
  /** A URL is asked again and again; without it, on `reload`. */
  readonly follow: FollowTimes | undefined;
  /** The file of the host's data, which is read again on `reload`. */
  readonly data: string | undefined;
  /** What is said of a revision that was loaded again: `serving`, or what else the policy is for. */
  readonly says?: string;
}

/** Throws CliError for what cannot be had or is refused, and for a policy that lacks data of its host. */
export async function openPolicy(
  source: string,
  { options: given, follow, data: file, says = "serving" }: PolicyChoice,
  terminal: Terminal,
): Promise<OpenedPolicy> {
  const dataNow = (): { readonly data?: unknown } => (file === undefined ? {} : { data: readHostData(file) });
  const options = { ...given, ...dataNow() };
  const opened =
    follow === undefined
      ? await reloaded(source, options, dataNow, (served) => tellServed(served, says, terminal))
      : await followed(source, options, dataNow, follow, terminal);
  try {
    demandHostData(opened.policies.current, file);
  } catch (error) {
    opened.close();
    throw error;
  }
  return opened;
}

async function reloaded(
  source: string,
  options: LoadOptions,
  dataNow: () => ReloadOptions,
  tell: (served: ServedPolicy) => void,
): Promise<OpenedPolicy> {
  const first = await bytesOf(source);
  const policies = await refusing(source, () => ReloadablePolicy.load(first, options));
  let served = await servedOf(policies, first);
  return {
    policies,
    served: () => served,
    reload: async () => {
      const data = dataNow();
      const bytes = await bytesOf(source);
      const { ok, error } = await policies.reload(bytes, data);
      if (!ok) throw error;
      served = await servedOf(policies, bytes);
      tell(served);
    },
    close: () => undefined,
  };
}

async function followed(
  source: string,
  options: LoadOptions,
  dataNow: () => ReloadOptions,
  { seconds, staleAfter }: FollowTimes,
  terminal: Terminal,
): Promise<OpenedPolicy> {
  if (!isUrl(source)) throw new CliError("`--follow` needs a URL", EXIT_USAGE, "a file is loaded again on SIGHUP");
  if (seconds < 1) throw new CliError("`--follow` asks once a second at most");
  const delay = seconds * 1000;
  if (staleAfter !== undefined && staleAfter <= seconds)
    throw new CliError(
      "`--stale-after` is longer than `--follow`",
      EXIT_USAGE,
      "a policy that was just checked is not stale",
    );
  const inner = httpSource(source, {
    minDelay: delay,
    maxDelay: delay,
    timeout: FETCH_MS,
    ...(staleAfter === undefined ? {} : { staleAfter: staleAfter * 1000 }),
  });
  let bytes = new Uint8Array();
  /** What was fetched last may have been refused. */
  let inUse = bytes;
  const watched: BundleSource = {
    name: inner.name,
    staleAfter: inner.staleAfter,
    pause: (...args) => inner.pause(...args),
    fetch: async (...args) => {
      const fetched = await inner.fetch(...args);
      if (fetched.bytes !== undefined) bytes = new Uint8Array(fetched.bytes);
      return fetched;
    },
  };
  let opened: { policies: ReloadablePolicy; served: ServedPolicy } | undefined;
  let lastProblem: string | undefined;
  const onStatus = ({ lastError, stale }: FollowStatus): void => {
    const problem = lastError?.message;
    // Said once, however often the source is asked.
    if (problem !== undefined && problem !== lastProblem)
      terminal.err(`warning: the policy stays as it was: ${problem}\n`);
    lastProblem = problem;
    if (opened === undefined || opened.policies.current === opened.served.policy) return;
    const now = opened;
    if (stale) {
      now.served = { policy: now.policies.current, roots: now.served.roots, isStale: true };
      terminal.err("warning: the policy is stale: everything is denied until its source answers\n");
      return;
    }
    inUse = bytes;
    // The bundle before goes on until the roots of the new one are known: both are of one bundle.
    void servedOf(now.policies, bytes).then((served) => {
      // Meanwhile there may be a newer one, or it is stale.
      if (served.policy !== now.policies.current) return;
      now.served = served;
      tellServed(served, "serving", terminal);
    });
  };
  const policies = await refusing(source, async () => {
    try {
      return await ReloadablePolicy.follow(watched, { ...options, stale: "deny", onStatus });
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      throw new CliError(`cannot fetch \`${source}\`: ${error.message}`);
    }
  });
  inUse = bytes;
  const state = { policies, served: await servedOf(policies, bytes) };
  opened = state;
  return {
    policies,
    served: () => state.served,
    reload: async () => {
      const { data } = dataNow();
      if (data === undefined) throw new Error("the bundle is followed: what is new comes by itself");
      const { ok, error } = await policies.reload(inUse, { data });
      if (!ok) throw error;
      state.served = await servedOf(policies, inUse);
      tellServed(state.served, "serving", terminal);
    },
    close: () => policies.close(),
  };
}

/** Also that a policy denies everything, because it needs data that its host does not have. */
function tellServed({ policy }: ServedPolicy, says: string, terminal: Terminal): void {
  terminal.err(`${says} revision ${policy.revision ?? "-"}\n`);
  const missing = policy.missingData.map((name) => `\`data.${name}\``).join(", ");
  if (missing !== "") terminal.err(`warning: the policy denies everything without ${missing}: \`--data\` has none\n`);
}

async function servedOf(policies: ReloadablePolicy, bytes: Uint8Array): Promise<ServedPolicy> {
  const policy = policies.current;
  return { policy, roots: (await describeBundle(bytes)).roots };
}

export function isUrl(text: string): boolean {
  return /^https?:\/\//.test(text);
}

async function bytesOf(source: string): Promise<Uint8Array> {
  if (!isUrl(source)) {
    try {
      return readFileSync(source);
    } catch (error) {
      throw new CliError(`cannot read \`${source}\`: ${fileProblem(error)}`);
    }
  }
  try {
    // As when it is followed: at most as many bytes, and no redirect away from TLS.
    const { bytes } = await httpSource(source, { timeout: FETCH_MS }).fetch(undefined, new AbortController().signal);
    return bytes ?? new Uint8Array();
  } catch (error) {
    throw new CliError(`cannot fetch \`${source}\`: ${(error as Error).message}`);
  }
}

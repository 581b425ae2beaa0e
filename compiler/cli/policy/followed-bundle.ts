/** The bundle that a proxy decides by while it runs: taken again when it changes, and not believed for ever. */

import { type OpenedPolicy, openBundle } from "@portcullis/governance/review";
import {
  type BundleSource,
  type FollowStatus,
  type LoadOptions,
  ReloadablePolicy,
  SourceError,
} from "@portcullis/runtime";
import { fileSource } from "@portcullis/runtime/node";
import { CliError, orFail } from "../exit.ts";
import { demandHostData } from "../host-data.ts";
import { loadWithBuiltins, SOURCES } from "./load-policy.ts";
import { refusing } from "./refusing.ts";
import { isRemote, remoteSource } from "./remote-source.ts";

/** How often a file, and a URL, is looked at again; twice in the time after which it is stale, if that is short. */
const [FILE_MS, URL_MS, FETCH_MS] = [5_000, 30_000, 30_000];

export interface FollowedBundle {
  readonly options: LoadOptions;
  /** The file of the host's data, for messages. */
  readonly data: string | undefined;
  readonly staleSeconds: number;
  /** Why a policy must not decide here, although it is good. */
  readonly unfit: (opened: OpenedPolicy) => string | undefined;
  readonly log: (line: string) => void;
}

/**
 * Loads the bundle of a file or URL, and follows it until `close`. A new one that is refused, or unfit, changes nothing; once none was
 * good for the time given, everything is denied until one is. Throws CliError where the first is not good.
 */
export async function followBundle(place: string, given: FollowedBundle): Promise<ReloadablePolicy> {
  const { builtins } = await import("@portcullis/builtins");
  const options = { ...given.options, builtins, sources: SOURCES };
  const { current, onStatus } = status(given);
  const policies = await refusing(place, async () => {
    try {
      return await ReloadablePolicy.follow(checked(place, given), { ...options, stale: "deny", onStatus });
    } catch (error) {
      if (error instanceof SourceError) throw new CliError(error.message);
      throw error;
    }
  });
  try {
    demandHostData(policies.current, given.data);
  } catch (error) {
    policies.close();
    throw error;
  }
  current.revision = policies.current.revision;
  current.isOpen = true;
  return policies;
}

/** A source that gives no bundle which is unfit. */
function checked(place: string, { options, staleSeconds, unfit }: FollowedBundle): BundleSource {
  const staleAfter = staleSeconds * 1000;
  const often = (milliseconds: number): number => Math.min(milliseconds, staleAfter / 2);
  const delay = often(URL_MS);
  const source = isRemote(place)
    ? remoteSource(place, { minDelay: delay, maxDelay: delay, timeout: FETCH_MS, staleAfter })
    : fileSource(place, { interval: often(FILE_MS), staleAfter });
  return {
    name: source.name,
    staleAfter,
    pause: (...args) => source.pause(...args),
    fetch: async (...args) => {
      const fetched = await source.fetch(...args);
      if (fetched.bytes === undefined) return fetched;
      const opened = orFail(await openBundle(place, fetched.bytes, options, loadWithBuiltins));
      const problem = unfit(opened);
      if (problem !== undefined) throw new CliError(problem);
      return fetched;
    },
  };
}

/** Says what changes, each thing once. */
function status({ staleSeconds, log }: FollowedBundle) {
  const current: { isOpen: boolean; revision: string | undefined } = { isOpen: false, revision: undefined };
  let problem: string | undefined;
  let wasStale = false;
  const onStatus = ({ revision, lastError, stale }: FollowStatus): void => {
    if (!current.isOpen) return;
    if (lastError !== undefined && lastError.message !== problem)
      log(`the policy stays as it was: ${lastError.message}`);
    problem = lastError?.message;
    if (stale && !wasStale) log(`no good bundle for ${staleSeconds} seconds: everything is denied until there is one`);
    if (!stale && (wasStale || revision !== current.revision)) log(`decides by revision ${revision ?? "-"}`);
    wasStale = stale;
    current.revision = revision;
  };
  return { current, onStatus };
}

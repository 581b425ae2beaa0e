/** A policy that can be replaced while it is in use: a whole new one is verified first, then one reference is swapped. */

import { LoadError } from "../errors.ts";
import type { PolicyIds } from "../governance/index.ts";
import { messageOf } from "../host/message-of.ts";
import { holdSequence, LOAD_OPTIONS, type LoadOptions, load, type PolicySource } from "../load/index.ts";
import { holdOptions, type OptionTable } from "../options.ts";
import type { PlatformAbortSignal } from "../platform.ts";
import type { Policy } from "../policy.ts";
import { type BundleSource, type BundleStore, type FetchedBundle, SourceError } from "./bundle-source.ts";
import { Follower, type FollowStatus } from "./follower.ts";
import { Keeper } from "./keeper.ts";
import { stalePolicy } from "./stale-evaluator.ts";
import type { Wake } from "./wake.ts";

/** What became of a reload. A refusal is a value: the policy before stays in use. */
export interface ReloadResult {
  readonly ok: boolean;
  /** Revision in use after the attempt. */
  readonly revision: string | undefined;
  /** Why the new source was refused; the policy before stays in place. */
  readonly error?: LoadError;
}

/** Options of one reload. */
export interface ReloadOptions {
  /** Takes a bundle with a lower sequence than the one in use, or with none: a rollback that somebody wants. */
  readonly allowRollback?: boolean;
  /** Takes the place of the host's data, for the new policy and those after it, if the source is good. */
  readonly data?: unknown;
}

/** Options of `ReloadablePolicy.follow`, besides those of `load`. */
export interface FollowOptions extends LoadOptions {
  /** What a stale policy does: it goes on (`serve`, the default), or everything is denied until its source answers again. */
  readonly stale?: "serve" | "deny";
  /** Called after every check, and when the policy becomes stale. What it throws is ignored. */
  readonly onStatus?: (status: FollowStatus) => unknown;
  /** Keeps the last good bundle. It is loaded first, so that a source cannot go back behind it. */
  readonly persist?: BundleStore;
  /** Messages upon which the source is asked at once, at most once a second. Without them, and between them, it is asked as ever. */
  readonly wake?: Wake;
}

const FOLLOW_OPTIONS: OptionTable = {
  ...LOAD_OPTIONS,
  stale: ["serve", "deny"],
  onStatus: "function",
  persist: "object",
  wake: "function",
};

/** `isStale`: it denies in the place of the one in use, until the source answers again. */
type Visit = (policy: Policy, isStale: boolean) => void;

/** Shows the policy in use, and each that comes after it before it is in use. No export of the package. */
export let onEachPolicy: <Ids extends PolicyIds>(policies: ReloadablePolicy<Ids>, visit: Visit) => void;
/** Reloads and checks that failed so far, by code. No export of the package. */
export let failedReloads: <Ids extends PolicyIds>(policies: ReloadablePolicy<Ids>) => ReadonlyMap<string, number>;

/**
 * A policy that is replaced while it serves. A new bundle is loaded and verified whole; then one reference is swapped. A bad
 * one changes nothing. Read `current` once a request, so that the request sees one revision.
 */
export class ReloadablePolicy<Ids extends PolicyIds = PolicyIds> {
  static {
    onEachPolicy = (policies, visit) => {
      policies.visitors.push(visit);
      visit(policies.active, false);
      if (policies.shown !== policies.active) visit(policies.shown, true);
    };
    failedReloads = (policies) => policies.failed;
  }

  private active: Policy<Ids>;
  /** What callers get: the active policy, or one that denies where that is stale. */
  private shown: Policy<Ids>;
  private denies = false;
  private follower: Follower | undefined;
  private options: LoadOptions;
  /** Counts attempts, so that a slow load never replaces a newer one. */
  private attempt = 0;
  private served = 0;
  /** The attempt that brought the host's data. */
  private dataServed = 0;
  private readonly visitors: Visit[] = [];
  private readonly failed = new Map<string, number>();

  private constructor(policy: Policy<Ids>, options: LoadOptions) {
    this.active = policy;
    this.shown = policy;
    this.options = options;
  }

  /** Throws LoadError: without a first good policy there is nothing to fall back to. */
  static async load<Of extends PolicyIds = PolicyIds>(
    source: PolicySource,
    options: LoadOptions = {},
  ): Promise<ReloadablePolicy<Of>> {
    return new ReloadablePolicy(await load<Of>(source, options), options);
  }

  /**
   * Loads a policy from its source and keeps it current, until `close`. Rejects with a LoadError or a SourceError where
   * neither the source nor `persist` has a good bundle: there is nothing to fall back to.
   */
  static async follow<Of extends PolicyIds = PolicyIds>(
    source: BundleSource,
    options: FollowOptions = {},
  ): Promise<ReloadablePolicy<Of>> {
    holdOptions(options, FOLLOW_OPTIONS);
    const { stale = "serve", onStatus, persist, wake, ...loadOptions } = options;
    let policies: ReloadablePolicy<Of> | undefined;
    const keeper = new Keeper(persist, async (bytes) => {
      const other = await load(bytes, loadOptions).catch(() => undefined);
      return (other?.sequence ?? -1) > (policies?.active.sequence ?? -1);
    });
    // Before the bundle is verified: what changes meanwhile is seen by the first check.
    const { keys } = loadOptions.verification ?? {};
    const kept = await keeper.read();
    let problem: unknown = keeper.error;
    const first =
      kept &&
      (await ReloadablePolicy.load<Of>(kept.bytes, loadOptions).catch((error: unknown) => {
        problem = error;
        return undefined;
      }));
    const fetched = first === undefined ? await firstOf(source, problem) : undefined;
    const opened = first ?? (await ReloadablePolicy.load<Of>(fetched?.bytes ?? new Uint8Array(), loadOptions));
    policies = opened;
    const follower = new Follower(
      source,
      {
        take: async (bytes, signal) => (await opened.replace(bytes, {}, signal)).error,
        revision: () => opened.active.revision,
        keys: () => loadOptions.verification?.keys,
        staleChanged: (isStale) => {
          opened.denies = isStale && stale === "deny";
          opened.show();
        },
        failed: (error) => opened.countFailure(error),
      },
      keeper,
      onStatus,
      keys,
    );
    opened.follower = follower;
    if (fetched !== undefined) await follower.beginFresh(fetched, problem);
    else {
      await follower.beginKept(kept?.bytes as Uint8Array, kept?.age);
      // A policy of before the restart is good until the source says more.
      await follower.check();
    }
    void follower.run();
    if (wake !== undefined) void follower.listen(wake);
    return opened;
  }

  /** Asks the source now, not at its own time, and resolves after that. Without a source to follow it does nothing. Never rejects. */
  async check(): Promise<FollowStatus | undefined> {
    await this.follower?.look();
    return this.status();
  }

  private countFailure({ code }: LoadError | SourceError): void {
    this.failed.set(code, (this.failed.get(code) ?? 0) + 1);
  }

  /** How following goes; `undefined` for a policy that follows nothing. */
  status(): FollowStatus | undefined {
    return this.follower?.status();
  }

  /** Ends following: nothing is fetched and no timer runs any more. The policy stays as it is. */
  close(): void {
    this.follower?.close();
  }

  private show(): void {
    this.shown = this.active;
    if (!this.denies) return;
    const denying = stalePolicy(this.active, this.options);
    for (const visit of this.visitors) visit(denying, true);
    this.shown = denying;
  }

  /** The policy to decide with now. Read it once a request, so that one request sees one revision. */
  get current(): Policy<Ids> {
    return this.shown;
  }

  /**
   * Never throws but for an option that there is not: a bad source leaves the last good policy in place and says so. So does a source that is older than what is
   * in use, where bundles carry a sequence.
   */
  async reload(source: PolicySource, options: ReloadOptions = {}): Promise<ReloadResult> {
    holdOptions(options, { allowRollback: "boolean", data: "any?" });
    const result = await this.replace(source, options);
    if (result.error !== undefined) this.countFailure(result.error);
    return result;
  }

  /**
   * Replaces the host's data, for the policy in use and those after it. Throws LoadError, and keeps the data before, when the value
   * is not JSON-like.
   */
  setData(data: unknown): void {
    this.active.setData(data);
    this.options = { ...this.options, data };
    // A reload that is under way brings older data.
    this.dataServed = ++this.attempt;
  }

  /** `signal`: aborted when the policy is not wanted any more. */
  private async replace(
    source: PolicySource,
    { allowRollback = false, data }: ReloadOptions,
    signal?: PlatformAbortSignal,
  ): Promise<ReloadResult> {
    const attempt = ++this.attempt;
    const options = data === undefined ? this.options : { ...this.options, data };
    try {
      const next = await load<Ids>(source, options);
      // If several load at a time, the one that was asked for last stays.
      const isWanted = signal?.aborted !== true;
      const isLast = isWanted && attempt > this.served;
      if (isLast && !allowRollback) holdSequence(next, this.active.sequence);
      if (isWanted && data !== undefined && attempt > this.dataServed) {
        this.dataServed = attempt;
        this.options = { ...this.options, data };
        if (!isLast) this.active.setData(data);
      }
      if (isLast) {
        // Data that another attempt brought meanwhile.
        if (this.options.data !== options.data) next.setData(this.options.data);
        this.served = attempt;
        for (const visit of this.visitors) visit(next, false);
        this.active = next;
        this.show();
      }
      return { ok: true, revision: this.active.revision };
    } catch (error) {
      return { ok: false, revision: this.active.revision, error: loadErrorOf(error) };
    }
  }
}

/** What the source gives first. Rejects with both reasons where there is nothing, and what was kept cannot be used for a `problem`. */
async function firstOf(source: BundleSource, problem: unknown): Promise<FetchedBundle> {
  try {
    return await source.fetch(undefined, new AbortController().signal);
  } catch (error) {
    if (problem === undefined || !(error instanceof SourceError)) throw error;
    const message = `${error.message}; what was kept is refused: ${messageOf(problem)}`;
    throw new SourceError(error.code, message, error.retryAfter);
  }
}

/** Anything that loading threw, as a LoadError, even if it cannot be read. */
function loadErrorOf(error: unknown): LoadError {
  if (error instanceof LoadError) return error;
  return new LoadError("not-a-policy", messageOf(error) || "the policy could not be loaded");
}

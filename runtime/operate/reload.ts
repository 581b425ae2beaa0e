/** A policy that can be replaced while it is in use: a whole new one is verified first, then one reference is swapped. */

import { LoadError } from "../errors.ts";
import { holdSequence, type LoadOptions, load } from "../load/load.ts";
import type { PolicySource } from "../load/source.ts";
import type { Policy } from "../policy.ts";

export interface ReloadResult {
  readonly ok: boolean;
  /** Revision in use after the attempt. */
  readonly revision: string | undefined;
  /** Why the new source was refused; the policy before stays in place. */
  readonly error?: LoadError;
}

export interface ReloadOptions {
  /** Takes a bundle with a lower sequence than the one in use, or with none: a rollback that somebody wants. */
  readonly allowRollback?: boolean;
}

/** Shows the policy in use, and each that comes after it before it is in use. Not part of the package's door. */
export let onEachPolicy: (policies: ReloadablePolicy, visit: (policy: Policy) => void) => void;

export class ReloadablePolicy {
  static {
    onEachPolicy = (policies, visit) => {
      policies.visitors.push(visit);
      visit(policies.active);
    };
  }

  private active: Policy;
  private readonly options: LoadOptions;
  /** Counts attempts, so that a slow load never replaces a newer one. */
  private attempt = 0;
  private served = 0;
  private readonly visitors: ((policy: Policy) => void)[] = [];

  private constructor(policy: Policy, options: LoadOptions) {
    this.active = policy;
    this.options = options;
  }

  /** Throws LoadError: without a first good policy there is nothing to fall back to. */
  static async load(source: PolicySource, options: LoadOptions = {}): Promise<ReloadablePolicy> {
    return new ReloadablePolicy(await load(source, options), options);
  }

  /** The policy to decide with now. Read it once a request, so that one request sees one revision. */
  get current(): Policy {
    return this.active;
  }

  /**
   * Never throws: a bad source leaves the last good policy in place and says so. So does a source that is older than what is
   * in use, where bundles carry a sequence.
   */
  async reload(source: PolicySource, { allowRollback = false }: ReloadOptions = {}): Promise<ReloadResult> {
    const attempt = ++this.attempt;
    try {
      const next = await load(source, this.options);
      // Of several at a time, the one that was asked for last stays.
      if (attempt > this.served) {
        if (!allowRollback) holdSequence(next, this.active.sequence);
        this.served = attempt;
        for (const visit of this.visitors) visit(next);
        this.active = next;
      }
      return { ok: true, revision: this.active.revision };
    } catch (error) {
      return { ok: false, revision: this.active.revision, error: loadErrorOf(error) };
    }
  }
}

/** Whatever came of loading, as a LoadError; even where what was thrown cannot be read. */
function loadErrorOf(error: unknown): LoadError {
  if (error instanceof LoadError) return error;
  let message = "the policy could not be loaded";
  try {
    message = error instanceof Error ? error.message : String(error);
  } catch {
    // What was thrown says nothing.
  }
  return new LoadError("not-a-policy", message);
}

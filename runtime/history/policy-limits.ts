/** The limits of a policy set, as its bundle tells the host: the JSON that stands in `data.portcullis.policy.limits`. */

/** Ids, each with `true`. */
export interface IdSet {
  readonly [id: string]: true;
}

/** One limit of limits.yaml. Durations are in milliseconds. */
export interface PolicyLimit {
  /** The calls that it is about: tool, role and lane are in the sets; an absent set holds every id. */
  readonly calls?: { readonly tools?: IdSet; readonly roles?: IdSet; readonly lanes?: IdSet };
  /** Whose calls are counted together: `role`, `lane`, `tool`, `session` or `scope.NAME`. */
  readonly per?: readonly string[];
  readonly max_calls?: number;
  /** `of` is `args.NAME` or `scope.NAME`. */
  readonly max_sum?: { readonly of: string; readonly at_most: number };
  /** The window of `max_calls` and `max_sum`; absent: the store forgets nothing. */
  readonly within_ms?: number;
  readonly only_after?: { readonly tools: IdSet; readonly within_ms?: number };
  readonly never_after?: { readonly tools: IdSet };
  /** Days and hours: nothing that a store keeps. */
  readonly only_during?: unknown;
}

/** Limits by id. */
export interface PolicyLimits {
  readonly [limit_id: string]: PolicyLimit;
}

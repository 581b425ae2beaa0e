/**
 * What a store of history is: how often, how much and in which order tools were called, and which approvals were used. It keeps
 * numbers of fixed size by key, and no call.
 */

/**
 * Keeps the history of calls. `memoryHistory` is one for a single process, `fileHistory` of `@portcullis/runtime/node` one for the
 * processes of a machine, `redisHistory` of `@portcullis/redis` one for many machines.
 */
export interface HistoryStore {
  /**
   * Takes what the call would use up, all of it or nothing: nothing where one of the limits would be exceeded, or the approval is
   * used or refused. Two that ask at once never both get the last one. A process that dies afterwards has used it up. Throws or
   * rejects where the store does not answer; the call is then denied.
   */
  reserve(request: HistoryRequest): Reservation | Promise<Reservation>;
}

/** What one call asks of the store. */
export interface HistoryRequest {
  /** Keys of one request are different ones. */
  readonly limits: readonly LimitUse[];
  readonly nonce?: NonceUse | undefined;
}

/** What a call has to do with one limit. */
export interface LimitUse {
  readonly id: string;
  /** SHA-256, in hex, of canonical JSON of `[policy, limit_id, [values]]`. A store takes nothing of a key that another limit keeps. */
  readonly key: string;
  /** Milliseconds of the sliding window of calls and sums; absent: they are kept for ever. */
  readonly within?: number | undefined;
  /** Present where the call counts: at most this many in the window, this one among them. */
  readonly maxCalls?: number | undefined;
  /** Present where the call adds to a sum: `of` is added, and the sum is at most `atMost`. Both are whole numbers below 2^53. */
  readonly sum?: { readonly of: number; readonly atMost: number } | undefined;
  /** Tools whose last success is asked for. A call that only began does not count, also where the limit once remembered what began. */
  readonly after: readonly string[];
  /** Tools whose last call is asked for, one that began or that succeeded. */
  readonly never: readonly string[];
  /** The tool that begins with this call: known from `reserve` on. */
  readonly begins?: string | undefined;
  /** The tool that has succeeded when the call is committed. */
  readonly succeeds?: string | undefined;
  /** Milliseconds for which a success is remembered; absent: for ever. */
  readonly remember?: number | undefined;
}

/** A bound approval, which is good for one call. */
export interface NonceUse {
  /** Names the approval: 64 hexadecimal digits. Of a refusal nothing is reserved. */
  readonly digest: string;
  /** Milliseconds since 1970, by the store's clock, until when it is remembered. */
  readonly keepUntil: number;
  /** The call that it is for, by its digest: a refusal of this call wins over approvals of it. */
  readonly call: string;
  /** It is a refusal: calls of the digest count as refused until `keepUntil`, whatever becomes of this one. */
  readonly isRefusal?: boolean | undefined;
}

/** Facts of one limit, before this call; whole numbers from 0 to 2^53-1. */
export interface LimitFacts {
  /** Calls in the window. */
  readonly calls: number;
  /** Their sum. */
  readonly sum: number;
  /** By tool, when it was called last. */
  readonly last_ms: { readonly [tool: string]: number };
  /** Where the call does not fit: the earliest time at which it would. */
  readonly free_at_ms?: number;
}

/** Facts by limit. One that the store cannot tell is missing, and the call is denied. */
export interface HistoryFacts {
  readonly [limit_id: string]: LimitFacts;
}

/** What the store knows when a call is reserved. */
export interface ReservedFacts {
  /** Milliseconds since 1970, by the store's clock where it has one. */
  readonly now: number;
  readonly history: HistoryFacts;
  /** Whether the approval was used before; present where the request has a nonce. */
  readonly approvalUsed?: boolean;
  /** Whether the call was refused. */
  readonly approvalRefused?: boolean;
}

/** What one call has reserved. Of `commit` and `release` the first that is called counts, once. */
export interface Reservation {
  readonly facts: ReservedFacts;
  /**
   * Whether everything was taken. Where nothing was, the facts say why, and the policy denies; a call that it would allow all the
   * same is denied by the host, since nothing would count it.
   */
  readonly isReserved: boolean;
  /** The tool has succeeded. */
  commit(): void | Promise<void>;
  /** The call was denied: it uses up nothing. What was reserved more than a minute ago stays used up. */
  release(): void | Promise<void>;
}

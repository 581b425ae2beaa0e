/** A store that outlives its processes: what stands in it can be looked at, and taken away. */

import type { KeyState } from "./key-state.ts";
import type { Mark } from "./ledger.ts";
import type { HistoryStore } from "./store.ts";

/** What stands under one key. */
export interface HistoryEntry {
  /** A limit's history, an approval that was used, a call that was refused, or what cannot be read: it denies the calls of its key. */
  readonly kind: "limit" | "approval" | "refusal" | "damaged";
  /** SHA-256 in hex: of policy, limit and values, of the approval, or of the call. Of what is damaged the name: `limit-…`, `clock`. */
  readonly key: string;
  /** Why it cannot be read. */
  readonly problem?: string;
  /** The limit's id. */
  readonly limit?: string;
  /** Calls in the window, or since ever; `0` where the limit counts none. */
  readonly calls?: number;
  /** Their sum. */
  readonly sum?: number;
  /** By tool, milliseconds since 1970 of its last call that began or succeeded. */
  readonly last_ms?: { readonly [tool: string]: number };
  /** Milliseconds since 1970 when all of it has left; absent: never. */
  readonly expires?: number;
}

/** What is cleared: what has all of these; without any, everything. */
export interface ClearedHistory {
  /** A limit's id. */
  readonly limit?: string | undefined;
  /** One key. */
  readonly key?: string | undefined;
}

/** A store of history that can be looked at. */
export interface KeptHistory extends HistoryStore {
  /** Everything that stands in it, what has expired and was not removed yet among it. Cost: linear in the entries. */
  entries(): Promise<readonly HistoryEntry[]>;
  /**
   * Takes entries away, and says how many: what they counted is as if it had never been. What is damaged goes with everything, and
   * where its key is named: which limit it was of cannot be read.
   */
  clear(which?: ClearedHistory): Promise<number>;
}

/** `name` is a kind, a hyphen and the key. */
export function entryOf(name: string, entry: KeyState | Mark | undefined): HistoryEntry {
  const [kind, key = ""] = name.split("-");
  const expires = entry?.expires === undefined ? {} : { expires: entry.expires };
  if (kind !== "limit") return { kind: kind === "nonce" ? "approval" : "refusal", key, ...expires };
  const state = entry as KeyState;
  const last_ms: { [tool: string]: number } = Object.create(null);
  for (const [tool, [, time]] of Object.entries(state.began)) last_ms[tool] = time;
  for (const [tool, time] of Object.entries(state.succeeded)) last_ms[tool] = Math.max(time, last_ms[tool] ?? 0);
  let [calls, sum] = [0, 0];
  for (let at = 0; at < state.buckets.length; at += 3) {
    calls += state.buckets[at + 1] as number;
    sum += state.buckets[at + 2] as number;
  }
  return { kind: "limit", key, limit: state.limit, calls, sum, last_ms, ...expires };
}

export function isCleared(
  { limit, key }: ClearedHistory,
  name: string,
  entry: () => KeyState | Mark | undefined,
): boolean {
  if (key !== undefined && name !== `limit-${key}`) return false;
  if (limit === undefined) return true;
  const found = name.startsWith("limit-") ? (entry() as KeyState | undefined) : undefined;
  // One that is damaged is of the limit that its key is made of.
  return found === undefined ? key !== undefined : found.limit === limit;
}

export function isMark(value: unknown): value is Mark {
  return isWhole((value as Mark | null)?.expires);
}

export function isKeyState(value: unknown): value is KeyState {
  if (typeof value !== "object" || value === null) return false;
  const { limit, width, buckets, began, succeeded, expires } = value as Partial<KeyState>;
  return (
    typeof limit === "string" &&
    isWhole(width) &&
    Array.isArray(buckets) &&
    buckets.length % 3 === 0 &&
    buckets.every(isWhole) &&
    isRecord(began, (pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isWhole)) &&
    isRecord(succeeded, isWhole) &&
    (expires === undefined || isWhole(expires))
  );
}

function isRecord(value: unknown, isValue: (value: unknown) => boolean): boolean {
  return typeof value === "object" && value !== null && Object.values(value).every(isValue);
}

function isWhole(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

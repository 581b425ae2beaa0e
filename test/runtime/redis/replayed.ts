/** What a Redis did, in its own order, held against a log of all calls: no decision lets more through, and none holds back more than a bucket. */

import { redisHistory } from "../../../runtime/redis/index.ts";
import { type Call, decided, type Entry, NaiveClock, type NaiveLimit, NaiveLog, usesOf } from "../history/naive-log.ts";
import type { Record } from "./recording-redis.ts";

/** How the records came out. */
export interface Replayed {
  readonly allowed: ReadonlySet<string>;
  readonly denied: number;
  /** Denials that a log without buckets would have let through. */
  readonly heldBack: number;
  /** Decisions while the clock was back. */
  readonly back: number;
  /** What is wrong, by the records' own words. */
  readonly wrong: readonly string[];
}

/** `about` of a record is JSON of its call, with an `id`. A reservation counts until it is given back, as one that waits does. */
export async function replayed(limits: readonly NaiveLimit[], records: readonly Record[]): Promise<Replayed> {
  const [clock, log] = [new NaiveClock(), new NaiveLog(limits)];
  const open = new Map<string, Entry>();
  const allowed = new Set<string>();
  const wrong: string[] = [];
  const count = { denied: 0, heldBack: 0, back: 0 };
  for (const [at, { action, shown, about, reply }] of records.entries()) {
    const { id, ...call } = JSON.parse(about) as Call & { readonly id: string };
    const { now, isBack } = clock.at(shown);
    const entry = open.get(id);
    if (action === "release" && entry !== undefined) log.remove(entry);
    if (action === "commit" && entry !== undefined) entry.succeeded = [now, now];
    if (action !== "reserve") continue;
    const complain = (what: string): void => void wrong.push(`record ${at}, ${about}, at ${now}: ${what}`);
    const store = redisHistory({ call: async () => reply });
    const reservation = await store.reserve({ limits: usesOf(limits, call) });
    if (reservation.facts.now !== now) complain(`the store says ${reservation.facts.now}`);
    const isAllowed = decided(limits, call, reservation.facts);
    const excess = log.excess(call, now, 0, isBack);
    if (isAllowed) allowed.add(id);
    else count.denied++;
    if (isBack) count.back++;
    if (isAllowed && !reservation.isReserved) complain("let through, and not counted");
    if (isAllowed && excess !== undefined) complain(`let through, ${excess}`);
    if (!isAllowed && excess === undefined) count.heldBack++;
    if (!isAllowed && log.excess(call, now, "bucket", isBack) === undefined)
      complain("held back, though a bucket is free");
    if (reservation.isReserved) open.set(id, log.add(call, now));
  }
  return { allowed, ...count, wrong };
}

/** What processes wrote down of their calls, held against what limits say: no window ever has more, also where some were killed. */

import { expect } from "vitest";
import { SEED } from "../../campaign.ts";
import type { Call, NaiveLimit } from "./naive-log.ts";

/** A call that was let through, by the clock of the store. */
export interface Allowed extends Call {
  readonly now: number;
}

/** Holds each allowed call against those before it. */
export function held(limits: readonly NaiveLimit[], calls: readonly Allowed[]): void {
  const allowed = [...calls].sort((a, b) => a.now - b.now);
  for (const limit of limits.filter(({ maxCalls, atMost }) => maxCalls !== undefined || atMost !== undefined)) {
    const counted = allowed.filter(({ tool }) => limit.counts(tool));
    for (const who of new Set(counted.map((call) => call.who)))
      window(
        limit,
        counted.filter((call) => call.who === who),
      );
  }
  // In which order two calls of one millisecond came is not known: marks are looked at where they are clearly before.
  const fetched = new Map<string, number>();
  for (const { tool, who, now } of allowed) {
    if (tool === "fetch") fetched.set(who, Math.min(now, fetched.get(who) ?? now));
    if (tool === "mail") expect([who, now <= (fetched.get(who) ?? now)]).toEqual([who, true]);
  }
}

/** A window that ends at each call, slid along. */
export function window(limit: NaiveLimit, calls: readonly Allowed[]): void {
  let [first, sum] = [0, 0];
  calls.forEach(({ now, of }, i) => {
    sum += of;
    while (limit.within !== undefined && now - (calls[first] as Allowed).now > limit.within)
      sum -= (calls[first++] as Allowed).of;
    const why = `${limit.id} of seed ${SEED}, at ${now}`;
    expect([why, i - first + 1 <= (limit.maxCalls ?? Number.POSITIVE_INFINITY)]).toEqual([why, true]);
    expect([why, sum <= (limit.atMost ?? Number.POSITIVE_INFINITY)]).toEqual([why, true]);
  });
}

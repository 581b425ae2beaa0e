/**
 * A log of all calls, and what limits say by it: the oracle of the stores. It keeps everything, and counts anew each time.
 */

import type { HistoryStore, LimitFacts, LimitUse, Reservation } from "../../../runtime/history/store.ts";

/** A limit in words of the oracle. */
export interface NaiveLimit {
  readonly id: string;
  readonly maxCalls?: number;
  readonly atMost?: number;
  readonly within?: number;
  readonly onlyAfter?: { readonly tool: string; readonly within?: number };
  readonly neverAfter?: string;
  /** Whether calls of a tool count. */
  readonly counts: (tool: string) => boolean;
}

export interface Call {
  readonly tool: string;
  readonly of: number;
  /** Whose key. */
  readonly who: string;
}

interface Entry extends Call {
  readonly time: number;
  /** Between which times it succeeded, as far as a clock that runs can say. */
  succeeded?: readonly [from: number, to: number];
}

/** The store's name of a limit's key. */
export function keyOf(limit: NaiveLimit, who: string): string {
  return Buffer.from(`${limit.id}/${who}`).toString("hex").padStart(64, "0").slice(-64);
}

export function usesOf(limits: readonly NaiveLimit[], { tool, of, who }: Call): LimitUse[] {
  return limits.flatMap((limit) => {
    const isSubject = limit.counts(tool);
    const begins = limit.neverAfter === tool;
    const succeeds = limit.onlyAfter?.tool === tool;
    if (!isSubject && !begins && !succeeds) return [];
    const reads = [limit.onlyAfter?.tool, limit.neverAfter].filter((name) => name !== undefined);
    return {
      id: limit.id,
      key: keyOf(limit, who),
      within: limit.within,
      maxCalls: isSubject ? limit.maxCalls : undefined,
      sum: isSubject && limit.atMost !== undefined ? { of, atMost: limit.atMost } : undefined,
      reads: isSubject ? reads : [],
      begins: begins ? tool : undefined,
      succeeds: succeeds ? tool : undefined,
      remember: limit.onlyAfter?.within,
    };
  });
}

/** As the policy decides on facts. */
export function fits(limit: NaiveLimit, facts: LimitFacts | undefined, call: Call, now: number): boolean {
  if (facts === undefined) return false;
  const { calls, sum, last_ms } = facts;
  if (limit.maxCalls !== undefined && calls + 1 > limit.maxCalls) return false;
  if (limit.atMost !== undefined && sum + call.of > limit.atMost) return false;
  if (limit.neverAfter !== undefined && last_ms[limit.neverAfter] !== undefined) return false;
  if (limit.onlyAfter === undefined) return true;
  const last = last_ms[limit.onlyAfter.tool];
  return last !== undefined && now >= last && now - last <= (limit.onlyAfter.within ?? Number.POSITIVE_INFINITY);
}

export class NaiveLog {
  private readonly entries: Entry[] = [];
  private readonly limits: readonly NaiveLimit[];

  constructor(limits: readonly NaiveLimit[]) {
    this.limits = limits;
  }

  /** The call was let through at this time. */
  add(call: Call, time: number): Entry {
    const entry = { ...call, time };
    this.entries.push(entry);
    return entry;
  }

  /** Why the call must not be let through; `slack` milliseconds are what one bucket may hold on to. */
  excess(call: Call, now: number, slack: 0 | "bucket"): string | undefined {
    for (const limit of this.limits) {
      if (!limit.counts(call.tool)) continue;
      const width = Math.ceil((limit.within ?? 0) / 63);
      const longest =
        limit.within === undefined ? Number.POSITIVE_INFINITY : slack === 0 ? limit.within : 64 * width - 1;
      const counted = this.entries.filter(
        ({ tool, who, time }) => who === call.who && limit.counts(tool) && now - time <= longest,
      );
      const sum = counted.reduce((total, { of }) => total + of, 0);
      if (limit.maxCalls !== undefined && counted.length + 1 > limit.maxCalls) return `${limit.id}: calls`;
      if (limit.atMost !== undefined && sum + call.of > limit.atMost) return `${limit.id}: sum`;
      const own = this.entries.filter(({ who }) => who === call.who);
      if (own.some(({ tool }) => tool === limit.neverAfter)) return `${limit.id}: never after`;
      const after = limit.onlyAfter;
      const since = after && now - (after.within ?? Number.POSITIVE_INFINITY);
      const done = own.findLast(({ tool, succeeded }) => tool === after?.tool && succeeded !== undefined)?.succeeded;
      const last = done?.[slack === 0 ? 1 : 0];
      if (after !== undefined && (last === undefined || last < (since ?? 0))) return `${limit.id}: only after`;
    }
    return undefined;
  }
}

/** What became of one call at a store. */
export interface Asked {
  readonly isAllowed: boolean;
  readonly reservation: Reservation;
}

/** One call as a host makes it: reserved, decided, released where it is denied. */
export async function ask(store: HistoryStore, limits: readonly NaiveLimit[], call: Call): Promise<Asked> {
  const reservation = await store.reserve({ limits: usesOf(limits, call) });
  const { now, history } = reservation.facts;
  const isAllowed = limits
    .filter(({ counts }) => counts(call.tool))
    .every((limit) => fits(limit, history[limit.id], call, now));
  if (!isAllowed) await reservation.release();
  return { isAllowed, reservation };
}

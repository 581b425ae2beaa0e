/**
 * A log of all calls, and what limits say by it: the oracle of the stores. It keeps everything, and counts anew each time.
 */

import type { HistoryStore, LimitFacts, LimitUse, Reservation, ReservedFacts } from "../../../runtime/history/store.ts";

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

export interface Entry extends Call {
  readonly time: number;
  /** Between which times it succeeded, as far as a clock that runs can say. */
  succeeded?: readonly [from: number, to: number];
}

/** A clock that goes back by more than this makes windows unknown, until it has caught up. */
const STANDS_STILL_MS = 1000;

/** The time of a store, by the times that its clock has shown, in its own order. */
export class NaiveClock {
  private latest = 0;

  /** `isBack`: what leaves with time is not known. */
  at(shown: number): { readonly now: number; readonly isBack: boolean } {
    const isBack = shown < this.latest - STANDS_STILL_MS;
    if (!isBack) this.latest = Math.max(this.latest, shown);
    return { now: isBack ? shown : this.latest, isBack };
  }
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
    const read = (tool: string | undefined): string[] => (isSubject && tool !== undefined ? [tool] : []);
    return {
      id: limit.id,
      key: keyOf(limit, who),
      within: limit.within,
      maxCalls: isSubject ? limit.maxCalls : undefined,
      sum: isSubject && limit.atMost !== undefined ? { of, atMost: limit.atMost } : undefined,
      after: read(limit.onlyAfter?.tool),
      never: read(limit.neverAfter),
      begins: begins ? tool : undefined,
      succeeds: succeeds ? tool : undefined,
      remember: limit.onlyAfter?.within,
    };
  });
}

/** As the policy decides on facts. */
function fits(limit: NaiveLimit, facts: LimitFacts | undefined, call: Call, now: number): boolean {
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
  private readonly entries = new Map<string, Entry[]>();
  private readonly limits: readonly NaiveLimit[];

  constructor(limits: readonly NaiveLimit[]) {
    this.limits = limits;
  }

  /** The call was let through at this time. */
  add(call: Call, time: number): Entry {
    const entry = { ...call, time };
    const own = this.entries.get(call.who);
    if (own === undefined) this.entries.set(call.who, [entry]);
    else own.push(entry);
    return entry;
  }

  /** The call was denied after all. */
  remove(entry: Entry): void {
    const own = this.entries.get(entry.who) ?? [];
    own.splice(own.indexOf(entry), 1);
  }

  /**
   * Why the call must not be let through. With `bucket` as slack: why it may be held back, by what one bucket may hold on to, or by a
   * clock that went back, and tells of nothing that leaves with time.
   */
  excess(call: Call, now: number, slack: 0 | "bucket", isBack = false): string | undefined {
    for (const limit of this.limits) {
      if (!limit.counts(call.tool)) continue;
      const why = this.excessOf(limit, call, now, slack) ?? (isBack && leaves(limit) ? "the clock" : undefined);
      if (why !== undefined) return `${limit.id}: ${why}`;
    }
    return undefined;
  }

  private excessOf(limit: NaiveLimit, call: Call, now: number, slack: 0 | "bucket"): string | undefined {
    const width = Math.ceil((limit.within ?? 0) / 63);
    const longest = limit.within === undefined ? Number.POSITIVE_INFINITY : slack === 0 ? limit.within : 64 * width - 1;
    const own = this.entries.get(call.who) ?? [];
    const counted = own.filter(({ tool, time }) => limit.counts(tool) && now - time <= longest);
    const sum = counted.reduce((total, { of }) => total + of, 0);
    if (limit.maxCalls !== undefined && counted.length + 1 > limit.maxCalls) return "calls";
    if (limit.atMost !== undefined && sum + call.of > limit.atMost) return "sum";
    if (own.some(({ tool }) => tool === limit.neverAfter)) return "never after";
    const after = limit.onlyAfter;
    if (after === undefined) return undefined;
    const times = own.flatMap(({ tool, succeeded }) => (tool === after.tool && succeeded ? [succeeded] : []));
    const last = Math.max(...times.map(([from, to]) => (slack === 0 ? to : from)));
    return last < now - (after.within ?? Number.POSITIVE_INFINITY) || times.length === 0 ? "only after" : undefined;
  }
}

function leaves({ within, onlyAfter }: NaiveLimit): boolean {
  return within !== undefined || onlyAfter?.within !== undefined;
}

/** What became of one call at a store. */
export interface Asked {
  readonly isAllowed: boolean;
  readonly reservation: Reservation;
}

/** As a policy with these limits decides on what a store says. */
export function decided(limits: readonly NaiveLimit[], call: Call, { now, history }: ReservedFacts): boolean {
  return limits.filter(({ counts }) => counts(call.tool)).every((limit) => fits(limit, history[limit.id], call, now));
}

/** One call as a host makes it: reserved, decided, released where it is denied. */
export async function ask(store: HistoryStore, limits: readonly NaiveLimit[], call: Call): Promise<Asked> {
  const reservation = await store.reserve({ limits: usesOf(limits, call) });
  const isAllowed = decided(limits, call, reservation.facts);
  if (!isAllowed) await reservation.release();
  return { isAllowed, reservation };
}
